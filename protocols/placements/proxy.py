"""One process per host. Its state is at the station of the host's cell, and moves with the host.

Alagar and Venkatesan: Causally Ordered Message Delivery in Mobile Systems (1994), section 4 (algorithm 1, with `rst`).

Invariant. A host's state is in exactly one place: in the record of one visit (the host's stay in one cell), or in one
`Handover` packet. The station with the state stamps the host's messages and checks the delivery condition of messages
to the host.

Deviations from the paper, and why
- One packet, `Handover`, replaces `handoff_over` and the packets of the host's data, since wired channels are not FIFO.
- Uplink messages of a host wait for the host's state. They are numbered, so that the station does not send a
  retransmitted message twice.
- The paper has no rule for a message that arrives at a station which the host has left. Here the station forwards the
  message to the station of the next visit. If the host has registered at the station again, the station holds the
  message until the state arrives.
- In the paper's simulation, every location is known at no cost, as with the setting `free` of `location`. The other
  settings have a price (`mobilesim.protocols.placements.location`). A message is stamped before its search.
- A multicast is sent once to each station of its destinations. The paper has unicasts only.
- Control messages of a process are sent like messages, by the station that has the state of the process.

Inhibition. As in the paper, the process counts a message as delivered when the station transmits the message to the
host. The host may have sent another message before, which is still on the uplink. The station stamps this message
later, so it depends on the transmitted message unnecessarily. This placement causes no other inhibition.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.visits import SERVING, HandoffBegin, HandoffEvent, Visit, VisitState
from mobilesim.protocols.handoff.wireless_hop import Data, MobileHost, Receiver, Sender
from mobilesim.protocols.machine import Milestone, Phase, ProtocolError, StationOutbox, System
from mobilesim.protocols.mailbox import Mailbox, mailbox_for
from mobilesim.protocols.ordering import OrderingFactory
from mobilesim.protocols.packets import ControlPacket, Copy, HandoffPacket, HandoffPacketKind, Packet, RoutedPacket
from mobilesim.protocols.placements.location import UNKNOWN, Directory, LocatingStation, directories
from mobilesim.protocols.placements.location_packets import LocationPacket


@value
class Handover(HandoffPacket):
    """A host's whole state, sent to the station of `visit`."""

    kind: ClassVar[HandoffPacketKind] = HandoffPacketKind.STATE_TRANSFER
    sender: Sender
    receiver: Receiver
    mailbox: Mailbox
    held: tuple[Copy, ...]
    bytes: int
    integers: int
    stamps: int

    @property
    def stored_stamps(self) -> int:
        return self.stamps

    @property
    def payload(self) -> int:
        return self.bytes

    @property
    def control(self) -> int:
        return 4 + self.integers + self.stamps


class ProxyVisit(Visit):
    __slots__ = ("held", "mailbox")

    def __init__(self, host: int, number: int) -> None:
        super().__init__(host, number)
        self.held: list[Copy] = []
        self.mailbox: Mailbox
        """Set only while the host's state is here."""

    def forget(self) -> None:
        # The station keeps the record, which has the successor, to forward messages.
        super().forget()
        del self.mailbox, self.held


class ProxyStation(LocatingStation[ProxyVisit]):
    __slots__ = ()

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is RoutedPacket or type(packet) is ControlPacket:
            copy = packet.copy
            for target in copy.targets:
                self._arrive(target, packet, out)
        elif type(packet) is HandoffBegin:
            self.begin(packet, out)
        elif type(packet) is Handover:
            self._install(packet, out)
        elif isinstance(packet, LocationPacket):
            self.receive_location(packet, out)
        else:
            raise ProtocolError(f"station {self.index} received {packet}")

    def new_visit(self, host: int, number: int) -> ProxyVisit:
        return ProxyVisit(host, number)

    def visit_ended(self, visit: ProxyVisit) -> None:
        # An arriving message uses the record of the host's newest visit only, so older records are deleted.
        self.older.pop((visit.host, visit.number), None)

    def originate(self, visit: ProxyVisit, frame: Data, out: StationOutbox) -> None:
        mailbox, message = visit.mailbox, frame.copies[0].message
        if not mailbox.sends_control:
            for targets, stamp in mailbox.stamp(message):
                self.dispatch(Copy(message, targets, stamp), out)
            if mailbox.process.releases_at_send:
                self._release_sent(visit, out)
            return
        before = mailbox.size
        copies = mailbox.send(message)
        self.waiting += mailbox.size - before
        if mailbox.size > before or mailbox.relays:
            out.telemetry.held(message)
        self._dispatch_all(visit, copies, out)

    def _dispatch_all(self, visit: ProxyVisit, copies: Sequence[Copy], out: StationOutbox) -> None:
        for copy in copies:
            self.dispatch(copy, out, ControlPacket if copy.is_control else RoutedPacket)
        if after := visit.mailbox.timer():
            out.wake(visit.host, after)
        if visit.mailbox.process.releases_at_send:
            self._release_sent(visit, out)

    def _release_sent(self, visit: ProxyVisit, out: StationOutbox) -> None:
        """Transmit the messages that sends of the host's process release. If the host has left the cell, its next
        station transmits them, with the other frames of its `Sender`.
        """
        mailbox = visit.mailbox
        before = mailbox.size
        for released in mailbox.released_by_send():
            if visit.state is SERVING:
                self.send_down(visit, released, out)
            else:
                visit.sender.enqueue((released,), 0)
        if mailbox.size < before:
            self.waiting -= before - mailbox.size
            if mailbox.sends_control:
                self._send_control(visit, out)

    def dispatch(self, copy: Copy, out: StationOutbox, kind: type[RoutedPacket] = RoutedPacket) -> None:
        """Send one packet with the copy to each station that serves targets of the copy. Before that, ask for the
        targets whose station is not known.
        """
        directory: Directory = self.directory
        if len(copy.targets) == 1:
            station = directory.find(copy.targets[0])
            if station == UNKNOWN:
                self.search(copy, out)
            else:
                out.send(station, self._packet(copy, kind))
            return
        cells: dict[int, list[int]] = {}
        for target in copy.targets:
            cells.setdefault(directory.find(target), []).append(target)
        unknown = cells.pop(UNKNOWN, None)
        self._send_to(cells, copy, out, kind)
        if unknown:
            self.search(Copy(copy.message, tuple(unknown), copy.stamp), out)

    def send_copies(self, cells: Mapping[int, Sequence[int]], copy: Copy, out: StationOutbox) -> None:
        self._send_to(cells, copy, out, ControlPacket if copy.is_control else RoutedPacket)

    def _send_to(
        self, cells: Mapping[int, Sequence[int]], copy: Copy, out: StationOutbox, kind: type[RoutedPacket]
    ) -> None:
        """`cells`: by station, the targets of the copy that it serves."""
        for station, targets in cells.items():
            out.send(station, self._packet(Copy(copy.message, tuple(targets), copy.stamp), kind))

    def _packet(self, copy: Copy, kind: type[RoutedPacket]) -> RoutedPacket:
        # Code compiled by mypyc calls a class by its name several times as fast as through a variable.
        return RoutedPacket(copy, self.index) if kind is RoutedPacket else kind(copy, self.index)

    def _arrive(self, target: int, packet: RoutedPacket, out: StationOutbox) -> None:
        if (visit := self.newest.get(target)) is None:
            raise ProtocolError(f"station {self.index} has no record of host {target} and received {packet}")
        if visit.state is SERVING:
            self.order(visit, packet.copy, out)
        elif visit.state is VisitState.LEFT:
            self._forward(visit, packet, out)
        else:
            visit.held.append(packet.copy)
            self.waiting += 1

    def order(self, visit: ProxyVisit, copy: Copy, out: StationOutbox) -> None:
        mailbox = visit.mailbox
        before = mailbox.size
        for released in mailbox.arrive(copy):
            self.send_down(visit, released, out)
        self.waiting += mailbox.size - before
        if mailbox.sends_control:
            self._send_control(visit, out)

    def _send_control(self, visit: ProxyVisit, out: StationOutbox, *, late: bool = False) -> None:
        mailbox = visit.mailbox
        before = mailbox.size
        copies = mailbox.pending_control(late=late)
        self.waiting += mailbox.size - before
        self._dispatch_all(visit, copies, out)

    def wake(self, host: int, out: StationOutbox) -> None:
        if (visit := self.served.get(host)) is not None:
            self._send_control(visit, out, late=True)

    def _forward(self, visit: ProxyVisit, packet: RoutedPacket, out: StationOutbox) -> None:
        copy, host = packet.copy, visit.host
        if not copy.is_control:
            out.telemetry.reached(Milestone(host, visit.number + 1, Phase.FORWARDED))
        out.send(visit.successor, type(packet)(Copy(copy.message, (host,), copy.stamp), packet.origin))
        self.advise(packet.origin, visit, out)

    def hand_over(self, visit: ProxyVisit, out: StationOutbox) -> None:
        if visit.mailbox.sends_control:
            self._send_control(visit, out, late=True)
        packet = handover(visit)
        self.waiting -= packet.mailbox.size + len(packet.held)
        out.send(visit.successor, packet)
        visit.forget()

    def _install(self, packet: Handover, out: StationOutbox) -> None:
        visit = self.visit_record(packet.host, packet.visit)
        arrived = (*visit.held, *(frame.copies[0] for frame in visit.queue))
        visit.sender, visit.receiver, visit.mailbox = packet.sender, packet.receiver, packet.mailbox
        visit.held[:0] = packet.held
        self.waiting += packet.mailbox.size + len(packet.held)
        visit.sender.acknowledge(visit.last_received)
        self.state_arrived(visit, sum(not copy.is_control for copy in arrived), out)

    def release(self, visit: ProxyVisit, out: StationOutbox) -> None:
        held, visit.held = visit.held, []
        self.waiting -= len(held)
        for copy in held:
            self.order(visit, copy, out)

    def start(self, host: int, mailbox: Mailbox) -> None:
        visit = self.visit_record(host, 0)
        visit.mailbox = mailbox
        self.transition(visit, HandoffEvent.START)

    @property
    def integers(self) -> int:
        return sum([visit.mailbox.process.integers for visit in self.served.values()])


def handover(visit: ProxyVisit) -> Handover:
    waiting: Sequence[Copy] = [*visit.held, *visit.mailbox.items()]
    frames, unsent = visit.sender.unacknowledged, visit.mailbox.held
    return Handover(
        visit.host,
        visit.number + 1,
        visit.sender,
        visit.receiver,
        visit.mailbox,
        tuple(visit.held),
        sum(frame.payload for frame in frames)
        + sum(copy.message.size for copy in waiting)
        + sum(message.size for message in unsent),
        visit.mailbox.process.integers + sum(len(message.destinations) for message in unsent),
        sum(copy.stamp.integers for copy in waiting) + sum(frame.integers for frame in frames),
    )


def build(
    stations: int, homes: tuple[int, ...], ordering: OrderingFactory, location: str = "home", area: int = 0
) -> System:
    machines = [ProxyStation(*indexed) for indexed in enumerate(directories(stations, homes, location, area))]
    processes = ordering(len(homes))
    for host, home in enumerate(homes):
        machines[home].start(host, mailbox_for(processes.process(host), len(homes)))
    return System(machines, [MobileHost(host, home) for host, home in enumerate(homes)])
