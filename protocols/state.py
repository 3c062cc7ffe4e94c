"""Snapshots of machines, and keys that identify equal states. Machines need no code for snapshots and keys.

A snapshot is a pickle: it preserves shared parts of a machine, and is restored in microseconds. States with equal keys
are equal for a machine, since a key is a digest of 128 bits of everything that a snapshot contains (assuming that no
two digests collide). This includes the order of dictionaries, which a machine can observe. So states that differ only
in this order have different keys, even if they are equivalent. The digest covers a mutable object once, and then an
index of this object. It covers values and arrays by their content, and sets as sorted lists: Python does not define the
order of a set, so no machine may depend on it.

Machines of one run may share mutable objects (`shared_objects`). The snapshot and the key of one machine contain only
the index of such an object in the list `shared`. The objects in this list are stored and compared separately.
"""

import io
import marshal
import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from hashlib import blake2b
from typing import Annotated, Any, TypeAlias, TypeVar

import numpy as np

Frozen: TypeAlias = tuple[Any, ...] | str | int | float | bytes | None

T = TypeVar("T")

Shared: TypeAlias = Annotated[T, "shared by machines"]
"""The type of an attribute that refers to an object of several machines. If this code is compiled (mypyc), the type of
the attribute is not checked, because the explorer (the model checker) replaces the object by a placeholder.
"""


class StateError(TypeError):
    """A machine whose state is not plain data in slots."""


_ATOMS = frozenset((int, str, float, bytes, bool, type(None)))


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.indices = {id(part): index for index, part in enumerate(shared)}

    def persistent_id(self, part: object) -> int | None:
        return self.indices.get(id(part))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file)
        self.shared = shared

    def persistent_load(self, index: int) -> object:
        return self.shared[index]


def snapshot(state: object, shared: Sequence[object] = ()) -> bytes:
    if not shared:
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    # Pretend that the shared objects are pickled already, so that the pickle contains only references to them. The
    # method `persistent_id` would be slower, because pickle calls it for every part of the state.
    pickler.memo = {id(part): (index, part) for index, part in enumerate(shared)}
    pickler.dump(state)
    return file.getvalue()


def restore(blob: bytes, shared: Sequence[object] = ()) -> Any:  # noqa: ANN401 - a state of any type
    if not shared:
        return pickle.loads(blob)  # noqa: S301 - our own bytes, from this process
    return _Unpickler(io.BytesIO(_memorised(len(shared)) + blob), shared).load()


@cache
def _memorised(count: int) -> bytes:
    """Return the beginning of a pickle that memorises the shared objects."""
    loads = (
        pickle.BININT + index.to_bytes(4, "little") + pickle.BINPERSID + pickle.MEMOIZE + pickle.POP
        for index in range(count)
    )
    return b"".join(loads)


def snapshot_of_shared(part: object, shared: Sequence[object]) -> bytes:
    """Return a snapshot of a shared object, which may refer to other shared objects. Unlike `restore`, `restore_shared`
    looks up only the shared objects to which the snapshot refers.
    """
    file = io.BytesIO()
    _Pickler(file, shared).dump(part)
    return file.getvalue()


def restore_shared(blob: bytes, shared: Sequence[object]) -> Any:  # noqa: ANN401 - an object of any type
    return _Unpickler(io.BytesIO(blob), shared).load()


def key(state: object, shared: Sequence[object] = ()) -> bytes:
    # Version 2 of marshal writes no references, so equal values give equal bytes.
    seen = {id(part): -index for index, part in enumerate(shared, 1)}
    return blake2b(marshal.dumps(freeze(state, seen), 2), digest_size=16).digest()


def shared_objects(parts: Iterable[object], known: Sequence[object] = ()) -> list[Any]:
    """Return the objects that are reachable from more than one part, except arrays and values such as tuples and
    dataclasses. Objects in `known` are not traversed.

    Two items of a container count as two parts, because they may be separated later.
    """
    inside: dict[int, object] = {}
    _, common = _union(parts, {id(part) for part in known}, inside)
    return list((inside | common).values())


def common_objects(parts: Iterable[object], known: Sequence[object] = ()) -> list[Any]:
    """Return the objects that `shared_objects` returns, but without those that only items of one part share."""
    _, common = _union(parts, {id(part) for part in known}, {})
    return list(common.values())


def _union(
    parts: Iterable[object], known: set[int], inside: dict[int, object]
) -> tuple[dict[int, object], dict[int, object]]:
    """Return the objects reachable from the parts, and those of them that are reachable from more than one part."""
    union: dict[int, object] = {}
    common: dict[int, object] = {}
    for part in parts:
        reached: dict[int, object] = {}
        _reach(part, known, reached, inside)
        common |= {name: item for name, item in reached.items() if name in union}
        union |= reached
    return union, common


def _reach(part: object, known: set[int], reached: dict[int, object], inside: dict[int, object]) -> None:
    kind = type(part)
    if kind in _ATOMS or kind is np.ndarray or isinstance(part, Enum) or id(part) in known or id(part) in reached:
        return
    if kind is not tuple and not is_dataclass(kind):
        reached[id(part)] = part
    if isinstance(part, dict | list | deque | set):
        union, common = _union(_members(part), known, inside)
        reached |= union
        inside |= common
        return
    for member in _members(part):
        _reach(member, known, reached, inside)


def _members(part: Any) -> Iterator[object]:  # noqa: ANN401 - plain data of any kind
    if isinstance(part, dict):
        yield from part.keys()
        yield from part.values()
    elif isinstance(part, tuple | list | deque | set | frozenset):
        yield from part
    else:
        yield from (getattr(part, name) for name in slots(type(part)) if hasattr(part, name))


def mutable_fields(part: object) -> Iterator[tuple[str, str]]:
    """Yield the fields of a value that have a mutable container, also inside a tuple, with the name of its class."""
    for name in slots(type(part)):
        for member in _flat(getattr(part, name, None)):
            if isinstance(member, dict | list | deque | set | bytearray):
                yield name, type(member).__name__


def _flat(part: object) -> Iterator[object]:
    if isinstance(part, tuple):
        for item in part:
            yield from _flat(item)
    else:
        yield part


def freeze(part: object, seen: dict[int, int]) -> Frozen:
    kind = type(part)
    if kind in _ATOMS:
        return part  # type: ignore[return-value]
    if kind is tuple:
        return tuple([freeze(item, seen) for item in part])  # type: ignore[attr-defined]
    if isinstance(part, Enum):
        return (kind.__name__, part.name)
    if kind is np.ndarray:
        return (part.dtype.str, part.tobytes())  # type: ignore[attr-defined]
    if not is_dataclass(kind):
        if id(part) in seen:
            return ("seen", seen[id(part)])
        seen[id(part)] = len(seen)
    return (kind.__name__, *_parts(part, seen))


def _parts(part: Any, seen: dict[int, int]) -> tuple[Frozen, ...]:  # noqa: ANN401 - plain data of any kind
    if isinstance(part, list | deque):
        return tuple([freeze(item, seen) for item in part])
    if isinstance(part, dict):
        return tuple([(freeze(name, seen), freeze(item, seen)) for name, item in part.items()])
    if isinstance(part, set | frozenset):
        return tuple(sorted([freeze(item, seen) for item in part], key=repr))
    return tuple([(name, freeze(getattr(part, name), seen)) for name in slots(type(part)) if hasattr(part, name)])


_SLOTS: dict[type, tuple[str, ...]] = {}


def slots(kind: type) -> tuple[str, ...]:
    if kind not in _SLOTS:
        names = [name for base in reversed(kind.__mro__) for name in base.__dict__.get("__slots__", ())]
        # Compiled generic classes have slots, and a dictionary that they do not use.
        if getattr(kind, "__dictoffset__", 0) and not all("__slots__" in base.__dict__ for base in kind.__mro__[:-1]):
            raise StateError(f"{kind.__name__} has state outside of its slots; list its attributes in __slots__")
        _SLOTS[kind] = tuple(names)
    return _SLOTS[kind]
