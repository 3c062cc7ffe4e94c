"""The contract between protocols and their drivers.

A machine is a station or a host of one placement. It processes one input at a time and writes its outputs to an outbox.
It never blocks, sleeps, draws random numbers or reads a clock.

Obligations of a driver
- *Atomicity.* An input is finished before any machine processes the next one; an outbox calls no machine.
- *Order.* The outputs of one input are executed in their order.
- *Wireless channels* between a host and the station of its cell are FIFO and reliable while the host stays. When the
  host leaves, all frames in transit between the two are lost, in both directions. Frames to an absent host are lost.
- *Wired channels* are reliable but not FIFO. A station may send to itself.
- *Liveness.* Every packet arrives eventually, unless it is lost as above; every timer expires.

Obligations of a machine
- A packet's `payload` (bytes), `header` (integers of the ordering) and `control` (all other integers) are its size in
  the paper's own representation, independent of the representation in memory.
- All of its state is plain data in its attributes, so that `protocols.state` can snapshot and compare it.
- A sent packet is a value: only its receiver may modify its parts.
- The arrival of a host's state is reported to the telemetry before any message is sent down because of it. Local
  copies are reported (`kept`) after the copies for other stations are sent.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import ClassVar, Final, Protocol

from protocols.frozen_value import value


@value
class Message:
    """A message of an application. The source is never among `destinations`: its own copy needs no network."""

    id: int
    source: int
    destinations: tuple[int, ...]
    size: int
    group: int = -1


@value
class Stamp:
    """The header that an ordering adds to a message. This header is empty; each ordering has its own subclass."""

    sender: int

    @property
    def integers(self) -> int:
        return 0

    @property
    def units(self) -> int:
        """The size in the unit of the ordering's paper, if the paper does not count integers."""
        return self.integers


UNSTAMPED: Final = Stamp(-1)
CONTROL_MESSAGE: Final = Message(-1, -1, (), 0)
"""The message of all control messages. An ordering sends copies of it; they are not delivered to applications."""


@value
class Copy:
    """A message, its stamp, and the destinations of this copy."""

    message: Message
    targets: tuple[int, ...]
    stamp: Stamp

    @property
    def is_control(self) -> bool:
        return self.message.id < 0


class Purpose(Enum):
    """The purpose of a packet. ORDERING: control messages. HANDOFF: a host moved, returned, or will switch off.

    All integers of a packet that do not belong to a stamp count as control.
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

    `floods`: every station receives the same packet, also without a target in its cell.
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
    """A copy to the station of its targets. Station `origin` stamped it, and is informed of their new locations."""

    origin: int

    @property
    def control(self) -> int:
        return 1 + len(self.copy.targets)


@value
class ControlPacket(RoutedPacket):
    purpose: ClassVar[Purpose] = Purpose.ORDERING


class HandoffPacketKind(Enum):
    """The role of a packet in a hand-off. STATE_TRANSFER carries the host's state to its new station."""

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
    """The milestones of a hand-off that only stations observe.

    COMPLETE: the new station may send the host any message; the host may have moved on since its state arrived.
    PASSED: the state arrived after the host had moved on, and followed the host. RESUMED: the host returned to the cell
    that has its state. FORWARDED: a message arrived at a station that the host has left.
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
    """The hand-off into `visit` of `host` has reached `phase`. `inferred`: the host's registration was lost."""

    host: int
    visit: int
    phase: Phase
    inferred: bool = False
    buffered: int = 0
    retransmitted: int = 0


class Telemetry:
    """Trace points for an observer. No machine depends on them. This class ignores them; observers override methods."""

    __slots__ = ()

    def reached(self, milestone: Milestone) -> None:
        """A hand-off has reached a phase. Only stations report it."""

    def kept(self, copies: Sequence[Copy]) -> None:
        """A station has stamped a message. These copies need no wired link if their targets are in its cell."""

    def held(self, message: Message) -> None:
        """A message waits in a send queue."""

    def departed(self, message: Message) -> None:
        """A message leaves its host, possibly after a wait in a send queue."""


NO_TELEMETRY: Final = Telemetry()


class StationOutbox(Protocol):
    @property
    def telemetry(self) -> Telemetry: ...

    def send(self, station: int, packet: Packet) -> None:
        """Send a packet on a wired link."""

    def transmit(self, host: int, frame: Packet) -> None:
        """Transmit a frame to a host."""

    def wake(self, host: int, after: int) -> None:
        """Set a timer: the station's `wake` is called for this host after `after` nanoseconds."""

    def drop(self, message: Message, host: int) -> None:
        """Drop a deliverable message, since its host has requested that no messages are stored."""


class HostOutbox(Protocol):
    @property
    def telemetry(self) -> Telemetry: ...

    def transmit(self, frame: Packet) -> None: ...

    def wake(self, after: int) -> None:
        """Set a timer: the host's `wake` is called after `after` nanoseconds."""

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
        """Send a message of the station's own application, if the placement supports this."""
        raise ProtocolError(f"{type(self).__name__} sends no messages of its own")

    def wake(self, host: int, out: StationOutbox) -> None:
        """Process the expiry of a timer."""
        raise ProtocolError(f"{type(self).__name__} sets no timer")

    @property
    @abstractmethod
    def integers(self) -> int:
        """The size of the state in integers, in the paper's representation."""

    @property
    @abstractmethod
    def pending(self) -> int:
        """The number of packets that wait for causal predecessors, and of messages that wait for a hand-off."""

    def only_buffers(self, packet: Packet) -> bool:
        """Return whether the station would only buffer this packet, so that a later arrival has the same effect. The
        explorer omits such arrivals. False is always safe.
        """
        return False

    @property
    def stored(self) -> tuple[int, int]:
        """The numbers of copies stored for hosts without an acknowledgement, and of tombstones of deleted copies."""
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
        """Announce a disconnection during which no messages are to be stored."""

    @abstractmethod
    def expects(self, frame: Packet) -> bool:
        """Return whether the host would accept this data frame now; for telemetry."""

    @abstractmethod
    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        """Process a frame from the station."""

    def wake(self, out: HostOutbox) -> None:
        """Process the expiry of a timer."""
        raise ProtocolError(f"{type(self).__name__} sets no timer")


@value
class System:
    """The machines of one run. Host h starts attached to station homes[h]."""

    stations: Sequence[Station]
    hosts: Sequence[Host]


class ProtocolError(Exception):
    """An input that the protocol excludes: a fault of the protocol or of the driver, never of a user."""
