"""Mattern and Fünfrocken's transport: messages have no headers, and wait only at their senders."""

from collections.abc import Sequence
from random import Random

import pytest

from mobilesim.conformance.causality import OvertakenError
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.synchronised.transport import Transport
from mobilesim.protocols.orderings.unordered import Unordered
from mobilesim.protocols.packets import Copy
from mobilesim.protocols.state import key
from tests.support.orderings.control_runs import ControlRun, LockstepRun, Script, TwinnedRun, random_multicasts
from tests.support.orderings.transport_variants import OnEachChannel, ToMany

CHANNELS = pytest.mark.parametrize("fifo", (False, True))


def replayed(seed: int, *, fifo: bool, patience: int = 0) -> TwinnedRun:
    """Run transport, and an ordering without waits that sends each message when transport transmits it.

    The times of the transmissions alone keep the deliveries of the second ordering in causal order.
    """
    random, size = Random(seed), 3 + seed % 4
    run = TwinnedRun(Transport(size), Unordered(size), size)
    LockstepRun([run], random, fifo=fifo, patience=patience).run(random_multicasts(random, size, 30, 1, 1))
    assert run.finished
    assert run.twin.causality.missing == []
    return run


@pytest.mark.parametrize(
    "seeds", (range(200), pytest.param(range(200, 4_000), marks=pytest.mark.slow)), ids=("some", "thousands")
)
@CHANNELS
def test_transport_delivers_in_causal_order_and_messages_wait_only_at_senders(
    seeds: range,
    fifo: bool,  # noqa: FBT001
) -> None:
    runs = [replayed(seed, fifo=fifo) for seed in seeds]
    assert sum(run.inhibited for run in runs) == 0
    assert sum(run.held for run in runs) > len(seeds)


class Synchronous(ControlRun):
    """A run that checks, as for synchronous communication, that the messages before a transmitted one are delivered."""

    transmitted = 0

    def out(self, index: int, copies: Sequence[Copy]) -> None:
        super().out(index, copies)
        for copy in copies:
            if not copy.is_control:
                self.transmitted += 1
                before = self.causality.before[copy.message.id]
                assert not any(before & due for due in self.causality.due.values())


@pytest.mark.parametrize(
    "seeds", (range(200), pytest.param(range(200, 20_000), marks=pytest.mark.slow)), ids=("some", "thousands")
)
@CHANNELS
def test_a_message_is_sent_after_the_deliveries_of_all_messages_before_it(seeds: range, fifo: bool) -> None:  # noqa: FBT001
    for seed in seeds:
        random, size = Random(seed), 3 + seed % 4
        run = Synchronous(Transport(size), size)
        LockstepRun([run], random, fifo=fifo).run(random_multicasts(random, size, 30, 1, 1))
        assert (run.finished, run.transmitted) == (True, 30)


def test_messages_and_acknowledgements_have_no_header() -> None:
    run = replayed(1, fifo=False)
    assert len(run.controls) == len(run.stamps) == 30
    assert {stamp.integers for stamp in (*run.controls, *run.stamps.values())} == {0}


def test_a_message_is_sent_after_the_acknowledgement_of_the_previous_one() -> None:
    script = Script(Transport(3), 3)
    script.submit(0, 1)
    script.submit(0, 2)
    assert script.receive(1, 0) == [0]
    assert script.in_transit(0, 2) == []
    script.receive(0, 1)
    assert script.in_transit(0, 2) == [1]


def test_the_third_message_of_the_triangle_is_sent_after_the_first_arrived() -> None:
    script = Script(Transport(3), 3)
    script.submit(0, 2)
    script.submit(0, 1)
    assert script.receive(2, 0) == [0]
    script.receive(0, 2)
    assert script.receive(1, 0) == [1]
    script.submit(1, 2)
    assert script.receive(2, 1) == [2]


def test_two_processes_may_have_unacknowledged_messages_to_each_other() -> None:
    script = Script(Transport(2), 2)
    script.submit(0, 1)
    script.submit(1, 0)
    assert script.in_transit(0, 1) == [0]
    assert script.in_transit(1, 0) == [1]
    assert script.receive(1, 0) + script.receive(0, 1) == [0, 1]


def test_a_late_acknowledgement_only_delays_later_messages() -> None:
    prompt, late = ([replayed(seed, fifo=False, patience=patience) for seed in range(50)] for patience in (0, 8))
    assert sum(run.held for run in late) > 1.5 * sum(run.held for run in prompt)


def test_an_idle_process_returns_to_its_initial_state() -> None:
    run = replayed(2, fifo=False)
    for index, mailbox in enumerate(run.mailboxes):
        assert key(mailbox.process) == key(Transport(5).process(index))


def overtaken(make: type[Ordering], seeds: range, *, widest: int) -> int:
    """Return the number of executions in which a delivery is too early. Channels are FIFO."""
    count = 0
    for seed in seeds:
        random = Random(seed)
        try:
            LockstepRun([ControlRun(make(4), 4)], random, fifo=True).run(random_multicasts(random, 4, 30, 1, widest))
        except OvertakenError:
            count += 1
    return count


def test_waiting_for_acknowledgements_of_each_channel_separately_violates_causal_order() -> None:
    assert overtaken(OnEachChannel, range(40), widest=1) > 0
    assert overtaken(Transport, range(40), widest=1) == 0


def test_waiting_for_all_acknowledgements_of_a_multicast_violates_causal_order() -> None:
    assert overtaken(ToMany, range(40), widest=1) == 0
    assert overtaken(ToMany, range(40), widest=2) > 0


@pytest.mark.parametrize("targets", ((1, 2), ()))
def test_a_message_to_several_processes_raises_an_exception(targets: tuple[int, ...]) -> None:
    fault = f"^transport orders messages to one other process, not to {len(targets)}$"
    with pytest.raises(ValueError, match=fault):
        Transport(3).process(0).send(targets, -1)
