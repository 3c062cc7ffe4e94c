"""Random executions in which all events of processes are compared: sends, receipts and internal events."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from mobilesim.protocols.clocks.logical_clock import CausalRelation, Stamp
from tests.support.clocks.execution import Execution, Sending


@dataclass(frozen=True)
class ProcessEvent:
    """`past` has a bit for each event that happened before."""

    number: int
    process: int
    past: int
    stamps: list[Stamp]

    def relation_to(self, other: "ProcessEvent") -> CausalRelation:
        if other.past >> self.number & 1:
            return CausalRelation.BEFORE
        return CausalRelation.AFTER if self.past >> other.number & 1 else CausalRelation.CONCURRENT


@dataclass
class EventExecution(Execution):
    events: list[ProcessEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._pasts = [0] * self.links.size
        self._carried: dict[int, int] = {}

    def send(self, sender: int, receiver: int) -> Sending:
        sending = super().send(sender, receiver)
        self._record(sender)
        self._carried[sending.number] = self._pasts[sender]
        return sending

    def arrive(self, sending: Sending) -> None:
        super().arrive(sending)
        self._pasts[sending.receiver] |= self._carried[sending.number]
        self._record(sending.receiver)

    def tick(self, process: int) -> None:
        super().tick(process)
        self._record(process)

    def _record(self, process: int) -> None:
        stamps = [clock.processes[process].stamp() for clock in self.clocks]
        event = ProcessEvent(len(self.events), process, self._pasts[process], stamps)
        self.events.append(event)
        self._pasts[process] |= 1 << event.number

    def event_comparisons(self, pair: tuple[int, int]) -> Iterator[tuple[CausalRelation, list[CausalRelation]]]:
        """Yield the true relation of each two events of two processes, and the answer of each clock."""
        for one, other in combinations([event for event in self.events if event.process in pair], 2):
            if one.process != other.process:
                stamps = zip(self.clocks, one.stamps, other.stamps, strict=True)
                yield one.relation_to(other), [clock.compare(one.process, *each) for clock, *each in stamps]
