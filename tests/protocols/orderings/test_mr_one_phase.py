"""One phase for all groups (Mostefaoui and Raynal, section 5.2): safe and live, with headers of constant size."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

import pytest

from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.orderings.mr import Mr, Phases, Resynch
from mobilesim.protocols.orderings.mr_one_phase import MrOnePhase
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.packets import Message
from mobilesim.protocols.state import key, restore, snapshot
from tests.support.orderings.control_runs import ControlRun, LockstepRun, in_groups
from tests.support.orderings.dense_mr import Printed
from tests.support.orderings.dense_one_phase import OneGroup, OnePhase, OwnPhase, Silent, Unmoved, one_phase
from tests.support.orderings.multicasts import overlapping

Makes: TypeAlias = Callable[[int, Groups], Ordering]
CHANNELS = pytest.mark.parametrize("fifo", (False, True))
CHAIN: Groups = ((0, 1), (1, 2))
SLOW = pytest.param(range(200, 10_000), marks=pytest.mark.slow)


def replayed(
    seed: int, *makes: Makes, fifo: bool, groups: Groups = (), patience: int = 0, messages: int = 30
) -> list[ControlRun]:
    """Return runs, after checking that each delivers every message and delivers no message too early."""
    random = Random(seed)
    size = 3 + seed % 4 if not groups else 1 + max(map(max, groups))
    groups = groups or overlapping(random, size, random.randint(1, 5))
    runs = [ControlRun(make(size, groups), size) for make in makes]
    LockstepRun(runs, random, fifo=fifo, patience=patience).run(in_groups(random, groups, messages))
    assert [run.causality.missing for run in runs] == [[]] * len(runs)
    return runs


@pytest.mark.parametrize("seeds", (pytest.param(range(200), marks=pytest.mark.full), SLOW), ids=("some", "thousands"))
@CHANNELS
def test_every_message_is_delivered_and_no_message_too_early(seeds: range, fifo: bool) -> None:  # noqa: FBT001
    assert sum(replayed(seed, MrOnePhase, fifo=fifo, patience=seed % 3 * 5)[0].inhibited for seed in seeds) > 0


@pytest.mark.full
@pytest.mark.parametrize("patience", (0, 20))
@CHANNELS
def test_the_ordering_agrees_with_its_reference_implementation(fifo: bool, patience: int) -> None:  # noqa: FBT001
    for seed in range(60):
        optimised, twin = replayed(seed, MrOnePhase, one_phase, fifo=fifo, patience=patience)
        assert [facts(stamp) for stamp in optimised.stamps.values()] == [facts(each) for each in twin.stamps.values()]
        assert [facts(stamp) for stamp in optimised.controls] == [facts(each) for each in twin.controls]
        for quick, slow in zip(optimised.mailboxes, twin.mailboxes, strict=True):
            assert quick.process.integers == slow.process.integers


def facts(stamp: object) -> tuple[int, int, int, int]:
    """Return the sender, the group, the number and the phase of a stamp."""
    if isinstance(stamp, Printed):
        assert len(set(stamp.phases)) == 1
        return stamp.sender, stamp.group, stamp.number, stamp.phases[0]
    assert isinstance(stamp, Phases | Resynch)
    phase = stamp.phase if isinstance(stamp, Resynch) else entry(stamp.counts, stamp.group)
    return stamp.sender, stamp.group, stamp.number, phase


@pytest.mark.full
def test_no_numbers_are_needed_on_fifo_channels() -> None:
    for seed in range(100):
        (run,) = replayed(seed, partial(MrOnePhase, numbered=False), fifo=True)
        assert {stamp.integers for stamp in run.stamps.values()} == {1}


def test_a_header_has_two_integers_however_many_groups_there_are() -> None:
    for count in (1, 5, 20):
        random = Random(count)
        (run,) = replayed(1, MrOnePhase, fifo=False, groups=((0, 1, 2, 3), *overlapping(random, 4, count)))
        assert {stamp.integers for stamp in run.stamps.values()} == {2}
        assert {stamp.integers for stamp in run.controls} == {3}


class Script(ControlRun):
    """An execution written step by step, in the groups `CHAIN`."""

    def __init__(self) -> None:
        super().__init__(MrOnePhase(3, CHAIN), 3)

    def multicast(self, source: int, group: int) -> int:
        """Send to the only other member of a group; return the phase of the message."""
        (to,) = {*CHAIN[group]} - {source}
        number = len(self.causality.before)
        self.send(self.message(number, source, to, group))
        return facts(self.stamps[number])[3]

    @staticmethod
    def message(number: int, source: int, to: int, group: int) -> Message:
        return Message(number, source, (to,), 1, group)

    def receive(self, target: int, source: int, group: int) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the released messages, and the phases and groups of the resynchs that the receiver sends."""
        before = len(self.controls)
        released = self.arrive((source, target, group), 0)
        self.pending_control(target)
        sent = [facts(stamp) for stamp in self.controls[before:]]
        return released, [(phase, x) for _, x, _, phase in sent]


def test_a_message_waits_for_the_answer_of_a_group_to_which_it_was_not_sent() -> None:
    script = Script()
    assert [script.multicast(0, 0), script.multicast(0, 0)] == [0, 1]
    assert script.receive(1, 0, 0) == ([0], [(1, 0), (1, 1)])
    assert script.receive(1, 0, 0) == ([], [(2, 0), (2, 1)])
    assert script.receive(2, 1, 1) == ([], [(1, 1)])
    assert script.receive(1, 2, 1) == ([1], [])


def test_a_process_informs_a_group_that_its_own_messages_have_not_reached() -> None:
    """The own messages of p1 to the first group have advanced its phase, but p2 does not know it."""
    script = Script()
    assert [script.multicast(1, 0) for _ in range(3)] == [0, 1, 2]
    assert [script.multicast(0, 0), script.multicast(0, 0)] == [0, 1]
    assert script.receive(1, 0, 0) == ([3], [(3, 1)])
    assert script.receive(1, 0, 0) == ([], [])
    assert script.receive(2, 1, 1) == ([], [(3, 1)])
    assert script.receive(1, 2, 1) == ([4], [])


def test_a_restored_process_has_the_state_of_the_original() -> None:
    random, groups = Random(2), ((0, 1, 2), (0, 1))
    run = ControlRun(MrOnePhase(3, groups), 3)
    LockstepRun([run], random, fifo=False).run(in_groups(random, groups, 20))
    for mailbox in run.mailboxes:
        assert key(restore(snapshot(mailbox.process))) == key(mailbox.process)


@pytest.mark.full
def test_the_phases_of_all_groups_need_fewer_resynchs_than_one_phase() -> None:
    groups = ((0, 1, 2), (2, 3, 4), (4, 5, 0))
    runs = [replayed(seed, make, fifo=False, groups=groups)[0] for make in (Mr, MrOnePhase) for seed in range(30)]
    vectors, single = (sum(len(run.controls) for run in part) for part in (runs[:30], runs[30:]))
    assert vectors < single


def broken(kind: type[OnePhase], seeds: Sequence[int]) -> int:
    """Return the number of executions with a message that is delivered too early or never."""
    count = 0
    for seed in seeds:
        try:
            replayed(seed, partial(one_phase, kind=kind), fifo=True, groups=((0, 1, 2), (1, 2, 3), (3, 4)))
        except AssertionError:
            count += 1
    return count


def test_each_rule_is_needed() -> None:
    assert {kind.__name__: broken(kind, range(30)) > 0 for kind in (OnePhase, Silent, OwnPhase, OneGroup, Unmoved)} == {
        "OnePhase": False,
        "Silent": True,
        "OwnPhase": True,
        "OneGroup": True,
        "Unmoved": True,
    }
