"""Blocked messages, indexed by the one delivery that each of them waits for. No queue is ever rescanned."""

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeAlias, TypeVar

from protocols.machine import Stamp
from protocols.ordering import Key, Process


class Item(Protocol):
    """A stamped item: a copy of a message, or a packet of the placement's own."""

    @property
    def stamp(self) -> Stamp: ...


I = TypeVar("I", bound=Item)  # noqa: E741 - the usual kind of name


Blocked: TypeAlias = dict[Key, list[I]]


class Inbox(Generic[I]):
    __slots__ = ("blocked", "inner", "process", "size")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.blocked: Blocked[I] = {}
        self.inner: Blocked[I] = {}
        self.size = 0

    def arrive(self, item: I, *, inner: bool = False) -> Iterable[I]:
        """Accept an item; return the items that may be delivered now, in order.

        Each is delivered to the process when it is yielded, so its consequences come before the next item, as if that
        had arrived only then. Items of the station itself (`inner`) are released before others, so that this holds for
        them.
        """
        key = self.process.missing(item.stamp)
        if key is not None:
            self._block(item, key, self.inner if inner else self.blocked)
            return ()
        woken = self.process.deliver(item.stamp)
        return self._and_then(item, [*woken]) if self.size else (item,)

    def arrive_with_keys(self, item: I, keys: list[Key]) -> Iterator[I]:
        """Accept an item whose arrival has satisfied `keys`; return the items that may be delivered now."""
        key = self.process.missing(item.stamp)
        if key is not None:
            self._block(item, key, self.blocked)
            return self.released(keys)
        return self._and_then(item, [*keys, *self.process.deliver(item.stamp)])

    def _block(self, item: I, key: Key, blocked: Blocked[I]) -> None:
        blocked.setdefault(key, []).append(item)
        self.size += 1

    def _and_then(self, item: I, keys: list[Key]) -> Iterator[I]:
        yield item
        yield from self.released(keys)

    def released(self, keys: list[Key]) -> Iterator[I]:
        """Yield the items that waited for one of the keys; the list grows as items are delivered."""
        yield from self._inner(keys, 0)
        for key in keys:
            for other in self.blocked.pop(key, ()):
                count = len(keys)
                if self._deliver_or_block(other, self.blocked, keys):
                    yield other
                    yield from self._inner(keys, count)

    def _inner(self, keys: list[Key], count: int) -> Iterator[I]:
        """Yield the inner items that waited for one of the keys from index `count` on."""
        while count < len(keys):
            for other in self.inner.pop(keys[count], ()):
                if self._deliver_or_block(other, self.inner, keys):
                    yield other
            count += 1

    def _deliver_or_block(self, item: I, blocked: Blocked[I], keys: list[Key]) -> bool:
        missing = self.process.missing(item.stamp)
        if missing is not None:
            blocked.setdefault(missing, []).append(item)
            return False
        self.size -= 1
        keys.extend(self.process.deliver(item.stamp))
        return True

    def items(self) -> list[I]:
        return [item for blocked in (self.inner, self.blocked) for items in blocked.values() for item in items]
