"""Broken stations of algorithms 2 and 3: the flushed hand-off read literally, or with one of its rules left out."""

from typing import ClassVar, Final

from protocols.handoff.flush_handoff import (
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
from protocols.handoff.visits import Do, HandoffBegin, HandoffEvent, HandoffTable, VisitState, then
from protocols.handoff.wireless_hop import Register
from protocols.machine import UNSTAMPED, Copy, Packet, StationOutbox
from protocols.ordering import Ordering
from protocols.placements.logical import LogicalStation

SETTLED: Final = frozenset({VisitState.SERVING, VisitState.LEAVING, VisitState.LEFT})


class Misdirected(LogicalStation):
    """`handoff_begin` as printed: to the new station, which has no hand-off to end and so does not answer itself."""

    __slots__ = ()

    def request(self, visit: LogicalVisit, out: StationOutbox) -> None:
        out.send(self.index, HandoffBegin(visit.host, visit.number, visit.trail, self.index, visit.process))

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is not HandoffBegin:
            super().receive(packet, out)


class Unicasting(LogicalStation):
    """`notify` is so many unicasts, stamped one after another."""

    __slots__ = ()

    def notify(self, visit: LogicalVisit, out: StationOutbox) -> None:
        host, number, process = visit.host, visit.number, visit.process
        for other in range(self.processes):
            if other != process:
                for _, stamp in self._process(process).send((other,), -1):
                    out.send(other // self.k, Notify(host, number, stamp, other, process))
        self._note_visit(process, host, number, process, out)


class Withholding(LogicalStation):
    """A message that is not old stays undelivered, in MSS_PENDING, while its host's hand-off is not over."""

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


class Unnamed(LogicalStation):
    """A message does not say which visit it is for: it is for the newest."""

    __slots__ = ()

    def _pass_down(self, host: int, number: int, packet: VisitPacket, out: StationOutbox) -> None:
        newest = self.newest.get(host)
        super()._pass_down(host, number if newest is None else newest.number, packet, out)


class Abandoning(LogicalStation):
    """A message that comes for a visit that has ended is not sent on."""

    __slots__ = ()

    def _forward(self, host: int, place: VisitAddress, packet: VisitPacket, out: StationOutbox) -> None:
        pass


class Plain(LogicalStation):
    """A message that is sent on is not marked as old."""

    __slots__ = ()

    def _deliver(self, packet: Packet, out: StationOutbox) -> None:
        if type(packet) is ForwardedPacket:
            packet = VisitPacket(packet.copy, packet.visits, packet.to)
        super()._deliver(packet, out)  # type: ignore[arg-type]


class Impatient(LogicalStation):
    """Waits for the `last` of some processes less, who send none."""

    __slots__ = ()
    spared: ClassVar[int]

    def new_visit(self, host: int, number: int) -> LogicalVisit:
        visit = super().new_visit(host, number)
        visit.lasts = self.spared
        return visit

    def _note_visit(self, process: int, host: int, number: int, station: int, out: StationOutbox) -> None:
        known = self.locations[process % self.k]
        ends = known.learn(host, number, station)
        followers = [place[1] for place in (*ends[1:], known.settled[host])] if ends else []
        for (ended, old), new in zip(ends, followers, strict=True):
            if process in self.excused(old, new):
                continue
            if old == process:
                self._count_last(host, ended, out)
                continue
            for _, stamp in self._process(process).send((old,), -1):
                out.send(old // self.k, Last(host, ended + 1, stamp, old))

    def excused(self, old: int, new: int) -> set[int]:
        raise NotImplementedError


class OwnExcused(Impatient):
    """The old station does not wait until it has been notified itself; to have where to send on, it forgets nothing."""

    __slots__ = ()
    spared = 1

    def excused(self, old: int, new: int) -> set[int]:
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


class NewExcused(Impatient):
    """The old station does not wait for the `last` of the new one."""

    __slots__ = ()
    spared = 1

    def excused(self, old: int, new: int) -> set[int]:
        return {new}


class BothExcused(OwnExcused):
    """The old station waits for the `last` of neither station of the hand-off."""

    __slots__ = ()
    spared = 2

    def excused(self, old: int, new: int) -> set[int]:
        return {old, new}


class Loose(LogicalStation):
    """Packets of some kinds are neither stamped nor ordered."""

    __slots__ = ()
    loose: ClassVar[tuple[type[Packet], ...]]

    def only_buffers(self, packet: Packet) -> bool:
        return not isinstance(packet, self.loose) and super().only_buffers(packet)

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if isinstance(packet, self.loose):
            self._deliver(packet, out)  # type: ignore[arg-type]
        else:
            super().receive(packet, out)


class LooseNotify(Loose):
    __slots__ = ()
    loose = (Notify,)

    def notify(self, visit: LogicalVisit, out: StationOutbox) -> None:
        for other in range(self.processes):
            if other != visit.process:
                notify = Notify(visit.host, visit.number, UNSTAMPED, other, visit.process)
                out.send(other // self.k, notify)
        self._note_visit(visit.process, visit.host, visit.number, visit.process, out)


class LooseLast(Loose):
    __slots__ = ()
    loose = (Last,)

    def _note_visit(self, process: int, host: int, number: int, station: int, out: StationOutbox) -> None:
        for ended, old in self.locations[process % self.k].learn(host, number, station):
            if old == process:
                self._count_last(host, ended, out)
            else:
                out.send(old // self.k, Last(host, ended + 1, UNSTAMPED, old))


class LooseEnable(Loose):
    __slots__ = ()
    loose = (Enable,)

    def hand_over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        enable = Enable(visit.host, visit.number + 1, UNSTAMPED, visit.successor, visit.sender, visit.receiver)
        out.send(visit.successor // self.k, enable)
        visit.forget()


class LooseOld(Loose):
    __slots__ = ()
    loose = (ForwardedPacket,)

    def _forward(self, host: int, place: VisitAddress, packet: VisitPacket, out: StationOutbox) -> None:
        number, process = place
        old = ForwardedPacket(Copy(packet.copy.message, (host,), UNSTAMPED), (number,), process)
        if process == packet.to:
            self._pass_down(host, number, old, out)
        else:
            out.send(process // self.k, old)


class LooseOver(Loose):
    __slots__ = ()
    loose = (Over,)

    def conclude(self, visit: LogicalVisit, out: StationOutbox) -> None:
        out.send(visit.successor // self.k, Over(visit.host, visit.number + 1, UNSTAMPED, visit.successor))


PREMATURE_TABLE: Final[HandoffTable] = {
    **FLUSH_TABLE,
    (VisitState.PASSING, HandoffEvent.STATE): then(VisitState.LEAVING, Do.ACCEPT, Do.HAND_OVER),
    (VisitState.ENABLED, HandoffEvent.BEGIN): then(VisitState.LEAVING, Do.HAND_OVER),
}


class Premature(LogicalStation):
    """`handoff_begin` is answered as soon as the state is there, and ended when all `last`s are: no matter whether the
    hand-off before is over.
    """

    __slots__ = ()
    table = PREMATURE_TABLE

    def _over(self, visit: LogicalVisit, out: StationOutbox) -> None:
        if visit.state is not VisitState.LEAVING:
            super()._over(visit, out)


class Partial(LogicalStation):
    """`notify` goes to one logical station of each cell."""

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
        """Where the visit is forgotten, and nobody was notified of the next, there is nowhere to go."""
        if place[1] != packet.to or self.find_visit(host, place[0]) is not None:
            super()._forward(host, place, packet, out)


class Unmapped(LogicalStation):
    """`handoff_begin` goes to a logical station, that with the same number in its cell, and no other answers."""

    __slots__ = ()

    def begin(self, packet: HandoffBegin, out: StationOutbox) -> None:
        visit = self.find_visit(packet.host, packet.visit - 1)
        if visit is not None and visit.process % self.k == packet.logical % self.k:
            super().begin(packet, out)


class Reallocating(LogicalStation):
    """A host that comes back into its cell goes to the logical station that has the least to do by then."""

    __slots__ = ()

    def hear(self, host: int, frame: Packet, out: StationOutbox) -> None:
        visit = self.newest.get(host)
        if type(frame) is Register and visit is not None and visit.number == frame.visit:
            local = self.loads.index(min(self.loads))
            self.loads[visit.process % self.k] -= 1
            self.loads[local] += 1
            visit.process = self.index * self.k + local
        super().hear(host, frame, out)


class Crossing(LogicalVisit):
    """Keeps what it holds when its state has gone on."""

    __slots__ = ()

    def forget(self) -> None:
        del self.sender, self.receiver, self.queue, self.trail


EARLY_TABLE: Final[HandoffTable] = {
    **FLUSH_TABLE,
    (VisitState.PASSING, HandoffEvent.STATE): then(VisitState.CROSSING, Do.ACCEPT, Do.HAND_OVER),
    (VisitState.ENABLED, HandoffEvent.BEGIN): then(VisitState.CROSSING, Do.HAND_OVER),
    (VisitState.CROSSING, HandoffEvent.OVER): then(VisitState.LEAVING, Do.RELEASE),
}


class Early(LogicalStation):
    """The state goes on before the hand-off before is over; what is old for this visit, or held for it, follows."""

    __slots__ = ()
    table = EARLY_TABLE

    def new_visit(self, host: int, number: int) -> LogicalVisit:
        visit = super().new_visit(host, number)
        return Crossing(host, number, visit.process)

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
