"""A mapping from the numbers of messages to items."""

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from mypy_extensions import i64

T = TypeVar("T")

_RECENT: Final = 4096
"""When the list is twice as long as this, its older half moves to the dictionary."""


class ByNumber(Generic[T]):
    """A mapping from numbers to items. Numbers are added in ascending order. Most numbers are removed soon.

    Recent items are in a list. Several lookups are made for each message, and a lookup in a list is faster than one in
    a dictionary, which needs an object for each number.
    """

    __slots__ = ("_first", "_older", "_recent")

    def __init__(self) -> None:
        self._first: i64 = 0
        """The number of the first recent item."""
        self._recent: list[T | None] = []
        self._older: dict[int, T] = {}

    def add(self, number: i64, item: T) -> None:
        """Add an item under a number that is greater than all earlier numbers."""
        recent = self._recent
        if len(recent) >= 2 * _RECENT:
            self._retire(_RECENT)
        if number != self._first + len(recent):
            self._retire(len(recent))
            self._first = number
        recent.append(item)

    def get(self, number: i64) -> T | None:
        index = number - self._first
        if 0 <= index < len(self._recent):
            return self._recent[index]
        return self._older.get(number) if self._older else None

    def remove(self, number: i64) -> None:
        index = number - self._first
        if index >= 0:
            self._recent[index] = None
        else:
            del self._older[number]

    def values(self) -> Iterator[T]:
        """Yield the items in the order of their numbers."""
        yield from self._older.values()
        for item in self._recent:
            if item is not None:
                yield item

    def _retire(self, count: int) -> None:
        """Move the items of the first `count` recent numbers to the dictionary."""
        for index, item in enumerate(self._recent[:count]):
            if item is not None:
                self._older[self._first + index] = item
        del self._recent[:count]
        self._first += count
