"""Mostefaoui and Raynal: causal multicasts in overlapping groups, towards a low cost approach (1993).

Model. Groups are fixed beforehand and may overlap. A message is a multicast by a member of a group to all its other
members; the sender delivers it at the send (GS1).

Theory (section 4.1). Each group goes through phases. K[x] at a process is the highest phase of group x in its causal
past. A message carries its sender's K, one integer for each group, and advances the sender by one phase in the
message's group. A process that receives a message of a phase which it has not ended advances to the next phase, and
reports this to the group by a *resynch*. So a process stores, for every other member of its groups, a phase below which
no message of this member will arrive. A message may be delivered when, for every group x of the receiver, no member of
x can send in a phase below K[x] (GS4). Of messages that become deliverable together, the one with the smaller K is
delivered first. Phases of other groups are passed on.

Invariant. If m is sent before m', K(m) <= K(m'), and less in the group of m. So when m' may be delivered, m has
arrived.

The cost of the short stamp is delay: a message may wait for a resynch though all its predecessors are delivered.

Representation. K is one integer (`protocols.packed_vectors`). `floors` has the least expected phase of each group of
the process. A message that is not deliverable yet is stored by one group and the phase that this floor has to reach;
each phase is passed once. Deliverable messages are sorted by the entries for their receiver's groups, read as one
number: of two messages in causal order, the earlier one comes first. In the inbox, a message waits only for its turn.

Deviations from the print. A process omits its own entry from the floors: the first other member to reach a phase
reached it by a message, which has advanced this process, too. Stamps and resynchs always carry their phases: section
3.3 would reconstruct them by a rule of regular increase, which fails with more than two processes. Channels need not be
FIFO (section 3.4): messages and resynchs to a group are `numbered` in one sequence, for one more integer, since phases
alone do not show which messages are missing; FIFO channels do not need it. With `resynch_delay`, the timer of section
3.5, `pending_control` is called late, and returns only phases that no message of the process has carried since.

Groups that form no cycle (section 4.3, `phases: fewest`). A process passes on phases of other groups because they may
affect members of these groups again, along a cycle of groups. Without cycles, a process stores K for its own groups
only, and a message has an integer for each group of its sender, independent of the number of groups.

Deviation from the print. There, two groups are neighbours if they have a common process, and their graph must have no
cycle. That is not enough if two groups share more than one process. Let p and q be in x and y, and r in x only. p sends
m0 to y, then m1 to x; r delivers m1 and sends m2 to x. At q, m1 waits for m0 by its entry for y. m2 has no such entry,
since r is not in y: it overtakes both. It would not help to deliver messages of x by phase alone: one message may be
before another in x and after it in y, and two messages with one phase each would wait for each other. The graph without
a cycle must be that of processes and groups, with an edge from each process to each of its groups. Then a process may
be in any number of groups, and all causal paths from one group to another pass through their only common process, which
has delivered in order.
"""

from bisect import insort
from collections.abc import Iterator, Sequence

from protocols.frozen_value import value
from protocols.machine import Stamp
from protocols.ordering import NO_KEYS, ActiveProcess, Addressed, Groups, Key, Ordering, memberships
from protocols.orderings.isis import faults
from protocols.packed_vectors import MAX_COUNT, WIDTH, borrow_bits, entry, filled, first_short, maximum


@value
class GroupStamp(Stamp):
    group: int
    number: int
    """The index among all stamps of the sender to this group, or -1 if they are not numbered."""

    @property
    def reached(self) -> int:
        """The least phase in which the sender can send to the group from now on."""
        raise NotImplementedError


@value
class Phases(GroupStamp):
    """The stamp of a message: K before the send."""

    counts: int
    size: int
    """The number of groups."""

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
        # The phase and the group: there is no message that names the group.
        return 2 + (self.number >= 0)


class Mr(Ordering):
    def __init__(
        self, size: int, groups: Groups = (), *, numbered: bool = True, phases: str = "all", resynch_delay: int = 0
    ) -> None:
        """`phases`: 'all' or 'fewest', the groups in a stamp. `resynch_delay` is in milliseconds."""
        for fault in faults(size, groups):
            raise ValueError(f"mr: {fault}")
        self.groups = groups
        self.memberships = memberships(groups)
        self.borrow = borrow_bits(len(groups))
        self.all_groups = filled(range(len(groups)), MAX_COUNT)
        self.numbered = numbered
        self.acyclic = phases == "fewest" and cycle(groups) is None
        self.resynch_delay = resynch_delay * 1_000_000

    def process(self, index: int) -> "MrProcess":
        return MrProcess(index, self)


def cycle(groups: Groups) -> tuple[int, int] | None:
    """Return a group and one of its processes on a cycle, or None."""
    trees: list[set[int]] = []
    for number, group in enumerate(groups):
        joined = [tree for tree in trees if not tree.isdisjoint(group)]
        for tree in joined:
            if len(tree.intersection(group)) > 1:
                return number, min(tree.intersection(group))
        trees = [tree for tree in trees if tree not in joined] + [{*group}.union(*joined)]
    return None


class MrProcess(ActiveProcess):
    __slots__ = (
        *("borrow", "early", "expected", "floors", "foreign", "index", "known", "late", "numbered", "others", "owed"),
        *("own", "ready", "received", "sent", "size", "waiting"),
    )

    def __init__(self, index: int, mr: Mr) -> None:
        own, groups = mr.memberships.get(index, ()), mr.groups
        self.index = index
        self.size = len(own) if mr.acyclic else len(groups)
        self.numbered = mr.numbered
        self.late = mr.resynch_delay
        self.borrow = mr.borrow
        self.own = filled(own, MAX_COUNT)
        self.foreign = 0 if mr.acyclic else mr.all_groups ^ self.own
        self.others = {number: tuple(sorted({*groups[number]} - {index})) for number in own}
        self.known = 0
        self.expected = {number: dict.fromkeys(others, 0) for number, others in self.others.items()}
        self.floors = filled((number for number, others in self.others.items() if not others), MAX_COUNT)
        self.owed: set[int] = set()
        """The groups that wait for a report of this process's phase."""
        self.sent = dict.fromkeys(own, 0)
        self.received: dict[tuple[int, int], int] = {}
        """The number of stamps that were processed in order, by sender and group."""
        self.early: dict[tuple[int, int, int], GroupStamp] = {}
        """Stamps that arrived before their predecessors, by sender, group and number."""
        self.waiting: dict[tuple[int, int], list[Phases]] = {}
        """Messages by group, and by the phase that the group's floor has to reach."""
        self.ready: list[Phases] = []
        """Deliverable messages in the order of their delivery."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        if group not in self.others:
            raise ValueError(f"mr: process {self.index} sends to group {group}, but is not a member")
        if tuple(sorted(destinations)) != self.others[group]:
            raise ValueError(f"mr: a message to group {group} is for all its other members only")
        stamp = Phases(self.index, group, self._number(group), self.known, self.size)
        self.known += 1 << WIDTH * group
        self.owed.discard(group)
        return ((destinations, stamp),)

    def _number(self, group: int) -> int:
        number = self.sent[group]
        self.sent[group] = number + 1
        return number if self.numbered else -1

    def pending_control(self) -> Sequence[Addressed]:
        if not self.owed:
            return ()
        groups, self.owed = sorted(self.owed), set()
        index, known = self.index, self.known
        return [(self.others[x], Resynch(index, x, self._number(x), entry(known, x))) for x in groups]

    @property
    def max_delay(self) -> int:
        return self.late if self.owed else 0

    def observe(self, stamp: GroupStamp) -> Sequence[Key]:
        for following in self._in_turn(stamp) if self.numbered else (stamp,):
            self._accept(following)
        return self._next_name()

    def _in_turn(self, stamp: GroupStamp) -> Iterator[GroupStamp]:
        channel = sender, group = stamp.sender, stamp.group
        self.early[sender, group, stamp.number] = stamp
        number = self.received.get(channel, 0)
        while (sender, group, number) in self.early:
            yield self.early.pop((sender, group, number))
            number += 1
        self.received[channel] = number

    def _accept(self, stamp: GroupStamp) -> None:
        group, reached = stamp.group, stamp.reached
        expected = self.expected[group]
        before, expected[stamp.sender] = expected[stamp.sender], reached
        if isinstance(stamp, Phases):
            if (behind := reached - entry(self.known, group)) > 0:
                self.known += behind << WIDTH * group
                self.owed.add(group)
            self._insert(stamp)
        floor = entry(self.floors, group)
        if before == floor:
            self._raise_floor(group, floor, min(expected.values()))

    def _raise_floor(self, group: int, old: int, new: int) -> None:
        self.floors += new - old << WIDTH * group
        if self.waiting:
            for phase in range(old + 1, new + 1):
                for stamp in self.waiting.pop((group, phase), ()):
                    self._insert(stamp)

    def _insert(self, stamp: Phases) -> None:
        if (group := first_short(self.floors, stamp.counts & self.own, self.borrow)) is None:
            insort(self.ready, stamp, key=lambda ready: ready.counts & self.own)
        else:
            self.waiting.setdefault((group, entry(stamp.counts, group)), []).append(stamp)

    def _next_name(self) -> Sequence[Key]:
        return (self.ready[0].name,) if self.ready else NO_KEYS

    def missing(self, stamp: Phases) -> Key | None:
        """Return the message's own name until its turn comes; the process stores the phases that it waits for."""
        name = stamp.name
        return None if self.ready and self.ready[0].name == name else name

    def deliver(self, stamp: Phases) -> Sequence[Key]:
        first = self.ready.pop(0)
        assert first.name == stamp.name
        self.known = maximum(self.known, stamp.counts & self.foreign, self.borrow)
        return self._next_name()

    @property
    def integers(self) -> int:
        """The expected phases of all members of the process's groups, K for the other groups, the sequence numbers, and
        early resynchs. Early messages are not counted: they wait in the inbox.
        """
        members = sum(1 + len(others) for others in self.others.values())
        early = sum(stamp.integers for stamp in self.early.values() if isinstance(stamp, Resynch))
        return members + self.size - len(self.others) + (members if self.numbered else 0) + early
