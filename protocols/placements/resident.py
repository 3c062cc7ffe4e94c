"""One process per host, on the host itself. Stations relay messages with their stamps.

The hosts execute an ordering for static networks. Alagar and Venkatesan (1994), section 1.1, compare their algorithms
with this placement, and describe its drawbacks: computation, storage and bandwidth of the hosts.

As in `proxy`, a station stores a host's unacknowledged frames and hands them over when the host moves. But a station
does not order messages: uplink and downlink frames carry the stamps of the senders.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from mobilesim.protocols.handoff.wireless_hop import ControlFrame, Data, MobileHost
from mobilesim.protocols.machine import HostOutbox, StationOutbox, System
from mobilesim.protocols.mailbox import Mailbox, mailbox_for
from mobilesim.protocols.ordering import OrderingFactory
from mobilesim.protocols.orderings.unordered import Unordered
from mobilesim.protocols.packets import ControlPacket, Copy, Message, RoutedPacket
from mobilesim.protocols.placements.location import directories
from mobilesim.protocols.placements.proxy import ProxyStation, ProxyVisit

_MESSAGE: Final = attrgetter("message", "is_control")


class Relay(ProxyStation):
    __slots__ = ()

    def originate(self, visit: ProxyVisit, frame: Data, out: StationOutbox) -> None:
        for copy in frame.copies:
            self.dispatch(copy, out, ControlPacket if type(frame) is ControlFrame else RoutedPacket)

    def send_down(self, visit: ProxyVisit, copy: Copy, out: StationOutbox) -> None:
        # If a message were dropped at the host's request, later messages would wait for it at the host forever.
        kind = ControlFrame if copy.is_control else Data
        self.transmit(visit.host, visit.sender.enqueue((copy,), copy.stamp.integers, kind=kind), out)


class OrderingHost(MobileHost):
    __slots__ = ("mailbox",)

    def __init__(self, index: int, home: int, mailbox: Mailbox) -> None:
        super().__init__(index, home)
        self.mailbox = mailbox

    @property
    def integers(self) -> int:
        mailbox, frames = self.mailbox, self.sender.unacknowledged
        waiting = sum([copy.stamp.integers for copy in mailbox.items()])
        unsent = sum([len(message.destinations) for message in mailbox.held])
        return mailbox.process.integers + waiting + unsent + sum([frame.header + frame.control for frame in frames])

    def submit(self, message: Message, out: HostOutbox) -> None:
        mailbox = self.mailbox
        before = mailbox.size
        copies = mailbox.send(message)
        if not mailbox.sends_control:
            self._enqueue(tuple(copies), Data, out)
            if mailbox.process.releases_at_send:
                self._deliver_sent(out)
            return
        if mailbox.size > before or mailbox.relays:
            out.telemetry.held(message)
        self._send_copies(copies, out)

    def arrived(self, frame: Data, out: HostOutbox) -> None:
        for copy in self.mailbox.arrive(frame.copies[0]):
            out.deliver(copy.message)
        if self.mailbox.sends_control:
            self._send_copies(self.mailbox.pending_control(), out)

    def wake(self, out: HostOutbox) -> None:
        self._send_copies(self.mailbox.pending_control(late=True), out)

    def _send_copies(self, copies: Sequence[Copy], out: HostOutbox) -> None:
        """Send the copies of each message in one frame. Control messages are in other frames."""
        for (message, is_control), group in groupby(copies, _MESSAGE):
            frame = tuple(group)
            if not is_control:
                out.telemetry.departed(message, self.index, _targets(frame))
            self._enqueue(frame, ControlFrame if is_control else Data, out)
        if after := self.mailbox.timer():
            out.wake(after)
        if self.mailbox.process.releases_at_send:
            self._deliver_sent(out)

    def _deliver_sent(self, out: HostOutbox) -> None:
        """Deliver the messages that sends of this host release."""
        released = list(self.mailbox.released_by_send())
        for copy in released:
            out.deliver(copy.message)
        if released and self.mailbox.sends_control:
            self._send_copies(self.mailbox.pending_control(), out)

    def _enqueue(self, copies: tuple[Copy, ...], kind: type[Data], out: HostOutbox) -> None:
        header = sum([copy.stamp.integers for copy in copies])
        addresses = sum([len(copy.targets) for copy in copies])
        self.send(self.sender.enqueue(copies, header, addresses, kind), out)


def _targets(copies: tuple[Copy, ...]) -> tuple[int, ...]:
    if len(copies) == 1:
        return copies[0].targets
    return tuple([target for copy in copies for target in copy.targets])


def build(
    stations: int, homes: tuple[int, ...], ordering: OrderingFactory, location: str = "home", area: int = 0
) -> System:
    relays = [Relay(*indexed) for indexed in enumerate(directories(stations, homes, location, area))]
    unordered = Unordered(len(homes))
    for host, home in enumerate(homes):
        relays[home].start(host, mailbox_for(unordered.process(host)))
    processes = ordering(len(homes))
    mailboxes = [mailbox_for(processes.process(host), len(homes)) for host in range(len(homes))]
    hosts = [OrderingHost(host, home, mailboxes[host]) for host, home in enumerate(homes)]
    return System(relays, hosts)
