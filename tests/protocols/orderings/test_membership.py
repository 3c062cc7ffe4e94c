"""Processes that join and leave: causal order at every delivery, and no state about processes that were removed."""

from random import Random
from typing import Final

import pytest

from mobilesim.conformance.causality import CheckedRun, executions
from mobilesim.conformance.churn import FEW, LONG, MANY, ChurnRun, ChurnSizes, growth
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.members.search import MembershipSearch
from mobilesim.explorer.members.world import MembershipWorld
from mobilesim.explorer.untimed_world import Action, Bounds
from mobilesim.oracle.verdicts import Fault, FaultKind
from mobilesim.protocols.flush import VIEW_CHANGES
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import Finished, News, Removed
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.fifo import Fifo
from mobilesim.protocols.orderings.ks import Ks
from mobilesim.protocols.orderings.members.ks_member import KsMember
from mobilesim.protocols.view import first_view
from tests.support.mutants.memberships import MUTANTS

NOT_CAUSAL: Final = frozenset({FaultKind.OVERTAKES})


class Dynamic(Ordering):
    """KS with the processes that may join and leave, in a fixed view."""

    def process(self, index: int) -> KsMember:
        return KsMember(index, first_view(self.size))


@pytest.mark.parametrize("seeds", (range(60), pytest.param(range(60, 2_000), marks=pytest.mark.slow)))
def test_without_changes_stamps_have_the_same_sizes_and_messages_wait_for_the_same_times(seeds: range) -> None:
    for size, events in executions(seeds):
        fixed, dynamic = CheckedRun(Ks(size), size), CheckedRun(Dynamic(size), size)
        for event in events:
            assert fixed.apply(event) == dynamic.apply(event)
            for one, other in zip(fixed.inboxes, dynamic.inboxes, strict=True):
                process = other.process
                assert isinstance(process, KsMember)
                assert one.process.integers == process.integers + size - len(process.delivered)
        for copy, stamp in fixed.stamps.items():
            assert (stamp.units, stamp.integers) == (dynamic.stamps[copy].units, dynamic.stamps[copy].integers)


@pytest.mark.parametrize("sizes", (FEW, MANY), ids=("few", "many"))
@pytest.mark.parametrize("seeds", (range(150), pytest.param(range(150, 10_150), marks=pytest.mark.slow)))
def test_ks_keeps_causal_order_while_processes_join_and_leave(sizes: ChurnSizes, seeds: range) -> None:
    joins = left = leaves = 0
    for seed in seeds:
        found = ChurnRun(Ks(sizes.members), sizes, Random(seed)).run()
        assert (seed, found.world.faults, found.inhibited) == (seed, [], 0)
        joins, left, leaves = joins + found.world.joins, left + found.world.left, leaves + found.world.leaves
    assert min(joins, left, leaves) > len(seeds)


@pytest.mark.parametrize("seed", range(20))
def test_at_rest_a_process_stores_nothing_about_processes_that_left(seed: int) -> None:
    world = ChurnRun(Ks(MANY.members), MANY, Random(seed)).run().world
    present = set(world.members)
    for member in world.members.values():
        assert (member.view.members, member.view.leaving, member.awaited) == (present, set(), {})
        assert ids_stored(member) <= present


def ids_stored(member: Member) -> set[int]:
    """Return the processes about which a process of KS stores something."""
    process = member.mailbox.process
    assert isinstance(process, KsMember)
    of_log = {index for (source, _), to in process.log.items() for index in (source, *to)}
    return {*process.delivered, *process.known, *member.sent, *member.delivered, *of_log}


def test_the_state_of_processes_does_not_grow_with_the_number_of_ids() -> None:
    for ordering in (Ks(4), Fifo(4)):
        assert ChurnRun(ordering, LONG, Random(1), tolerated=NOT_CAUSAL).run().world.service.issued > 300
        assert growth(ordering, LONG, NOT_CAUSAL, VIEW_CHANGES["announced"]) < 1.5


@pytest.mark.parametrize("name", [name for name in MUTANTS if name != "unaware of leaving"])
def test_random_executions_find_the_fault_of_a_mutant(name: str) -> None:
    runs = (ChurnRun(Ks(6), MANY, Random(seed), MUTANTS[name].service, MUTANTS[name].member) for seed in range(100))
    assert sum(bool(each.run().world.faults) for each in runs) >= 3


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name, mutant in MUTANTS.items() if mutant.steps])
def test_the_explorer_finds_a_shortest_schedule_of_a_mutant(name: str) -> None:
    mutant = MUTANTS[name]
    world = MembershipWorld(Ks(mutant.hosts), mutant.hosts, mutant.bounds, mutant.service, mutant.member)
    found = MembershipSearch(world).explore(100_000)
    assert (found.ending, len(found.schedule)) == (Ending.FAULT, mutant.steps)


@pytest.mark.full
@pytest.mark.parametrize(
    ("hosts", "bounds", "states"),
    (
        (2, Bounds(2, 0, joins=1), 622),
        (2, Bounds(1, 0, joins=1, leaves=1), 1_281),
        (3, Bounds(2, 0, leaves=1), 6_319),
        pytest.param(2, Bounds(2, 0, joins=1, leaves=1), 11_248, marks=pytest.mark.slow),
        pytest.param(3, Bounds(3, 0, leaves=1), 66_002, marks=pytest.mark.slow),
        pytest.param(2, Bounds(2, 0, joins=1, leaves=2), 47_078, marks=pytest.mark.slow),
    ),
)
def test_in_every_schedule_ks_keeps_causal_order(hosts: int, bounds: Bounds, states: int) -> None:
    found = MembershipSearch(MembershipWorld(Ks(hosts), hosts, bounds)).explore(1_000_000)
    assert (found.ending, found.states) == (Ending.EXHAUSTED, states)


def relayed(kind: type[Member]) -> MembershipWorld:
    """Return an execution that ends with the arrival of m3 at p2, which m0 causes.

    p0 sends m0 to p2, and m1 to p1, which delivers it. p0 leaves, and p3 joins. p1 sends m2 to p3, which delivers it
    and sends m3 to p2. m0 is still in transit.
    """
    world = MembershipWorld(Ks(3), 3, Bounds(4, 0, joins=1, leaves=1), kind=kind)
    world.apply(Action(InputKind.SUBMIT, 0, (2,)))
    world.apply(Action(InputKind.SUBMIT, 0, (1,)))
    world.apply(Action(InputKind.WIRED, 1))
    for request in (Action(InputKind.LEAVE, 0), Action(InputKind.ENTER, 0)):
        world.apply(request)
        world.apply(Action(InputKind.UP, 0))
    for index in (1, 1, 2, 2, 3):
        world.apply(Action(InputKind.DOWN, index, (0,)))
    for source, target in ((1, 3), (3, 2)):
        world.apply(Action(InputKind.SUBMIT, source, (target,)))
        world.apply(Action(InputKind.WIRED, 1))
    return world


def test_a_new_process_passes_on_what_it_hears_about_a_process_whose_messages_are_in_transit() -> None:
    world = relayed(Member)
    assert (world.faults, [copy.message.source for copy in world.members[2].mailbox.items()]) == ([], [3])
    assert world.requests == [Finished(1, 0)]
    world.apply(Action(InputKind.WIRED, 0))
    assert world.members[2].mailbox.items() == []
    while world.requests:
        world.apply(Action(InputKind.UP, 0))
    assert world.notices == {1: [Removed(0)], 2: [Removed(0)], 3: [Removed(0)]}
    for index in (1, 2, 3):
        world.apply(Action(InputKind.DOWN, index, (0,)))
        assert 0 not in ids_stored(world.members[index])
    assert world.faults == []
    (fault,) = relayed(MUTANTS["unaware of leaving"].member).faults
    assert (fault.kind, fault.host) == (FaultKind.OVERTAKES, 2)


def test_a_copy_is_given_up_when_it_reaches_a_process_that_has_left() -> None:
    world = MembershipWorld(Fifo(2), 2, Bounds(2, 0, leaves=1))
    for action in (Action(InputKind.SUBMIT, 0, (1,)), Action(InputKind.LEAVE, 1), Action(InputKind.WIRED, 0)):
        world.apply(action)
    assert (world.left, world.faults) == (1, [])
    world.oracle.submitted(9, 0, (1,))
    assert world.oracle.delivered(9, 0, 1) == -1
    assert world.oracle.duplicates == 1


def test_a_process_that_keeps_the_view_of_one_that_left_has_a_fault_at_rest() -> None:
    class Forgetful(Member):
        __slots__ = ()

        def take_news(self) -> list[News]:
            return []

    world = MembershipWorld(Ks(2), 2, Bounds(0, 0, leaves=1), kind=Forgetful)
    for action in (Action(InputKind.LEAVE, 0), Action(InputKind.UP, 0), Action(InputKind.DOWN, 1, (0,))):
        world.apply(action)
    assert world.faults == [Fault(FaultKind.KEPT, 1, reason="host 1 stores that host 0 is leaving")]
