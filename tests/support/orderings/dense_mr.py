"""Mostefaoui and Raynal's statements GS1 to GS4 as they are printed, and what a reader could get wrong."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import ActiveProcess, Groups, Key, Ordering
from protocols.orderings.mr import Mr

CHANGED: Final = ("changed",)
Vector: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Callable[..., "DenseProcess"]


@value
class Printed(Stamp):
    """(m, K, x), or resynch(t, x) with t alone."""

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
        """The groups that are to get a resynch unless they get a message before (section 3.5)."""
        self.said = dict.fromkeys(self.own, 0)
        self.heard: dict[tuple[int, int], int] = {}
        self.early: list[Printed] = []

    def others(self, group: int) -> Vector:
        return tuple(sorted({*self.groups[group]} - {self.index}))

    def stamp(self, group: int, phases: Vector, *, resynch: bool) -> Printed:
        self.said[group] += 1
        return Printed(self.index, group, phases, resynch, self.said[group] - 1)

    def send(self, destinations: Vector, group: int) -> Sequence[tuple[Vector, Stamp]]:
        """GS1."""
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
        while (word := next(filter(self.next, self.early), None)) is not None:
            self.early.remove(word)
            self.heard[word.sender, word.group] = word.number + 1
            self.arrives(self.read(word))
        return CHANGED

    def next(self, word: Printed) -> bool:
        return not self.numbered or word.number == self.heard.get((word.sender, word.group), 0)

    def read(self, word: Printed) -> Printed:
        return word

    def arrives(self, word: Printed) -> None:
        group, time = word.group, word.time
        if word.resynch:  # GS3
            self.expected[group, word.sender] = time
            return
        self.pending.append(word)  # GS2
        self.expected[group, word.sender] = time + 1
        if self.expected[group, self.index] < time + 1:
            self.expected[group, self.index] = self.known[group] = time + 1
            self.timers = [x for x in self.timers if x != group] + [group]

    def missing(self, stamp: Stamp) -> Key | None:
        """GS4, with its footnote."""
        word = self.arrived(stamp)
        return None if word and self.deliverable(word) and not self.footnote(word) else CHANGED[0]

    def arrived(self, stamp: Stamp) -> Printed | None:
        """As it has been read."""
        assert isinstance(stamp, Printed)
        name = stamp.sender, stamp.group, stamp.number
        return next((word for word in self.pending if (word.sender, word.group, word.number) == name), None)

    def deliverable(self, word: Printed) -> bool:
        return all(expected >= word.phases[x] for (x, _), expected in self.expected.items())

    def footnote(self, word: Printed) -> bool:
        """Whether another message may go at the same moment and has a smaller timestamp."""
        return any(less(other.phases, word.phases) for other in self.pending if self.deliverable(other))

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        word = self.arrived(stamp)
        assert word is not None
        self.pending.remove(word)
        for y, phase in enumerate(word.phases):
            if y not in self.own:
                self.known[y] = max(self.known[y], phase)
        return CHANGED

    @property
    def integers(self) -> int:
        stored = len(self.expected) + len(self.groups) - len(self.own)
        return stored + (len(self.expected) if self.numbered else 0) + sum(3 for word in self.early if word.resynch)


def less(one: Vector, other: Vector) -> bool:
    return one != other and all(mine <= others for mine, others in zip(one, other, strict=True))


class InAnyOrder(DenseProcess):
    """Without the footnote of GS4."""

    def footnote(self, word: Printed) -> bool:
        return False


class Rebuilt(DenseProcess):
    """Section 3.3: the receiver works out the sender's phase by the rules of regular increase."""

    def __init__(self, index: int, groups: Groups, *, numbered: bool) -> None:
        super().__init__(index, groups, numbered=numbered)
        self.last: dict[tuple[int, int], tuple[bool, int]] = {}

    def read(self, word: Printed) -> Printed:
        channel = word.sender, word.group
        resynch, time = self.last.get(channel, (False, -1))
        time += (word.resynch or not resynch) + (word.resynch and not resynch)
        self.last[channel] = word.resynch, time
        phases = tuple(time if x == word.group else phase for x, phase in enumerate(word.phases))
        return Printed(word.sender, word.group, (time,) if word.resynch else phases, word.resynch, word.number)


class OnAnyGraph(Mr):
    """Section 4.3 as printed: stamps without the entries of others' groups, however many processes two groups share."""

    __slots__ = ()

    def __init__(self, size: int, groups: Groups = ()) -> None:
        super().__init__(size, groups)
        self.acyclic = True
