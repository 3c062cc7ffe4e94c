"""Dependency tracking: the shared objects on which a machine's step depends.

A step is first run with placeholders for the objects that machines share. If the step touches a placeholder, it is
abandoned, and run again with the object itself. A machine may pass on a placeholder without touching it. It is not
detected if a machine reads the type or the identity of a shared object.

An attribute of a compiled machine admits only objects of its type. If this type admits no placeholder, the attribute
stays unset. A step that reads it, or that takes a placeholder out of a container as an object of another type, raises
an exception, whose text says which object is needed (`HiddenAttributes.needed`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
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


@cache
def placeholder(index: int) -> Placeholder:
    """Return the placeholder of a shared object. Its class has the index in its name, for texts of exceptions."""
    made: Placeholder = type(f"SharedObject{index}", (Placeholder,), {"__slots__": ()})(index)
    return made


class HiddenAttributes:
    """The unset attributes of compiled objects that refer to shared objects, with the indices of these objects."""

    __slots__ = ("holders", "indices")

    def __init__(self) -> None:
        self.holders: list[object] = []
        self.indices: dict[tuple[int, str], int] = {}
        """By the identity of an object, and the name of its attribute."""

    def note(self, holder: object, name: str, index: int) -> None:
        self.holders.append(holder)
        self.indices[id(holder), name] = index

    def get(self, holder: object, name: str) -> int | None:
        return self.indices.get((id(holder), name))

    def needed(self, error: BaseException | None) -> int | None:
        """Return the index of the shared object without which a step raised this exception, or None."""
        if isinstance(error, TypeError) and (found := TOUCHED_ITEM.search(str(error))):
            return int(found[1])
        if isinstance(error, AttributeError) and (found := TOUCHED_ATTRIBUTE.search(str(error))):
            return self._first(*found.groups())
        return None

    def _first(self, name: str, kind: str) -> int | None:
        """Return the first object behind an attribute of this name in an object of this class or of a derived one."""
        holders = (part for part in self.holders if kind in [base.__name__ for base in type(part).__mro__])
        return next((index for part in holders if (index := self.get(part, name)) is not None), None)


TOUCHED_ITEM: Final = re.compile(r"SharedObject(\d+)")
TOUCHED_ATTRIBUTE: Final = re.compile(r"attribute '(\w+)' of '(\w+)' undefined")


class SharedStateProbe(Sequence[object]):
    """The shared objects of a run: objects with `known` state numbers, and placeholders for all other objects."""

    __slots__ = ("hidden", "known", "load", "objects", "size")

    def __init__(
        self, load: Callable[[int, "SharedStateProbe", HiddenAttributes], object], known: Mapping[int, int], size: int
    ) -> None:
        self.load, self.known, self.size = load, known, size
        self.objects: dict[int, object] = {}
        self.hidden = HiddenAttributes()

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401 - a shared object of any type
        if index not in self.objects:
            number = self.known.get(index)
            self.objects[index] = placeholder(index) if number is None else self.load(number, self, self.hidden)
        return self.objects[index]

    def __len__(self) -> int:
        return self.size

    def all(self) -> list[object]:
        return [self[index] for index in range(self.size)]
