"""The reference implementation of `protocols.mailbox`: a list that is searched from the start after every delivery."""

from collections.abc import Iterator

from mobilesim.protocols.ordering import Process
from mobilesim.protocols.packets import Copy


class RescanningInbox:
    def __init__(self, process: Process) -> None:
        self.process = process
        self.waiting: list[Copy] = []

    def arrive(self, copy: Copy) -> list[Copy]:
        self.waiting.append(copy)
        return list(self._released())

    def sent(self) -> list[Copy]:
        """Return the messages that may be delivered after a send of the process."""
        return list(self._released())

    def _released(self) -> Iterator[Copy]:
        while ready := next((copy for copy in self.waiting if self.process.missing(copy.stamp) is None), None):
            self.waiting.remove(ready)
            self.process.deliver(ready.stamp)
            yield ready
