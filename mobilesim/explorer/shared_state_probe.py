"""Dependency tracking: the shared objects on which a machine's step depends.

A step is first run with placeholders for the objects that machines share. If the step touches a placeholder, it is
abandoned, and run again with the object itself. A machine may pass on a placeholder without touching it. It is not
detected if a machine reads the type or the identity of a shared object.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn


class DependencyFound(BaseException):
    """A step touched the placeholder of shared object `index`.

    A BaseException, so that a machine that catches every Exception does not catch it.
    """

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index


class Placeholder:
    __slots__ = ("index",)
    index: int

    def __init__(self, index: int) -> None:
        object.__setattr__(self, "index", index)

    def __getattr__(self, name: str) -> NoReturn:
        raise DependencyFound(self.index)


def _touch(placeholder: Placeholder, *_: object) -> NoReturn:
    raise DependencyFound(placeholder.index)


SPECIAL: Final = (
    *("bool", "call", "contains", "delattr", "delitem", "eq", "format", "ge", "getitem", "gt", "hash", "iter", "le"),
    *("len", "lt", "ne", "reduce_ex", "repr", "reversed", "setattr", "setitem", "str"),
)
for _name in SPECIAL:
    setattr(Placeholder, f"__{_name}__", _touch)


class SharedStateProbe(Sequence[object]):
    """The shared objects of a run: objects with `known` state numbers, and placeholders for all other objects."""

    __slots__ = ("known", "load", "objects", "size")

    def __init__(self, load: Callable[[int, "SharedStateProbe"], object], known: Mapping[int, int], size: int) -> None:
        self.load, self.known, self.size = load, known, size
        self.objects: dict[int, object] = {}

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401 - whatever is shared
        if index not in self.objects:
            number = self.known.get(index)
            self.objects[index] = Placeholder(index) if number is None else self.load(number, self)
        return self.objects[index]

    def __len__(self) -> int:
        return self.size

    def all(self) -> list[object]:
        return [self[index] for index in range(self.size)]
