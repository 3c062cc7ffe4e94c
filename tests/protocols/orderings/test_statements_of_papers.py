"""Statements of papers on orderings that are false, or true for another reason (`docs/errata-orderings.md`)."""

from random import Random
from typing import Final

import pytest

from mobilesim.conformance.causality import Causality, CheckedRun, checked_run, executions
from mobilesim.explorer.api import explore
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.catalogue import pair
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.ordering import Groups
from mobilesim.protocols.orderings.ks import Ks
from mobilesim.protocols.orderings.mr import Mr, MrProcess, Phases
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.packets import Copy, Message
from tests.support.orderings.control_runs import ControlRun
from tests.support.orderings.dense_prs import Sets, WithoutStep7


def test_with_complements_the_units_of_one_sender_may_be_more_than_half_of_the_processes() -> None:
    sender = Ks(9, complement=True).process(0)
    sender.send((1, 2, 3, 4), -1)
    sender.send((5, 6, 7, 8), -1)
    units = []
    for destination in (1, 5):
        ((_, stamp),) = sender.send((destination,), -1)
        units.append(stamp.units)
    assert units == [8, 8]


FAR: Final[Groups] = ((0, 1, 2), (0, 1))
"""p2 is in the first group only."""


def phase_that_is_expected(run: ControlRun, at: int, member: int) -> int:
    """Return the lowest phase of the first group in which a member can still send, as a process knows it."""
    process = run.mailboxes[at].process
    assert isinstance(process, MrProcess)
    return entry(process.known, 0) if at == member else process.expected[0][member]


def test_a_message_of_mr_may_wait_for_a_process_that_never_receives_it() -> None:
    run = ControlRun(Mr(3, FAR), 3)
    run.send(Message(0, 0, (1, 2), 1, group=0))
    run.send(Message(1, 0, (1,), 1, group=1))
    assert run.arrive((0, 1, 1), 0) == []
    waiting = run.stamps[1]
    assert isinstance(waiting, Phases)
    assert [phase_that_is_expected(run, at, 2) for at in (1, 2)] == [0, 0]
    assert entry(waiting.counts, 0) == 1
    assert (0, 2, 1) not in run.channels
    assert run.arrive((0, 1, 0), 0) == [0]
    run.arrive((0, 2, 0), 0)
    run.pending_control(2)
    assert run.arrive((2, 1, 0), 0) == [1]


def test_without_step_7_prs_sends_the_same_stamps() -> None:
    for size, events in executions(range(60)):
        printed, without = (checked_run(kind(size), size, events).stamps for kind in (Sets, WithoutStep7))
        assert printed == without


def test_steps_4_and_8_of_prs_only_make_barriers_smaller() -> None:
    units = [0, 0, 0]
    for size, events in executions(range(60)):
        orderings = Sets(size), Sets(size, collect=False), WithoutStep7(size, collect=False)
        runs = [CheckedRun(ordering, size) for ordering in orderings]
        for event in events:
            printed, *others = (run.apply(event) for run in runs)
            assert others == [printed, printed]
        for place, run in enumerate(runs):
            units[place] += sum(stamp.units for stamp in run.stamps.values())
    assert units[0] < 0.99 * units[1] < 0.99 * units[2]


@pytest.mark.full
def test_in_every_schedule_prs_without_steps_4_and_8_keeps_causal_order() -> None:
    bounds = Bounds(messages=3, moves=0, destinations=2)
    found = explore(pair("resident", "prs").build, 2, (0, 1, 0), bounds, {"collect": False}, reduced=True)
    assert found.ending is Ending.EXHAUSTED


RUNS: Final = 200
OLD: Final = 1
FRESH: Final = 4


class Rejoined:
    """Four processes of KS. After some messages, all of which arrive, p1 leaves, and a process with an empty log and
    clock 0 joins with the number `joining`.
    """

    def __init__(self, seed: int, joining: int) -> None:
        self.random, self.joining = Random(seed), joining
        self.ordering, self.causality = Ks(FRESH + 1), Causality()
        self.inboxes: dict[int, Inbox[Copy]] = {index: Inbox(self.ordering.process(index)) for index in range(FRESH)}
        self.in_transit: list[Copy] = []
        self.early = 0
        """The number of messages that were delivered before a causal predecessor."""
        self._send_messages(range(15))
        del self.inboxes[OLD]
        self.inboxes[joining] = Inbox(self.ordering.process(joining))
        self.causality.past[joining] = 0
        self._send_messages(range(15, 30))

    def _send_messages(self, numbers: range) -> None:
        random = self.random
        for number in numbers:
            source = random.choice(sorted(self.inboxes))
            others = sorted(self.inboxes.keys() - {source})
            message = Message(number, source, tuple(sorted(random.sample(others, random.randint(1, 3)))), 1)
            self.causality.sent(message)
            for targets, stamp in self.inboxes[source].process.send(message.destinations, -1):
                self.in_transit += [Copy(message, (target,), stamp) for target in targets]
            for _ in range(min(random.randint(0, 3), len(self.in_transit))):
                self._receive()
        while self.in_transit:
            self._receive()

    def _receive(self) -> None:
        arriving = self.in_transit.pop(self.random.randrange(len(self.in_transit)))
        (target,) = arriving.targets
        self.causality.arrived(arriving.message.id, target)
        for copy in self.inboxes[target].arrive(arriving):
            number = copy.message.id
            self.early += not self.causality.allows(number, target)
            self.causality.due[target] &= ~(1 << number)
            self.causality.past[target] = (
                self.causality.past.get(target, 0) | self.causality.before[number] | 1 << number
            )

    @property
    def waiting(self) -> int:
        return sum(inbox.size for inbox in self.inboxes.values())


def test_a_process_of_ks_that_joins_again_with_clock_0_needs_a_new_number() -> None:
    again = [Rejoined(seed, OLD) for seed in range(RUNS)]
    assert sum(run.early > 0 for run in again) > RUNS / 4
    assert sum(run.waiting > 0 for run in again) > 0.9 * RUNS
    fresh = [Rejoined(seed, FRESH) for seed in range(RUNS)]
    assert not any(run.early or run.waiting for run in fresh)
