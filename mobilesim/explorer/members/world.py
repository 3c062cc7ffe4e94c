"""The untimed world of processes that join and leave: members, the membership service, and all that is in transit.

Messages and requests to the service arrive in any order. Packets of the service to one process keep their order, except
that `Removed` may arrive after later ones. A copy that its destination has not delivered when it leaves is given up
when it arrives. Actions are those of `mobilesim.explorer.untimed_world`, with these meanings: a process sends (SUBMIT),
asks to join (ENTER) or leaves (LEAVE), a copy arrives (WIRED, with its position), a request arrives at the service (UP,
with its position), or a packet of the service arrives (DOWN, with the process, and the packet's position).
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final, TypeAlias

from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds
from mobilesim.oracle.members import MemberOracle
from mobilesim.oracle.verdicts import Fault, FaultKind, judge_delivery, judge_drop, undelivered
from mobilesim.protocols.flush import addressed
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import Join, MembershipService, NewView, Notice, Removed, Request, Service, Welcome
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.packets import Copy, Message
from mobilesim.protocols.view import View, first_view

_JOIN: Final = Join()
Plain: TypeAlias = tuple[
    tuple[Request, ...], tuple[tuple[int, tuple[Notice, ...]], ...], tuple[int, ...], frozenset[int], int, int
]


class MembershipWorld:
    """A state of the world. A message's id is computed from its source and its number at the source, so that it does
    not depend on other sources. `left`: the number of copies that were given up. `gone`: the processes that have left.
    """

    def __init__(
        self,
        ordering: Ordering,
        hosts: int,
        bounds: Bounds,
        service: type[Service] = MembershipService,
        kind: type[Member] = Member,
    ) -> None:
        self.ordering, self.bounds, self.kind = ordering, bounds, kind
        self.service = service(hosts)
        self.oracle = MemberOracle(hosts + bounds.joins)
        self.sent = [0] * (hosts + bounds.joins)
        self.members: dict[int, Member] = {}
        self.notices: dict[int, list[Notice]] = {}
        """By process: the packets of the service that are in transit to it, in the order of sending."""
        self.copies: list[Copy] = []
        self.requests: list[Request] = []
        self.early: dict[int, list[Copy]] = {}
        """By process without a view: the copies that have arrived."""
        self.gone: set[int] = set()
        self.joins = self.leaves = self.left = 0
        self.faults: list[Fault] = []
        for host in range(hosts):
            self._enter(host, first_view(hosts))
            self.notices[host] = []

    @property
    def plain(self) -> Plain:
        """The parts of the state that are plain values."""
        notices = tuple([(host, tuple(waiting)) for host, waiting in sorted(self.notices.items())])
        return tuple(self.requests), notices, tuple(self.sent), frozenset(self.gone), self.joins, self.leaves

    @plain.setter
    def plain(self, plain: Plain) -> None:
        requests, notices, sent, gone, self.joins, self.leaves = plain
        self.requests, self.sent, self.gone = list(requests), list(sent), set(gone)
        self.notices = {host: list(waiting) for host, waiting in notices}

    @property
    def in_transit(self) -> int:
        return len(self.copies) + len(self.requests) + sum(map(len, self.notices.values()))

    def actions(self) -> Iterator[Action]:
        yield from (Action(InputKind.WIRED, place) for place in range(len(self.copies)))
        for place, request in enumerate(self.requests):
            if not place or request != self.requests[place - 1]:
                yield Action(InputKind.UP, place)
        yield from self.arrivals_of_notices()
        if sum(self.sent) < self.bounds.messages:
            yield from self._submissions()
        if self.joins < self.bounds.joins:
            yield Action(InputKind.ENTER, 0)
        if self.leaves < self.bounds.leaves:
            yield from (Action(InputKind.LEAVE, host) for host in sorted(self.members))

    def arrivals_of_notices(self) -> Iterator[Action]:
        for host, waiting in sorted(self.notices.items()):
            for place in range(len(waiting)):
                yield Action(InputKind.DOWN, host, (place,))
                if type(waiting[place]) is not Removed:
                    break

    def _submissions(self) -> Iterator[Action]:
        for host, member in sorted(self.members.items()):
            others = sorted(member.view.members - {host})
            width = len(others) if member.to_all else min(self.bounds.destinations, len(others))
            for targets in combinations(others, width):
                if targets:
                    yield Action(InputKind.SUBMIT, host, targets)

    def apply(self, action: Action) -> None:
        """Perform an action, and record faults of its deliveries. If nothing is in transit afterwards, also record lost
        messages, processes about which members still store that they have left, and processes without a view.
        """
        index = action.index
        match action.kind:
            case InputKind.WIRED:
                self._arrive(self.copies.pop(index))
            case InputKind.UP:
                self._serve(self.requests.pop(index))
            case InputKind.DOWN:
                self._notify(index, self.notices[index].pop(action.targets[0]))
            case InputKind.SUBMIT:
                self._submit(index, action.targets)
            case InputKind.ENTER:
                self.joins += 1
                self._request(_JOIN)
            case _:
                self._leave(index)
        if not self.in_transit:
            self.faults += undelivered(self.oracle)
            self.faults += self._kept()

    def _kept(self) -> Iterator[Fault]:
        for host, member in self.members.items():
            if leaving := member.view.leaving:
                yield Fault(FaultKind.KEPT, host, reason=f"host {host} stores that host {min(leaving)} is leaving")
        if len(self.members) + len(self.gone) < self.service.issued:
            yield Fault(FaultKind.KEPT, reason="a host that joins has no view")

    def _submit(self, source: int, targets: tuple[int, ...]) -> None:
        message = Message(self.next_message(source), source, targets, 1)
        self.sent[source] += 1
        self.oracle.submitted(message.id, source, targets)
        self._send(self.members[source], self.members[source].send(message))

    def _send(self, member: Member, copies: list[Copy]) -> None:
        for copy in copies:
            self.copies += [Copy(copy.message, (target,), copy.stamp) for target in copy.targets]
        self.copies.sort(key=_by_message)
        if member.mailbox.process.releases_at_send:
            self._delivered(member, member.released_by_send())

    def next_message(self, source: int) -> int:
        return source + len(self.sent) * self.sent[source]

    def _arrive(self, copy: Copy) -> None:
        (host,) = copy.targets
        if host in self.gone:
            self._give_up(host, copy.message)
        elif host in self.members:
            member = self.members[host]
            self._delivered(member, member.arrive(copy))
        else:
            self.early.setdefault(host, []).append(copy)

    def _delivered(self, member: Member, copies: list[Copy]) -> None:
        for copy in copies:
            self._note(judge_delivery(self.oracle, member.index, copy.message))
        for before, message, sends in member.take_sends():
            self._readdress(before, message)
            self._send(member, sends)
        for request in member.take_news():
            self._request(request)

    def _readdress(self, before: Message, after: Message) -> None:
        """Change the destinations of a message that has waited. It has none if it is never sent."""
        self.oracle.readdressed(before.id, before.source, before.destinations, after.destinations)

    def _note(self, fault: Fault | None) -> None:
        if fault is not None and fault.kind not in self.bounds.tolerated:
            self.faults.append(fault)

    def _give_up(self, host: int, message: Message) -> None:
        self.left += 1
        self._note(judge_drop(self.oracle, host, message))

    def _enter(self, host: int, view: View) -> None:
        self.members[host] = self.kind(host, self.ordering, view)
        self.gone.discard(host)
        self.oracle.joined(host)

    def _leave(self, host: int) -> None:
        self.leaves += 1
        member = self.members.pop(host)
        del self.notices[host]
        self.gone.add(host)
        self.oracle.left(host)
        for copy in member.waiting:
            self._give_up(host, copy.message)
        for message in member.held:
            self._readdress(message, addressed(message, ()))
        self._request(member.leave())

    def _request(self, request: Request) -> None:
        self.requests.append(request)
        self.requests.sort(key=repr)

    def _serve(self, request: Request) -> None:
        for host, notice in self.service.process(request):
            if host not in self.gone or isinstance(notice, Welcome):
                self.notices.setdefault(host, []).append(notice)

    def _notify(self, host: int, notice: Notice) -> None:
        if host in self.members:
            self._delivered(self.members[host], self.members[host].notice(notice))
            return
        assert isinstance(notice, Welcome | NewView)
        self._enter(host, notice.view)
        for copy in self.early.pop(host, []):
            self._arrive(copy)


def _by_message(copy: Copy) -> tuple[int, tuple[int, ...]]:
    return copy.message.id, copy.targets
