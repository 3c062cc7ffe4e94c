"""Messages, their stamps, and the packets and frames that carry them.

The size of a packet is its `payload` (bytes), its `header` (integers of stamps) and its `control` (all other integers).
It is the size in the representation of the paper that describes the ordering or the placement, which may differ from
the representation in memory.
"""

from enum import Enum
from typing import ClassVar, Final

from mobilesim.protocols.frozen_value import value


@value
class Message:
    """A message of an application. A host does not send to itself: `destinations` never contains `source`."""

    id: int
    source: int
    destinations: tuple[int, ...]
    size: int
    group: int = -1


@value
class Stamp:
    """The control information that an ordering adds to a message: the sender, and the fields of a subclass."""

    sender: int

    @property
    def integers(self) -> int:
        return 0

    @property
    def units(self) -> int:
        """The size in the unit that the ordering's paper counts. Many papers count integers."""
        return self.integers

    @property
    def only_relayed(self) -> bool:
        """Whether a process that is no destination of the message receives this stamp, to pass on the message."""
        return False


UNSTAMPED: Final = Stamp(-1)
CONTROL_MESSAGE: Final = Message(-1, -1, (), 0)
"""A control message is a `Copy` of this message, or of one that its receiver only passes on. No application gets it."""


@value
class Copy:
    """A message with a stamp, for the receivers `targets`."""

    message: Message
    targets: tuple[int, ...]
    stamp: Stamp

    @property
    def is_control(self) -> bool:
        return self.message.id < 0 or self.stamp.only_relayed


class Purpose(Enum):
    """The purpose of a packet. DATA: a packet with a message. ORDERING: a control message of the ordering. HANDOFF: a
    packet about a host that moved, returned, or will switch off. LOCATION: a packet by which stations learn in which
    cell a host is. ACK: an acknowledgement. CONTROL: any other packet.
    """

    DATA = "data"
    ORDERING = "ordering"
    HANDOFF = "handoff"
    LOCATION = "location"
    CONTROL = "control"
    ACK = "ack"


# Compiled code reads a variable of a module faster than a member of an enumeration, and every packet has a purpose.
DATA: Final = Purpose.DATA
ORDERING: Final = Purpose.ORDERING
HANDOFF: Final = Purpose.HANDOFF
LOCATION: Final = Purpose.LOCATION
CONTROL: Final = Purpose.CONTROL
ACK: Final = Purpose.ACK


class Packet:
    """A packet on a wired link, or a frame on the wireless channel."""

    __slots__ = ()

    @property
    def purpose(self) -> Purpose:
        return CONTROL

    @property
    def payload(self) -> int:
        return 0

    @property
    def header(self) -> int:
        return 0

    @property
    def control(self) -> int:
        raise NotImplementedError

    @property
    def stored_stamps(self) -> int:
        """The integers of `control` that are stamps of messages in a host's state. Relays do not read them."""
        return 0


class DataPacket(Packet):
    """A wired packet with the stamped copies of one message. `floods`: stations without a target receive it, too."""

    __slots__ = ()
    purpose: ClassVar[Purpose] = DATA
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
    """A copy for the station that serves its targets. `origin`, which stamped it, may be informed of new locations."""

    origin: int

    @property
    def control(self) -> int:
        return 1 + len(self.copy.targets)


@value
class ControlPacket(RoutedPacket):
    purpose: ClassVar[Purpose] = ORDERING


class HandoffPacketKind(Enum):
    """The role of a packet in a hand-off. STATE_TRANSFER carries the host's state to its new station."""

    REQUEST = "request"
    NOTIFY = "notify"
    FLUSH_ACK = "flush_ack"
    STATE_TRANSFER = "state_transfer"
    COMPLETE = "complete"


REQUEST: Final = HandoffPacketKind.REQUEST
NOTIFY: Final = HandoffPacketKind.NOTIFY
FLUSH_ACK: Final = HandoffPacketKind.FLUSH_ACK
STATE_TRANSFER: Final = HandoffPacketKind.STATE_TRANSFER
COMPLETE: Final = HandoffPacketKind.COMPLETE


@value
class HandoffPacket(Packet):
    """A wired packet of the hand-off that begins visit number `visit` of `host`. A visit is a stay in one cell."""

    purpose: ClassVar[Purpose] = HANDOFF
    host: int
    visit: int

    @property
    def kind(self) -> HandoffPacketKind:
        raise NotImplementedError
