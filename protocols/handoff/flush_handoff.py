"""The flushed hand-off: its state table, its packets, and the locations of hosts that a process stores.

`protocols.placements.logical` describes this hand-off. In the table, STATE is the arrival of `Enable`; FLUSHED means
that the `Last` packets of all processes have arrived.
"""

from typing import ClassVar, Final

from protocols.frozen_value import value
from protocols.handoff.visits import Do, HandoffEvent, HandoffTable, Visit, VisitState, then
from protocols.handoff.wireless_hop import Receiver, Sender
from protocols.machine import Copy, HandoffPacket, HandoffPacketKind, SingleCopyPacket, Stamp

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
"""A visit's number, and its logical station."""


@value
class VisitPacket(SingleCopyPacket):
    """A message for logical station `to`. `visits` has the destination visit of each target."""

    visits: tuple[int, ...]
    to: int

    @property
    def stamp(self) -> Stamp:
        return self.copy.stamp

    @property
    def control(self) -> int:
        # The source of the message, and for each target a host and a visit.
        return 1 + 2 * len(self.visits)


@value
class ForwardedPacket(VisitPacket):
    """A message that was released at a station after its host had left."""


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
    """Visit `visit` is at logical station `logical`."""

    kind = HandoffPacketKind.NOTIFY
    logical: int
    control: ClassVar[int] = 3


@value
class Last(StampedHandoffPacket):
    """The sender has received the notification of the visit, and sends no more messages to the previous visit."""

    kind = HandoffPacketKind.FLUSH_ACK


@value
class Enable(StampedHandoffPacket):
    """The state of a host: its unacknowledged frames, and the numbers of its frames."""

    kind = HandoffPacketKind.STATE_TRANSFER
    control: ClassVar[int] = 4
    sender: Sender
    receiver: Receiver

    @property
    def payload(self) -> int:
        return sum(frame.payload for frame in self.sender.unacknowledged)


@value
class Over(StampedHandoffPacket):
    """No message for the previous visit is in transit."""

    kind = HandoffPacketKind.COMPLETE


class LogicalVisit(Visit):
    """`lasts` counts the `Last` packets of the hand-off out of this visit."""

    __slots__ = ("flushed", "held", "lasts", "passed", "process")

    def __init__(self, host: int, number: int, process: int) -> None:
        super().__init__(host, number)
        self.process = process
        self.held: list[Copy] = []
        self.lasts = 0
        self.flushed = False
        """Whether `Over` has arrived. It arrives before `Enable` only under an ordering without causal order."""
        self.passed = False
        """Whether `Enable` arrived after the host had moved on."""

    def forget(self) -> None:
        super().forget()
        del self.held


class Locations:
    """The locations of hosts that one process stores, from its deliveries."""

    __slots__ = ("ahead", "homes", "settled")

    def __init__(self, homes: tuple[VisitAddress, ...]) -> None:
        self.homes = homes
        self.settled: dict[int, VisitAddress] = {}
        """By host: the last visit up to which this process has received all notifications."""
        self.ahead: dict[int, dict[int, int]] = {}
        """By host and later visit: the logical station of the visit."""

    def find(self, host: int) -> VisitAddress:
        if host in self.ahead:
            newest = max(self.ahead[host])
            return newest, self.ahead[host][newest]
        return self.settled.get(host) or self.homes[host]

    def learn(self, host: int, visit: int, process: int) -> list[VisitAddress]:
        """Store a visit; return the earlier visits to which this process sends no more messages."""
        before = self.settled.get(host) or self.homes[host]
        ahead = self.ahead.pop(host, {})
        ahead[visit] = process
        ended = []
        while (number := before[0] + 1) in ahead:
            ended.append(before)
            before = self.settled[host] = (number, ahead.pop(number))
        if ahead:
            self.ahead[host] = ahead
        return ended
