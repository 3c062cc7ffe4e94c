"""Random executions in which processes join and leave: members, the membership service, and all that is in transit.

Messages and requests to the service arrive in any order. Packets of the service to one process keep their order, except
that `Removed` may arrive after later ones. Causal order is checked at every delivery (`conformance.causality`). A copy
that its destination has not delivered when it leaves is no longer due.
"""

from random import Random
from typing import Final

from mobilesim.conformance.causality import Causality, OvertakenError
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import Copy, Message
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import Join, MembershipService, Notice, Removed, Request, Welcome
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.state import snapshot
from mobilesim.protocols.view import first_view

_MOST_RECEIVED: Final = 4
_LATEST_FIRST: Final = 0.25


@value
class ChurnSizes:
    """The members at the start, and their largest number; messages, and the probability of a join or a leave before
    each of them; the largest number of destinations. `checks_order`: whether causal order is checked.
    """

    members: int = 3
    most: int = 5
    messages: int = 30
    changes: float = 0.3
    widest: int = 3
    checks_order: bool = True


class ChurnRun:
    """One execution. `left`: the number of copies that were not delivered because their destinations had left.
    `inhibited`: the number of waiting messages that causal order allowed, summed over all arrivals.
    """

    def __init__(
        self,
        ordering: Ordering,
        sizes: ChurnSizes,
        random: Random,
        service: type[MembershipService] = MembershipService,
        member: type[Member] = Member,
    ) -> None:
        self.ordering, self.sizes, self.random, self.kind = ordering, sizes, random, member
        first = sizes.members
        self.service = service(first)
        self.members = {index: member(index, ordering, first_view(first)) for index in range(first)}
        self.causality = Causality()
        self.copies: list[Copy] = []
        self.requests: list[Request] = []
        self.notices: dict[int, list[Notice]] = {index: [] for index in range(first)}
        self.early: dict[int, list[Copy]] = {}
        """By process without a view yet, the copies that have arrived."""
        self.gone: set[int] = set()
        self.joins = self.sent = self.left = self.inhibited = 0
        self.largest: list[int] = []
        """The largest size of the state of a process in bytes, by message."""

    def run(self) -> None:
        random, sizes = self.random, self.sizes
        while self.sent < sizes.messages:
            if random.random() < sizes.changes:
                self.change()
            self.send()
            for _ in range(random.randint(0, _MOST_RECEIVED + self.in_transit // _MOST_RECEIVED)):
                self.receive()
            self.largest.append(max(len(snapshot(member)) for member in self.members.values()))
        while self.in_transit:
            self.receive()

    @property
    def in_transit(self) -> int:
        return len(self.copies) + len(self.requests) + sum(map(len, self.notices.values()))

    def change(self) -> None:
        """Let a process join or leave."""
        present = len(self.members) + sum(isinstance(each, Join) for each in self.requests)
        if present < self.sizes.most and (len(self.members) < 2 or self.random.random() < 0.5):
            self.joins += 1
            self.requests.append(Join())
        elif len(self.members) > 1:
            self.leave(self.random.choice(sorted(self.members)))

    def leave(self, index: int) -> None:
        self.requests.append(self.members.pop(index).leave())
        self.notices.pop(index)
        self.gone.add(index)
        self._no_longer_due(index)
        self.causality.waiting.pop(index, None)

    def _no_longer_due(self, index: int) -> None:
        self.left += self.causality.due.pop(index, 0).bit_count()

    def send(self) -> None:
        """Let a member send to others of its view, if it knows others."""
        random = self.random
        source = random.choice(sorted(self.members))
        others = sorted(self.members[source].view.members - {source})
        if others:
            widest = min(self.sizes.widest, len(others))
            self.send_to(source, tuple(sorted(random.sample(others, random.randint(1, widest)))))
        else:
            self.sent += 1

    def send_to(self, source: int, destinations: tuple[int, ...]) -> Message:
        message = Message(self.sent, source, destinations, 1)
        self.sent += 1
        if self.sizes.checks_order:
            self.causality.sent(message)
            for index in self.gone.intersection(destinations):
                self._no_longer_due(index)
        for copy in self.members[source].send(message):
            self.copies += [Copy(message, (target,), copy.stamp) for target in copy.targets]
        return message

    def receive(self) -> None:
        """Let something that is in transit arrive."""
        random = self.random
        notified = [index for index, waiting in self.notices.items() if waiting]
        place = random.randrange(len(self.copies) + len(self.requests) + len(notified) or 1)
        if place < len(self.copies):
            # The latest copies arrive first in most cases, so that a copy may be in transit for a long time.
            self.arrive(self.copies.pop(int(random.random() ** _LATEST_FIRST * len(self.copies))))
            return
        place -= len(self.copies)
        if place < len(self.requests):
            self.serve(self.requests.pop(place))
        elif notified:
            self.notify(notified[place - len(self.requests)])

    def serve(self, request: Request) -> None:
        """Let a request arrive at the service."""
        for to, notice in self.service.process(request):
            if to not in self.gone:
                self.notices.setdefault(to, []).append(notice)

    def notify(self, index: int) -> None:
        """Let a packet of the service arrive."""
        waiting = self.notices[index]
        place = 0
        while place + 1 < len(waiting) and type(waiting[place]) is Removed and self.random.random() < 0.5:
            place += 1
        notice = waiting.pop(place)
        if isinstance(notice, Welcome):
            self.members[index] = self.kind(index, self.ordering, notice.view)
            self.gone.discard(index)
            self.causality.past[index] = 0
            for copy in self.early.pop(index, []):
                self.arrive(copy)
        else:
            self.members[index].notice(notice)
            self.requests += self.members[index].take_news()

    def arrive(self, copy: Copy) -> None:
        (target,) = copy.targets
        if target in self.gone:
            return
        if target not in self.members:
            self.early.setdefault(target, []).append(copy)
            return
        member, causality = self.members[target], self.causality
        if not self.sizes.checks_order:
            member.arrive(copy)
        else:
            causality.arrived(copy.message.id, target)
            for released in member.arrive(copy):
                causality.delivered(released.message.id, target)
            self.inhibited += len(causality.ready(target))
        self.requests += member.take_news()

    @property
    def fault(self) -> str:
        """Return what is wrong after the run, or ''."""
        for message, index in self.causality.missing:
            return f"m{message} is never delivered to p{index}, although all messages arrive"
        if self.service.unfinished:
            leaver, waiting = min(self.service.unfinished.items())
            return f"p{min(waiting)} does not report that it has delivered all messages of p{leaver}, which has left"
        return ""


def churn_fault(ordering: Ordering, sizes: ChurnSizes, seed: int) -> str:
    """Return the fault of a random execution, or ''."""
    run = ChurnRun(ordering, sizes, Random(seed))
    try:
        run.run()
    except OvertakenError as error:
        return str(error)
    return run.fault


def growth(ordering: Ordering, sizes: ChurnSizes, seed: int) -> float:
    """Return by which factor the largest state of a process grows from the first third of an execution to the last."""
    run = ChurnRun(ordering, sizes, Random(seed))
    run.run()
    third = len(run.largest) // 3
    return max(run.largest[-third:]) / max(run.largest[:third])
