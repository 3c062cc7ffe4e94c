"""Mostefaoui and Raynal: causal multicasts in overlapping groups, towards a low cost approach (1993).

Model. Groups are fixed beforehand and may overlap. A message is a multicast by a member of a group to all its other
members; the sender delivers it at the send (GS1).

Theory (section 4.1). Each group goes through phases. K[x] at a process is the highest phase of group x in its causal
past. A message carries its sender's K, with one integer for each group. Its phase is the entry of its own group, and
the sender advances to the next phase of this group. A process that receives a message of a phase p >= its own phase
advances to phase p + 1, and reports this to the group by a *resynch*. So a process knows, for every other
member of its groups, a phase below which this member sends no more messages. A message may be delivered when, for every
group x of the receiver, no member of x can send in a phase below K[x] (GS4). If several messages become deliverable
together, one with a smaller K is delivered first (its entries are not greater, and one is smaller). A process passes on
the phases of all other groups.

Invariant. If m is sent before m', then K(m) <= K(m') in every entry, and K(m) < K(m') in the entry of the group of m.
So when m' may be delivered, m has arrived.

Cost. A stamp is short, but a message may wait for a resynch after all its predecessors have been delivered.

Representation. K is one integer (`protocols.packed_vectors`). For each group of the process, `floors` has the lowest
phase in which another member may still send. A message that is not deliverable yet is stored under one group of the
receiver, with the phase that the floor of this group has to reach. Deliverable messages are sorted by their entries,
read as one number: of two messages of which one has a smaller K, it has the smaller number. In the inbox, a message
waits only until it is deliverable and no other deliverable one has a smaller K. So the rule on K is before the order of
arrival, also for concurrent messages; messages with equal or incomparable K are delivered in the order of arrival.

Deviations from the paper. A floor ignores the process itself. The first other member that reached a phase did so by a
message, and the process has sent or received this message, so it has reached the phase, too. Stamps and resynchs always
carry their phases. Section 3.3 omits phases that increase regularly, which fails with more than two processes. Channels
need not be FIFO (section 3.4): messages and resynchs to a group carry a sequence number, since phases alone do not show
which messages are missing. With `numbered: false` a stamp has one integer for each group, as in the paper; this is
refused unless channels between hosts are FIFO. `resynch_delay` is the timer of section 3.5. During the delay, a message
of the process to the same group replaces the resynch.

Groups without a cycle (section 4.3, `phases: fewest`). A process passes on phases of other groups, because a causal
path along a cycle of groups may return to members of these groups. If groups form no cycle, a process stores K for its
own groups only, and a message has one integer for each group of its sender.

Deviation from the paper in this condition. In the paper, the graph with an edge between each two groups that share a
process must have no cycle. This is not enough if two groups share more than one process. Example: p and q are members
of x and y; r is a member of x only. p sends m0 to y, and then m1 to x. r delivers m1 and sends m2 to x. At q, m1 waits
for m0, because of its entry for y. m2 has no entry for y, since r is not a member of y. So q delivers m2 before m0 and
m1. Delivering the messages of x in the order of their phases in x would not help: a message may precede another one by
the phases of x and follow it by the phases of y, and both would wait forever. Here the graph with an edge between each
process and each of its groups must have no cycle. Then a process may be a member of any number of groups. All causal
paths between two groups pass through the only process that they share, and it delivers their messages in order.
"""

from bisect import insort
from collections.abc import Iterator, Sequence

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import ActiveProcess, Addressed, Groups, Key, Ordering, memberships
from mobilesim.protocols.orderings.vectors.isis import faults
from mobilesim.protocols.packed_vectors import MAX_COUNT, WIDTH, borrow_bits, entry, filled, first_short, maximum
from mobilesim.protocols.packets import Stamp


@value
class GroupStamp(Stamp):
    group: int
    number: int
    """The sequence number of the stamp among all stamps of the sender to this group, or -1 without numbers."""

    @property
    def reached(self) -> int:
        """The lowest phase in which the sender can send to the group after this stamp."""
        raise NotImplementedError


@value
class Phases(GroupStamp):
    """The stamp of a message. `counts` is K before the send."""

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
        # The phase and the group. A resynch has no message that contains the group.
        return 2 + (self.number >= 0)


class Mr(Ordering):
    def __init__(
        self, size: int, groups: Groups = (), *, numbered: bool = True, phases: str = "all", resynch_delay: int = 0
    ) -> None:
        """`phases`: a stamp has the phases of 'all' groups or of the 'fewest' groups. `resynch_delay`: milliseconds."""
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
    """Return a group and one of its processes on a cycle of the graph of groups and processes, or None."""
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
        *("borrow", "compared", "early", "expected", "floors", "foreign", "index", "known", "late", "numbered"),
        *("others", "owed", "own", "ready", "received", "sent", "size", "waiting"),
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
        self.compared = self.own | self.foreign
        """The entries by which deliverable messages are compared: all that stamps have."""
        self.others = {number: tuple(sorted({*groups[number]} - {index})) for number in own}
        self.known = 0
        self.expected = {number: dict.fromkeys(others, 0) for number, others in self.others.items()}
        self.floors = filled((number for number, others in self.others.items() if not others), MAX_COUNT)
        self.owed: set[int] = set()
        """The groups to which this process has to report its phase."""
        self.sent = dict.fromkeys(own, 0)
        self.received: dict[tuple[int, int], int] = {}
        """By sender and group: the number of stamps that were processed in order."""
        self.early: dict[tuple[int, int, int], GroupStamp] = {}
        """By sender, group and sequence number: the stamps that arrived before an earlier one."""
        self.waiting: dict[tuple[int, int], list[Phases]] = {}
        """By group and phase: the stamps of messages that wait until the group's floor has reached the phase."""
        self.ready: list[Phases] = []
        """The stamps of deliverable messages. If one has a smaller K than another, it is before it."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        if group not in self.others:
            raise ValueError(f"mr: process {self.index} sends to group {group}, but is not a member")
        if tuple(sorted(destinations)) != self.others[group]:
            raise ValueError(f"mr: a message to group {group} must be for exactly its other members")
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
        return self._first_names()

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
            insort(self.ready, stamp, key=lambda ready: ready.counts & self.compared)
        else:
            self.waiting.setdefault((group, entry(stamp.counts, group)), []).append(stamp)

    def _first_names(self) -> Sequence[Key]:
        """Return the names of the deliverable messages than which no other one has a smaller K."""
        ready = self.ready
        if len(ready) < 2:
            return [stamp.name for stamp in ready]
        first: list[int] = []
        names: list[Key] = []
        for stamp in ready:
            counts = stamp.counts & self.compared
            for smaller in first:
                if smaller != counts and first_short(counts, smaller, self.borrow) is None:
                    break
            else:
                first.append(counts)
                names.append(stamp.name)
        return names

    def missing(self, stamp: Phases) -> Key | None:
        """Return None if this message may be delivered next, and otherwise its own name as the key."""
        name = stamp.name
        return None if name in self._first_names() else name

    def deliver(self, stamp: Phases) -> Sequence[Key]:
        name = stamp.name
        for place, ready in enumerate(self.ready):
            if ready.name == name:
                del self.ready[place]
                break
        self.known = maximum(self.known, stamp.counts & self.foreign, self.borrow)
        return self._first_names()

    @property
    def integers(self) -> int:
        """The expected phases of all members of the process's groups, K for the other groups, the sequence numbers, and
        early resynchs. Early messages are not counted, since the inbox stores them.
        """
        members = sum(1 + len(others) for others in self.others.values())
        early = sum(stamp.integers for stamp in self.early.values() if isinstance(stamp, Resynch))
        return members + self.size - len(self.others) + (members if self.numbered else 0) + early
