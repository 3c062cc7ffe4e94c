"""Memberships with a fault, each of which breaks causal order under KS or BSS, or makes a message wait for ever."""

from collections.abc import Mapping
from typing import Final

from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.flush import FlushMember, ViewStamp
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import (
    FlushService,
    Joined,
    Left,
    MembershipService,
    NewView,
    Notice,
    Notices,
    Quit,
    Request,
    Service,
    Welcome,
)
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.vectors.bss import BssProcess
from mobilesim.protocols.packed_vectors import entry, filled
from mobilesim.protocols.packets import Copy, Message
from mobilesim.protocols.view import View


@value
class Mutant:
    """`hosts`, `bounds`: a small configuration that shows the fault after `steps` steps; 0 if it takes too long."""

    service: type[Service] = MembershipService
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

    def notice(self, notice: Notice) -> list[Copy]:
        issued = self.view.issued
        released = super().notice(notice)
        self.view.issued = max(issued, self.view.issued)
        return released


class DropsEarly(Member):
    """Removes all state about a process when it leaves, although its messages may still be in transit."""

    __slots__ = ()

    def notice(self, notice: Notice) -> list[Copy]:
        released = super().notice(notice)
        if isinstance(notice, Left):
            self.view.leaving.discard(notice.process)
            self.mailbox.process.removed(notice.process)
        return released


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

    def notice(self, notice: Notice) -> list[Copy]:
        released = super().notice(notice)
        self.view.issued = 1 << 20
        return released


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


class InstallsEarly(FlushMember):
    """Installs the next view as soon as it is known, although messages of the old view may be missing."""

    __slots__ = ()

    def _install_if_complete(self) -> list[Copy]:
        if self.next_view is not None:
            self.awaited = {}
        return super()._install_if_complete()


class KeepsVectors(FlushMember):
    """Starts a view with the counts of the old view."""

    __slots__ = ()

    def _install(self, new: NewView) -> None:
        before, old = sorted(self.view.members), self.mailbox.process
        super()._install(new)
        process = self.mailbox.process
        assert isinstance(old, BssProcess)
        assert isinstance(process, BssProcess)
        counts = {each: entry(old.counts, place) for place, each in enumerate(before)}
        process.counts += sum(filled([place], counts.get(each, 0)) for place, each in enumerate(new.members))


class SendsDuringFlush(FlushMember):
    """Sends in the old view after it has answered with the number of its messages."""

    __slots__ = ()

    def send(self, message: Message) -> list[Copy]:
        ending, self.ending = self.ending, False
        copies = super().send(message)
        self.ending = ending
        return copies


class DeliversLaterViews(FlushMember):
    """Takes a message of the next view for one of the present view."""

    __slots__ = ()

    def arrive(self, copy: Copy) -> list[Copy]:
        stamp = copy.stamp
        assert isinstance(stamp, ViewStamp)
        view = min(stamp.view, self.view.number)
        return super().arrive(Copy(copy.message, copy.targets, ViewStamp(stamp.sender, view, stamp.inner)))


class ForgetsLeaver(FlushService):
    """Takes the messages of a process that left for delivered."""

    __slots__ = ()

    def process(self, request: Request) -> Notices:
        return super().process(Quit(request.process, request.view, 0) if isinstance(request, Quit) else request)


_JOIN: Final = Bounds(2, 0, joins=1)
FLUSHES: Final[Mapping[str, Mutant]] = {
    "installs early": Mutant(FlushService, InstallsEarly, 2, _JOIN, 11),
    "keeps vectors": Mutant(FlushService, KeepsVectors, 2, _JOIN, 14),
    "sends during the flush": Mutant(FlushService, SendsDuringFlush, 2, _JOIN, 11),
    "delivers later views": Mutant(FlushService, DeliversLaterViews, 2, _JOIN, 10),
    "forgets the leaver": Mutant(ForgetsLeaver, FlushMember, 3, Bounds(2, 0, leaves=1), 10),
}
"""Flushes with a fault."""
