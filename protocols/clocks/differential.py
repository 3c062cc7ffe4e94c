"""Singhal and Kshemkalyani: an efficient implementation of vector clocks (1992). Differential vectors.

A message carries only the entries of the sender's vector that have changed since its previous message to the same
receiver, as pairs of a process and its time: two integers for each changed entry. The sender keeps two more vectors:
its own time at its last message to each process (LS), and its own time at the last change of each entry (LU). Entry k
goes to process j if LS[j] < LU[k].

FIFO. A receiver must get every message of a sender, in the order of sending. Otherwise it misses changes, or applies
them to the wrong vector, and answers of every kind may be wrong.

Answers. The entries on a message do not give its vector. Meldal, Sankar and Vera (1991, section 6) note that two
messages can then no longer be compared by what they carry. With `answers: rebuilt` a receiver keeps the last vector of
each sender and applies the changes to it, which gives the vector of each message and exact answers, but takes N
integers for every process from which it receives. With `answers: carried` it compares what two messages carry. An entry
that has not changed then counts as 0, so that causally ordered messages may be reported as concurrent.
"""

from collections.abc import Mapping, Sequence

from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network, ProcessClock, compare_stamps
from mobilesim.protocols.frozen_value import value


@value
class DifferentialStamp:
    """`changes`: the time by process. A receiver that rebuilds vectors stores the complete vector."""

    sender: int
    changes: Mapping[int, int]

    @property
    def integers(self) -> int:
        return 2 * len(self.changes)

    def precedes(self, other: "DifferentialStamp") -> bool:
        mine, theirs = self.changes[self.sender], other.changes.get(self.sender, 0)
        return mine < theirs if self.sender == other.sender else mine <= theirs


class DifferentialClock(ProcessClock[DifferentialStamp]):
    __slots__ = ("_changed", "_process", "_rebuilds", "_rebuilt", "_sent", "times")

    def __init__(self, process: int, processes: int, *, rebuilds: bool) -> None:
        self._process = process
        self._rebuilds = rebuilds
        self.times = [0] * processes
        self._sent = [0] * processes
        """LS: by receiver, the process's own time at the last message."""
        self._changed = [0] * processes
        """LU: by entry, the process's own time at the last change."""
        self._rebuilt: dict[int, dict[int, int]] = {}
        """By sender, the vector of its last message."""

    @property
    def integers(self) -> int:
        return len(self.times) * (3 + len(self._rebuilt))

    def tick(self) -> None:
        own = self._process
        self.times[own] += 1
        self._changed[own] = self.times[own]

    def stamp(self) -> DifferentialStamp:
        """Return the complete vector."""
        return DifferentialStamp(self._process, dict(enumerate(self.times)))

    def send(self, receivers: Sequence[int]) -> list[DifferentialStamp]:
        self.tick()
        return [DifferentialStamp(self._process, self._changes_for(receiver)) for receiver in receivers]

    def _changes_for(self, receiver: int) -> dict[int, int]:
        last, times = self._sent[receiver], self.times
        self._sent[receiver] = times[self._process]
        return {process: times[process] for process, changed in enumerate(self._changed) if last < changed}

    def receive(self, stamp: DifferentialStamp) -> DifferentialStamp:
        self.tick()
        now = self.times[self._process]
        for process, time in stamp.changes.items():
            if self.times[process] < time:
                self.times[process] = time
                self._changed[process] = now
        if not self._rebuilds:
            return stamp
        vector = {**self._rebuilt.get(stamp.sender, {}), **stamp.changes}
        self._rebuilt[stamp.sender] = vector
        return DifferentialStamp(stamp.sender, vector)


def build(network: Network, answers: str = "rebuilt") -> ClockSystem[DifferentialStamp]:
    size, rebuilds = network.size, answers == "rebuilt"
    return ClockSystem([DifferentialClock(process, size, rebuilds=rebuilds) for process in range(size)], compare_stamps)
