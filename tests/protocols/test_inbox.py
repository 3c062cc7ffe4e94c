"""The inbox against its reference implementation, which scans all blocked messages after every delivery."""

from random import Random

import pytest

from mobilesim.conformance.executions import Sent, execution, ids
from mobilesim.conformance.rescanning_inbox import RescanningInbox
from mobilesim.protocols.machine import Copy, Message, Stamp
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.ordering import Ordering, Process
from mobilesim.protocols.orderings.fifo import Fifo
from mobilesim.protocols.orderings.rst import Rst
from tests.support.protocols.dense_rst import Dense


@pytest.mark.full
@pytest.mark.parametrize("ordering", (Fifo, Rst, Dense))
@pytest.mark.parametrize("widest", (1, 3))
def test_the_inbox_releases_the_same_messages_as_the_reference_implementation(
    ordering: type[Ordering], widest: int
) -> None:
    blocked = 0
    for seed in range(30):
        blocked += _lock_step(ordering, Random(seed), widest)
    assert blocked > 100


def _lock_step(ordering: type[Ordering], random: Random, widest: int) -> int:
    """Run both inboxes with the same arrivals; return the number of arrivals that had to wait."""
    size, blocked = random.randint(2, 6), 0
    optimised, reference = ordering(size), ordering(size)
    quick: list[Inbox[Copy]] = [Inbox(optimised.process(index)) for index in range(size)]
    slow = [RescanningInbox(reference.process(index)) for index in range(size)]
    stamps: dict[tuple[int, int], tuple[Stamp, Stamp]] = {}
    for event in execution(random, size, 50, widest, fifo=False):
        message = event.message
        if isinstance(event, Sent):
            pairs = quick[message.source].process.send(message.destinations, -1)
            twins = slow[message.source].process.send(message.destinations, -1)
            for (targets, stamp), (_, twin) in zip(pairs, twins, strict=True):
                stamps.update({(message.id, target): (stamp, twin) for target in targets})
            continue
        target = event.target
        one, other = (Copy(message, (target,), stamp) for stamp in stamps[message.id, target])
        released = ids(quick[target].arrive(one))
        assert sorted(released) == sorted(ids(slow[target].arrive(other)))
        assert quick[target].size == len(quick[target].items()) == len(slow[target].waiting)
        blocked += not released
    return blocked


def test_a_message_from_the_same_station_is_released_before_others_that_wait_for_the_same_delivery() -> None:
    ordering = Rst(4)
    processes: list[Process] = [ordering.process(index) for index in range(4)]
    inbox: Inbox[Copy] = Inbox(processes[3])

    def sent(source: int, *targets: int) -> Copy:
        ((_, stamp),) = processes[source].send(targets, -1)
        return Copy(Message(source, source, targets, 1), targets, stamp)

    first = sent(0, 1, 2, 3)
    for index in (1, 2):
        processes[index].deliver(first.stamp)
    assert list(inbox.arrive(sent(1, 3))) == list(inbox.arrive(sent(2, 3), inner=True)) == []
    assert ids(inbox.items()) == [2, 1]
    assert ids(inbox.arrive(first)) == [0, 2, 1]
    assert inbox.items() == []
