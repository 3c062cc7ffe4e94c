"""Visits: a station's records of the hosts that are, were or are about to be in its cell, and how one visit follows
another.

A record is kept per (host, visit), never per host: a host that goes s0 -> s1 -> s0 faster than its hand-offs has two of
them at s0, and "the current hand-off" of a host would deadlock there.

- C3  The new station sends `HandoffBegin` to the cell of the visit before, the last one of the trail. A station that
      has no record of that visit never heard its register: it behaves as if the register had just come, so that every
      switch is executed, once and in order.
- C7  A register for the visit that a station knows already costs no wired message.
- C8  `HandoffBegin` for visit v is answered only when the hand-off into v - 1 is over at that record.

`TABLE` is all there is to a hand-off that moves a host's whole state in one message; `docs/hand-off.md` draws it. What
the table does not name cannot happen, and raises. The actions are methods of the station, named in the order in which
they run:

    acknowledge  tell the host that its registration was heard
    ask          send `HandoffBegin` to the cell of the visit before
    resume       drop what the host has heard, send the rest of the unacknowledged frames again
    release      hand the messages that waited for the state to the ordering
    accept       take in the up-link frames that waited for the state
    hand_over    send the state on to the successor
"""

from abc import abstractmethod
from collections.abc import Mapping
from enum import Enum
from typing import Final, Generic, TypeVar

from protocols.frozen_value import value
from protocols.handoff.wireless_hop import Ack, ControlFrame, Data, Receiver, Register, Registered, Sender, SwitchOff
from protocols.machine import (
    Copy,
    HandoffPacket,
    HandoffPacketKind,
    Milestone,
    Packet,
    Phase,
    ProtocolError,
    Station,
    StationOutbox,
)


class State(Enum):
    """ENABLED, CROSSING and LEAVING are for hand-offs that are flushed (`protocols.placements.logical`)."""

    ABSENT = "absent"
    AWAITING = "awaiting"
    PASSING = "passing"
    ENABLED = "enabled"
    CROSSING = "crossing"
    SERVING = "serving"
    LEAVING = "leaving"
    LEFT = "left"


SERVING: Final = State.SERVING
"""Looked up once: it is asked for with every frame and every message."""

HERE: Final = (State.SERVING, State.ENABLED)
"""The host is in the cell, as far as its station knows, and so is its state."""


class Event(Enum):
    REGISTER = "register"
    BEGIN = "handoff_begin"
    STATE = "state"
    OVER = "handoff_over"
    FLUSHED = "flushed"


@value
class Transition:
    target: State
    actions: tuple[str, ...]


TABLE: Final[Mapping[tuple[State, Event], Transition]] = {
    (State.ABSENT, Event.REGISTER): Transition(State.AWAITING, ("acknowledge", "ask")),
    (State.ABSENT, Event.BEGIN): Transition(State.PASSING, ("ask",)),
    (State.AWAITING, Event.REGISTER): Transition(State.AWAITING, ("acknowledge",)),
    (State.AWAITING, Event.BEGIN): Transition(State.PASSING, ()),
    (State.AWAITING, Event.STATE): Transition(State.SERVING, ("resume", "release", "accept")),
    (State.PASSING, Event.STATE): Transition(State.LEFT, ("accept", "hand_over")),
    (State.SERVING, Event.REGISTER): Transition(State.SERVING, ("acknowledge", "resume")),
    (State.SERVING, Event.BEGIN): Transition(State.LEFT, ("hand_over",)),
}


@value
class HandoffBegin(HandoffPacket):
    """`station` has heard `host` register for `visit`; `trail` ends with the station that this goes to.

    `logical`: the logical station that the host belongs to, where stations are divided.
    """

    kind = HandoffPacketKind.REQUEST
    trail: tuple[int, ...]
    station: int
    logical: int = -1

    @property
    def control(self) -> int:
        return 3 + len(self.trail)


class Visit:
    """One visit of one host to this cell."""

    __slots__ = (
        "heard",
        "host",
        "number",
        "queue",
        "receiver",
        "registration",
        "sender",
        "state",
        "successor",
        "trail",
    )

    def __init__(self, host: int, number: int) -> None:
        self.host = host
        self.number = number
        self.state = State.ABSENT
        self.registration = 0
        self.trail: tuple[int, ...] = ()
        self.heard = -1
        self.successor = -1
        self.sender = Sender()
        self.receiver = Receiver()
        self.queue: list[Data] = []

    def forget(self) -> None:
        """The state has gone on."""
        del self.sender, self.receiver, self.queue, self.trail


V = TypeVar("V", bound=Visit)


class HandoffStation(Station, Generic[V]):
    """The hand-off as the table has it; subclasses say what a host's state is."""

    __slots__ = ("discarding", "index", "newest", "older", "served", "waiting")
    table: Mapping[tuple[State, Event], Transition] = TABLE

    def __init__(self, index: int) -> None:
        self.index = index
        self.newest: dict[int, V] = {}
        self.older: dict[tuple[int, int], V] = {}
        self.served: dict[int, V] = {}
        """The visits that are `SERVING`."""
        self.discarding: dict[int, int] = {}
        """The hosts that are off and want nothing stored, with the visit in which they said so."""
        self.waiting = 0

    @property
    def pending(self) -> int:
        return self.waiting

    def hear(self, host: int, frame: Packet, out: StationOutbox) -> None:
        visit = self.newest.get(host)
        if type(frame) is Register:
            self._register(host, frame, out)
        elif visit is None:
            raise ProtocolError(f"station {self.index} heard {frame} of host {host}, which never registered")
        elif type(frame) is Ack:
            self.acknowledged(visit, frame.number, out)
        elif type(frame) is SwitchOff:
            self.discarding[host] = visit.number
        elif type(frame) is not Data and type(frame) is not ControlFrame:
            raise ProtocolError(f"station {self.index} heard {frame} of host {host}")
        elif visit.state in HERE:
            self.accept_uplink(visit, frame, out)
        elif visit.state is State.AWAITING:
            # A host that comes back into the cell repeats what waits here already.
            if not visit.queue or visit.queue[-1].number < frame.number:
                visit.queue.append(frame)
        else:
            raise ProtocolError(f"station {self.index} heard {frame} of host {host}, which has left")

    def _register(self, host: int, frame: Register, out: StationOutbox) -> None:
        visit = self.visit(host, frame.visit)
        visit.heard = frame.heard
        visit.registration = frame.registration
        self.discarding.pop(host, None)
        if visit.state is State.ABSENT:
            visit.trail = frame.trail
            self.moved(host, frame.visit, self.index)
            out.telemetry.reached(Milestone(host, frame.visit, Phase.REGISTERED))
        elif visit.state in HERE:
            out.telemetry.reached(Milestone(host, frame.visit, Phase.RESUMED))
        self.step(visit, Event.REGISTER, out)

    def begin(self, packet: HandoffBegin, out: StationOutbox) -> None:
        visit = self.visit(packet.host, packet.visit - 1)
        visit.successor = packet.station if packet.logical < 0 else packet.logical
        if self.discarding.get(packet.host, packet.visit) < packet.visit:
            del self.discarding[packet.host]
        inferred = visit.state is State.ABSENT
        if inferred:
            visit.trail = packet.trail[:-1]
        self.moved(packet.host, packet.visit, packet.station)
        out.telemetry.reached(Milestone(packet.host, packet.visit, Phase.REQUEST))
        if inferred:
            out.telemetry.reached(Milestone(packet.host, visit.number, Phase.REGISTERED, inferred=True))
        self.step(visit, Event.BEGIN, out)

    def visit(self, host: int, number: int) -> V:
        """The record of a visit, made if there is none."""
        newest = self.newest.get(host)
        if newest is None or newest.number < number:
            return self._supersede(newest, self.opened(host, number))
        return self.known(host, number) or self.older.setdefault((host, number), self.opened(host, number))

    def known(self, host: int, number: int) -> V | None:
        newest = self.newest.get(host)
        if newest is not None and newest.number == number:
            return newest
        return self.older.get((host, number))

    @abstractmethod
    def opened(self, host: int, number: int) -> V:
        """A new record."""

    def _supersede(self, old: V | None, new: V) -> V:
        if old is not None and old.state is not State.LEFT:
            self.older[old.host, old.number] = old
        self.newest[new.host] = new
        return new

    def step(self, visit: V, event: Event, out: StationOutbox) -> None:
        step = self.table.get((visit.state, event))
        if step is None:
            raise ProtocolError(
                f"station {self.index}, host {visit.host}, visit {visit.number}: {event} when {visit.state}"
            )
        visit.state = step.target
        if visit.state is State.SERVING:
            self.served[visit.host] = visit
        elif self.served.get(visit.host) is visit:
            del self.served[visit.host]
        for action in step.actions:
            getattr(self, action)(visit, out)
        if visit.state is State.LEFT:
            self.left(visit)

    def settle(self, visit: V) -> None:
        """A host starts in this cell, and its state with it."""
        visit.state = SERVING
        self.served[visit.host] = visit

    def moved(self, host: int, visit: int, station: int) -> None:
        """Word of where a host has gone."""

    def left(self, visit: V) -> None:
        """The visit is over for good, and nobody will ask for its record."""
        if self.older.pop((visit.host, visit.number), None) is None:
            del self.newest[visit.host]

    def acknowledge(self, visit: V, out: StationOutbox) -> None:
        out.transmit(visit.host, Registered(visit.registration))

    def ask(self, visit: V, out: StationOutbox) -> None:
        out.send(visit.trail[-1], HandoffBegin(visit.host, visit.number, visit.trail, self.index))

    def resume(self, visit: V, out: StationOutbox) -> None:
        visit.sender.acknowledge(visit.heard)
        for frame in visit.sender.unacknowledged:
            out.transmit(visit.host, frame)

    def acknowledged(self, visit: V, number: int, out: StationOutbox) -> None:
        """The host has all frames up to this one."""
        visit.sender.acknowledge(number)

    def accept(self, visit: V, out: StationOutbox) -> None:
        queue, visit.queue = visit.queue, []
        for frame in queue:
            self.accept_uplink(visit, frame, out)

    def accept_uplink(self, visit: V, frame: Data, out: StationOutbox) -> None:
        """An up-link frame for the owner of the host's state. A host that has left hears no acknowledgement."""
        if visit.receiver.accept(frame):
            self.originate(visit, frame, out)
        if visit.state in HERE:
            out.transmit(visit.host, Ack(visit.receiver.last))

    def send_down(self, visit: V, copy: Copy, out: StationOutbox) -> None:
        """Send a message down that may go now."""
        if visit.host in self.discarding:
            out.drop(copy.message, visit.host)
        else:
            out.transmit(visit.host, visit.sender.enter((copy,), 0))

    @abstractmethod
    def release(self, visit: V, out: StationOutbox) -> None: ...

    @abstractmethod
    def hand_over(self, visit: V, out: StationOutbox) -> None: ...

    @abstractmethod
    def originate(self, visit: V, frame: Data, out: StationOutbox) -> None:
        """Send a host's message on its way."""
