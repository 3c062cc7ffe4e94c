"""Visits: a station's records of the hosts in its cell, and the state machine of a hand-off.

A visit is a stay of a host in one cell. A station has one record for each visit of a host. If a host moves s0 -> s1 ->
s0 before its hand-offs are complete, s0 has two records of this host. With only one record per host, the second
hand-off would deadlock. The rules are numbered as in `docs/hand-off.md`.

- C3  The new station sends `HandoffBegin` to the station of the previous visit, which is the last one in the trail. If
      this station has no record of the previous visit, the registration was lost. The station then requests the host's
      state as if the registration had just arrived. So every hand-off is executed once and in order.
- C7  If a station has a record of a visit, another registration for this visit causes no wired packet of a hand-off.
- C8  A station answers `HandoffBegin` for visit v only when the hand-off into visit v - 1 is complete.

`DIRECT_TABLE` defines the whole hand-off of placements that move a host's state in one packet (`flood` changes some of
the actions); `docs/hand-off.md` has its diagram. If a table has no entry for a state and an event, the event raises
`ProtocolError` in this state. Only `HandoffStation.transition` changes the state of a visit.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from enum import Enum, StrEnum
from typing import ClassVar, Final, Generic, TypeAlias, TypeVar

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.wireless_hop import (
    Ack,
    ControlFrame,
    Data,
    Receiver,
    Register,
    Registered,
    Sender,
    SwitchOff,
)
from mobilesim.protocols.machine import Milestone, Phase, ProtocolError, Station, StationOutbox
from mobilesim.protocols.packets import REQUEST, Copy, HandoffPacket, HandoffPacketKind, Packet


class VisitState(Enum):
    """The state of a visit's record (`docs/hand-off.md`). Only flushed hand-offs have ENABLED, CROSSING and LEAVING."""

    ABSENT = "absent"
    AWAITING = "awaiting"
    PASSING = "passing"
    ENABLED = "enabled"
    CROSSING = "crossing"
    SERVING = "serving"
    LEAVING = "leaving"
    LEFT = "left"


SERVING: Final = VisitState.SERVING
"""A module variable is read faster than a member of `VisitState`. This one is read for every frame and message."""

PRESENT: Final = (VisitState.SERVING, VisitState.ENABLED)
"""The states in which the station has the host's state, and has not received a request for it."""


class HandoffEvent(Enum):
    """START: the run begins with the host in this cell. BEGIN: `HandoffBegin` for the next visit has arrived. STATE:
    the host's state has arrived. OVER and FLUSHED: see `protocols.handoff.flush_handoff`.
    """

    START = "start"
    REGISTER = "register"
    BEGIN = "handoff_begin"
    STATE = "state"
    OVER = "handoff_over"
    FLUSHED = "flushed"


class HandoffAction(StrEnum):
    """The actions of a station in a transition. NOTIFY and the actions after it belong to some placements only."""

    ACKNOWLEDGE = "acknowledge"
    REQUEST = "request"
    RESUME = "resume"
    RELEASE = "release"
    ACCEPT = "accept"
    HAND_OVER = "hand_over"
    NOTIFY = "notify"
    CONCLUDE = "conclude"
    ROLL_BACK = "roll_back"
    CONFIRM = "confirm"
    WITHDRAW = "withdraw"


Do: TypeAlias = HandoffAction
"""The short name of `HandoffAction` in tables."""


@value
class Transition:
    """The next state of a visit, and the actions in the order in which they run."""

    target: VisitState
    actions: tuple[HandoffAction, ...]


HandoffTable: TypeAlias = Mapping[tuple[VisitState, HandoffEvent], Transition]


def then(target: VisitState, *actions: HandoffAction) -> Transition:
    return Transition(target, actions)


DIRECT_TABLE: Final[HandoffTable] = {
    (VisitState.ABSENT, HandoffEvent.START): then(VisitState.SERVING),
    (VisitState.ABSENT, HandoffEvent.REGISTER): then(VisitState.AWAITING, Do.ACKNOWLEDGE, Do.REQUEST),
    (VisitState.ABSENT, HandoffEvent.BEGIN): then(VisitState.PASSING, Do.REQUEST),
    (VisitState.AWAITING, HandoffEvent.REGISTER): then(VisitState.AWAITING, Do.ACKNOWLEDGE),
    (VisitState.AWAITING, HandoffEvent.BEGIN): then(VisitState.PASSING),
    (VisitState.AWAITING, HandoffEvent.STATE): then(VisitState.SERVING, Do.RESUME, Do.RELEASE, Do.ACCEPT),
    (VisitState.PASSING, HandoffEvent.STATE): then(VisitState.LEFT, Do.ACCEPT, Do.HAND_OVER),
    (VisitState.SERVING, HandoffEvent.REGISTER): then(VisitState.SERVING, Do.ACKNOWLEDGE, Do.RESUME),
    (VisitState.SERVING, HandoffEvent.BEGIN): then(VisitState.LEFT, Do.HAND_OVER),
}


@value
class HandoffBegin(HandoffPacket):
    """A request to the last station of `trail` for the state of `host`, whose `visit` is at `station`. `logical`: the
    host's new logical station, or -1 if the placement has no logical stations.
    """

    kind: ClassVar[HandoffPacketKind] = REQUEST
    trail: tuple[int, ...]
    station: int
    logical: int = -1

    @property
    def control(self) -> int:
        return 3 + len(self.trail)


class Visit:
    """The record of one visit of a host to this cell. `last_received`: the number of the last downlink frame that the
    host had received when it registered. `queue`: the uplink frames that wait for the host's state. `successor`: the
    station, or logical station, of the next visit.
    """

    __slots__ = (
        *("host", "last_received", "number", "queue", "receiver", "registration", "sender", "state"),
        *("successor", "trail"),
    )

    def __init__(self, host: int, number: int) -> None:
        self.host = host
        self.number = number
        self.state = VisitState.ABSENT
        self.registration = 0
        self.trail: tuple[int, ...] = ()
        self.last_received = -1
        self.successor = -1
        self.sender = Sender()
        self.receiver = Receiver()
        self.queue: list[Data] = []

    def forget(self) -> None:
        """Delete the host's state after it has been sent to the next station. A later use raises an exception."""
        del self.sender, self.receiver, self.queue, self.trail


V = TypeVar("V", bound=Visit)
Actions: TypeAlias = dict[HandoffAction, Callable[[V, StationOutbox], object]]


class HandoffStation(Station, Generic[V]):
    """A station that executes hand-offs by `table`. Subclasses define the state of a host."""

    __slots__ = ("discarding", "index", "newest", "off", "older", "served", "waiting")
    table: ClassVar[HandoffTable] = DIRECT_TABLE

    def __init__(self, index: int) -> None:
        self.index = index
        self.newest: dict[int, V] = {}
        self.older: dict[tuple[int, int], V] = {}
        self.served: dict[int, V] = {}
        """By host: its visit in state SERVING."""
        self.off: dict[int, int] = {}
        """By host that has announced that it switches off: the visit in which it did. Nothing is transmitted to it."""
        self.discarding: dict[int, int] = {}
        """By host of these that requested that no messages are stored: the visit in which it sent this request."""
        self.waiting = 0

    @property
    def pending(self) -> int:
        return self.waiting

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        visit = self.newest.get(host)
        if type(frame) is Register:
            self._register(host, frame, out)
        elif visit is None:
            raise ProtocolError(f"station {self.index} received {frame} from host {host}, which never registered")
        elif type(frame) is Ack:
            self.downlink_acknowledged(visit, frame.number, out)
        elif type(frame) is SwitchOff:
            self.off[host] = visit.number
            if not frame.stores:
                self.discarding[host] = visit.number
        elif type(frame) is not Data and type(frame) is not ControlFrame:
            raise ProtocolError(f"station {self.index} received {frame} from host {host}")
        elif visit.state in PRESENT:
            self.accept_uplink(visit, frame, out)
        elif visit.state is VisitState.AWAITING:
            # After a repeated registration, a host retransmits frames that the queue may already contain.
            if not visit.queue or visit.queue[-1].number < frame.number:
                visit.queue.append(frame)
        else:
            raise ProtocolError(f"station {self.index} received {frame} from host {host}, which has left")

    def _register(self, host: int, frame: Register, out: StationOutbox) -> None:
        visit = self.visit_record(host, frame.visit)
        visit.last_received = frame.last_received
        visit.registration = frame.registration
        self.off.pop(host, None)
        self.discarding.pop(host, None)
        new = visit.state is VisitState.ABSENT
        if new:
            visit.trail = frame.trail
            self.host_moved(host, frame.visit, self.index)
            out.telemetry.reached(Milestone(host, frame.visit, Phase.REGISTERED))
        elif visit.state in PRESENT:
            out.telemetry.reached(Milestone(host, frame.visit, Phase.RESUMED))
        self.step(visit, HandoffEvent.REGISTER, out)
        if new:
            self.inform_home(visit, out)

    def begin(self, packet: HandoffBegin, out: StationOutbox) -> None:
        visit = self.visit_record(packet.host, packet.visit - 1)
        visit.successor = packet.station if packet.logical < 0 else packet.logical
        for announced in (self.off, self.discarding):
            if announced.get(packet.host, packet.visit) < packet.visit:
                del announced[packet.host]
        inferred = visit.state is VisitState.ABSENT
        if inferred:
            visit.trail = packet.trail[:-1]
        self.host_moved(packet.host, packet.visit, packet.station)
        out.telemetry.reached(Milestone(packet.host, packet.visit, Phase.REQUEST))
        if inferred:
            out.telemetry.reached(Milestone(packet.host, visit.number, Phase.REGISTERED, inferred=True))
        self.step(visit, HandoffEvent.BEGIN, out)

    def visit_record(self, host: int, number: int) -> V:
        """Return the record of a visit. Create the record if there is none."""
        newest = self.newest.get(host)
        if newest is None or newest.number < number:
            return self._supersede(newest, self.new_visit(host, number))
        return self.find_visit(host, number) or self.older.setdefault((host, number), self.new_visit(host, number))

    def find_visit(self, host: int, number: int) -> V | None:
        newest = self.newest.get(host)
        if newest is not None and newest.number == number:
            return newest
        return self.older.get((host, number))

    @abstractmethod
    def new_visit(self, host: int, number: int) -> V: ...

    def _supersede(self, old: V | None, new: V) -> V:
        if old is not None and old.state is not VisitState.LEFT:
            self.older[old.host, old.number] = old
        self.newest[new.host] = new
        return new

    def step(self, visit: V, event: HandoffEvent, out: StationOutbox) -> None:
        if chosen := self.transition(visit, event):
            actions = self.actions()
            for action in chosen:
                actions[action](visit, out)
        if visit.state is VisitState.LEFT:
            self.visit_ended(visit)

    def state_arrived(self, visit: V, buffered: int, out: StationOutbox) -> None:
        """Report that a host's state has arrived, for which `buffered` messages waited, and continue the hand-off."""
        serves = visit.state is VisitState.AWAITING
        again = sum(frame.number > visit.last_received for frame in visit.sender.unacknowledged) if serves else 0
        phase = Phase.COMPLETE if serves else Phase.PASSED
        out.telemetry.reached(Milestone(visit.host, visit.number, phase, buffered=buffered, retransmitted=again))
        self.step(visit, HandoffEvent.STATE, out)

    def transition(self, visit: V, event: HandoffEvent) -> tuple[HandoffAction, ...]:
        """Change the state of a visit as the table defines; return the actions to run."""
        if (step := self.table.get((visit.state, event))) is None:
            raise ProtocolError(
                f"station {self.index}, host {visit.host}, visit {visit.number}: {event} is impossible in {visit.state}"
            )
        visit.state = step.target
        if step.target is SERVING:
            self.served[visit.host] = visit
        elif self.served.get(visit.host) is visit:
            del self.served[visit.host]
        return step.actions

    def actions(self) -> Actions[V]:
        """Return the method that executes each action."""
        return {
            Do.ACKNOWLEDGE: self.acknowledge,
            Do.REQUEST: self.request,
            Do.RESUME: self.resume,
            Do.RELEASE: self.release,
            Do.ACCEPT: self.accept,
            Do.HAND_OVER: self.hand_over,
        }

    def host_moved(self, host: int, visit: int, station: int) -> None:
        """Store a host's new location, if the placement uses it."""

    def inform_home(self, visit: V, out: StationOutbox) -> None:
        """Inform the home station of a host that has registered for a new visit, if the placement has home stations."""

    def visit_ended(self, visit: V) -> None:
        if self.older.pop((visit.host, visit.number), None) is None:
            del self.newest[visit.host]

    def acknowledge(self, visit: V, out: StationOutbox) -> None:
        out.transmit(visit.host, Registered(visit.registration))

    def request(self, visit: V, out: StationOutbox) -> None:
        out.send(visit.trail[-1], HandoffBegin(visit.host, visit.number, visit.trail, self.index))

    def resume(self, visit: V, out: StationOutbox) -> None:
        visit.sender.acknowledge(visit.last_received)
        for frame in visit.sender.unacknowledged:
            self.transmit(visit.host, frame, out)

    def transmit(self, host: int, frame: Packet, out: StationOutbox) -> None:
        """Transmit a frame, unless the host has announced that it switches off."""
        # Mostly, no host of the cell is switched off. To look up a host in an empty dictionary takes longer than to ask
        # whether the dictionary is empty.
        if not self.off or host not in self.off:
            out.transmit(host, frame)
        elif isinstance(frame, Data):
            out.telemetry.stored(host, frame.copies[0])

    def downlink_acknowledged(self, visit: V, number: int, out: StationOutbox) -> None:
        visit.sender.acknowledge(number)

    def accept(self, visit: V, out: StationOutbox) -> None:
        """Accept the uplink frames that waited for the host's state."""
        queue, visit.queue = visit.queue, []
        for frame in queue:
            self.accept_uplink(visit, frame, out)

    def accept_uplink(self, visit: V, frame: Data, out: StationOutbox) -> None:
        """Accept the next uplink frame. While the host is in the cell, acknowledge the last accepted frame."""
        if visit.receiver.accept(frame):
            self.originate(visit, frame, out)
        if visit.state in PRESENT:
            self.transmit(visit.host, Ack(visit.receiver.last), out)

    def send_down(self, visit: V, copy: Copy, out: StationOutbox) -> None:
        """Transmit a released message to the host. Drop it if the host has requested that no messages are stored."""
        if self.discarding and visit.host in self.discarding:
            out.drop(copy.message, visit.host)
        else:
            self.transmit(visit.host, visit.sender.enqueue((copy,), 0), out)

    @abstractmethod
    def release(self, visit: V, out: StationOutbox) -> None:
        """Process the messages that waited for the host's state."""

    @abstractmethod
    def hand_over(self, visit: V, out: StationOutbox) -> None:
        """Send the host's state to the successor."""

    @abstractmethod
    def originate(self, visit: V, frame: Data, out: StationOutbox) -> None:
        """Send a host's message into the wired network."""
