"""What machines share, lent to one of them for one step, so that it shows what the step depends on.

Decoys stand in the places of shared objects. A step that touches one is given up, and played again with the object
itself. All that may be done to a decoy is to pass it on; only a machine that asks what kind of object it is, or whether
it is a certain one, would go unnoticed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn


class Touched(BaseException):
    """A decoy was touched; `place` is whose place it held. Machines that catch every error must not catch this."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


class Decoy:
    """Stands in for what a step may do without."""

    __slots__ = ("place",)
    place: int

    def __getattr__(self, name: str) -> NoReturn:
        raise Touched(self.place)


def _touch(decoy: Decoy, *_: object) -> NoReturn:
    raise Touched(decoy.place)


SPECIAL: Final = (
    *("bool", "call", "contains", "delattr", "delitem", "eq", "format", "ge", "getitem", "gt", "hash", "iter", "le"),
    *("len", "lt", "ne", "reduce_ex", "repr", "reversed", "setattr", "setitem", "str"),
)
for _name in SPECIAL:
    setattr(Decoy, f"__{_name}__", _touch)


def decoy(place: int) -> Decoy:
    made = Decoy()
    object.__setattr__(made, "place", place)
    return made


class Loan(Sequence[object]):
    """The objects whose numbers are `known`, and decoys for the others, by place."""

    __slots__ = ("known", "objects", "size", "take")

    def __init__(self, take: Callable[[int, "Loan"], object], known: Mapping[int, int], size: int) -> None:
        self.take, self.known, self.size = take, known, size
        self.objects: dict[int, object] = {}

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - whatever is shared
        if place not in self.objects:
            known = self.known.get(place)
            self.objects[place] = decoy(place) if known is None else self.take(known, self)
        return self.objects[place]

    def __len__(self) -> int:
        return self.size

    def all(self) -> list[object]:
        return [self[place] for place in range(self.size)]
