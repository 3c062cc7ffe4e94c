"""A hand-off that is flushed: its state table, its packets, and what a process knows of where hosts are.

`protocols.placements.logical` says what for. In the table, `STATE` is the arrival of `Enable`, and `FLUSHED` that all
processes have sent their `Last`.
"""

from collections.abc import Mapping
from typing import Final

from protocols.frozen_value import value
from protocols.handoff.visits import Event, State, Step, Visit
from protocols.handoff.wireless_hop import Receiver, Sender
from protocols.machine import Copy, HandoffPacket, Kind, OneCopy, Stamp

FLUSHED: Final[Mapping[tuple[State, Event], Step]] = {
    (State.ABSENT, Event.REGISTER): Step(State.AWAITING, ("acknowledge", "notify", "ask")),
    (State.ABSENT, Event.BEGIN): Step(State.PASSING, ("notify", "ask")),
    (State.AWAITING, Event.REGISTER): Step(State.AWAITING, ("acknowledge",)),
    (State.AWAITING, Event.BEGIN): Step(State.PASSING, ()),
    (State.AWAITING, Event.STATE): Step(State.ENABLED, ("resume", "accept")),
    (State.PASSING, Event.STATE): Step(State.CROSSING, ("accept",)),
    (State.ENABLED, Event.REGISTER): Step(State.ENABLED, ("acknowledge", "resume")),
    (State.ENABLED, Event.BEGIN): Step(State.CROSSING, ()),
    (State.ENABLED, Event.OVER): Step(State.SERVING, ("release",)),
    (State.CROSSING, Event.OVER): Step(State.LEAVING, ("release", "hand_over")),
    (State.SERVING, Event.REGISTER): Step(State.SERVING, ("acknowledge", "resume")),
    (State.SERVING, Event.BEGIN): Step(State.LEAVING, ("hand_over",)),
    (State.LEAVING, Event.FLUSHED): Step(State.LEFT, ("conclude",)),
}

Place = tuple[int, int]
"""A visit's number, and its logical station."""


@value
class Letter(OneCopy):
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
class Old(Letter):
    """A message that was released where its host no longer is."""


@value
class Ordered(HandoffPacket):
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
class Notify(Ordered):
    """Visit `visit` is at logical station `logical`."""

    kind = Kind.NOTIFY
    logical: int

    @property
    def control(self) -> int:
        return 3


@value
class Last(Ordered):
    """The sender knows of the visit, and sends nothing more to the one before."""

    kind = Kind.LAST


@value
class Enable(Ordered):
    """What the host has not acknowledged, and the numbers of its frames."""

    kind = Kind.STATE
    sender: Sender
    receiver: Receiver

    @property
    def payload(self) -> int:
        return sum(frame.payload for frame in self.sender.unacknowledged)

    @property
    def control(self) -> int:
        return 4


@value
class Over(Ordered):
    """Nothing is under way any more to the visit before."""

    kind = Kind.OVER


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

    def __init__(self, homes: tuple[Place, ...]) -> None:
        self.homes = homes
        self.settled: dict[int, Place] = {}
        """The last visit before which none is missing."""
        self.ahead: dict[int, dict[int, int]] = {}

    def find(self, host: int) -> Place:
        if host in self.ahead:
            newest = max(self.ahead[host])
            return newest, self.ahead[host][newest]
        return self.settled.get(host) or self.homes[host]

    def learn(self, host: int, visit: int, process: int) -> list[Place]:
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
