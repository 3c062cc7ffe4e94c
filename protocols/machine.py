"""The contract between protocols and their drivers.

A machine is the part of a protocol that runs at one station or one host. A protocol is an ordering under a placement,
which assigns the ordering's processes to stations or hosts. A driver, such as the simulator or the explorer, gives
inputs to machines and executes their outputs. A machine processes one input at a time and writes its outputs to an
outbox. The outputs depend only on the input and on the machine's state, not on time or random numbers.

Obligations of a driver
- *Atomicity.* An input is finished before any machine processes the next input. An outbox does not call machines.
- *Order.* The outputs of one input are executed in the order in which they were written.
- *Wireless channels* between a host and the station of its cell are FIFO and reliable while the host is in the cell.
  When the host leaves the cell, all frames in transit between the host and the station are lost, in both directions.
  A frame to a host that is not in the station's cell is lost.
- *Wired channels* are reliable but not FIFO. A station may send to itself.
- *Liveness.* Every packet or frame that is not lost arrives eventually, and every timer expires eventually.

Obligations of a machine
- The whole state is plain data in the machine's attributes, so that `protocols.state` can snapshot and compare it.
- After a machine has sent a packet, only the receiver may modify the objects in it.
- When a host's state arrives, a station reports this to the telemetry before it transmits messages to the host. It
  reports the local copies of a message (`kept`) after it has sent the copies for other stations.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import Final

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.packets import Copy, Message, Packet


class Phase(Enum):
    """The milestones of a hand-off, as stations observe them. Only hand-offs with a flush
    (`protocols.placements.logical`) have ENABLED and FLUSH_ACK. ENABLED: the state has arrived. FLUSH_ACK: every
    process of every station sends the old station no more messages for the host. COMPLETE: the new station has the
    state and all earlier messages, even if the host has left in the meantime. PASSED: the next station requested the
    state before it arrived, so the new station passes it on. RESUMED: the host registered again in the cell whose
    station has its state. FORWARDED: a station forwarded a message for a host that had left.
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
    """The hand-off that begins visit number `visit` of `host` has reached `phase`. `inferred`: the registration was
    lost, and inferred from the next request. `buffered`: the messages that waited. `retransmitted`: the resent frames.
    """

    host: int
    visit: int
    phase: Phase
    inferred: bool = False
    buffered: int = 0
    retransmitted: int = 0


class Telemetry:
    """Reports of machines to an observer, which overrides the methods. Reports do not affect a machine."""

    __slots__ = ()

    def reached(self, milestone: Milestone) -> None:
        """A hand-off has reached a phase. Only stations report this."""

    def kept(self, copies: tuple[Copy, ...]) -> None:
        """A station keeps copies that it has stamped. Under `flood`, it has also sent them to all other stations."""

    def held(self, message: Message) -> None:
        """A message has to wait in a send queue."""

    def stored(self, host: int, copy: Copy) -> None:
        """A station stores a released message for a host that has announced that it switches off."""

    def searching(self, copy: Copy) -> None:
        """A station asks for the locations of the copy's targets, and sends the copy later."""

    def departed(self, message: Message, sender: int, hosts: tuple[int, ...]) -> None:
        """The host `sender` sends the copies of a message for `hosts`, perhaps after a wait in a send queue."""


NO_TELEMETRY: Final = Telemetry()


class StationOutbox(ABC):
    """The effects of a station, and the telemetry to which the station reports."""

    __slots__ = ("telemetry",)

    def __init__(self, telemetry: Telemetry = NO_TELEMETRY) -> None:
        self.telemetry = telemetry

    @abstractmethod
    def send(self, station: int, packet: Packet) -> None:
        """Send a packet on a wired link."""

    @abstractmethod
    def transmit(self, host: int, frame: Packet) -> None:
        """Transmit a frame to a host."""

    @abstractmethod
    def wake(self, host: int, after: int) -> None:
        """Set a timer: the station's `wake` is called for this host after `after` nanoseconds."""

    @abstractmethod
    def drop(self, message: Message, host: int) -> None:
        """Drop a released message, because the host has requested that no messages are stored."""


class HostOutbox(ABC):
    """The effects of a host, and the telemetry to which the host reports."""

    __slots__ = ("telemetry",)

    def __init__(self, telemetry: Telemetry = NO_TELEMETRY) -> None:
        self.telemetry = telemetry

    @abstractmethod
    def transmit(self, frame: Packet) -> None:
        """Transmit a frame to the station of the host's cell."""

    @abstractmethod
    def wake(self, after: int) -> None:
        """Set a timer: the host's `wake` is called after `after` nanoseconds."""

    @abstractmethod
    def deliver(self, message: Message) -> None:
        """Deliver a message to the application."""


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
        """The size of the state in integers, in the representation of the protocol's paper."""

    @property
    @abstractmethod
    def pending(self) -> int:
        """The number of packets and messages that wait: for predecessors, in send queues, for hand-offs or searches."""

    def only_buffers(self, packet: Packet) -> bool:
        """Return whether the station would only store this packet until others have arrived. The explorer omits such an
        arrival, since a later arrival has the same effect. A station may always return False.
        """
        return False

    @property
    def stored(self) -> tuple[int, int]:
        """The numbers of flooded messages and of tombstones that the station stores (`protocols.placements.flood`)."""
        return 0, 0


class Host(ABC):
    __slots__ = ()

    @property
    def integers(self) -> int:
        """The size of the state in integers: stored frames, and the ordering's state and waiting messages, if any."""
        return 0

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
    def switch_off(self, out: HostOutbox, *, stores: bool) -> None:
        """Announce a disconnection. `stores`: whether messages are to be stored until it ends, or to be dropped."""

    @abstractmethod
    def expects(self, frame: Packet) -> bool:
        """Return whether the host would accept this frame as its next data frame. Observers use this."""

    @abstractmethod
    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        """Process a frame from the station."""

    def wake(self, out: HostOutbox) -> None:
        """Process the expiry of a timer."""
        raise ProtocolError(f"{type(self).__name__} sets no timer")


@value
class System:
    """The machines of one run. Each host is registered at the station of its first cell already."""

    stations: Sequence[Station]
    hosts: Sequence[Host]


class ProtocolError(Exception):
    """An input that cannot occur. So the protocol or the driver has a fault; a user cannot cause this exception."""
