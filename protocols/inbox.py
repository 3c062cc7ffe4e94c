"""Blocked messages, indexed by the one thing that each of them waits for. Nothing is ever rescanned."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from protocols.machine import Stamp
from protocols.ordering import Key, Process


class Item(Protocol):
    """Whatever comes with a stamp: a copy of a message, or a packet of the placement's own."""

    @property
    def stamp(self) -> Stamp: ...


I = TypeVar("I", bound=Item)  # noqa: E741 - the usual kind of name


class Inbox(Generic[I]):
    __slots__ = ("blocked", "process", "size")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.blocked: dict[Key, list[I]] = {}
        self.size = 0

    def arrive(self, item: I) -> Sequence[I]:
        """Take an item in; those that may be delivered now, in order. Their delivery has been told to the process."""
        stamp = item.stamp
        key = self.process.missing(stamp)
        if key is not None:
            self.blocked.setdefault(key, []).append(item)
            self.size += 1
            return ()
        woken = self.process.deliver(stamp)
        return self._release(item, woken) if self.size else (item,)

    def satisfied(self, keys: Sequence[Key]) -> Sequence[I]:
        """Those that may be delivered because of `keys`, in order."""
        released: list[I] = []
        ready = list(keys)
        for key in ready:
            for item in self.blocked.pop(key, ()):
                other = self.process.missing(item.stamp)
                if other is not None:
                    self.blocked.setdefault(other, []).append(item)
                    continue
                self.size -= 1
                ready.extend(self.process.deliver(item.stamp))
                released.append(item)
        return released

    def _release(self, item: I, woken: Sequence[Key]) -> Sequence[I]:
        return [item, *self.satisfied(woken)]

    def items(self) -> list[I]:
        return [item for items in self.blocked.values() for item in items]
