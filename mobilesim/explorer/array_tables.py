"""Memory for whole arrays at once: functions of numbers that are computed once for each number, and a set of names.

Both are open hash tables in arrays, so that a million questions take some hundredths of a second when the answers are
known.
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
    """Gives equal things the same number."""

    __slots__ = ("known", "values")

    def __init__(self) -> None:
        self.known: dict[T, int] = {}
        self.values: list[T] = []

    def intern(self, thing: T) -> int:
        number = self.known.get(thing)
        if number is None:
            number = self.known[thing] = len(self.values)
            self.values.append(thing)
        return number


class IntArray:
    """A growing row of integers, to be read at many places at once."""

    __slots__ = ("items",)

    def __init__(self, *items: int) -> None:
        self.items = array("q", items)

    def append(self, item: int) -> None:
        self.items.append(item)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, places: Ints) -> Ints:
        return np.frombuffer(self.items, np.int64)[places]


class MemoTable:
    """`function` of many numbers (none negative); it is called once for each number."""

    __slots__ = ("bits", "count", "function", "keys", "values")

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
        """From slot to slot; what is not found is computed."""
        slots, values = self._slots(keys), np.zeros(len(keys), np.int64)
        places = np.arange(len(keys))
        missing = []
        while len(places):
            met = self.keys[slots]
            found = met == keys[places]
            values[places[found]] = self.values[slots[found]]
            missing.append(places[met == FREE_KEY])
            on = ~found & (met != FREE_KEY)
            places, slots = places[on], (slots[on] + 1) & (len(self.keys) - 1)
        absent = np.concatenate(missing)
        if len(absent):
            values[absent] = self._learn(keys[absent])
        return values

    def _learn(self, keys: Ints) -> Ints:
        new, places = np.unique(keys, return_inverse=True)
        values = np.array([self.function(key) for key in new.tolist()])
        while 2 * (self.count + len(new)) > len(self.keys):
            self._grow()
        self._fill(new, values)
        self.count += len(new)
        return np.asarray(values[places])

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
            mine = self.keys[slots] == keys
            self.values[slots[mine]] = values[mine]
            on = ~mine
            keys, values, slots = keys[on], values[on], (slots[on] + 1) & (len(self.keys) - 1)


class VisitedSet:
    """A set of names of 64 random bits, none of them 0."""

    __slots__ = ("bits", "count", "table")

    def __init__(self, bits: int = 12) -> None:
        self.bits = bits
        self.count = 0
        self.table = np.zeros(1 << bits, np.uint64)

    def add(self, names: Hashes) -> Ints:
        """The places of the names that were not in the set, each once, in order."""
        while 3 * (self.count + len(names)) > 2 * len(self.table):
            self._grow()
        new = np.sort(self._insert(names))
        self.count += len(new)
        return new

    def _insert(self, names: Hashes) -> Ints:
        slots = (names >> np.uint64(64 - self.bits)).view(np.int64)
        places = np.arange(len(names))
        entered = []
        while len(places):
            met = self.table[slots]
            free = met == FREE_HASH
            rest = free | (met != names)
            if free.any():
                self.table[slots[free]] = names[free]
                mine = free & (self.table[slots] == names)
                entered.append(places[mine][np.unique(names[mine], return_index=True)[1]])
                rest &= ~mine
            names, places, slots = names[rest], places[rest], (slots[rest] + 1) & (len(self.table) - 1)
        return np.concatenate(entered) if entered else np.zeros(0, np.int64)

    def _grow(self) -> None:
        names = self.table[self.table != FREE_HASH]
        self.bits += 1
        self.table = np.zeros(1 << self.bits, np.uint64)
        self._insert(names)
