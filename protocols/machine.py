"""The contract between protocols and their drivers.

A machine is a station or a host of one placement. It processes one input at a time, with an outbox that takes its
outputs, and it never blocks, sleeps, draws random numbers or reads a clock.

What a driver owes
- *Atomicity.* An input is finished before the next one is fed to any machine; an outbox calls no machine.
- *Order.* The outputs of one input are performed in the order in which they came.
- *Wireless channels* between a host and the station of its cell are FIFO and reliable while the host stays. When it
  leaves, all frames in transit between the two are lost, in both directions; so are frames to an absent host.
- *Wired channels* are reliable, and keep no order. A station may send to itself.
- *Liveness.* Everything on a channel arrives eventually, or is lost as above; every timer expires.

What a machine owes
- A packet's `payload` (bytes), `header` (integers of the ordering) and `control` (all other integers) are what it would
  occupy on the wire in the paper's own representation, whatever stands in memory.
- All of its state is plain data in its attributes, so that `protocols.state` can snapshot and compare it.
- Packets are values once they are sent: only their receiver may modify their parts.
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
    """A message of an application. `destinations` never has the source: a host's own copy needs no network."""

    id: int
    source: int
    destinations: tuple[int, ...]
    size: int
    group: int = -1


@value
class Stamp:
    """The header that an ordering adds to a message. This one is empty; each ordering has its own class."""

    sender: int

    @property
    def integers(self) -> int:
        """The size in transit."""
        return 0

    @property
    def units(self) -> int:
        """The size as the ordering's paper counts it, if not in integers."""
        return self.integers


UNSTAMPED: Final = Stamp(-1)
CONTROL_MESSAGE: Final = Message(-1, -1, (), 0)
"""The message of all control messages of orderings: a process sends copies of it, and no application gets them."""


@value
class Copy:
    """A message, its stamp, and the destinations that this copy is for."""

    message: Message
    targets: tuple[int, ...]
    stamp: Stamp

    @property
    def is_control(self) -> bool:
        return self.message.id < 0


class Purpose(Enum):
    """What a packet is sent for. ORDERING: control messages. HANDOFF: a host moved, came back, or will switch off.

    The integers of a packet that are not its stamps' count as control.
    """

    DATA = "data"
    ORDERING = "ordering"
    HANDOFF = "handoff"
    CONTROL = "control"
    ACK = "ack"


class Packet:
    """A packet on a wired link, or a frame on the wireless channel."""

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
    """A wired packet of purpose DATA: a message in its stamped copies, for the targets that a station serves.

    `floods`: every station gets the same packet, whether it serves a target or not.
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
    """A copy to the station of its targets. `origin` stamped it, and is informed of new locations of targets."""

    origin: int

    @property
    def control(self) -> int:
        return 1 + len(self.copy.targets)


@value
class ControlPacket(RoutedPacket):
    purpose: ClassVar[Purpose] = Purpose.ORDERING


class HandoffPacketKind(Enum):
    """A packet's role in a hand-off. STATE_TRANSFER carries the host's state to its new station."""

    REQUEST = "request"
    NOTIFY = "notify"
    FLUSH_ACK = "flush_ack"
    STATE_TRANSFER = "state_transfer"
    COMPLETE = "complete"


@value
class HandoffPacket(Packet):
    """A wired packet of a host's hand-off into `visit`."""

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
        """Send a packet on a wired link."""

    def transmit(self, host: int, frame: Packet) -> None:
        """Transmit a frame to a host."""

    def wake(self, host: int, after: int) -> None:
        """Set a timer: call the station's `wake` for this host after `after` nanoseconds."""

    def drop(self, message: Message, host: int) -> None:
        """Drop a message that could be sent down now: its host has asked that nothing be stored."""


class HostOutbox(Protocol):
    @property
    def telemetry(self) -> Telemetry: ...

    def transmit(self, frame: Packet) -> None: ...

    def wake(self, after: int) -> None:
        """Set a timer: call the host's `wake` after `after` nanoseconds."""

    def deliver(self, message: Message) -> None: ...


class Station(ABC):
    __slots__ = ()

    @abstractmethod
    def receive(self, packet: Packet, out: StationOutbox) -> None:
        """Process a packet from a wired link."""

    @abstractmethod
    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        """Process a frame from a host of this cell."""

    def submit(self, message: Message, out: StationOutbox) -> None:
        """Send a message of the station's own application, if the placement lets stations send."""
        raise ProtocolError(f"{type(self).__name__} sends nothing of its own")

    def wake(self, host: int, out: StationOutbox) -> None:
        """What it has asked for."""
        raise ProtocolError(f"{type(self).__name__} never asked to be woken")

    @property
    @abstractmethod
    def integers(self) -> int:
        """The size of the state in integers, as the paper stores it."""

    @property
    @abstractmethod
    def pending(self) -> int:
        """The number of packets that wait for their order, and of messages that wait for their host's hand-off."""

    def only_buffers(self, packet: Packet) -> bool:
        """Whether this packet would only be buffered, so that it might as well arrive later. The explorer leaves out
        such arrivals. A station that cannot promise it returns False.
        """
        return False

    @property
    def stored(self) -> tuple[int, int]:
        """The numbers of copies stored until all their hosts have them, and of tombstones of deleted copies."""
        return 0, 0


class Host(ABC):
    __slots__ = ()

    @abstractmethod
    def submit(self, message: Message, out: HostOutbox) -> None:
        """Send a message of the application."""

    @abstractmethod
    def attach(self, station: int, out: HostOutbox) -> None:
        """Enter the cell of a station."""

    @abstractmethod
    def detach(self) -> None:
        """Leave the cell, or disconnect."""

    @abstractmethod
    def switch_off(self, out: HostOutbox) -> None:
        """Announce a disconnection during which no messages shall be stored."""

    @abstractmethod
    def expects(self, frame: Packet) -> bool:
        """Whether the host would accept this data frame now; for telemetry."""

    @abstractmethod
    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        """Process a frame from the station."""

    def wake(self, out: HostOutbox) -> None:
        """What it has asked for."""
        raise ProtocolError(f"{type(self).__name__} never asked to be woken")


@value
class System:
    """The machines of one run. Host h starts attached to station homes[h]."""

    stations: Sequence[Station]
    hosts: Sequence[Host]


class ProtocolError(Exception):
    """An input that the protocol rules out: a fault of the protocol or of the driver, never of a user."""
