"""A hand-off that is flushed: its state table, its packets, and what a process knows of where hosts are.

`protocols.placements.logical` says what for. In the table, `STATE` is the arrival of `Enable`, and `FLUSH_TABLE` that
all processes have sent their `Last`.
"""

from collections.abc import Mapping
from typing import Final

from protocols.frozen_value import value
from protocols.handoff.visits import Event, State, Transition, Visit
from protocols.handoff.wireless_hop import Receiver, Sender
from protocols.machine import Copy, HandoffPacket, HandoffPacketKind, SingleCopyPacket, Stamp

FLUSH_TABLE: Final[Mapping[tuple[State, Event], Transition]] = {
    (State.ABSENT, Event.REGISTER): Transition(State.AWAITING, ("acknowledge", "notify", "ask")),
    (State.ABSENT, Event.BEGIN): Transition(State.PASSING, ("notify", "ask")),
    (State.AWAITING, Event.REGISTER): Transition(State.AWAITING, ("acknowledge",)),
    (State.AWAITING, Event.BEGIN): Transition(State.PASSING, ()),
    (State.AWAITING, Event.STATE): Transition(State.ENABLED, ("resume", "accept")),
    (State.PASSING, Event.STATE): Transition(State.CROSSING, ("accept",)),
    (State.ENABLED, Event.REGISTER): Transition(State.ENABLED, ("acknowledge", "resume")),
    (State.ENABLED, Event.BEGIN): Transition(State.CROSSING, ()),
    (State.ENABLED, Event.OVER): Transition(State.SERVING, ("release",)),
    (State.CROSSING, Event.OVER): Transition(State.LEAVING, ("release", "hand_over")),
    (State.SERVING, Event.REGISTER): Transition(State.SERVING, ("acknowledge", "resume")),
    (State.SERVING, Event.BEGIN): Transition(State.LEAVING, ("hand_over",)),
    (State.LEAVING, Event.FLUSHED): Transition(State.LEFT, ("conclude",)),
}

VisitAddress = tuple[int, int]
"""A visit's number, and its logical station."""


@value
class VisitPacket(SingleCopyPacket):
    """A message for logical station `to`; `visits` has, for each target, the visit that it is for."""

    visits: tuple[int, ...]
    to: int

    @property
    def stamp(self) -> Stamp:
        return self.copy.stamp

    @property
    def control(self) -> int:
        """Its source, and for each target a host and a visit."""
        return 1 + 2 * len(self.visits)


@value
class ForwardedPacket(VisitPacket):
    """A message that was released where its host no longer is."""


@value
class StampedHandoffPacket(HandoffPacket):
    """A packet of a hand-off that is stamped as messages are."""

    stamp: Stamp
    to: int

    @property
    def header(self) -> int:
        return self.stamp.integers

    @property
    def control(self) -> int:
        return 2


@value
class Notify(StampedHandoffPacket):
    """Visit `visit` is at logical station `logical`."""

    kind = HandoffPacketKind.NOTIFY
    logical: int

    @property
    def control(self) -> int:
        return 3


@value
class Last(StampedHandoffPacket):
    """The sender knows of the visit, and sends nothing more to the one before."""

    kind = HandoffPacketKind.FLUSH_ACK


@value
class Enable(StampedHandoffPacket):
    """What the host has not acknowledged, and the numbers of its frames."""

    kind = HandoffPacketKind.STATE_TRANSFER
    sender: Sender
    receiver: Receiver

    @property
    def payload(self) -> int:
        return sum(frame.payload for frame in self.sender.unacknowledged)

    @property
    def control(self) -> int:
        return 4


@value
class Over(StampedHandoffPacket):
    """Nothing is under way any more to the visit before."""

    kind = HandoffPacketKind.COMPLETE


class LogicalVisit(Visit):
    __slots__ = ("flushed", "held", "lasts", "passed", "process")

    def __init__(self, host: int, number: int, process: int) -> None:
        super().__init__(host, number)
        self.process = process
        self.held: list[Copy] = []
        self.lasts = 0
        self.flushed = False
        """`Over` is here. Only an ordering that keeps no order lets it come before `Enable`."""
        self.passed = False
        """`Enable` came when the host had moved on."""

    def forget(self) -> None:
        super().forget()
        del self.held


class Locations:
    """Where hosts are, as one process knows by what has been delivered to it."""

    __slots__ = ("ahead", "homes", "settled")

    def __init__(self, homes: tuple[VisitAddress, ...]) -> None:
        self.homes = homes
        self.settled: dict[int, VisitAddress] = {}
        """The last visit before which none is missing."""
        self.ahead: dict[int, dict[int, int]] = {}

    def find(self, host: int) -> VisitAddress:
        if host in self.ahead:
            newest = max(self.ahead[host])
            return newest, self.ahead[host][newest]
        return self.settled.get(host) or self.homes[host]

    def learn(self, host: int, visit: int, process: int) -> list[VisitAddress]:
        """The visits that nothing will be sent to any more, and whose end has not been told yet."""
        before = self.settled.get(host) or self.homes[host]
        ahead = self.ahead.pop(host, {})
        ahead[visit] = process
        ended = []
        while before[0] + 1 in ahead:
            ended.append(before)
            number = before[0] + 1
            before = self.settled[host] = (number, ahead.pop(number))
        if ahead:
            self.ahead[host] = ahead
        return ended
