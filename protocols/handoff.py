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
from typing import Final

from protocols.hostlink import Ack, Data, Receiver, Register, Registered, Sender
from protocols.inbox import Inbox
from protocols.machine import Copy, HandoffPacket, Milestone, Packet, Phase, ProtocolError, Station, StationOutbox
from protocols.values import value


class State(Enum):
    ABSENT = "absent"
    AWAITING = "awaiting"
    PASSING = "passing"
    SERVING = "serving"
    LEFT = "left"


SERVING: Final = State.SERVING
"""Looked up once: it is asked for with every frame and every message."""


class Event(Enum):
    REGISTER = "register"
    BEGIN = "handoff_begin"
    STATE = "state"


@value
class Step:
    target: State
    actions: tuple[str, ...]


TABLE: Final[Mapping[tuple[State, Event], Step]] = {
    (State.ABSENT, Event.REGISTER): Step(State.AWAITING, ("acknowledge", "ask")),
    (State.ABSENT, Event.BEGIN): Step(State.PASSING, ("ask",)),
    (State.AWAITING, Event.REGISTER): Step(State.AWAITING, ("acknowledge",)),
    (State.AWAITING, Event.BEGIN): Step(State.PASSING, ()),
    (State.AWAITING, Event.STATE): Step(State.SERVING, ("resume", "release", "accept")),
    (State.PASSING, Event.STATE): Step(State.LEFT, ("accept", "hand_over")),
    (State.SERVING, Event.REGISTER): Step(State.SERVING, ("acknowledge", "resume")),
    (State.SERVING, Event.BEGIN): Step(State.LEFT, ("hand_over",)),
}


@value
class HandoffBegin(HandoffPacket):
    """`station` has heard `host` register for `visit`; `trail` ends with the station that this goes to."""

    trail: tuple[int, ...]
    station: int

    @property
    def control(self) -> int:
        return 3 + len(self.trail)


class Visit:
    """One visit of one host to this cell."""

    __slots__ = (
        "heard",
        "held",
        "host",
        "inbox",
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
        self.held: list[Copy] = []
        self.inbox: Inbox
        """Set only while the host's state is here."""

    def forget(self) -> None:
        """The state has gone on. What is left is a signpost to the successor, and stays for as long as the station."""
        del self.sender, self.receiver, self.inbox, self.held, self.queue, self.trail


class Directory:
    """Where hosts are, as far as somebody knows: the newest visit that was heard of wins."""

    __slots__ = ("homes", "newest")

    def __init__(self, homes: tuple[int, ...]) -> None:
        self.homes = homes
        self.newest: dict[int, tuple[int, int]] = {}

    def find(self, host: int) -> int:
        known = self.newest.get(host)
        return self.homes[host] if known is None else known[1]

    def learn(self, host: int, visit: int, station: int) -> None:
        known = self.newest.get(host)
        if known is None or known[0] < visit:
            self.newest[host] = (visit, station)


class VisitedStation(Station):
    """The hand-off as the table has it; subclasses say what a host's state is."""

    __slots__ = ("directory", "index", "newest", "older", "served", "waiting")
    table: Mapping[tuple[State, Event], Step] = TABLE

    def __init__(self, index: int, directory: Directory) -> None:
        self.index = index
        self.directory = directory
        self.newest: dict[int, Visit] = {}
        self.older: dict[tuple[int, int], Visit] = {}
        self.served: dict[int, Visit] = {}
        """The visits whose hosts' state is here, and nowhere else."""
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
            visit.sender.acknowledge(frame.number)
        elif type(frame) is not Data:
            raise ProtocolError(f"station {self.index} heard {frame} of host {host}")
        elif visit.state is SERVING:
            self.take(visit, frame, out)
        elif visit.state is State.AWAITING:
            visit.queue.append(frame)
        else:
            raise ProtocolError(f"station {self.index} heard {frame} of host {host}, which has left")

    def _register(self, host: int, frame: Register, out: StationOutbox) -> None:
        visit = self.visit(host, frame.visit)
        visit.heard = frame.heard
        visit.registration = frame.registration
        new = visit.state is State.ABSENT
        if new:
            visit.trail = frame.trail
            self.directory.learn(host, frame.visit, self.index)
        self.step(visit, Event.REGISTER, out)
        if new:
            out.reached(Milestone(host, frame.visit, Phase.REGISTERED))
        elif visit.state is SERVING:
            out.reached(Milestone(host, frame.visit, Phase.RESUMED))

    def begin(self, packet: HandoffBegin, out: StationOutbox) -> None:
        visit = self.visit(packet.host, packet.visit - 1)
        visit.successor = packet.station
        inferred = visit.state is State.ABSENT
        if inferred:
            visit.trail = packet.trail[:-1]
        self.directory.learn(packet.host, packet.visit, packet.station)
        out.reached(Milestone(packet.host, packet.visit, Phase.BEGUN))
        if inferred:
            out.reached(Milestone(packet.host, visit.number, Phase.REGISTERED, inferred=True))
        self.step(visit, Event.BEGIN, out)

    def visit(self, host: int, number: int) -> Visit:
        """The record of a visit, made if there is none."""
        newest = self.newest.get(host)
        if newest is None or newest.number < number:
            return self._supersede(newest, self.opened(host, number))
        if newest.number == number:
            return newest
        older = self.older.get((host, number))
        if older is None:
            older = self.older[host, number] = self.opened(host, number)
        return older

    def opened(self, host: int, number: int) -> Visit:
        return Visit(host, number)

    def _supersede(self, old: Visit | None, new: Visit) -> Visit:
        if old is not None and old.state is not State.LEFT:
            self.older[old.host, old.number] = old
        self.newest[new.host] = new
        return new

    def step(self, visit: Visit, event: Event, out: StationOutbox) -> None:
        step = self.table.get((visit.state, event))
        if step is None:
            raise ProtocolError(
                f"station {self.index}, host {visit.host}, visit {visit.number}: {event} when {visit.state}"
            )
        visit.state = step.target
        for action in step.actions:
            getattr(self, action)(visit, out)
        if visit.state is State.SERVING:
            self.served[visit.host] = visit
        elif visit.state is State.LEFT:
            self.served.pop(visit.host, None)
            # Messages look at the newest visit alone, so an older one is not even needed as a signpost.
            self.older.pop((visit.host, visit.number), None)

    def acknowledge(self, visit: Visit, out: StationOutbox) -> None:
        out.transmit(visit.host, Registered(visit.registration))

    def ask(self, visit: Visit, out: StationOutbox) -> None:
        out.send(visit.trail[-1], HandoffBegin(visit.host, visit.number, visit.trail, self.index))

    def resume(self, visit: Visit, out: StationOutbox) -> None:
        visit.sender.acknowledge(visit.heard)
        for frame in visit.sender.unacknowledged:
            out.transmit(visit.host, frame)

    def accept(self, visit: Visit, out: StationOutbox) -> None:
        queue, visit.queue = visit.queue, []
        for frame in queue:
            self.take(visit, frame, out)

    def take(self, visit: Visit, frame: Data, out: StationOutbox) -> None:
        """An up-link frame for the owner of the host's state. A host that has left hears no acknowledgement."""
        if visit.receiver.accept(frame):
            self.originate(visit, frame, out)
        if visit.state is SERVING:
            out.transmit(visit.host, Ack(visit.receiver.last))

    @abstractmethod
    def release(self, visit: Visit, out: StationOutbox) -> None: ...

    @abstractmethod
    def hand_over(self, visit: Visit, out: StationOutbox) -> None: ...

    @abstractmethod
    def originate(self, visit: Visit, frame: Data, out: StationOutbox) -> None:
        """Send a host's message on its way."""
