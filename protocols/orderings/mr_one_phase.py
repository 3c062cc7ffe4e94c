"""Mostefaoui and Raynal (1993), section 5.2: one integer for all groups.

Theory. The phases of `mr` are replaced by one phase. A message carries the phase of its sender, which then advances to
the next phase. A process that receives a message of phase p advances to phase p + 1 at least. A message may be
delivered when no other member of any group of the receiver can send in a lower phase. Deliverable messages are
delivered in the order of their phases. If m is sent before m', the phase of m is lower, so m has arrived when m' may be
delivered.

Liveness. A phase may be reached by messages of other groups, so a member of a group may never receive a message of this
phase. The paper only says that a receiver has to send resynchs to all of its groups. This is not enough: a member of
such a group must also answer, and a receiver whose own messages to one group have advanced its phase has not informed
its other groups (`docs/errata-orderings.md`). Here a process stores for each group the phase that it has *announced*:
the lowest phase of its later messages to this group, as its latest stamp to the group shows. At the arrival of a
message of phase p, it announces its phase to all of its groups to which it has announced p or less. At the arrival of a
resynch of phase p, it advances to phase p, and announces its phase to the group of the resynch if it has announced less
than p to this group.

Proof. Let a message of phase p wait at i, and let j be another member of a group x of i. i has announced p + 1 or more
to x. When this stamp arrives at j, j announces p + 1 or more to x, unless it has done so before. So i learns from all
members of its groups that they send no more messages in phase p. Processes announce only phases that some message or
its sender has reached, and to each group a higher phase each time. So finitely many messages cause finitely many
resynchs.

Cost. A header has one integer, however many groups there are, and the number of the stamp. A message may wait for
members of groups that have nothing to do with it, and it causes resynchs in all groups of its receivers.

Representation. That of `mr`, with the same phase in each entry of K. So the module uses the code of `mr`.
"""

from collections.abc import Sequence

from mobilesim.protocols.ordering import Addressed, Groups
from mobilesim.protocols.orderings.mr import GroupStamp, Mr, MrProcess, Phases
from mobilesim.protocols.packed_vectors import WIDTH, entry, filled


class MrOnePhase(Mr):
    def __init__(self, size: int, groups: Groups = (), *, numbered: bool = True, resynch_delay: int = 0) -> None:
        super().__init__(size, groups, numbered=numbered, resynch_delay=resynch_delay)

    def process(self, index: int) -> "OnePhaseProcess":
        return OnePhaseProcess(index, self)


class OnePhaseProcess(MrProcess):
    __slots__ = ("announced", "ones")

    def __init__(self, index: int, mr: Mr) -> None:
        super().__init__(index, mr)
        self.size = 1
        self.foreign = 0
        self.compared = self.own
        self.ones = filled(range(len(mr.groups)), 1)
        self.announced = dict.fromkeys(self.others, 0)
        """By group: the lowest phase of later messages to the group, as its members know it."""

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        stamps = super().send(destinations, group)
        self.known += self.ones - (1 << WIDTH * group)
        self.announced[group] = entry(self.known, group)
        return stamps

    def _accept(self, stamp: GroupStamp) -> None:
        reached, announced = stamp.reached, self.announced
        if (behind := reached - entry(self.known, stamp.group)) > 0:
            self.known += behind * self.ones
        for group in announced if isinstance(stamp, Phases) else (stamp.group,):
            if announced[group] < reached:
                self.owed.add(group)
        super()._accept(stamp)

    def pending_control(self) -> Sequence[Addressed]:
        for group in self.owed:
            self.announced[group] = entry(self.known, group)
        return super().pending_control()

    @property
    def integers(self) -> int:
        """The state of `mr` with one phase for all groups, and the announced phases."""
        return super().integers + len(self.announced)
