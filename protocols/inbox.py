"""Blocked messages, indexed by the one thing that each of them waits for. Nothing is ever rescanned."""

from collections.abc import Sequence

from protocols.machine import Copy
from protocols.ordering import Key, Process


class Inbox:
    __slots__ = ("blocked", "process", "size")

    def __init__(self, process: Process) -> None:
        self.process = process
        self.blocked: dict[Key, list[Copy]] = {}
        self.size = 0

    def arrive(self, copy: Copy) -> Sequence[Copy]:
        """Take a copy in; those that may be delivered now, in order. Their delivery has been told to the process."""
        key = self.process.missing(copy.stamp)
        if key is not None:
            self.blocked.setdefault(key, []).append(copy)
            self.size += 1
            return ()
        woken = self.process.deliver(copy.stamp)
        return self._release(copy, woken) if self.size else (copy,)

    def satisfied(self, keys: Sequence[Key]) -> Sequence[Copy]:
        """Those that may be delivered because of `keys`, in order."""
        released: list[Copy] = []
        ready = list(keys)
        for key in ready:
            for copy in self.blocked.pop(key, ()):
                other = self.process.missing(copy.stamp)
                if other is not None:
                    self.blocked.setdefault(other, []).append(copy)
                    continue
                self.size -= 1
                ready.extend(self.process.deliver(copy.stamp))
                released.append(copy)
        return released

    def _release(self, copy: Copy, woken: Sequence[Key]) -> Sequence[Copy]:
        return [copy, *self.satisfied(woken)]

    def copies(self) -> list[Copy]:
        return [copy for copies in self.blocked.values() for copy in copies]
