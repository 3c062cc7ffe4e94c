"""What travels in a flood and what lies at a station for it: packets, dated frames, a shelf of copies for each origin.

`protocols.placements.flood` says what for.
"""

from typing import ClassVar

from protocols.frozen_value import value
from protocols.handoff.wireless_hop import Ack, Data, MobileHost, Receiver, Sender
from protocols.machine import Copy, DataPacket, HandoffPacket, HandoffPacketKind, HostOutbox, Packet, Purpose
from protocols.ordering import Process


@value
class Flooded(DataPacket):
    """Message `number` of station `origin`."""

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
    """These hosts have message `number` of the station that this goes to."""

    purpose: ClassVar[Purpose] = Purpose.ACK
    number: int
    hosts: tuple[int, ...]

    @property
    def control(self) -> int:
        return 1 + len(self.hosts)


@value
class Delete(Packet):
    origin: int
    number: int

    @property
    def control(self) -> int:
        return 2


@value
class EpochFrame(Data):
    """A frame for the host as it registered last; `origin` and `sequence` of its message stay at the station."""

    registration: int = -1
    origin: int = -1
    sequence: int = -1

    @property
    def control(self) -> int:
        return 2


def with_registration(frame: Data, registration: int) -> EpochFrame:
    assert isinstance(frame, EpochFrame)
    return EpochFrame(frame.number, frame.copies, 0, 0, registration, frame.origin, frame.sequence)


@value
class Migration(HandoffPacket):
    """All that belongs to a host, on its way to the station of `visit`."""

    kind = HandoffPacketKind.STATE_TRANSFER
    sender: Sender
    receiver: Receiver
    process: Process
    received: list[int]

    @property
    def control(self) -> int:
        unheard = sum(3 + frame.copies[0].stamp.integers for frame in self.sender.unacknowledged)
        return 4 + len(self.received) + self.process.integers + unheard


class FloodHost(MobileHost):
    __slots__ = ()

    def expects(self, frame: Packet) -> bool:
        if type(frame) is not EpochFrame or frame.registration != self.registration:
            return False
        return frame.number == self.receiver.last + 1

    def hear(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is not EpochFrame:
            super().hear(frame, out)
        elif frame.registration == self.registration:
            if self.receiver.accept(frame):
                self.arrived(frame, out)
            out.transmit(Ack(self.receiver.last))


class OriginStore:
    """The messages of one origin, as one station knows them."""

    __slots__ = ("complete", "copies", "floor", "gone")

    def __init__(self) -> None:
        self.copies: dict[int, Flooded] = {}
        self.gone: set[int] = set()
        """Deleted, from `floor` on."""
        self.floor = 0
        """All before are deleted."""
        self.complete = 0
        """All before have come, or are deleted."""

    def knows(self, number: int) -> bool:
        return number < self.complete or number in self.copies or number in self.gone

    def take(self, packet: Flooded) -> bool:
        """Whether there is any use for it."""
        if packet.number < self.floor or packet.number in self.gone:
            return False
        self.copies[packet.number] = packet
        self._count()
        return True

    def delete(self, number: int) -> Flooded | None:
        self.gone.add(number)
        while self.floor in self.gone:
            self.gone.remove(self.floor)
            self.floor += 1
        self.complete = max(self.complete, self.floor)
        self._count()
        return self.copies.pop(number, None)

    def _count(self) -> None:
        while self.complete in self.copies or self.complete in self.gone:
            self.complete += 1
