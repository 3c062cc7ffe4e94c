"""Memo tables, and a set of visited states, which are applied to whole arrays of keys.

Both are hash tables with open addressing in NumPy arrays. A million look-ups of stored keys take less than 0.1 s.
"""

from array import array
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
T = TypeVar("T", bound=Hashable)

GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
FREE_KEY: Final = np.int64(-1)
FREE_HASH: Final = np.uint64(0)


class Interner(Generic[T]):
    """Assigns numbers to values; equal values have the same number."""

    def __init__(self) -> None:
        self.known: dict[T, int] = {}
        self.values: list[T] = []

    def intern(self, value: T) -> int:
        number = self.known.get(value)
        if number is None:
            number = self.known[value] = len(self.values)
            self.values.append(value)
        return number


class IntArray:
    """A growing array of integers, with vectorised reads."""

    def __init__(self, *items: int) -> None:
        self.items = array("q", items)

    def append(self, item: int) -> None:
        self.items.append(item)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, indices: Ints) -> Ints:
        return np.frombuffer(self.items, np.int64)[indices]


class MemoTable:
    """A memoized function of non-negative integers, applied to arrays."""

    def __init__(self, function: Callable[[int], int], bits: int = 8) -> None:
        self.function = function
        self.count = 0
        self._clear(bits)

    def _clear(self, bits: int) -> None:
        self.bits = bits
        self.keys = np.full(1 << bits, FREE_KEY)
        self.values = np.zeros(1 << bits, np.int64)

    def __call__(self, keys: Ints) -> Ints:
        slots = self._slots(keys)
        values = self.values[slots]
        others = np.flatnonzero(self.keys[slots] != keys)
        if len(others):
            values[others] = self._walk(keys[others])
        return values

    def _slots(self, keys: Ints) -> Ints:
        return ((keys.view(np.uint64) * GOLDEN) >> np.uint64(64 - self.bits)).view(np.int64)

    def _walk(self, keys: Ints) -> Ints:
        """Probe slot by slot; compute the values of the keys that are not found."""
        slots, values = self._slots(keys), np.zeros(len(keys), np.int64)
        indices = np.arange(len(keys))
        missing = []
        while len(indices):
            stored = self.keys[slots]
            found = stored == keys[indices]
            values[indices[found]] = self.values[slots[found]]
            missing.append(indices[stored == FREE_KEY])
            rest = ~found & (stored != FREE_KEY)
            indices, slots = indices[rest], (slots[rest] + 1) & (len(self.keys) - 1)
        absent = np.concatenate(missing)
        if len(absent):
            values[absent] = self._learn(keys[absent])
        return values

    def _learn(self, keys: Ints) -> Ints:
        new, indices = np.unique(keys, return_inverse=True)
        values = np.array([self.function(key) for key in new.tolist()])
        while 2 * (self.count + len(new)) > len(self.keys):
            self._grow()
        self._fill(new, values)
        self.count += len(new)
        return np.asarray(values[indices])

    def _grow(self) -> None:
        kept = self.keys != FREE_KEY
        keys, values = self.keys[kept], self.values[kept]
        self._clear(self.bits + 1)
        self._fill(keys, values)

    def _fill(self, keys: Ints, values: Ints) -> None:
        slots = self._slots(keys)
        while len(keys):
            free = self.keys[slots] == FREE_KEY
            self.keys[slots[free]] = keys[free]
            placed = self.keys[slots] == keys
            self.values[slots[placed]] = values[placed]
            rest = ~placed
            keys, values, slots = keys[rest], values[rest], (slots[rest] + 1) & (len(self.keys) - 1)


class VisitedSet:
    """A set of 64-bit hashes, none of them 0."""

    def __init__(self, bits: int = 12) -> None:
        self.bits = bits
        self.count = 0
        self.table = np.zeros(1 << bits, np.uint64)

    def add(self, hashes: Hashes) -> Ints:
        """Add hashes; return the indices of those that were not in the set, each hash once, in order."""
        while 3 * (self.count + len(hashes)) > 2 * len(self.table):
            self._grow()
        new = np.sort(self._insert(hashes))
        self.count += len(new)
        return new

    def _insert(self, hashes: Hashes) -> Ints:
        slots = (hashes >> np.uint64(64 - self.bits)).view(np.int64)
        indices = np.arange(len(hashes))
        entered = []
        while len(indices):
            stored = self.table[slots]
            free = stored == FREE_HASH
            rest = free | (stored != hashes)
            if free.any():
                self.table[slots[free]] = hashes[free]
                placed = free & (self.table[slots] == hashes)
                entered.append(indices[placed][np.unique(hashes[placed], return_index=True)[1]])
                rest &= ~placed
            hashes, indices, slots = hashes[rest], indices[rest], (slots[rest] + 1) & (len(self.table) - 1)
        return np.concatenate(entered) if entered else np.zeros(0, np.int64)

    def _grow(self) -> None:
        hashes = self.table[self.table != FREE_HASH]
        self.bits += 1
        self.table = np.zeros(1 << self.bits, np.uint64)
        self._insert(hashes)
