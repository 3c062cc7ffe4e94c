"""The flushed hand-off: its state table, its packets, and the locations of hosts that a process stores.

`protocols.placements.logical` describes this hand-off. In its table, STATE means that `Enable` has arrived; OVER, that
`Over` has arrived as well; FLUSHED, that the `Last` packets of all processes have arrived.
"""

from typing import ClassVar, Final

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.visits import Do, HandoffEvent, HandoffTable, Visit, VisitState, then
from mobilesim.protocols.handoff.wireless_hop import Receiver, Sender
from mobilesim.protocols.packets import (
    COMPLETE,
    FLUSH_ACK,
    NOTIFY,
    STATE_TRANSFER,
    Copy,
    HandoffPacket,
    HandoffPacketKind,
    SingleCopyPacket,
    Stamp,
)

FLUSH_TABLE: Final[HandoffTable] = {
    (VisitState.ABSENT, HandoffEvent.START): then(VisitState.SERVING),
    (VisitState.ABSENT, HandoffEvent.REGISTER): then(VisitState.AWAITING, Do.ACKNOWLEDGE, Do.NOTIFY, Do.REQUEST),
    (VisitState.ABSENT, HandoffEvent.BEGIN): then(VisitState.PASSING, Do.NOTIFY, Do.REQUEST),
    (VisitState.AWAITING, HandoffEvent.REGISTER): then(VisitState.AWAITING, Do.ACKNOWLEDGE),
    (VisitState.AWAITING, HandoffEvent.BEGIN): then(VisitState.PASSING),
    (VisitState.AWAITING, HandoffEvent.STATE): then(VisitState.ENABLED, Do.RESUME, Do.ACCEPT),
    (VisitState.PASSING, HandoffEvent.STATE): then(VisitState.CROSSING, Do.ACCEPT),
    (VisitState.ENABLED, HandoffEvent.REGISTER): then(VisitState.ENABLED, Do.ACKNOWLEDGE, Do.RESUME),
    (VisitState.ENABLED, HandoffEvent.BEGIN): then(VisitState.CROSSING),
    (VisitState.ENABLED, HandoffEvent.OVER): then(VisitState.SERVING, Do.RELEASE),
    (VisitState.CROSSING, HandoffEvent.OVER): then(VisitState.LEAVING, Do.RELEASE, Do.HAND_OVER),
    (VisitState.SERVING, HandoffEvent.REGISTER): then(VisitState.SERVING, Do.ACKNOWLEDGE, Do.RESUME),
    (VisitState.SERVING, HandoffEvent.BEGIN): then(VisitState.LEAVING, Do.HAND_OVER),
    (VisitState.LEAVING, HandoffEvent.FLUSHED): then(VisitState.LEFT, Do.CONCLUDE),
}

VisitAddress = tuple[int, int]
"""The number of a visit, and the logical station of the visit."""


@value
class VisitPacket(SingleCopyPacket):
    """A message to logical station `to`. `visits` has the number of the visit for each target host."""

    visits: tuple[int, ...]
    to: int

    @property
    def stamp(self) -> Stamp:
        return self.copy.stamp

    @property
    def control(self) -> int:
        # One integer for the source of the message, and two for each target: the host and the visit.
        return 1 + 2 * len(self.visits)


@value
class ForwardedPacket(VisitPacket):
    """A message that is forwarded to the next visit, since the host had left when the message was released."""


@value
class StampedHandoffPacket(HandoffPacket):
    """A hand-off packet that is stamped and ordered like a message."""

    stamp: Stamp
    to: int
    control: ClassVar[int] = 2

    @property
    def header(self) -> int:
        return self.stamp.integers


@value
class Notify(StampedHandoffPacket):
    """Notifies a process that `visit` of `host` is at logical station `logical`."""

    kind: ClassVar[HandoffPacketKind] = NOTIFY
    logical: int
    control: ClassVar[int] = 3


@value
class Last(StampedHandoffPacket):
    """The answer to `Notify` for `visit`: the sending process sends no more messages to the previous visit."""

    kind: ClassVar[HandoffPacketKind] = FLUSH_ACK


@value
class Enable(StampedHandoffPacket):
    """The state of a host: its unacknowledged downlink frames, and the frame numbers of both directions."""

    kind: ClassVar[HandoffPacketKind] = STATE_TRANSFER
    control: ClassVar[int] = 4
    sender: Sender
    receiver: Receiver

    @property
    def payload(self) -> int:
        return sum(frame.payload for frame in self.sender.unacknowledged)


@value
class Over(StampedHandoffPacket):
    """Informs the station of `visit` that no message for the previous visit is in transit."""

    kind: ClassVar[HandoffPacketKind] = COMPLETE


class LogicalVisit(Visit):
    """`lasts` counts the `Last` packets that have arrived for the hand-off from this visit to the next one."""

    __slots__ = ("flushed", "held", "lasts", "passed", "process")

    def __init__(self, host: int, number: int, process: int) -> None:
        super().__init__(host, number)
        self.process = process
        self.held: list[Copy] = []
        self.lasts = 0
        self.flushed = False
        """Whether `Over` has arrived. Under an ordering without causal order, it may arrive before `Enable`."""
        self.passed = False
        """Whether `Enable` arrived after the request for the next visit."""

    def forget(self) -> None:
        super().forget()
        del self.held


class Locations:
    """The locations of hosts, as one process knows them from the notifications that it has received."""

    __slots__ = ("ahead", "homes", "settled")

    def __init__(self, homes: tuple[VisitAddress, ...]) -> None:
        self.homes = homes
        self.settled: dict[int, VisitAddress] = {}
        """By host: the last visit v such that the notifications of visits 1 to v have arrived."""
        self.ahead: dict[int, dict[int, int]] = {}
        """By host and visit: the logical station of a visit, if its notification arrived before an earlier one."""

    def find(self, host: int) -> VisitAddress:
        if host in self.ahead:
            newest = max(self.ahead[host])
            return newest, self.ahead[host][newest]
        return self.settled.get(host) or self.homes[host]

    def learn(self, host: int, visit: int, process: int) -> list[VisitAddress]:
        """Store a visit; return the visits that have ended. This process must now send `Last` to their stations."""
        before = self.settled.get(host) or self.homes[host]
        if visit == before[0] + 1 and host not in self.ahead:
            self.settled[host] = (visit, process)
            return [before]
        ahead = self.ahead.pop(host, {})
        ahead[visit] = process
        ended = []
        while (number := before[0] + 1) in ahead:
            ended.append(before)
            before = self.settled[host] = (number, ahead.pop(number))
        if ahead:
            self.ahead[host] = ahead
        return ended
