"""Broken hosts: each omits one rule of the wireless hop."""

from collections.abc import Callable
from dataclasses import replace

from mobilesim.protocols.handoff.wireless_hop import Ack, Data, MobileHost, Register, Registered
from mobilesim.protocols.machine import HostOutbox
from mobilesim.protocols.packets import Message, Packet


class UnnumberedDownlink(MobileHost):
    """Without C6: the host accepts every frame as a new one, and does not store the last frame number."""

    __slots__ = ()

    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is Data:
            self.arrived(frame, out)
            out.transmit(Ack(frame.number))
        else:
            super().receive_frame(frame, out)


class UncheckedDownlink(MobileHost):
    """Without a part of C6: the host accepts every frame as a new one, but reports the last frame number."""

    __slots__ = ()

    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is Data:
            self.receiver.last = frame.number
            self.arrived(frame, out)
            out.transmit(Ack(frame.number))
        else:
            super().receive_frame(frame, out)


class UnregisteredReturn(MobileHost):
    """Without C7: a host that returns to the same cell does not register."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        if station == self.trail[-1]:
            self.registered = True
        else:
            super().attach(station, out)


class ShortTrail(MobileHost):
    """Without the trail of C2: as printed, the host reports only its previous cell."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        if station != self.trail[-1]:
            self.trail = self.trail[-1:]
        super().attach(station, out)


class EarlyRepetition(MobileHost):
    """Without a part of C2: the host retransmits its messages directly after the registration."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        super().attach(station, out)
        self.registered = True
        for waiting in self.sender.unacknowledged:
            out.transmit(waiting)

    def receive_frame(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is Registered:
            self.trail = self.trail[-1:]
        else:
            super().receive_frame(frame, out)


class UncountedRegistrations(MobileHost):
    """Without a part of C1: all registrations of a host have the same number."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        super().attach(station, RegisterRewriter(out, lambda register: replace(register, registration=0)))
        self.registration = 0


class RegisterRewriter(HostOutbox):
    """An outbox that changes the host's registrations before it transmits them."""

    def __init__(self, out: HostOutbox, change: Callable[[Register], Register]) -> None:
        super().__init__(out.telemetry)
        self.out = out
        self.change = change

    def transmit(self, frame: Packet) -> None:
        self.out.transmit(self.change(frame) if type(frame) is Register else frame)

    def deliver(self, message: Message) -> None:
        self.out.deliver(message)

    def wake(self, after: int) -> None:
        self.out.wake(after)
