"""Figure 5 of Mostefaoui and Raynal step by step, and short executions that show why each detail is necessary.
The figure's vectors follow from statements GS1 to GS4. P1, P2, P3 are processes 0, 1, 2 here, and so are the groups.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pytest

from mobilesim.conformance.causality import OvertakenError
from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.orderings.mr import Mr, MrProcess, Phases, Resynch
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.packets import Message, Stamp
from tests.support.orderings.control_runs import ControlRun
from tests.support.orderings.dense_mr import DenseMr, DenseProcess, InAnyOrder, OnAnyGraph, Printed, Rebuilt

TRIANGLE = ((0, 1), (1, 2), (0, 2))
ALL = ((0, 1, 2),)
SHARED = ((0, 1, 2), (0, 1, 3))

Makes: TypeAlias = Callable[[int, Groups], Ordering]
TWINS = pytest.mark.parametrize("make", (Mr, DenseMr))


class Script(ControlRun):
    """An execution written step by step. By default, the oldest copy of a channel arrives."""

    def __init__(self, make: Makes, groups: Groups) -> None:
        self.groups = groups
        size = 1 + max(map(max, groups))
        super().__init__(make(size, groups), size)

    def multicast(self, source: int, group: int) -> Stamp:
        number = len(self.stamps)
        others = tuple(sorted({*self.groups[group]} - {source}))
        self.send(Message(number, source, others, 1, group))
        return self.stamps[number]

    def receive(self, target: int, source: int, group: int = 0, *, place: int = 0) -> list[int]:
        return self.arrive((source, target, group), place)

    def send_control(self, index: int) -> list[Stamp]:
        before = len(self.controls)
        self.pending_control(index)
        return self.controls[before:]

    def known(self, index: int) -> tuple[int, ...]:
        """K of this process."""
        process = self.mailboxes[index].process
        if isinstance(process, MrProcess):
            return tuple(entry(process.known, place) for place in range(len(self.groups)))
        assert isinstance(process, DenseProcess)
        return tuple(process.known)


def carried(stamp: Stamp) -> tuple[int, ...]:
    if isinstance(stamp, Printed):
        return stamp.phases
    assert isinstance(stamp, Phases)
    return tuple(entry(stamp.counts, place) for place in range(stamp.size))


def resynch(stamp: Stamp) -> tuple[int, int]:
    """t and x."""
    if isinstance(stamp, Resynch):
        return stamp.phase, stamp.group
    assert isinstance(stamp, Printed)
    assert stamp.resynch
    return stamp.time, stamp.group


@TWINS
def test_the_vectors_of_figure_5_follow_from_the_statements(make: Makes) -> None:
    script = Script(make, TRIANGLE)
    assert carried(script.multicast(0, 0)) == (0, 0, 0)
    assert carried(script.multicast(0, 2)) == (1, 0, 0)
    assert script.known(0) == (1, 0, 1)
    assert script.receive(2, 0, 2) == [1]
    assert script.known(2) == (1, 0, 1)
    assert list(map(resynch, script.send_control(2))) == [(1, 2)]
    assert carried(script.multicast(2, 1)) == (1, 0, 1)
    assert script.known(2) == (1, 1, 1)
    assert script.receive(1, 2, 1) == []
    assert script.known(1) == (0, 1, 0)
    assert list(map(resynch, script.send_control(1))) == [(1, 1)]
    assert script.receive(1, 0) == [0, 2]
    assert script.known(1) == (1, 1, 1)
    assert list(map(resynch, script.send_control(1))) == [(1, 0)]
    assert script.causality.missing == []


@TWINS
def test_a_message_waits_for_a_resynch_although_no_earlier_message_is_missing(make: Makes) -> None:
    script = Script(make, ALL)
    script.multicast(0, 0)
    script.multicast(0, 0)
    assert script.receive(2, 0) == [0]
    assert script.receive(2, 0) == []
    assert script.inhibited == 1
    assert script.receive(1, 0) == [0]
    assert list(map(resynch, script.send_control(1))) == [(1, 0)]
    assert script.receive(2, 1) == [1]


@TWINS
def test_a_message_of_the_process_replaces_a_resynch(make: Makes) -> None:
    script = Script(make, ALL)
    script.multicast(0, 0)
    script.receive(1, 0)
    script.multicast(1, 0)
    assert script.send_control(1) == []


def released_together(make: Makes) -> list[int]:
    """p0 sends m1 to the group (p0, p1, p2), and then m2 to the group (p0, p2). m2 arrives first. A resynch of p1
    releases both messages at p2.
    """
    script = Script(make, ((0, 1, 2), (0, 2)))
    for group in (0, 0, 1):
        script.multicast(0, group)
    assert script.receive(2, 0) == [0]
    assert script.receive(2, 0, 1) == script.receive(2, 0) == []
    for _ in range(2):
        script.receive(1, 0)
    script.send_control(1)
    return script.receive(2, 1)


@TWINS
def test_messages_that_become_deliverable_together_are_ordered_by_phase(make: Makes) -> None:
    assert released_together(make) == [1, 2]


def test_without_the_footnote_of_gs4_the_second_message_is_delivered_first() -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p2 too early"):
        released_together(partial(DenseMr, kind=InAnyOrder))


def skipping(make: Makes) -> list[int]:
    """p2 advances from phase 0 to phase 2 at once, because m1 arrives before m0, although m1 was sent after m0."""
    script = Script(make, ALL)
    script.multicast(0, 0)
    script.receive(1, 0)
    script.send_control(1)
    script.multicast(1, 0)
    script.receive(2, 1)
    script.receive(2, 1)
    script.send_control(2)
    assert script.receive(2, 0) == [0, 1]
    script.multicast(2, 0)
    assert script.receive(0, 1) == script.receive(0, 2) == []
    return [*script.receive(0, 2), *script.receive(0, 1)]


@TWINS
def test_a_process_that_skips_a_phase_sends_a_resynch(make: Makes) -> None:
    assert skipping(make) == [1, 2]


def test_with_phases_computed_by_regular_increase_a_message_overtakes_its_predecessor() -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p0 too early"):
        skipping(partial(DenseMr, kind=Rebuilt))


def overtaking(make: Makes) -> list[list[int]]:
    script = Script(make, ((0, 1),))
    script.multicast(0, 0)
    script.multicast(0, 0)
    return [script.receive(1, 0, place=1), script.receive(1, 0)]


@TWINS
def test_with_numbers_a_channel_need_not_be_fifo(make: Makes) -> None:
    assert overtaking(make) == [[], [0, 1]]


@TWINS
def test_without_numbers_a_channel_that_is_not_fifo_violates_causal_order(make: Callable[..., Ordering]) -> None:
    with pytest.raises(OvertakenError, match="m1 is delivered to p1 too early"):
        overtaking(partial(make, numbered=False))


def two_in_common(make: Makes) -> list[list[int]]:
    """p0 sends m0 to the second group and m1 to the first group. p2, a member of the first group only, receives m1 and
    sends m2 to this group. p1 is a member of both groups.
    """
    script = Script(make, SHARED)
    script.multicast(0, 1)
    script.multicast(0, 0)
    assert script.receive(2, 0) == [1]
    script.multicast(2, 0)
    released = [script.receive(1, 0), script.receive(1, 2), script.receive(1, 0, 1)]
    script.receive(3, 0, 1)
    script.send_control(3)
    return [*released, script.receive(1, 3, 1)]


@TWINS
def test_processes_pass_on_the_entries_of_other_groups(make: Makes) -> None:
    assert two_in_common(make) == [[], [], [0], [1, 2]]


def test_section_4_3_as_printed_violates_causal_order_if_two_groups_share_two_processes() -> None:
    with pytest.raises(OvertakenError, match="m2 is delivered to p1 too early"):
        two_in_common(OnAnyGraph)
