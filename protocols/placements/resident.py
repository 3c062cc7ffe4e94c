"""One process per host, its state on the host, headers on the air; the stations relay.

What every static ordering becomes when its processes simply move: Alagar and Venkatesan (1994), section 1.1, say why
nobody wants it (computation, storage and bandwidth of the host), and it is what their algorithms are measured
against.

A station keeps what a host has not acknowledged and hands it over when the host moves, exactly as `proxy` does, but
with no ordering of its own: messages go up and down with the stamps of their senders, and so does whatever else
processes have to say.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from protocols.handoff.wireless_hop import ControlFrame, Data, MobileHost
from protocols.machine import ControlPacket, Copy, HostOutbox, Message, RoutedPacket, StationOutbox, System
from protocols.mailbox.mailbox import Mailbox, mailbox_for
from protocols.ordering import OrderingFactory
from protocols.orderings.unordered import Unordered
from protocols.placements.proxy import ProxyStation, ProxyVisit, directories

_MESSAGE: Final = attrgetter("message")


class Relay(ProxyStation):
    __slots__ = ()

    def originate(self, visit: ProxyVisit, frame: Data, out: StationOutbox) -> None:
        for copy in frame.copies:
            self.dispatch(copy, out, ControlPacket if type(frame) is ControlFrame else RoutedPacket)

    def send_down(self, visit: ProxyVisit, copy: Copy, out: StationOutbox) -> None:
        """Whatever it is: what a station gave up, its host's ordering would wait for."""
        kind = ControlFrame if copy.message.id < 0 else Data
        out.transmit(visit.host, visit.sender.enter((copy,), copy.stamp.integers, kind=kind))


class OrderingHost(MobileHost):
    __slots__ = ("mailbox",)

    def __init__(self, index: int, home: int, its: Mailbox) -> None:
        super().__init__(index, home)
        self.mailbox = its

    def submit(self, message: Message, out: HostOutbox) -> None:
        mailbox = self.mailbox
        before = mailbox.size
        copies = mailbox.send(message)
        if not mailbox.sends_control:
            self._enter(tuple(copies), Data, out)
            return
        self._say(copies, out)
        if mailbox.size > before:
            out.telemetry.held(message)

    def arrived(self, frame: Data, out: HostOutbox) -> None:
        for copy in self.mailbox.arrive(frame.copies[0]):
            out.deliver(copy.message)
        if self.mailbox.sends_control:
            self._say(self.mailbox.pending_control(), out)

    def wake(self, out: HostOutbox) -> None:
        self._say(self.mailbox.pending_control(late=True), out)

    def _say(self, said: Sequence[Copy], out: HostOutbox) -> None:
        """All copies of a message go up together."""
        for message, copies in groupby(said, _MESSAGE):
            if message.id < 0:
                self._enter(tuple(copies), ControlFrame, out)
            else:
                out.telemetry.let_go(message)
                self._enter(tuple(copies), Data, out)
        if after := self.mailbox.timer():
            out.wake(after)

    def _enter(self, copies: tuple[Copy, ...], kind: type[Data], out: HostOutbox) -> None:
        header = sum([copy.stamp.integers for copy in copies])
        addresses = sum([len(copy.targets) for copy in copies])
        self.send(self.sender.enter(copies, header, addresses, kind), out)


def build(stations: int, homes: tuple[int, ...], ordering: OrderingFactory, location: str = "oracle") -> System:
    relays = [Relay(index, directory) for index, directory in enumerate(directories(stations, homes, location))]
    nothing = Unordered(len(homes))
    for host, home in enumerate(homes):
        relays[home].start(host, mailbox_for(nothing.process(host)))
    processes = ordering(len(homes))
    hosts = [OrderingHost(host, home, mailbox_for(processes.process(host))) for host, home in enumerate(homes)]
    return System(relays, hosts)
