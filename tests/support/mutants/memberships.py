"""Memberships with a fault, each of which breaks causal order under KS, or makes a message wait for ever."""

from collections.abc import Mapping
from typing import Final

from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import Joined, Left, MembershipService, Notice, Notices, Welcome
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.view import View


@value
class Mutant:
    """`hosts`, `bounds`: a small configuration that shows the fault after `steps` steps; 0 if it takes too long."""

    service: type[MembershipService] = MembershipService
    member: type[Member] = Member
    hosts: int = 3
    bounds: Bounds = Bounds(3, 0, leaves=1)
    steps: int = 0


class OldIds(MembershipService):
    """Gives the lowest id that is free to a process that joins, when the process that had the id has been removed."""

    __slots__ = ()

    def _join(self) -> Notices:
        free = sorted({*range(self.issued)} - self.members - self.unfinished.keys())
        if not free:
            return super()._join()
        before = sorted(self.members)
        self.members.add(free[0])
        return [
            (free[0], Welcome((*before, free[0]), tuple(self.unfinished))),
            *[(to, Joined(free[0])) for to in before],
        ]


class KnowsOldIds(Member):
    """Expects ids that were given before. `issued` never becomes smaller."""

    __slots__ = ()

    def __init__(self, index: int, ordering: Ordering, view: View) -> None:
        view.issued = max(view.members) + 1
        super().__init__(index, ordering, view)

    def notice(self, notice: Notice) -> None:
        issued = self.view.issued
        super().notice(notice)
        self.view.issued = max(issued, self.view.issued)


class DropsEarly(Member):
    """Removes all state about a process when it leaves, although its messages may still be in transit."""

    __slots__ = ()

    def notice(self, notice: Notice) -> None:
        super().notice(notice)
        if isinstance(notice, Left):
            self.view.leaving.discard(notice.process)
            self.mailbox.process.removed(notice.process)


class UnawareOfLeaving(Member):
    """Starts without the processes that have left, but whose messages may still be in transit."""

    __slots__ = ()

    def __init__(self, index: int, ordering: Ordering, view: View) -> None:
        view.leaving.clear()
        super().__init__(index, ordering, view)


class TakesUnknownForDeparted(Member):
    """Takes an id that it does not know yet for that of a process that has left."""

    __slots__ = ()

    def __init__(self, index: int, ordering: Ordering, view: View) -> None:
        super().__init__(index, ordering, view)
        view.issued = 1 << 20

    def notice(self, notice: Notice) -> None:
        super().notice(notice)
        self.view.issued = 1 << 20


class Hasty(MembershipService):
    """Removes a process as soon as one member has delivered all messages of the process."""

    __slots__ = ()

    def _finish(self, leaver: int, member: int) -> Notices:
        if leaver in self.unfinished:
            self.unfinished[leaver] &= {member}
        return super()._finish(leaver, member)


MUTANTS: Final[Mapping[str, Mutant]] = {
    "old ids": Mutant(OldIds, KnowsOldIds, 2, Bounds(3, 0, joins=1, leaves=1), 11),
    "drops early": Mutant(member=DropsEarly, steps=6),
    "unaware of leaving": Mutant(member=UnawareOfLeaving),
    "takes unknown for departed": Mutant(
        member=TakesUnknownForDeparted, hosts=2, bounds=Bounds(3, 0, joins=1), steps=6
    ),
    "hasty": Mutant(Hasty, steps=7),
}
