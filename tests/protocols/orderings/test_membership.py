"""Processes that join and leave: causal order at every delivery, and no state about processes that were removed."""

from random import Random
from typing import Final

import pytest

from mobilesim.conformance.causality import CheckedRun, OvertakenError, executions
from mobilesim.conformance.churn import ChurnRun, ChurnSizes, growth
from mobilesim.protocols.member import Member
from mobilesim.protocols.membership import Finished, Join, Removed
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.fifo import Fifo
from mobilesim.protocols.orderings.ks import Ks
from mobilesim.protocols.orderings.members.ks_member import KsMember
from mobilesim.protocols.view import first_view
from tests.support.mutants.memberships import MUTANTS, Mutant

FEW: Final = ChurnSizes()
MANY: Final = ChurnSizes(members=6, most=12, messages=60, changes=0.5, widest=6)


def run(ordering: Ordering, sizes: ChurnSizes, seed: int) -> ChurnRun:
    found = ChurnRun(ordering, sizes, Random(seed))
    found.run()
    return found


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
    joins = left = removed = 0
    for seed in seeds:
        found = run(Ks(sizes.members), sizes, seed)
        assert (seed, found.fault, found.inhibited) == (seed, "", 0)
        joins, left, removed = joins + found.joins, left + found.left, removed + len(found.gone)
    assert min(joins, left, removed) > len(seeds)


@pytest.mark.parametrize("seed", range(20))
def test_at_rest_a_process_stores_nothing_about_processes_that_left(seed: int) -> None:
    found = run(Ks(MANY.members), MANY, seed)
    present = set(found.members)
    for member in found.members.values():
        assert (member.view.members, member.view.leaving, member.awaited) == (present, set(), {})
        assert ids_stored(member) <= present


def ids_stored(member: Member) -> set[int]:
    """Return the processes about which a process of KS stores something."""
    process = member.mailbox.process
    assert isinstance(process, KsMember)
    of_log = {index for (source, _), to in process.log.items() for index in (source, *to)}
    return {*process.delivered, *process.known, *member.sent, *member.delivered, *of_log}


def test_the_state_of_processes_does_not_grow_with_the_number_of_ids() -> None:
    long = ChurnSizes(members=4, most=6, messages=1500, changes=0.6, checks_order=False)
    for ordering in (Ks(4), Fifo(4)):
        found = run(ordering, long, 1)
        assert found.service.issued > 400
        assert growth(ordering, long, 1) < 1.5


def is_faulty(mutant: Mutant, seed: int) -> bool:
    found = ChurnRun(Ks(MANY.members), MANY, Random(seed), mutant.service, mutant.member)
    try:
        found.run()
    except OvertakenError:
        return True
    return bool(found.fault)


@pytest.mark.parametrize("name", [name for name in MUTANTS if name != "unaware of leaving"])
def test_random_executions_find_the_fault_of_a_mutant(name: str) -> None:
    assert sum(is_faulty(MUTANTS[name], seed) for seed in range(100)) >= 3


def relayed(kind: type[Member]) -> ChurnRun:
    """Return an execution that ends with the arrival of m3 at p2, which m0 causes.

    p0 sends m0 to p2, and m1 to p1, which delivers it. p0 leaves, and p3 joins. p1 sends m2 to p3, which delivers it
    and sends m3 to p2. m0 is still in transit.
    """
    found = ChurnRun(Ks(3), FEW, Random(1), member=kind)
    found.send_to(0, (2,))
    found.send_to(0, (1,))
    found.arrive(found.copies.pop())
    found.leave(0)
    found.serve(found.requests.pop())
    found.serve(Join())
    for index in (1, 1, 2, 2, 3):
        found.notify(index)
    for source, target in ((1, 3), (3, 2)):
        found.send_to(source, (target,))
        found.arrive(found.copies.pop())
    return found


def test_a_new_process_passes_on_what_it_hears_about_a_process_whose_messages_are_in_transit() -> None:
    found = relayed(Member)
    assert found.causality.waiting[2] == [3]
    assert found.requests == [Finished(1, 0)]
    found.arrive(found.copies.pop())
    assert found.causality.waiting[2] == []
    while found.requests:
        found.serve(found.requests.pop())
    assert found.notices == {1: [Removed(0)], 2: [Removed(0)], 3: [Removed(0)]}
    for index in (1, 2, 3):
        found.notify(index)
        assert 0 not in ids_stored(found.members[index])
    with pytest.raises(OvertakenError, match="m3 is delivered to p2 too early: m0"):
        relayed(MUTANTS["unaware of leaving"].member)
