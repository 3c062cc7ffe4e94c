"""Broken hosts: the rules of the wireless hop, each of them left out."""

from collections.abc import Callable
from dataclasses import replace

from protocols.handoff.wireless_hop import Ack, Data, MobileHost, Register, Registered
from protocols.machine import HostOutbox, Message, Packet


class Unnumbered(MobileHost):
    """C6 left out: takes every frame for a new one, and cannot say what it has heard."""

    __slots__ = ()

    def hear(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is Data:
            self.arrived(frame, out)
            out.transmit(Ack(frame.number))
        else:
            super().hear(frame, out)


class Trusting(MobileHost):
    """Half of C6 left out: takes every frame for a new one, but says what it has heard."""

    __slots__ = ()

    def hear(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is Data:
            self.receiver.last = frame.number
            self.arrived(frame, out)
            out.transmit(Ack(frame.number))
        else:
            super().hear(frame, out)


class Homely(MobileHost):
    """C7 left out: coming back into the same cell is no reason to register."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        if station == self.trail[-1]:
            self.registered = True
        else:
            super().attach(station, out)


class Forgetful(MobileHost):
    """The trail of C2 left out: names the cell before and no other, as printed."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        if station != self.trail[-1]:
            self.trail = self.trail[-1:]
        super().attach(station, out)


class Hasty(MobileHost):
    """Half of C2 left out: repeats its messages right behind the registration."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        super().attach(station, out)
        self.registered = True
        for waiting in self.sender.unacknowledged:
            out.transmit(waiting)

    def hear(self, frame: Packet, out: HostOutbox) -> None:
        if type(frame) is Registered:
            self.trail = self.trail[-1:]
        else:
            super().hear(frame, out)


class Uncounted(MobileHost):
    """Half of C1 left out: all registrations of a host look the same."""

    __slots__ = ()

    def attach(self, station: int, out: HostOutbox) -> None:
        super().attach(station, Rewritten(out, lambda register: replace(register, registration=0)))
        self.registration = 0


class Rewritten:
    """What a host says at registration, changed on its way."""

    def __init__(self, out: HostOutbox, change: Callable[[Register], Register]) -> None:
        self.out = out
        self.telemetry = out.telemetry
        self.change = change

    def transmit(self, frame: Packet) -> None:
        self.out.transmit(self.change(frame) if type(frame) is Register else frame)

    def deliver(self, message: Message) -> None:
        self.out.deliver(message)

    def wake(self, after: int) -> None:
        self.out.wake(after)
