"""Broken stations of algorithms 2 and 3: each follows the paper literally, or omits a rule of the flushed hand-off."""

from typing import ClassVar, Final

from mobilesim.protocols.handoff.flush_handoff import (
    FLUSH_TABLE,
    Enable,
    ForwardedPacket,
    Last,
    LogicalVisit,
    Notify,
    Over,
    VisitAddress,
    VisitPacket,
)
from mobilesim.protocols.handoff.visits import Do, HandoffBegin, HandoffEvent, HandoffTable, VisitState, then
from mobilesim.protocols.handoff.wireless_hop import Register
from mobilesim.protocols.machine import StationOutbox
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.packets import UNSTAMPED, Copy, Packet
from mobilesim.protocols.placements.logical import LogicalStation

SETTLED: Final = frozenset({VisitState.SERVING, VisitState.LEAVING, VisitState.LEFT})


class Misdirected(LogicalStation):
    """As printed, `handoff_begin` is sent to the new station, which has no hand-off to end and does not answer."""

    __slots__ = ()

    def request(self, visit: LogicalVisit, out: StationOutbox) -> None:
        out.send(self.index, HandoffBegin(visit.host, visit.number, visit.trail, self.index, visit.process))

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is not HandoffBegin:
            super().receive(packet, out)


class UnicastNotify(LogicalStation):
    """`notify` is sent as unicasts with different stamps."""

    __slots__ = ()

    def notify(self, visit: LogicalVisit, out: StationOutbox) -> None:
        host, number, process = visit.host, visit.number, visit.process
        for other in range(self.processes):
            if other != process:
                for _, stamp in self._process(process).send((other,), -1):
                    out.send(other // self.k, Notify(host, number, stamp, other, process))
        self._note_visit(process, host, number, process, out)


class Withholding(LogicalStation):
    """As printed, a message for the new visit waits in MSS_PENDING of the process until its host's hand-off is
    complete.
    """

    __slots__ = ("withheld",)

    def __init__(self, index: int, k: int, processes: int, homes: tuple[VisitAddress, ...], ordering: Ordering) -> None:
        super().__init__(index, k, processes, homes, ordering)
        self.withheld: list[VisitPacket] = []

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is VisitPacket and self._early(packet):
            self.withheld.append(packet)
            return
        super().receive(packet, out)
        for held in [held for held in self.withheld if not self._early(held)]:
            self.withheld.remove(held)
            super().receive(held, out)

    def _early(self, packet: VisitPacket) -> bool:
        visits = [self.find_visit(*place) for place in zip(packet.copy.targets, packet.visits, strict=True)]
        return any(visit is not None and visit.state not in SETTLED for visit in visits)


class UnnamedVisit(LogicalStation):
    """A message does not contain the number of its visit. Stations assign it to the newest visit."""

    __slots__ = ()

    def _pass_down(self, host: int, number: int, packet: VisitPacket, out: StationOutbox) -> None:
        newest = self.newest.get(host)
        super()._pass_down(host, number if newest is None else newest.number, packet, out)


class NoForwarding(LogicalStation):
    """A message for a visit that has ended is not forwarded."""

    __slots__ = ()

    def _forward(self, host: int, place: VisitAddress, packet: VisitPacket, out: StationOutbox) -> None:
        pass


class UnmarkedForwarding(LogicalStation):
    """A forwarded message is not marked as an old message."""

    __slots__ = ()

    def _deliver(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is ForwardedPacket:
            packet = VisitPacket(packet.copy, packet.visits, packet.to)
        super()._deliver(packet, out)  # type: ignore[arg-type]


class FewerLasts(LogicalStation):
    """Some processes send no `last`, and the old station does not wait for them."""

    __slots__ = ()
    omitted: ClassVar[int]

    def new_visit(self, host: int, number: int) -> LogicalVisit:
        visit = super().new_visit(host, number)
        visit.lasts = self.omitted
        return visit

    def _note_visit(self, process: int, host: int, number: int, station: int, out: StationOutbox) -> None:
        known = self.locations[process % self.k]
        ends = known.learn(host, number, station)
        followers = [place[1] for place in (*ends[1:], known.settled[host])] if ends else []
        for (ended, old), new in zip(ends, followers, strict=True):
            if process in self.without_last(old, new):
                continue
            if old == process:
                self._count_last(host, ended, out)
                continue
            for _, stamp in self._process(process).send((old,), -1):
                out.send(old // self.k, Last(host, ended + 1, stamp, old))

    def without_last(self, old: int, new: int) -> set[int]:
        raise NotImplementedError


class WithoutOwnLast(FewerLasts):
    """The old station does not wait for its own notification.

    It keeps the records of visits that have ended, so that it can forward messages to the next station.
    """

    __slots__ = ()
    omitted = 1

    def without_last(self, old: int, new: int) -> set[int]:
        return {old}

    def visit_ended(self, visit: LogicalVisit) -> None:
        pass

    def _supersede(self, old: LogicalVisit | None, new: LogicalVisit) -> LogicalVisit:
        if old is not None:
            self.older[old.host, old.number] = old
        self.newest[new.host] = new
        return new

    def _pass_down(self, host: int, number: int, packet: VisitPacket, out: StationOutbox) -> None:
        visit = self.find_visit(host, number)
        if visit is not None and visit.state is VisitState.LEFT:
            self._forward(host, (number + 1, visit.successor), packet, out)
        else:
            super()._pass_down(host, number, packet, out)


class WithoutNewLast(FewerLasts):
    """The old station does not wait for the `last` of the new station."""

    __slots__ = ()
    omitted = 1

    def without_last(self, old: int, new: int) -> set[int]:
        return {new}


class WithoutBothLasts(WithoutOwnLast):
    """The old station waits neither for its own `last` nor for that of the new station."""

    __slots__ = ()
    omitted = 2

    def without_last(self, old: int, new: int) -> set[int]:
        return {old, new}


class Unordered(LogicalStation):
    """Packets of some kinds are neither stamped nor ordered."""

    __slots__ = ()
    unordered: ClassVar[tuple[type[Packet], ...]]

    def only_buffers(self, packet: Packet) -> bool:
        return not isinstance(packet, self.unordered) and super().only_buffers(packet)

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if isinstance(packet, self.unordered):
            self._deliver(packet, out)  # type: ignore[arg-type]
        else:
            super().receive(packet, out)


class UnorderedNotify(Unordered):
    __slots__ = ()
    unordered = (Notify,)

    def notify(self, visit: LogicalVisit, out: StationOutbox) -> None:
        for other in range(self.processes):
            if other != visit.process:
                notify = Notify(visit.host, visit.number, UNSTAMPED, other, visit.process)
                out.send(other // self.k, notify)
        self._note_visit(visit.process, visit.host, visit.number, visit.process, out)


class UnorderedLast(Unordered):
    __slots__ = ()
    unordered = (Last,)

    def _note_visit(self, process: int, host: int, number: int, station: int, out: StationOutbox) -> None:
        for ended, old in self.locations[process % self.k].learn(host, number, station):
            if old == process:
                self._count_last(host, ended, out)
            else:
                out.send(old // self.k, Last(host, ended + 1, UNSTAMPED, old))


class UnorderedEnable(Unordered):
    __slots__ = ()
    unordered = (Enable,)

    def hand_over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        enable = Enable(visit.host, visit.number + 1, UNSTAMPED, visit.successor, visit.sender, visit.receiver)
        out.send(visit.successor // self.k, enable)
        visit.forget()


class UnorderedForwarding(Unordered):
    __slots__ = ()
    unordered = (ForwardedPacket,)

    def _forward(self, host: int, place: VisitAddress, packet: VisitPacket, out: StationOutbox) -> None:
        number, process = place
        old = ForwardedPacket(Copy(packet.copy.message, (host,), UNSTAMPED), (number,), process)
        if process == packet.to:
            self._pass_down(host, number, old, out)
        else:
            out.send(process // self.k, old)


class UnorderedOver(Unordered):
    __slots__ = ()
    unordered = (Over,)

    def conclude(self, visit: LogicalVisit, out: StationOutbox) -> None:
        out.send(visit.successor // self.k, Over(visit.host, visit.number + 1, UNSTAMPED, visit.successor))


PREMATURE_TABLE: Final[HandoffTable] = {
    **FLUSH_TABLE,
    (VisitState.PASSING, HandoffEvent.STATE): then(VisitState.LEAVING, Do.ACCEPT, Do.HAND_OVER),
    (VisitState.ENABLED, HandoffEvent.BEGIN): then(VisitState.LEAVING, Do.HAND_OVER),
}


class PrematureHandoff(LogicalStation):
    """A station does not complete hand-offs one after another.

    It answers `handoff_begin` when it has the state, and ends a hand-off when every `last` has arrived, even if the
    previous hand-off of the host is not complete.
    """

    __slots__ = ()
    table = PREMATURE_TABLE

    def _over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        if visit.state is not VisitState.LEAVING:
            super()._over(visit, out)


class PartialNotify(LogicalStation):
    """`notify` is sent to only one logical station of each cell."""

    __slots__ = ()

    def notify(self, visit: LogicalVisit, out: StationOutbox) -> None:
        host, number, process = visit.host, visit.number, visit.process
        others = tuple(other for other in range(process % self.k, self.processes, self.k) if other != process)
        for processes, stamp in self._process(process).send(others, -1):
            for other in processes:
                out.send(other // self.k, Notify(host, number, stamp, other, process))
        self._note_visit(process, host, number, process, out)

    def new_visit(self, host: int, number: int) -> LogicalVisit:
        visit = super().new_visit(host, number)
        visit.lasts = self.processes - self.processes // self.k
        return visit

    def _forward(self, host: int, place: VisitAddress, packet: VisitPacket, out: StationOutbox) -> None:
        """Discard the message if this process has no record of the visit: it was not notified of the next visit."""
        if place[1] != packet.to or self.find_visit(host, place[0]) is not None:
            super()._forward(host, place, packet, out)


class Unmapped(LogicalStation):
    """`handoff_begin` is sent to the logical station with the same local number. Only this logical station answers."""

    __slots__ = ()

    def begin(self, packet: HandoffBegin, out: StationOutbox) -> None:
        visit = self.find_visit(packet.host, packet.visit - 1)
        if visit is not None and visit.process % self.k == packet.logical % self.k:
            super().begin(packet, out)


class Reallocating(LogicalStation):
    """A host that returns to its cell is assigned to the logical station with the fewest hosts again."""

    __slots__ = ()

    def receive_frame(self, host: int, frame: Packet, out: StationOutbox) -> None:
        visit = self.newest.get(host)
        if type(frame) is Register and visit is not None and visit.number == frame.visit:
            local = self.loads.index(min(self.loads))
            self.loads[visit.process % self.k] -= 1
            self.loads[local] += 1
            visit.process = self.index * self.k + local
        super().receive_frame(host, frame, out)


class CrossingVisit(LogicalVisit):
    """A record that keeps its held messages after the state was transferred."""

    __slots__ = ()

    def forget(self) -> None:
        del self.sender, self.receiver, self.queue, self.trail


EARLY_TABLE: Final[HandoffTable] = {
    **FLUSH_TABLE,
    (VisitState.PASSING, HandoffEvent.STATE): then(VisitState.CROSSING, Do.ACCEPT, Do.HAND_OVER),
    (VisitState.ENABLED, HandoffEvent.BEGIN): then(VisitState.CROSSING, Do.HAND_OVER),
    (VisitState.CROSSING, HandoffEvent.OVER): then(VisitState.LEAVING, Do.RELEASE),
}


class EarlyState(LogicalStation):
    """The state is transferred before the previous hand-off is complete. Old messages and held messages of this visit
    are forwarded afterwards.
    """

    __slots__ = ()
    table = EARLY_TABLE

    def new_visit(self, host: int, number: int) -> LogicalVisit:
        visit = super().new_visit(host, number)
        return CrossingVisit(host, number, visit.process)

    def _pass_down(self, host: int, number: int, packet: VisitPacket, out: StationOutbox) -> None:
        visit = self.find_visit(host, number)
        if visit is not None and visit.state is VisitState.CROSSING and type(packet) is ForwardedPacket:
            self._forward(host, (number + 1, visit.successor), packet, out)
        else:
            super()._pass_down(host, number, packet, out)

    def release(self, visit: LogicalVisit, out: StationOutbox) -> None:
        if visit.state is VisitState.SERVING:
            super().release(visit, out)
            return
        held, visit.held = visit.held, []
        self.waiting -= len(held)
        for copy in held:
            packet = VisitPacket(Copy(copy.message, (visit.host,), UNSTAMPED), (visit.number,), visit.process)
            self._forward(visit.host, (visit.number + 1, visit.successor), packet, out)
