"""Random executions in which processes join and leave (`mobilesim.explorer.members.world`), checked by the oracle.

After every step, no message may wait that causal order allows to deliver, unless the ordering inhibits messages.
"""

from random import Random
from statistics import fmean
from typing import Final

from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.members.search import applied
from mobilesim.explorer.members.text import Narrated, listing
from mobilesim.explorer.members.world import MembershipWorld
from mobilesim.explorer.untimed_world import Action, Bounds
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.flush import ViewChange
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import Join, MembershipService, Service
from mobilesim.protocols.ordering import Ordering, OrderingFactory
from mobilesim.protocols.state import snapshot

_MOST_RECEIVED: Final = 4
_LATEST_FIRST: Final = 0.25
_NONE_TOLERATED: Final = frozenset[FaultKind]()


@value
class ChurnSizes:
    """The members at the start, and their largest number; messages, and the probability of a join or a leave before
    each of them; the largest number of destinations; how many of the first processes never leave.
    """

    members: int = 3
    most: int = 5
    messages: int = 30
    changes: float = 0.3
    widest: int = 3
    staying: int = 0


FEW: Final = ChurnSizes()
LONG: Final = ChurnSizes(members=4, most=6, messages=1200, changes=0.6, staying=1)
MANY: Final = ChurnSizes(members=6, most=12, messages=60, changes=0.5, widest=6)


class ChurnRun:
    """One execution, which ends at the first fault. `schedule`: its steps. `inhibited`: the number of waiting messages
    that causal order allowed, summed over all steps. `largest`: by message, the largest state of a process in bytes.
    """

    def __init__(
        self,
        ordering: Ordering,
        sizes: ChurnSizes,
        random: Random,
        service: type[Service] = MembershipService,
        member: type[Member] = Member,
        *,
        tolerated: frozenset[FaultKind] = _NONE_TOLERATED,
    ) -> None:
        self.sizes, self.random = sizes, random
        bounds = Bounds(sizes.messages, 0, joins=sizes.messages, tolerated=tolerated)
        self.world = MembershipWorld(ordering, sizes.members, bounds, service, member)
        self.schedule: list[Action] = []
        self.inhibited = 0
        self.largest: list[int] = []

    def run(self) -> "ChurnRun":
        world, random = self.world, self.random
        while len(self.largest) < self.sizes.messages and not world.faults:
            if random.random() < self.sizes.changes:
                self._change()
            self._send()
            for _ in range(random.randint(0, _MOST_RECEIVED + world.in_transit // _MOST_RECEIVED)):
                self._receive()
            self.largest.append(max(len(snapshot(member)) for member in world.members.values()))
        while world.in_transit and not world.faults:
            self._receive()
        return self

    def _apply(self, action: Action) -> None:
        if not self.world.faults:
            self.schedule.append(action)
            applied(self.world, action)
            self.inhibited += sum(map(self._allowed, self.world.members.values()))

    def _change(self) -> None:
        """Let a process join or leave."""
        members, random = sorted(self.world.members), self.random
        joining = sum(isinstance(each, Join) for each in self.world.requests)
        fewer = len(members) == 1 or random.random() < 0.5
        if len(members) + joining < self.sizes.most and fewer:
            self._apply(Action(InputKind.ENTER, 0))
        elif len(members) > 1:
            self._apply(Action(InputKind.LEAVE, random.choice(members[self.sizes.staying :])))

    def _send(self) -> None:
        """Let a member send to others of its view, if it knows others."""
        random, members = self.random, self.world.members
        source = random.choice(sorted(members))
        if others := sorted(members[source].view.members - {source}):
            to_all = members[source].to_all
            count = len(others) if to_all else random.randint(1, min(self.sizes.widest, len(others)))
            self._apply(Action(InputKind.SUBMIT, source, tuple(sorted(random.sample(others, count)))))

    def _receive(self) -> None:
        """Let something that is in transit arrive."""
        world, random = self.world, self.random
        notices = list(world.arrivals_of_notices())
        copies, requests = len(world.copies), len(world.requests)
        place = random.randrange(copies + requests + len(notices) or 1)
        if place < copies:
            # The latest copies arrive first in most cases, so that a copy may be in transit for a long time.
            self._apply(Action(InputKind.WIRED, int(random.random() ** _LATEST_FIRST * copies)))
        elif place < copies + requests:
            self._apply(Action(InputKind.UP, place - copies))
        elif notices:
            self._apply(notices[place - copies - requests])

    def narrated(self, new_ordering: OrderingFactory) -> list[str]:
        """Return the steps of this execution, line by line, and its faults."""
        world, hosts = self.world, self.sizes.members
        again = Narrated(new_ordering(hosts), hosts, world.bounds, type(world.service), world.kind)
        return listing(again, self.schedule)

    def _allowed(self, member: Member) -> int:
        """Return the number of messages that wait at a member although causal order allows to deliver them."""
        waiting = member.mailbox.items() if member.mailbox.size else []
        due = self.world.oracle.due[member.index]
        allowed = 0
        for copy in waiting:
            sent = self.world.oracle.outstanding(copy.message.id, copy.message.source, member.index)
            causes = (queue[0] for queue in due.values() if queue[0] is not sent)
            if sent is not None:
                allowed += not any(sent.follows(cause.source, cause.number) for cause in causes)
        return allowed


def growth(ordering: Ordering, sizes: ChurnSizes, tolerated: frozenset[FaultKind], change: ViewChange) -> float:
    """Return by which factor the largest state of a process grows from the first tenth of an execution to the last, on
    average.
    """
    largest = ChurnRun(ordering, sizes, Random(1), *change, tolerated=tolerated).run().largest
    tenth = len(largest) // 10
    return fmean(largest[-tenth:]) / fmean(largest[:tenth])
