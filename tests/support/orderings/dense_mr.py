"""Mostefaoui and Raynal's statements GS1 to GS4 as printed, and variants that omit or misread a detail."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import ActiveProcess, Groups, Key, Ordering
from mobilesim.protocols.orderings.mr import Mr
from mobilesim.protocols.packets import Stamp

CHANGED: Final = ("changed",)
Vector: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Callable[..., "DenseProcess"]


@value
class Printed(Stamp):
    """The stamp of (m, K, x), or of resynch(t, x), which has only t."""

    group: int
    phases: Vector
    resynch: bool
    number: int

    @property
    def time(self) -> int:
        return self.phases[0] if self.resynch else self.phases[self.group]


class DenseMr(Ordering):
    __slots__ = ("groups", "kind", "numbered")

    def __init__(self, size: int, groups: Groups = (), *, numbered: bool = True, kind: Kind | None = None) -> None:
        self.groups = groups
        self.numbered = numbered
        self.kind = kind or DenseProcess

    def process(self, index: int) -> "DenseProcess":
        return self.kind(index, self.groups, numbered=self.numbered)


class DenseProcess(ActiveProcess):
    def __init__(self, index: int, groups: Groups, *, numbered: bool) -> None:
        self.index = index
        self.groups = groups
        self.numbered = numbered
        self.own = [number for number, group in enumerate(groups) if index in group]
        self.expected = {(x, member): 0 for x in self.own for member in groups[x]}
        self.known = [0] * len(groups)
        self.pending: list[Printed] = []
        self.timers: list[int] = []
        """The groups to which a resynch is due, unless a message to the group is sent before (section 3.5)."""
        self.sent_counts = dict.fromkeys(self.own, 0)
        self.received: dict[tuple[int, int], int] = {}
        self.early: list[Printed] = []

    def others(self, group: int) -> Vector:
        return tuple(sorted({*self.groups[group]} - {self.index}))

    def stamp(self, group: int, phases: Vector, *, resynch: bool) -> Printed:
        self.sent_counts[group] += 1
        return Printed(self.index, group, phases, resynch, self.sent_counts[group] - 1)

    def send(self, destinations: Vector, group: int) -> Sequence[tuple[Vector, Stamp]]:
        """Send a message by GS1."""
        stamp = self.stamp(group, tuple(self.known), resynch=False)
        self.expected[group, self.index] += 1
        self.known[group] = self.expected[group, self.index]
        self.timers = [x for x in self.timers if x != group]
        return ((destinations, stamp),)

    def pending_control(self) -> Sequence[tuple[Vector, Stamp]]:
        groups, self.timers = sorted(self.timers), []
        return [(self.others(x), self.stamp(x, (self.known[x],), resynch=True)) for x in groups]

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Printed)
        self.early.append(stamp)
        while (packet := next(filter(self.next, self.early), None)) is not None:
            self.early.remove(packet)
            self.received[packet.sender, packet.group] = packet.number + 1
            self.arrives(self.read(packet))
        return CHANGED

    def next(self, packet: Printed) -> bool:
        return not self.numbered or packet.number == self.received.get((packet.sender, packet.group), 0)

    def read(self, packet: Printed) -> Printed:
        return packet

    def arrives(self, packet: Printed) -> None:
        group, time = packet.group, packet.time
        if packet.resynch:  # GS3
            self.expected[group, packet.sender] = time
            return
        self.pending.append(packet)  # GS2
        self.expected[group, packet.sender] = time + 1
        if self.expected[group, self.index] < time + 1:
            self.expected[group, self.index] = self.known[group] = time + 1
            self.timers = [x for x in self.timers if x != group] + [group]

    def missing(self, stamp: Stamp) -> Key | None:
        """Apply the delivery condition GS4 with its footnote."""
        packet = self.arrived(stamp)
        return None if packet and self.deliverable(packet) and not self.footnote(packet) else CHANGED[0]

    def arrived(self, stamp: Stamp) -> Printed | None:
        """Return the pending message with this stamp."""
        assert isinstance(stamp, Printed)
        name = stamp.sender, stamp.group, stamp.number
        return next((packet for packet in self.pending if (packet.sender, packet.group, packet.number) == name), None)

    def deliverable(self, packet: Printed) -> bool:
        return all(expected >= packet.phases[x] for (x, _), expected in self.expected.items())

    def footnote(self, packet: Printed) -> bool:
        """Return whether another deliverable message has a smaller timestamp."""
        return any(less(other.phases, packet.phases) for other in self.pending if self.deliverable(other))

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        packet = self.arrived(stamp)
        assert packet is not None
        self.pending.remove(packet)
        for y, phase in enumerate(packet.phases):
            if y not in self.own:
                self.known[y] = max(self.known[y], phase)
        return CHANGED

    @property
    def integers(self) -> int:
        stored = len(self.expected) + len(self.groups) - len(self.own)
        return stored + (len(self.expected) if self.numbered else 0) + sum(3 for packet in self.early if packet.resynch)


def less(one: Vector, other: Vector) -> bool:
    return one != other and all(mine <= others for mine, others in zip(one, other, strict=True))


class InAnyOrder(DenseProcess):
    """Ordering without the footnote of GS4: messages that become deliverable together have no order."""

    def footnote(self, packet: Printed) -> bool:
        return False


class Rebuilt(DenseProcess):
    """Ordering by section 3.3: the receiver computes the sender's phase by the rules of regular increase."""

    def __init__(self, index: int, groups: Groups, *, numbered: bool) -> None:
        super().__init__(index, groups, numbered=numbered)
        self.last: dict[tuple[int, int], tuple[bool, int]] = {}

    def read(self, packet: Printed) -> Printed:
        channel = packet.sender, packet.group
        resynch, time = self.last.get(channel, (False, -1))
        time += (packet.resynch or not resynch) + (packet.resynch and not resynch)
        self.last[channel] = packet.resynch, time
        phases = tuple(time if x == packet.group else phase for x, phase in enumerate(packet.phases))
        return Printed(
            packet.sender, packet.group, (time,) if packet.resynch else phases, packet.resynch, packet.number
        )


class OnAnyGraph(Mr):
    """Ordering by section 4.3 as printed: stamps have only the sender's groups, even if two groups share several
    processes.
    """

    __slots__ = ()

    def __init__(self, size: int, groups: Groups = ()) -> None:
        super().__init__(size, groups)
        self.acyclic = True
