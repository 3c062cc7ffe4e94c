"""Mostefaoui and Raynal: causal multicasts in overlapping groups, towards a low cost approach (1993).

Model. Groups are fixed beforehand and may overlap. A message is a multicast by a member of a group to all its other
members; the sender has it at the send (GS1).

Theory (section 4.1). Each group goes through phases. K[x] at a process is the highest phase of group x that it knows
of; a message carries its sender's K, one integer for each group, and moves its sender on by a phase in its own group.
Whoever gets a message of a phase that is not over for itself goes to the next one, and says so to the group: *resynch*.
So of every other member of its groups a process knows a phase below which nothing will come any more. A message may be
delivered once no member of x can send in a phase below K[x], in any x that the receiver is in (GS4); of messages that
may go at the same moment, the one with the smaller K goes first. What a message says of other groups is passed on.

Invariant. If m is sent before m', K(m) <= K(m'), and less in the group of m. So when m' may go, m has come.

The price of the short stamp is delay: a message may wait for a resynch though nothing before it is missing.

Representation. K in one integer (`protocols.packed_vectors`). `floors` has the least expected phase of each own group;
what cannot go yet is filed under one group and the phase that its floor has to reach, and a phase is passed once. What
can go stands in line by the entries for its receiver's groups, read as one number: of two messages in causal order,
that puts the first first. The inbox waits for nothing but a message's turn.

Deviations from the print. A process leaves its own entry out of the floors: whoever of the others was the first to
reach a phase did it by a message, which has brought this process there. Stamps and resynchs carry their phases always:
section 3.3 would rebuild them by a rule of regular increase that fails with more than two processes. Channels need not
be FIFO (section 3.4): messages and resynchs to a group are `numbered` together, one integer more, since phases alone do
not show what is missing; switch it off where channels keep their order. With `resynch_delay`, the timer of section 3.5,
a process is asked late for its `pending_control`, and sends only what no message of its own has carried in the
meantime. Section 4.3, for groups that form no cycle, is in `mr_acyclic`.
"""

from bisect import insort
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import NOTHING, ActiveProcess, Groups, Key, Ordering
from protocols.orderings.isis import faults, memberships
from protocols.orderings.mr_acyclic import cycle
from protocols.packed_vectors import MOST, WIDTH, borrow_bits, entry, filled, first_short, maximum


@value
class GroupStamp(Stamp):
    group: int
    number: int
    """Among all words of the sender to this group, from 0; -1 where they are not numbered."""

    @property
    def reached(self) -> int:
        """The least phase in which its sender can send to the group from now on."""
        raise NotImplementedError


@value
class Phases(GroupStamp):
    """K before the send, of a message."""

    counts: int
    size: int
    """Of how many groups."""

    @property
    def reached(self) -> int:
        return entry(self.counts, self.group) + 1

    @property
    def name(self) -> Key:
        return self.sender, self.group, self.reached

    @property
    def integers(self) -> int:
        return self.size + (self.number >= 0)


@value
class Resynch(GroupStamp):
    phase: int

    @property
    def reached(self) -> int:
        return self.phase

    @property
    def integers(self) -> int:
        """It has to name its group, since there is no message that does."""
        return 2 + (self.number >= 0)


class Mr(Ordering):
    __slots__ = ("acyclic", "borrow", "every", "groups", "memberships", "numbered", "resynch_delay")

    def __init__(
        self,
        size: int,
        groups: Groups = (),
        *,
        numbered: bool = True,
        phases: Literal["all", "fewest"] = "all",
        resynch_delay: int = 0,
    ) -> None:
        """`resynch_delay` is in milliseconds."""
        for fault in faults(size, groups):
            raise ValueError(f"mr: {fault}")
        self.groups = groups
        self.memberships = memberships(groups)
        self.borrow = borrow_bits(len(groups))
        self.every = filled(range(len(groups)), MOST)
        self.numbered = numbered
        self.acyclic = phases == "fewest" and cycle(groups) is None
        self.resynch_delay = resynch_delay * 1_000_000

    def process(self, index: int) -> "MrProcess":
        return MrProcess(index, self)


Channel: TypeAlias = tuple[int, int]
"""Sender and group."""


class MrProcess(ActiveProcess):
    __slots__ = (
        "borrow",
        "early",
        "expected",
        "floors",
        "foreign",
        "heard",
        "index",
        "known",
        "late",
        "numbered",
        "others",
        "owed",
        "own",
        "ready",
        "said",
        "size",
        "waiting",
    )

    def __init__(self, index: int, mr: Mr) -> None:
        own, groups = mr.memberships.get(index, ()), mr.groups
        self.index = index
        self.size = len(own) if mr.acyclic else len(groups)
        self.numbered = mr.numbered
        self.late = mr.resynch_delay
        self.borrow = mr.borrow
        self.own = filled(own, MOST)
        self.foreign = 0 if mr.acyclic else mr.every ^ self.own
        self.others = {number: tuple(sorted({*groups[number]} - {index})) for number in own}
        self.known = 0
        self.expected = {number: dict.fromkeys(others, 0) for number, others in self.others.items()}
        self.floors = filled((number for number, others in self.others.items() if not others), MOST)
        self.owed: set[int] = set()
        """The groups that do not know this process's phase yet."""
        self.said = dict.fromkeys(own, 0)
        self.heard: dict[Channel, int] = {}
        self.early: dict[tuple[int, int, int], GroupStamp] = {}
        """Stamps that arrived before their predecessors, by sender, group and number."""
        self.waiting: dict[Channel, list[Phases]] = {}
        """By the group, and the phase that its floor has to reach."""
        self.ready: list[Phases] = []
        """Messages that may be delivered, the least first."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        if group not in self.others:
            raise ValueError(f"mr: process {self.index} sends to group {group}, of which it is no member")
        if tuple(sorted(destinations)) != self.others[group]:
            raise ValueError(f"mr: a message to group {group} is for all its other members, and for nobody else")
        stamp = Phases(self.index, group, self._number(group), self.known, self.size)
        self.known += 1 << WIDTH * group
        self.owed.discard(group)
        return ((destinations, stamp),)

    def _number(self, group: int) -> int:
        number = self.said[group]
        self.said[group] = number + 1
        return number if self.numbered else -1

    def pending_control(self) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        if not self.owed:
            return ()
        groups, self.owed = sorted(self.owed), set()
        return [(self.others[group], self._resynch(group)) for group in groups]

    @property
    def max_delay(self) -> int:
        return self.late if self.owed else 0

    def _resynch(self, group: int) -> Resynch:
        return Resynch(self.index, group, self._number(group), entry(self.known, group))

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, GroupStamp)
        for word in self._in_turn(stamp) if self.numbered else (stamp,):
            self._take(word)
        return self._turn()

    def _in_turn(self, word: GroupStamp) -> Iterator[GroupStamp]:
        channel = sender, group = word.sender, word.group
        self.early[sender, group, word.number] = word
        number = self.heard.get(channel, 0)
        while (sender, group, number) in self.early:
            yield self.early.pop((sender, group, number))
            number += 1
        self.heard[channel] = number

    def _take(self, word: GroupStamp) -> None:
        group, reached = word.group, word.reached
        expected = self.expected[group]
        before, expected[word.sender] = expected[word.sender], reached
        if isinstance(word, Phases):
            self._take_message(word)
        floor = entry(self.floors, group)
        if before == floor:
            self._raise(group, floor, min(expected.values()))

    def _take_message(self, stamp: Phases) -> None:
        group, behind = stamp.group, stamp.reached - entry(self.known, stamp.group)
        if behind > 0:
            self.known += behind << WIDTH * group
            self.owed.add(group)
        self._file(stamp)

    def _raise(self, group: int, old: int, new: int) -> None:
        self.floors += new - old << WIDTH * group
        if self.waiting:
            for phase in range(old + 1, new + 1):
                for stamp in self.waiting.pop((group, phase), ()):
                    self._file(stamp)

    def _file(self, stamp: Phases) -> None:
        place = first_short(self.floors, stamp.counts & self.own, self.borrow)
        if place is None:
            insort(self.ready, stamp, key=self._phases)
        else:
            self.waiting.setdefault((place, entry(stamp.counts, place)), []).append(stamp)

    def _phases(self, stamp: Phases) -> int:
        return stamp.counts & self.own

    def _turn(self) -> Sequence[Key]:
        return (self.ready[0].name,) if self.ready else NOTHING

    def missing(self, stamp: Stamp) -> Key | None:
        """Its turn: what it waits for is kept here."""
        assert isinstance(stamp, Phases)
        name = stamp.name
        return None if self.ready and self.ready[0].name == name else name

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        assert isinstance(stamp, Phases)
        first = self.ready.pop(0)
        assert first.name == stamp.name
        self.known = maximum(self.known, stamp.counts & self.foreign, self.borrow)
        return self._turn()

    @property
    def integers(self) -> int:
        """The expected phases of each own group, its own among them, and K for the others; as many numbers; and what
        has come early and is no message, as those wait elsewhere.
        """
        members = sum(1 + len(others) for others in self.others.values())
        early = sum(word.integers for word in self.early.values() if isinstance(word, Resynch))
        return members + self.size - len(self.others) + (members if self.numbered else 0) + early
