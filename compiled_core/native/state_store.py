"""`mobilesim.explorer.state_store` for the compiled core: the same bytes are the snapshot and the key of a state.

States that are equal in the sense of `protocols.state.key` have equal bytes. A part of a state is written as a code of
one byte, which determines what follows, and its content. Mutable objects are numbered in the order in which they are
written, and written once.
"""

import pickle
from collections import deque
from collections.abc import Sequence
from copy import copy
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Final

import numpy as np
from librt.strings import BytesWriter, read_i64_le, write_i64_le
from mypy_extensions import i64

from mobilesim.explorer.shared_state_probe import HiddenAttributes, Placeholder
from mobilesim.protocols.state import freeze, slots

NONE: Final = 0
TRUE: Final = 1
FALSE: Final = 2
INTEGER: Final = 3
TUPLE: Final = 4
VALUE: Final = 5
OBJECT: Final = 6
SEEN: Final = 7
SHARED: Final = 8
UNSET: Final = 9
MEMBER: Final = 10
LIST: Final = 11
DICT: Final = 12
SET: Final = 13
FROZEN_SET: Final = 14
DEQUE: Final = 15
ARRAY: Final = 16
PICKLED: Final = 17
COLLECTION: Final = 18  # of a derived class, such as `Counter`: an empty one, and its items
SMALL: Final = 32  # the code of the integer 0; the next codes are those of 1, 2, ... up to `LARGEST_SMALL`
LARGEST_SMALL: Final = 223
LARGEST: Final = 1 << 61

_ABSENT: Final = object()


class Layout:
    """How the objects of a class are written: `form`, the names of their slots, and the number of the class."""

    def __init__(self, kind: Any, form: i64, names: tuple[str, ...]) -> None:  # noqa: ANN401 - a class
        self.kind = kind
        self.form: i64 = form
        self.names = names
        self.number = 0


class Vocabulary:
    """The classes, the members of enumerations and the types of arrays that this process has written, by number."""

    def __init__(self) -> None:
        self.layouts: dict[type, Layout] = {}
        self.numbered: list[Layout] = []
        self.members: list[Any] = []
        self.numbers: dict[int, int] = {}
        """By the identity of a member: its number."""

    def layout(self, kind: type) -> Layout:
        found = self.layouts.get(kind)
        if found is None:
            found = self.layouts[kind] = _layout(kind)
            found.number = len(self.numbered)
            self.numbered.append(found)
        return found

    def number(self, member: object) -> int:
        found = self.numbers.get(id(member))
        if found is None:
            found = self.numbers[id(member)] = len(self.members)
            self.members.append(member)
        return found


FORMS: Final[dict[type, int]] = {
    list: LIST,
    dict: DICT,
    set: SET,
    frozenset: FROZEN_SET,
    deque: DEQUE,
    np.ndarray: ARRAY,
    **dict.fromkeys((str, bytes, float), PICKLED),
}


def _layout(kind: Any) -> Layout:  # noqa: ANN401 - a class
    if kind in FORMS:
        return Layout(kind, FORMS[kind], ())
    if issubclass(kind, Enum):
        return Layout(kind, MEMBER, ())
    if issubclass(kind, (dict, list, deque, set)):
        return Layout(kind, COLLECTION, ())
    if not any("__slots__" in base.__dict__ for base in kind.__mro__):
        slots(kind)  # raises an exception if the class has other state
        return Layout(kind, PICKLED, ())
    return Layout(kind, VALUE if is_dataclass(kind) else OBJECT, slots(kind))


VOCABULARY: Final = Vocabulary()


class StateWriter:
    def __init__(self, shared: Sequence[object], hidden: HiddenAttributes) -> None:
        self.out = BytesWriter()
        self.hidden = hidden
        self.count = 0
        self.seen: dict[int, int] = {}
        """By identity: the number of a mutable object; of a shared object, its index with all bits inverted."""
        for part in shared:
            self.seen[id(part)] = ~len(self.seen)

    def put(self, part: object) -> None:
        kind = type(part)
        if kind is int:
            assert isinstance(part, int)
            self._put_integer(part)
        elif part is None:
            self.out.append(NONE)
        elif kind is tuple:
            assert isinstance(part, tuple)
            self.out.append(TUPLE)
            self._put_integer(len(part))
            for item in part:
                self.put(item)
        elif kind is bool:
            self.out.append(TRUE if part else FALSE)
        else:
            self._put_other(part, VOCABULARY.layout(kind))

    def _put_integer(self, number: int) -> None:
        if 0 <= number <= LARGEST_SMALL:
            self.out.append(SMALL + number)
        elif -LARGEST < number < LARGEST:
            self.out.append(INTEGER)
            write_i64_le(self.out, number)
        else:
            self._put_pickled(number)

    def _put_other(self, part: Any, layout: Layout) -> None:  # noqa: ANN401 - plain data of any kind
        form = layout.form
        if form == VALUE:
            self.out.append(VALUE)
            self._put_slots(part, layout)
        elif form == MEMBER:
            self.out.append(MEMBER)
            self._put_integer(VOCABULARY.number(part))
        elif form == ARRAY:
            self._put_array(part)
        elif form == PICKLED:
            self._put_pickled(part)
        elif self._is_new(part):
            self.out.append(int(form))
            self._put_mutable(part, layout)

    def _is_new(self, part: object) -> bool:
        """Number an object; if it has a number, write this number."""
        name = id(part)
        number = self.seen.get(name)
        if number is None:
            self.seen[name] = self.count
            self.count += 1
            return True
        if number < 0:
            self.out.append(SHARED)
            self._put_integer(~number)
        else:
            self.out.append(SEEN)
            self._put_integer(number)
        return False

    def _put_mutable(self, part: Any, layout: Layout) -> None:  # noqa: ANN401 - a part of any type
        if layout.form == OBJECT:
            self._put_slots(part, layout)
        elif layout.form == LIST:
            self._put_list(part)
        elif layout.form == DICT:
            self._put_dict(part)
        elif layout.form == COLLECTION:
            self._put_collection(part)
        else:
            self._put_list(list(part) if layout.form == DEQUE else _sorted(part))

    def _put_slots(self, part: object, layout: Layout) -> None:
        self._put_integer(layout.number)
        for name in layout.names:
            content = getattr(part, name, _ABSENT)
            if content is _ABSENT:
                self._put_absent(part, name)
            else:
                self.put(content)

    def _put_absent(self, part: object, name: str) -> None:
        index = self.hidden.get(part, name)
        if index is None:
            self.out.append(UNSET)
        else:
            self.out.append(SHARED)
            self._put_integer(index)

    def _put_list(self, items: list[object]) -> None:
        self._put_integer(len(items))
        for item in items:
            self.put(item)

    def _put_dict(self, items: dict[object, object]) -> None:
        self._put_integer(len(items))
        for name, item in items.items():
            self.put(name)
            self.put(item)

    def _put_collection(self, part: Any) -> None:  # noqa: ANN401 - a collection of a derived class
        empty = copy(part)  # has the other attributes, such as the default of a `defaultdict`
        empty.clear()
        self._put_bytes(pickle.dumps(empty, pickle.HIGHEST_PROTOCOL))
        items = [half for item in part.items() for half in item] if isinstance(part, dict) else list(part)
        self._put_list(_sorted(part) if isinstance(part, set) else items)

    def _put_array(self, part: Any) -> None:  # noqa: ANN401 - an array
        if part.ndim != 1:
            self._put_pickled(part)
            return
        self.out.append(ARRAY)
        self._put_integer(VOCABULARY.number(part.dtype))
        self._put_bytes(part.tobytes())

    def _put_pickled(self, part: object) -> None:
        self.out.append(PICKLED)
        self._put_bytes(pickle.dumps(part, pickle.HIGHEST_PROTOCOL))

    def _put_bytes(self, content: bytes) -> None:
        self._put_integer(len(content))
        self.out.write(content)


def _sorted(items: set[Any] | frozenset[Any]) -> list[object]:
    if all(type(item) is int for item in items):
        return sorted(items)
    return sorted(items, key=lambda item: repr(freeze(item, {})))


class StateReader:
    def __init__(self, content: bytes, shared: Sequence[object], hidden: HiddenAttributes) -> None:
        self.content = content
        self.place: i64 = 0
        self.shared = shared
        self.hidden = hidden
        self.seen: list[object] = []

    def _code(self) -> int:
        code = self.content[self.place]
        self.place += 1
        return code

    def take(self) -> object:
        code = self._code()
        if code >= SMALL:
            return code - SMALL
        if code == NONE:
            return None
        if code == TUPLE:
            return tuple(self._items())
        if code == VALUE:
            layout = VOCABULARY.numbered[self._integer()]
            return self._fill(layout.kind.__new__(layout.kind), layout)
        if code == OBJECT:
            layout = VOCABULARY.numbered[self._integer()]
            made = layout.kind.__new__(layout.kind)
            self.seen.append(made)
            return self._fill(made, layout)
        if code == LIST:
            return self._list()
        if code == DICT:
            return self._dict()
        return self._other(code)

    def _other(self, code: int) -> object:
        if code <= FALSE:
            return code == TRUE
        if code == INTEGER:
            return self._long()
        if code == SEEN:
            return self.seen[self._integer()]
        if code == SHARED:
            return self.shared[self._integer()]
        if code == UNSET:
            return _ABSENT
        if code == MEMBER:
            return VOCABULARY.members[self._integer()]
        if code == ARRAY:
            kind = VOCABULARY.members[self._integer()]
            return np.frombuffer(self._bytes(), kind).copy()
        if code == PICKLED:
            return pickle.loads(self._bytes())  # noqa: S301 - our own bytes, from this process
        return self._derived() if code == COLLECTION else self._collection(code)

    def _derived(self) -> object:
        made: Any = pickle.loads(self._bytes())  # noqa: S301 - our own bytes, from this process
        self.seen.append(made)
        items = iter(self._items())
        if isinstance(made, dict):
            for name in items:
                made[name] = next(items)
        else:
            (made.update if isinstance(made, set) else made.extend)(items)
        return made

    def _collection(self, code: int) -> object:
        place = len(self.seen)
        self.seen.append(None)
        items = self._items()
        made: object = frozenset(items) if code == FROZEN_SET else set(items) if code == SET else deque(items)
        self.seen[place] = made
        return made

    def _integer(self) -> int:
        code = self._code()
        return self._long() if code == INTEGER else code - SMALL

    def _long(self) -> int:
        number = read_i64_le(self.content, self.place)
        self.place += 8
        return number

    def _bytes(self) -> bytes:
        size: i64 = self._integer()
        start = self.place
        self.place += size
        return self.content[start : start + size]

    def _items(self) -> list[object]:
        return [self.take() for _ in range(self._integer())]

    def _list(self) -> object:
        made: list[object] = []
        self.seen.append(made)
        for _ in range(self._integer()):
            made.append(self.take())  # noqa: PERF401 - an item may contain the list
        return made

    def _dict(self) -> object:
        made: dict[object, object] = {}
        self.seen.append(made)
        for _ in range(self._integer()):
            name = self.take()
            made[name] = self.take()
        return made

    def _fill(self, made: object, layout: Layout) -> object:
        for name in layout.names:
            content = self.take()
            if content is not _ABSENT:
                try:
                    setattr(made, name, content)
                except TypeError:
                    self._hide(made, name, content)
        return made

    def _hide(self, made: object, name: str, content: object) -> None:
        """Leave an attribute unset if its type admits no placeholder. An access to it then raises an exception."""
        if not isinstance(content, Placeholder):
            raise TypeError(f"{type(made).__name__}.{name}")
        self.hidden.note(made, name, content.index)


class StateStore:
    """Numbered states; equal states have the same number."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.numbers: dict[bytes, int] = {}

    def put(self, state: object, shared: Sequence[object] = (), hidden: HiddenAttributes | None = None) -> int:
        writer = StateWriter(shared, hidden or HiddenAttributes())
        writer.put(state)
        blob = writer.out.getvalue()
        number = self.numbers.get(blob)
        if number is None:
            number = self.numbers[blob] = len(self.blobs)
            self.blobs.append(blob)
        return number

    def put_shared(self, index: int, shared: Sequence[object], hidden: HiddenAttributes | None = None) -> int:
        """Store a shared object. Its references to other shared objects are stored as indices."""
        return self.put(shared[index], [*shared[:index], object(), *shared[index + 1 :]], hidden)

    def load(self, number: int, shared: Sequence[object] = (), hidden: HiddenAttributes | None = None) -> Any:  # noqa: ANN401 - whatever was put in
        return StateReader(self.blobs[number], shared, hidden or HiddenAttributes()).take()

    def load_shared(self, number: int, shared: Sequence[object], hidden: HiddenAttributes | None = None) -> Any:  # noqa: ANN401 - as for `load`
        return self.load(number, shared, hidden)
