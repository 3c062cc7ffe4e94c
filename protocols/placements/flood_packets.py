"""The packets and the hosts of a flood (`protocols.placements.flood`)."""

from typing import ClassVar

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.wireless_hop import Ack, Data, MobileHost, Receiver, Sender
from mobilesim.protocols.machine import HostOutbox
from mobilesim.protocols.ordering import Process
from mobilesim.protocols.packets import ACK, Copy, DataPacket, HandoffPacket, HandoffPacketKind, Packet, Purpose


@value
class Flooded(DataPacket):
    """The packet that carries message `number` of station `origin` to every station."""

    floods = True
    parts: tuple[Copy, ...]
    origin: int
    number: int

    @property
    def copies(self) -> tuple[Copy, ...]:
        return self.parts

    @property
    def payload(self) -> int:
        return self.parts[0].message.size

    @property
    def header(self) -> int:
        return sum([copy.stamp.integers for copy in self.parts])

    @property
    def control(self) -> int:
        return 2 + sum([len(copy.targets) for copy in self.parts])


@value
class Acknowledge(Packet):
    """Informs a station that `hosts` have received its message `number`."""

    purpose: ClassVar[Purpose] = ACK
    number: int
    hosts: tuple[int, ...]

    @property
    def control(self) -> int:
        return 1 + len(self.hosts)


@value
class Delete(Packet):
    origin: int
    number: int
    control: ClassVar[int] = 2


@value
class EpochFrame(Data):
    """A frame that a host accepts only during one registration. The station uses `origin` and `sequence` to identify
    the message. They are not part of the frame's size.
    """

    registration: int = -1
    origin: int = -1
    sequence: int = -1
    control: ClassVar[int] = 2


@value
class Migration(HandoffPacket):
    """A host's whole state, sent to the station of visit number `visit`."""

    kind: ClassVar[HandoffPacketKind] = HandoffPacketKind.STATE_TRANSFER
    sender: Sender
    receiver: Receiver
    process: Process
    received: list[int]

    @property
    def control(self) -> int:
        frames = sum(3 + frame.copies[0].stamp.integers for frame in self.sender.unacknowledged)
        return 4 + len(self.received) + self.process.integers + frames


class FloodHost(MobileHost):
    __slots__ = ()

    def expects(self, frame: Packet) -> bool:
        if type(frame) is not EpochFrame or frame.registration != self.registration:
            return False
        return frame.number == self.receiver.last + 1

    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is not EpochFrame:
            super().receive_frame(frame, out)
        elif frame.registration == self.registration:
            if self.receiver.accept(frame):
                self.arrived(frame, out)
            out.transmit(Ack(self.receiver.last))
