"""Section 5.2 of Mostefaoui and Raynal (1993) with sets and lists: one integer for all groups, and broken variants.

This is the reference implementation of `protocols.orderings.mr_one_phase`.
"""

from collections.abc import Sequence

from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.packets import Stamp
from tests.support.orderings.dense_mr import DenseMr, DenseProcess, Printed, Vector


class OnePhase(DenseProcess):
    """`announced`: by group, the lowest phase of later messages, as this process has told the group."""

    def __init__(self, index: int, groups: Groups, *, numbered: bool) -> None:
        super().__init__(index, groups, numbered=numbered)
        self.announced = dict.fromkeys(self.own, 0)

    @property
    def phase(self) -> int:
        return max(self.known, default=0)

    def send(self, destinations: Vector, group: int) -> Sequence[tuple[Vector, Stamp]]:
        stamp = self.stamp(group, tuple(self.known), resynch=False)
        self.advance(self.phase + 1)
        self.announced[group] = self.phase
        self.timers = [x for x in self.timers if x != group]
        return ((destinations, stamp),)

    def advance(self, phase: int) -> None:
        if phase > self.phase:
            self.known = [phase] * len(self.groups)
            self.expected |= {(x, self.index): phase for x in self.own}

    def pending_control(self) -> Sequence[tuple[Vector, Stamp]]:
        for x in self.timers:
            self.announced[x] = self.phase
        return super().pending_control()

    def arrives(self, packet: Printed) -> None:
        reached = packet.time if packet.resynch else packet.time + 1
        self.expected[packet.group, packet.sender] = reached
        groups = self.to_inform(packet, reached)
        self.advance(reached)
        self.timers += [x for x in groups if x not in self.timers]
        if not packet.resynch:
            self.pending.append(packet)

    def to_inform(self, packet: Printed, reached: int) -> list[int]:
        """Return the groups to which this arrival requires a resynch."""
        groups = [packet.group] if packet.resynch else self.own
        return [x for x in groups if self.announced[x] < reached]

    @property
    def integers(self) -> int:
        return super().integers - len(self.groups) + len(self.own) + 1


class Silent(OnePhase):
    """As printed: a resynch is not answered."""

    def to_inform(self, packet: Printed, reached: int) -> list[int]:
        return [] if packet.resynch else super().to_inform(packet, reached)


class OwnPhase(OnePhase):
    """A process informs its groups only when its phase increases, as in statement GS2."""

    def to_inform(self, packet: Printed, reached: int) -> list[int]:
        return super().to_inform(packet, reached) if self.phase < reached else []


class OneGroup(OnePhase):
    """A process informs only the group of a message, as in statement GS2."""

    def to_inform(self, packet: Printed, reached: int) -> list[int]:
        return [packet.group] if self.announced[packet.group] < reached else []


class Unmoved(OnePhase):
    """A process that answers a resynch does not change its own phase."""

    def __init__(self, index: int, groups: Groups, *, numbered: bool) -> None:
        super().__init__(index, groups, numbered=numbered)
        self.answer = 0

    def arrives(self, packet: Printed) -> None:
        if not packet.resynch:
            super().arrives(packet)
            return
        self.expected[packet.group, packet.sender] = packet.time
        if self.announced[packet.group] < packet.time and packet.group not in self.timers:
            self.timers.append(packet.group)
            self.answer = packet.time

    def pending_control(self) -> Sequence[tuple[Vector, Stamp]]:
        known = self.known
        self.known = [max(self.phase, self.answer)] * len(self.groups)
        stamps = super().pending_control()
        self.known = known
        return stamps


def one_phase(size: int, groups: Groups = (), *, numbered: bool = True, kind: type[OnePhase] = OnePhase) -> Ordering:
    return DenseMr(size, groups, numbered=numbered, kind=kind)
