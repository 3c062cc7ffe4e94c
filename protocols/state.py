"""Snapshots of machines, and keys by which two states are the same; no machine has to lend a hand.

A snapshot is a pickle: it keeps what several machines share, and restores in microseconds. A key is canonical: equal states
have equal keys however they came about. A shared object that can change is written once and named by its place; values and
arrays are compared by what they say.
"""

import marshal
import pickle
from collections import deque
from dataclasses import is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np

Frozen: TypeAlias = tuple[Any, ...] | str | int | float | bytes | None


def snapshot(state: object) -> bytes:
    return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)


def restore(blob: bytes) -> Any:  # noqa: ANN401 - whatever was put in
    return pickle.loads(blob)  # noqa: S301 - our own bytes, from this process


def key(state: object) -> bytes:
    """16 bytes that name a state. Version 2 of marshal writes no references, so equal values give equal bytes."""
    return blake2b(marshal.dumps(freeze(state, {}), 2), digest_size=16).digest()


def freeze(part: object, seen: dict[int, int]) -> Frozen:
    kind = type(part)
    if part is None or kind in (int, str, float, bytes, bool):
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
        items = sorted(part.items(), key=lambda item: repr(item[0]))
        return tuple([(freeze(name, seen), freeze(item, seen)) for name, item in items])
    if isinstance(part, set | frozenset):
        return tuple(sorted([freeze(item, seen) for item in part], key=repr))
    return tuple([freeze(getattr(part, name), seen) for name in _slots(type(part)) if hasattr(part, name)])


_SLOTS: dict[type, tuple[str, ...]] = {}


def _slots(kind: type) -> tuple[str, ...]:
    if kind not in _SLOTS:
        names = [name for base in reversed(kind.__mro__) for name in base.__dict__.get("__slots__", ())]
        if not names and getattr(kind, "__dictoffset__", 0):
            raise TypeError(f"{kind.__name__} keeps its state outside of slots")
        _SLOTS[kind] = tuple(names)
    return _SLOTS[kind]
