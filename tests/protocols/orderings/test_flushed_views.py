"""Views that change by a flush, with the vectors of BSS: all messages of a view are delivered before the next one."""

from random import Random
from typing import Final

import pytest

from mobilesim.conformance.churn import FEW, LONG, MANY, ChurnRun, ChurnSizes, growth
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.members.search import MembershipSearch
from mobilesim.explorer.members.world import MembershipWorld
from mobilesim.explorer.untimed_world import Action, Bounds
from mobilesim.oracle.verdicts import Fault, FaultKind
from mobilesim.protocols.flush import VIEW_CHANGES, FlushMember, ViewStamp
from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.membership import (
    Ended,
    EndView,
    Finished,
    FlushService,
    Join,
    Joined,
    Leave,
    MembershipService,
    NewView,
    Notice,
    Quit,
)
from mobilesim.protocols.orderings.vectors.bss import Bss, BssProcess
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.packets import Message
from mobilesim.protocols.view import first_view
from tests.support.mutants.memberships import FLUSHES

FLUSHED: Final = VIEW_CHANGES["flushed"]
ENTER: Final = Action(InputKind.ENTER, 0)


def world(hosts: int, bounds: Bounds) -> MembershipWorld:
    return MembershipWorld(Bss(hosts), hosts, bounds, *FLUSHED)


def apply(network: MembershipWorld, *actions: Action) -> None:
    for action in actions:
        network.apply(action)
    assert network.faults == []


def up(network: MembershipWorld) -> None:
    """Let all requests reach the service."""
    while network.requests:
        apply(network, Action(InputKind.UP, 0))


def down(host: int) -> Action:
    """Let the next packet of the service reach a host."""
    return Action(InputKind.DOWN, host, (0,))


def vector(network: MembershipWorld, host: int) -> list[int]:
    process = network.members[host].mailbox.process
    assert isinstance(process, BssProcess)
    return [entry(process.counts, place) for place in range(process.size)]


def test_the_service_ends_a_view_collects_the_numbers_and_begins_the_next_view() -> None:
    service = FlushService(3)
    assert service.process(Join()) == [(0, EndView(0)), (1, EndView(0)), (2, EndView(0))]
    assert list(service.process(Ended(0, 0, 4))) == []
    # Another host joins and a member leaves before the last answer: one view for all three changes.
    assert list(service.process(Join())) == []
    assert list(service.process(Quit(2, 0, 7))) == []
    expected: Notice = NewView(1, (0, 1, 3, 4), (4, 5, 7))
    joins = NewView(1, (0, 1, 3, 4), ())
    assert service.process(Ended(1, 0, 5)) == [(0, expected), (1, expected), (3, joins), (4, joins)]


def test_a_member_that_leaves_before_it_has_a_view_has_sent_nothing_in_it() -> None:
    service = FlushService(2)
    service.process(Join())
    service.process(Ended(0, 0, 1))
    service.process(Ended(1, 0, 0))
    assert service.process(Quit(0, 0, 1)) == [(1, EndView(1)), (2, EndView(1))]
    service.process(Ended(1, 1, 2))
    assert service.process(Ended(2, 1, 3))[0] == (1, NewView(2, (1, 2), (0, 2, 3)))


def test_the_last_packet_of_a_host_may_overtake_its_answer() -> None:
    service = FlushService(2)
    service.process(Join())
    service.process(Quit(1, 0, 6))
    assert list(service.process(Ended(1, 0, 6))) == []
    assert service.process(Ended(0, 0, 2))[0] == (0, NewView(1, (0, 2), (2, 6)))
    assert list(service.process(Ended(1, 0, 6))) == []


def test_packets_have_the_sizes_of_the_documentation() -> None:
    sizes = [EndView(0).integers, Ended(0, 0, 1).integers, Quit(0, 0, 1).integers]
    assert sizes == [1, 2, 3]
    assert (NewView(1, (0, 1, 3), (4, 5)).integers, NewView(1, (0, 1, 3), ()).integers) == (6, 4)


def test_a_service_and_a_member_refuse_packets_of_the_other_kind() -> None:
    for service, request in ((FlushService(2), Finished(0, 1)), (MembershipService(2), Quit(0, 0, 0))):
        with pytest.raises(ProtocolError):
            service.process(request)
    with pytest.raises(ProtocolError):
        FlushService(2).process(Leave(0, ()))
    with pytest.raises(ProtocolError):
        FlushMember(0, Bss(2), first_view(2)).notice(Joined(2))


def test_example_of_a_join() -> None:
    """p0 sends m0 to p1, and p2 joins. p1 answers the end of the view, and submits m1, which waits. p0 installs the
    view {p0, p1, p2} and sends m2. At p1, m2 waits for the view, and the view waits for m0.
    """
    network = world(2, Bounds(3, 0, joins=1))
    apply(network, Action(InputKind.SUBMIT, 0, (1,)), ENTER)
    up(network)
    apply(network, down(0), down(1), Action(InputKind.SUBMIT, 1, (0,)))
    assert network.requests == [Ended(0, 0, 1), Ended(1, 0, 0)]
    waits = network.members[1]
    assert ([message.destinations for message in waits.held], len(network.copies)) == ([(0,)], 1)
    up(network)
    assert network.notices[0] == [NewView(1, (0, 1, 2), (1, 0))]
    assert network.notices[2] == [NewView(1, (0, 1, 2), ())]
    apply(network, down(0), down(1), Action(InputKind.SUBMIT, 0, (1, 2)))
    assert (waits.view.number, waits.view.members, vector(network, 0)) == (0, {0, 1}, [1, 0, 0])
    # m2 is the second message of p0, at the end of the list with its copy for p1 first.
    (place,) = [place for place, copy in enumerate(network.copies) if copy.message.destinations == (1, 2)][:1]
    apply(network, Action(InputKind.WIRED, place))
    assert (waits.view.number, [copy.message.destinations for copy in waits.waiting]) == (0, [(1, 2)])
    apply(network, Action(InputKind.WIRED, 0))
    assert (waits.view.number, waits.view.members, waits.waiting, waits.held) == (1, {0, 1, 2}, [], [])
    # m1 is for the members of the next view, and its stamp has the vector of zeros from before m2 was delivered.
    late = [copy for copy in network.copies if copy.message.source == 1]
    assert [(copy.message.destinations, copy.targets) for copy in late] == [((0, 2), (0,)), ((0, 2), (2,))]
    assert isinstance(late[0].stamp, ViewStamp)
    assert (late[0].stamp.view, late[0].stamp.inner, late[0].stamp.integers) == (
        1,
        Bss(3).process(1).send((0, 2), -1)[0][1],
        4,
    )
    assert vector(network, 1) == [1, 1, 0]
    # Copies that reach p2 before its view wait there.
    while network.copies:
        apply(network, Action(InputKind.WIRED, 0))
    assert 2 not in network.members
    apply(network, down(2))
    assert [vector(network, host) for host in range(3)] == [[1, 1, 0]] * 3
    assert network.in_transit == 0


def test_a_message_that_waits_when_its_host_leaves_is_not_sent() -> None:
    network = world(3, Bounds(2, 0, joins=1, leaves=2))
    apply(network, ENTER)
    up(network)
    apply(network, down(0), Action(InputKind.SUBMIT, 0, (1, 2)), Action(InputKind.LEAVE, 0))
    up(network)
    apply(network, down(1), down(2))
    up(network)
    apply(network, down(1), down(2), down(3))
    assert (network.in_transit, network.left, list(network.oracle.lost())) == (0, 0, [])
    views = [(host, member.view.members) for host, member in sorted(network.members.items())]
    assert views == [(host, {1, 2, 3}) for host in (1, 2, 3)]


def test_a_message_without_destinations_in_the_next_view_is_not_sent() -> None:
    network = world(2, Bounds(1, 0, leaves=1))
    apply(network, Action(InputKind.LEAVE, 1))
    up(network)
    apply(network, down(0), Action(InputKind.SUBMIT, 0, (1,)))
    up(network)
    apply(network, down(0))
    assert (network.members[0].view.members, network.members[0].held, network.in_transit) == ({0}, [], 0)


def test_a_view_that_ends_before_it_is_installed_is_installed_first() -> None:
    """What waits is sent in each view, so that it does not wait for ever under many changes."""
    network = world(2, Bounds(2, 0, joins=2))
    apply(network, Action(InputKind.SUBMIT, 1, (0,)), ENTER)
    up(network)
    apply(network, down(0), down(1), Action(InputKind.SUBMIT, 0, (1,)))
    up(network)
    apply(network, ENTER)
    up(network)
    apply(network, down(0), down(0))
    assert network.members[0].view.number == 0
    assert [type(each) for each in network.requests] == []
    apply(network, Action(InputKind.WIRED, 0))
    assert (network.members[0].view.number, network.members[0].held) == (1, [])
    assert network.requests == [Ended(0, 1, 1)]


@pytest.mark.parametrize("sizes", (FEW, MANY), ids=("few", "many"))
@pytest.mark.parametrize("seeds", (range(150), pytest.param(range(150, 10_150), marks=pytest.mark.slow)))
def test_bss_keeps_causal_order_while_processes_join_and_leave(sizes: ChurnSizes, seeds: range) -> None:
    joins = left = leaves = views = 0
    for seed in seeds:
        found = ChurnRun(Bss(sizes.members), sizes, Random(seed), *FLUSHED).run().world
        assert (seed, found.faults) == (seed, [])
        assert isinstance(found.service, FlushService)
        for member in found.members.values():
            assert member.view.members == found.members.keys() == found.service.members
        joins, left, leaves = joins + found.joins, left + found.left, leaves + found.leaves
        views += found.service.number
    assert min(joins, left, leaves) > len(seeds)
    # Several changes are one view.
    assert len(seeds) < views < joins + leaves


def test_stamps_have_an_entry_for_each_member_and_state_does_not_grow() -> None:
    found = ChurnRun(Bss(LONG.members), LONG, Random(1), *FLUSHED).run().world
    assert found.service.issued > 200
    for host, member in found.members.items():
        others = tuple(sorted(found.members.keys() - {host}))
        (copy,) = member.send(Message(-2, host, others, 1))
        assert isinstance(copy.stamp, ViewStamp)
        assert (copy.stamp.inner.integers, copy.stamp.integers) == (len(found.members), len(found.members) + 1)
        assert member.mailbox.process.integers == len(found.members)
        assert {*member.sent, *member.delivered} <= found.members.keys()
    assert growth(Bss(LONG.members), LONG, frozenset(), FLUSHED) < 1.5


@pytest.mark.parametrize("name", FLUSHES)
def test_random_executions_find_the_fault_of_a_flush(name: str) -> None:
    runs = (ChurnRun(Bss(6), MANY, Random(seed), FLUSHES[name].service, FLUSHES[name].member) for seed in range(40))
    assert sum(bool(each.run().world.faults) for each in runs) >= 3


@pytest.mark.full
@pytest.mark.parametrize("name", FLUSHES)
def test_the_explorer_finds_a_shortest_schedule_of_a_flush(name: str) -> None:
    flush = FLUSHES[name]
    network = MembershipWorld(Bss(flush.hosts), flush.hosts, flush.bounds, flush.service, flush.member)
    found = MembershipSearch(network).explore(100_000)
    assert (found.ending, len(found.schedule)) == (Ending.FAULT, flush.steps)


@pytest.mark.full
@pytest.mark.parametrize(
    ("hosts", "bounds", "states"),
    (
        (2, Bounds(2, 0, joins=1), 1_302),
        (2, Bounds(1, 0, joins=1, leaves=1), 2_171),
        (3, Bounds(2, 0, leaves=1), 11_506),
        pytest.param(2, Bounds(3, 0, joins=1), 13_905, marks=pytest.mark.slow),
        pytest.param(3, Bounds(2, 0, joins=1), 25_254, marks=pytest.mark.slow),
        pytest.param(2, Bounds(2, 0, joins=1, leaves=1), 25_945, marks=pytest.mark.slow),
        pytest.param(2, Bounds(2, 0, joins=2), 49_865, marks=pytest.mark.slow),
    ),
)
def test_in_every_schedule_bss_keeps_causal_order(hosts: int, bounds: Bounds, states: int) -> None:
    found = MembershipSearch(world(hosts, bounds)).explore(1_000_000)
    assert (found.ending, found.states) == (Ending.EXHAUSTED, states)


def test_a_view_that_never_begins_is_a_fault() -> None:
    class Silent(FlushService):
        __slots__ = ()

        def _next(self) -> list[tuple[int, Notice]]:
            return []

    network = MembershipWorld(Bss(2), 2, Bounds(0, 0, joins=1), Silent, FlushMember)
    apply(network, ENTER)
    up(network)
    apply(network, down(0), down(1), Action(InputKind.UP, 0))
    network.apply(Action(InputKind.UP, 0))
    assert network.faults == [Fault(FaultKind.KEPT, reason="a host that joins has no view")]
