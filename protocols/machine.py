"""The contract between protocols and whoever drives them.

A machine is a station or a host of one placement. It is fed one input at a time, together with an outbox that takes
its outputs, and it never blocks, sleeps, draws random numbers or reads a clock.

What a driver owes
- *Atomicity.* An input is finished before the next one is fed to any machine; an outbox calls back into no machine.
- *Order.* The outputs of one input are performed in the order in which they came.
- *Wireless channels* between a host and the station of its cell are FIFO and reliable while the host stays. When it
  leaves, everything on the air between the two is lost, in both directions; frames sent to an absent host are lost too.
- *Wired channels* are reliable, and keep no order. A station may send to itself.
- *Time passes.* Everything on a channel arrives some day, or is lost as said above; every timer expires.

What a machine owes
- A packet's `payload` (bytes), `header` (integers of the ordering) and `control` (all other integers) are what it would
  occupy on the wire in the paper's own representation, whatever stands in memory.
- All of its state hangs on its attributes as plain data, so that `protocols.state` can snapshot and compare it.
- Packets are values once they are sent: only their receiver may take them apart.
- Telemetry comes in time: that a host's state has arrived is reported before anything is sent down because of it, and
  what was `kept` is reported after what was put on the wire.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import ClassVar, Final, Protocol

from protocols.frozen_value import value


@value
class Message:
    """What an application sends. `destinations` never names the source: a host's own copy needs no network."""

    id: int
    source: int
    destinations: tuple[int, ...]
    size: int
    group: int = -1


@value
class Stamp:
    """What an ordering adds to a message. This one says nothing; each ordering has its own kind."""

    sender: int

    @property
    def integers(self) -> int:
        """As they travel."""
        return 0

    @property
    def units(self) -> int:
        """As the ordering's paper counts, where that does not count integers."""
        return self.integers


UNSTAMPED: Final = Stamp(-1)
CONTROL_MESSAGE: Final = Message(-1, -1, (), 0)
"""What a process says besides messages is a copy of this, which is none."""


@value
class Copy:
    """A message, its stamp, and those of its destinations whom this copy is for."""

    message: Message
    targets: tuple[int, ...]
    stamp: Stamp

    @property
    def is_control(self) -> bool:
        """Whether no application sent it, and none gets it."""
        return self.message.id < 0


class Purpose(Enum):
    """Why a packet travels. HANDOFF: because a host moved, came back, or is about to switch off.

    A data packet's own numbers count as control, as do those of a word.
    """

    DATA = "data"
    ORDERING = "ordering"
    HANDOFF = "handoff"
    CONTROL = "control"
    ACK = "ack"


class Packet:
    """Anything that travels, by wire or on the air (where it is called a frame)."""

    __slots__ = ()
    purpose: ClassVar[Purpose] = Purpose.CONTROL

    @property
    def payload(self) -> int:
        return 0

    @property
    def header(self) -> int:
        return 0

    @property
    def control(self) -> int:
        raise NotImplementedError


class DataPacket(Packet):
    """A wired packet of purpose DATA: a message, in its stamped copies, for those of its targets whom a station serves.

    `floods`: every station gets the same, whether it serves any of them or not.
    """

    __slots__ = ()
    purpose: ClassVar[Purpose] = Purpose.DATA
    floods: ClassVar[bool] = False

    @property
    def copies(self) -> tuple[Copy, ...]:
        raise NotImplementedError


@value
class SingleCopyPacket(DataPacket):
    copy: Copy

    @property
    def copies(self) -> tuple[Copy, ...]:
        return (self.copy,)

    @property
    def payload(self) -> int:
        return self.copy.message.size

    @property
    def header(self) -> int:
        return self.copy.stamp.integers


@value
class RoutedPacket(SingleCopyPacket):
    """To the station of its targets. `origin` stamped it, and likes to know where they went."""

    origin: int

    @property
    def control(self) -> int:
        return 1 + len(self.copy.targets)


@value
class ControlPacket(RoutedPacket):
    """Likewise, for a word."""

    purpose: ClassVar[Purpose] = Purpose.ORDERING


class HandoffPacketKind(Enum):
    """What a packet does for a hand-off. STATE_TRANSFER takes the host's state to its new station."""

    REQUEST = "request"
    NOTIFY = "notify"
    FLUSH_ACK = "flush_ack"
    STATE_TRANSFER = "state_transfer"
    COMPLETE = "complete"


@value
class HandoffPacket(Packet):
    """A wired packet of the hand-off into `visit`."""

    purpose: ClassVar[Purpose] = Purpose.HANDOFF
    kind: ClassVar[HandoffPacketKind]
    host: int
    visit: int


class Phase(Enum):
    """The milestones of a hand-off that only the stations see.

    COMPLETE: the new station may send the host any message, though the host may have moved on since its state came.
    PASSED: the state came after the host had moved on, and followed it. RESUMED: the host is back in the cell that has
    its state. FORWARDED: a message came to a station that the host has left.
    """

    REGISTERED = "registered"
    REQUEST = "request"
    ENABLED = "enabled"
    FLUSH_ACK = "flush_ack"
    COMPLETE = "complete"
    PASSED = "passed"
    RESUMED = "resumed"
    FORWARDED = "forwarded"


@value
class Milestone:
    """The hand-off into `visit` of `host` has reached `phase`. `inferred`: the host's own register was lost."""

    host: int
    visit: int
    phase: Phase
    inferred: bool = False
    buffered: int = 0
    retransmitted: int = 0


class Telemetry:
    """Trace points for an observer; no machine depends on them. This class ignores them all, observers override it."""

    __slots__ = ()

    def reached(self, milestone: Milestone) -> None:
        """A hand-off has reached a phase; only stations report it."""

    def kept(self, copies: Sequence[Copy]) -> None:
        """A station has stamped a message; its targets in the station's own cell need no wired link."""

    def held(self, message: Message) -> None:
        """A message has to wait in a send queue."""

    def let_go(self, message: Message) -> None:
        """A message leaves its host, and may have waited in a send queue before."""


NO_TELEMETRY: Final = Telemetry()


class StationOutbox(Protocol):
    @property
    def telemetry(self) -> Telemetry: ...

    def send(self, station: int, packet: Packet) -> None:
        """Put a packet on the wire."""

    def transmit(self, host: int, frame: Packet) -> None:
        """Put a frame on the air."""

    def wake(self, host: int, after: int) -> None:
        """Have the station's `wake` called about this host in so many nanoseconds."""

    def drop(self, message: Message, host: int) -> None:
        """Give up a message that could be sent down now: its host has asked that nothing be stored."""


class HostOutbox(Protocol):
    @property
    def telemetry(self) -> Telemetry: ...

    def transmit(self, frame: Packet) -> None: ...

    def wake(self, after: int) -> None:
        """Have the host's `wake` called in so many nanoseconds."""

    def deliver(self, message: Message) -> None: ...


class Station(ABC):
    __slots__ = ()

    @abstractmethod
    def receive(self, packet: Packet, out: StationOutbox) -> None:
        """A packet came by wire."""

    @abstractmethod
    def hear(self, host: int, frame: Packet, out: StationOutbox) -> None:
        """A frame came from a host of this cell."""

    def submit(self, message: Message, out: StationOutbox) -> None:
        """The station's own application sends, where the placement lets stations send."""
        raise ProtocolError(f"{type(self).__name__} sends nothing of its own")

    def wake(self, host: int, out: StationOutbox) -> None:
        """What it has asked for."""
        raise ProtocolError(f"{type(self).__name__} never asked to be woken")

    @property
    @abstractmethod
    def integers(self) -> int:
        """The size of the state, in integers, as the paper stores it."""

    @property
    @abstractmethod
    def pending(self) -> int:
        """How many packets wait here for their order, or messages for their host's hand-off."""

    def only_buffers(self, packet: Packet) -> bool:
        """Whether this packet would only be put aside until it is its turn, and might as well come then: the explorer
        does without such arrivals. A station that cannot promise it says no.
        """
        return False

    @property
    def stored(self) -> tuple[int, int]:
        """How many copies lie here until all their hosts have them, and how many marks of copies that are gone."""
        return 0, 0


class Host(ABC):
    __slots__ = ()

    @abstractmethod
    def submit(self, message: Message, out: HostOutbox) -> None:
        """The application sends."""

    @abstractmethod
    def attach(self, station: int, out: HostOutbox) -> None:
        """The host hears the beacon of the cell that it is in."""

    @abstractmethod
    def detach(self) -> None:
        """The host has left its cell, or has disconnected."""

    @abstractmethod
    def switch_off(self, out: HostOutbox) -> None:
        """The host is about to disconnect, and wants nothing stored that comes until it is back."""

    @abstractmethod
    def expects(self, frame: Packet) -> bool:
        """Whether this frame of data is the one that the host would accept now; for those who watch."""

    @abstractmethod
    def hear(self, frame: Packet, out: HostOutbox) -> None:
        """A frame came from the station."""

    def wake(self, out: HostOutbox) -> None:
        """What it has asked for."""
        raise ProtocolError(f"{type(self).__name__} never asked to be woken")


@value
class System:
    """The machines of one run. Host h starts attached to station homes[h]."""

    stations: Sequence[Station]
    hosts: Sequence[Host]


class ProtocolError(Exception):
    """A machine met what its protocol says cannot happen: a fault of the protocol or of the driver, never of a user."""
