"""Centralised and hierarchical organisations: messages through representatives, in causal order."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

import pytest

from mobilesim.conformance.causality import OvertakenError
from mobilesim.protocols.mailbox import RelayMailbox, mailbox_for
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.hierarchy import AMONG, Central, Hierarchy, Hop
from mobilesim.protocols.packets import Copy, Message
from mobilesim.protocols.state import key, restore, snapshot
from tests.support.orderings.control_runs import ControlRun, LockstepRun, Script, random_multicasts
from tests.support.orderings.hierarchy_variants import Bypassing, Unnumbered, UnorderedTop, stamps_of

Make: TypeAlias = Callable[[int], Ordering]
CHANNELS = pytest.mark.parametrize("fifo", (False, True))
SLOW = pytest.param(range(100, 5_000), marks=pytest.mark.slow)
SHAPES: dict[str, Make] = {
    "central": Central,
    "one level": partial(Hierarchy, representatives=3, children=9),
    "several levels": partial(Hierarchy, representatives=2, children=1),
    "binary trees": partial(Hierarchy, representatives=1, children=2),
    **{among: partial(Hierarchy, representatives=4, children=1, among=among) for among in AMONG},
}


class RelayRun(ControlRun):
    """A run that notes the targets to which the copies of each message are sent, without copies for relays only."""

    def __init__(self, ordering: Ordering, size: int) -> None:
        super().__init__(ordering, size)
        self.data: dict[int, list[int]] = {}

    def out(self, index: int, copies: Sequence[Copy]) -> None:
        super().out(index, copies)
        for copy in copies:
            if not copy.is_control:
                self.data.setdefault(copy.message.id, []).extend(copy.targets)


def replayed(seed: int, make: Make, *, fifo: bool, size: int = 0) -> RelayRun:
    """Return a run, after checking that every message is delivered, and none too early."""
    random, size = Random(seed), size or 3 + seed % 6
    run = RelayRun(make(size), size)
    LockstepRun([run], random, fifo=fifo).run(random_multicasts(random, size, 25, 1, size - 1))
    assert run.finished
    return run


@pytest.mark.parametrize("seeds", (pytest.param(range(100), marks=pytest.mark.full), SLOW), ids=("some", "thousands"))
@CHANNELS
@pytest.mark.parametrize("shape", SHAPES)
def test_every_message_is_delivered_in_causal_order(shape: str, seeds: range, fifo: bool) -> None:  # noqa: FBT001
    for seed in seeds:
        run = replayed(seed, SHAPES[shape], fifo=fifo)
        for number, targets in run.data.items():
            assert len(targets) == len(set(targets)), number
        assert not any(isinstance(mailbox, RelayMailbox) and mailbox.outgoing for mailbox in run.mailboxes)


def test_under_central_each_message_goes_to_process_0_and_from_there_to_each_destination() -> None:
    script = Script(Central(4), 4)
    script.submit(1, 2, 3)
    assert script.in_transit(1, 0) == ["Hop"]
    assert script.receive(0, 1) == []
    assert script.receive(2, 0) + script.receive(3, 0) == [0, 0]
    script.submit(2, 0, 1)
    assert script.in_transit(2, 0) == [1]
    assert script.receive(0, 2) == [1]
    assert script.receive(1, 0) == [1]
    script.submit(0, 1)
    assert script.receive(1, 0) == [2]
    assert script.finished


def test_a_message_of_a_hierarchy_passes_the_representatives_of_its_sender_and_of_its_destinations() -> None:
    """p0 and p1 are at the top, p0 represents p2 and p3, p1 represents p4 and p5, and p2 represents p6 and p7."""
    script = Script(Hierarchy(8, representatives=2, children=2), 8)
    script.submit(6, 5, 7)
    assert script.in_transit(6, 2) == ["Hop"]
    script.receive(2, 6)
    assert (script.in_transit(2, 7), script.in_transit(2, 0)) == ([0], ["Hop"])
    script.receive(0, 2)
    assert script.in_transit(0, 1) == ["Hop"]
    script.receive(1, 0)
    assert script.receive(5, 1) + script.receive(7, 2) == [0, 0]


def test_in_the_triangle_the_answer_is_passed_on_after_the_first_message() -> None:
    """The relay of m0 to p3 is slow. p2 delivers m1 of p1 and answers to p3."""
    script = Script(Central(4), 4)
    script.submit(1, 3)
    script.submit(1, 2)
    assert script.receive(0, 1, place=1) == []
    assert script.in_transit(0, 2) == []
    script.receive(0, 1)
    assert script.receive(2, 0) == [1]
    script.submit(2, 3)
    script.receive(0, 2)
    assert script.receive(3, 0, place=1) == []
    assert script.receive(3, 0) == [0, 2]


def test_a_copy_has_a_number_and_the_destinations_that_are_left() -> None:
    leaf, center = Central(5).process(4), Central(5).process(0)
    ((to, hop),) = stamps_of(leaf.send((1, 2, 3), -1))
    assert isinstance(hop, Hop)
    assert (to, hop.rest, hop.only_relayed, hop.integers) == (0, (1, 2, 3), True, 4)
    ((_, hop),) = stamps_of(leaf.send((0, 2), -1))
    assert isinstance(hop, Hop)
    assert (hop.number, hop.rest, hop.only_relayed, hop.integers) == (1, (2,), False, 2)
    assert {(to, stamp.integers) for to, stamp in stamps_of(center.send((1, 2, 3), -1))} == {(1, 1), (2, 1), (3, 1)}


def test_only_headers_at_the_top_have_integers_of_the_other_ordering() -> None:
    run = replayed(3, partial(Hierarchy, representatives=4, children=3), fifo=False, size=12)
    for stamp in (*run.stamps.values(), *run.controls):
        assert isinstance(stamp, Hop)
        assert (stamp.inner is not None) == (stamp.number < 0)
        own = 1 if stamp.inner is None else stamp.inner.integers
        assert stamp.integers == own + len(stamp.rest) <= 3 * 4 * 4 + 11


@pytest.mark.parametrize("shape", SHAPES)
def test_a_restored_mailbox_has_the_state_of_the_original(shape: str) -> None:
    for mailbox in replayed(2, SHAPES[shape], fifo=False).mailboxes:
        assert key(restore(snapshot(mailbox))) == key(mailbox)


def test_the_mailbox_of_a_relay_process_tells_placements_to_record_its_waits() -> None:
    mailbox = mailbox_for(Central(3).process(1), 3)
    assert (mailbox.relays, mailbox.sends_control, mailbox.size) == (True, True, 0)
    ((copy,),) = (mailbox.send(Message(0, 1, (2,), 5)),)
    assert (copy.targets, copy.is_control, copy.message.size) == ((0,), True, 5)


def overtaken(make: Make, *, fifo: bool) -> int:
    """Return the number of executions in which a delivery is too early or missing."""
    count = 0
    for seed in range(40):
        try:
            replayed(seed, make, fifo=fifo, size=7)
        except (OvertakenError, AssertionError):
            count += 1
    return count


@pytest.mark.full
def test_each_rule_is_needed() -> None:
    unnumbered, correct = (partial(kind, representatives=3, children=2) for kind in (Unnumbered, Hierarchy))
    assert overtaken(unnumbered, fifo=False) > 0
    assert overtaken(unnumbered, fifo=True) == 0
    for kind in (UnorderedTop, Bypassing):
        assert overtaken(partial(kind, representatives=3, children=2), fifo=True) > 0
    assert overtaken(correct, fifo=False) == 0
