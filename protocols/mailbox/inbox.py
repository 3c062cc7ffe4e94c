"""Blocked messages, indexed by the one thing that each of them waits for. Nothing is ever rescanned."""

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeAlias, TypeVar

from protocols.machine import Stamp
from protocols.ordering import Key, Process


class Item(Protocol):
    """Whatever comes with a stamp: a copy of a message, or a packet of the placement's own."""

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
        """Take an item in; those that may be delivered now, in order, each told to the process as it is handed out.

        So whatever is done about one of them comes before the next: it is the same as if that had arrived only then.
        What is `inner`, because it was on no wire, goes before the others, so that this is true of them all the same.
        """
        key = self.process.missing(item.stamp)
        if key is not None:
            self._block(item, key, self.inner if inner else self.blocked)
            return ()
        woken = self.process.deliver(item.stamp)
        return self._and_then(item, [*woken]) if self.size else (item,)

    def came(self, item: I, keys: list[Key]) -> Iterator[I]:
        """Likewise, when its arrival itself has made `keys` true."""
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
        """What waited for any of the keys, which grow as items are delivered."""
        yield from self._inner(keys, 0)
        for key in keys:
            for other in self.blocked.pop(key, ()):
                count = len(keys)
                if self._goes(other, self.blocked, keys):
                    yield other
                    yield from self._inner(keys, count)

    def _inner(self, keys: list[Key], count: int) -> Iterator[I]:
        """Because of what has been delivered since there were `count` keys."""
        while count < len(keys):
            for other in self.inner.pop(keys[count], ()):
                if self._goes(other, self.inner, keys):
                    yield other
            count += 1

    def _goes(self, item: I, blocked: Blocked[I], keys: list[Key]) -> bool:
        missing = self.process.missing(item.stamp)
        if missing is not None:
            blocked.setdefault(missing, []).append(item)
            return False
        self.size -= 1
        keys.extend(self.process.deliver(item.stamp))
        return True

    def items(self) -> list[I]:
        return [item for blocked in (self.inner, self.blocked) for items in blocked.values() for item in items]
