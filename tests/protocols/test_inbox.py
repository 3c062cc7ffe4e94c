"""The inbox against its reference implementation, which scans all blocked messages after every delivery."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

import pytest

from mobilesim.conformance.executions import Event, Sent, execution, ids
from mobilesim.conformance.ordering_contract import check_execution
from mobilesim.conformance.rescanning_inbox import RescanningInbox
from mobilesim.protocols.catalogue import ORDERINGS
from mobilesim.protocols.mailbox import ActiveMailbox, Inbox
from mobilesim.protocols.ordering import ActiveProcess, Ordering, Process
from mobilesim.protocols.orderings.fifo import Fifo
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.packets import Copy, Message, Stamp
from tests.support.orderings.control_runs import ControlRun, LockstepRun, in_groups, random_multicasts
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
        assert released == ids(slow[target].arrive(other))
        assert quick[target].size == len(quick[target].items()) == len(slow[target].waiting)
        blocked += not released
    return blocked


class RescanningMailbox(ActiveMailbox):
    """A mailbox that searches all waiting messages, in the order of their arrival, after every delivery."""

    __slots__ = ("waiting",)

    def __init__(self, process: ActiveProcess) -> None:
        super().__init__(process)
        self.waiting: list[Copy] = []

    def arrive(self, item: Copy, *, inner: bool = False) -> list[Copy]:
        self.active.observe(item.stamp)
        self.waiting += [] if item.is_control else [item]
        return self.released_by_send()

    def released_by_send(self) -> list[Copy]:
        released = []
        while ready := next((copy for copy in self.waiting if self.process.missing(copy.stamp) is None), None):
            self.waiting.remove(ready)
            self.process.deliver(ready.stamp)
            released.append(ready)
        return released


class RescanningRun(ControlRun):
    def __init__(self, ordering: Ordering, size: int) -> None:
        super().__init__(ordering, size)
        processes = [mailbox.process for mailbox in self.mailboxes]
        self.mailboxes = [RescanningMailbox(process) for process in processes if isinstance(process, ActiveProcess)]


OVERLAPPING: Final = ((0, 1, 2), (1, 2, 3), (0, 3), (0, 1, 2, 3))


@pytest.mark.full
@pytest.mark.parametrize("name", [row.name for row in ORDERINGS.values() if row.sends_control and not row.relays])
def test_an_active_mailbox_releases_messages_in_the_order_of_their_arrival(name: str) -> None:
    row, size, several = ORDERINGS[name], 4, 0
    widest = 1 if row.serves == "unicasts" else size - 1
    for seed in range(60):
        random, options = Random(seed), {"groups": OVERLAPPING} if row.serves == "groups" else {}
        runs = ControlRun(row.load()(size, **options), size), RescanningRun(row.load()(size, **options), size)
        messages = (
            in_groups(random, OVERLAPPING, 40)
            if row.serves == "groups"
            else random_multicasts(random, size, 40, widest if row.serves == "broadcasts" else 1, widest)
        )
        lockstep = LockstepRun(runs, random, fifo=False, patience=seed % 4)
        lockstep.run(messages)
        several += lockstep.most_released > 2
    assert (several > 10) == (name != "transport")


@pytest.mark.full
@pytest.mark.parametrize("name", [row.name for row in ORDERINGS.values() if not row.sends_control])
def test_an_inbox_releases_messages_in_the_order_of_their_arrival(name: str) -> None:
    """The conformance suite compares the inbox with a search of all waiting messages in the order of arrival."""
    row, size = ORDERINGS[name], 5
    for seed in range(40):
        random = Random(seed)
        if row.serves == "groups":
            options: dict[str, Any] = {"groups": (tuple(range(size)),)}
            events = in_one_group(execution(random, size, 40, size - 1, fifo=False, narrowest=size - 1))
        else:
            options, narrowest = {}, size - 1 if row.serves == "broadcasts" else 1
            events = execution(random, size, 40, size - 1, fifo=False, narrowest=narrowest)
        if row.numbered_by == "sender":
            check_execution(partial(row.load(), **options), size, events)


def in_one_group(events: Iterable[Event]) -> Iterator[Event]:
    for event in events:
        yield replace(event, message=replace(event.message, group=0))


def test_messages_under_different_keys_are_released_in_the_order_of_their_arrival() -> None:
    """At p4, m2 waits for m0, and m3 and m4 wait for m1. Both keys are met together, since m1 waits for m0."""
    processes = _processes(Rst(5))
    inbox: Inbox[Copy] = Inbox(processes[4])

    def sent(number: int, source: int, *targets: int) -> Copy:
        ((_, stamp),) = processes[source].send(targets, -1)
        return Copy(Message(number, source, targets, 1), targets, stamp)

    m0, m1 = sent(0, 0, 1, 2, 3, 4), sent(1, 0, 2, 3, 4)
    for index in (1, 2, 3):
        processes[index].deliver(m0.stamp)
    for index in (2, 3):
        processes[index].deliver(m1.stamp)
    m2, m3, m4 = sent(2, 1, 4), sent(3, 2, 4), sent(4, 3, 4)
    for arriving in (m3, m1, m2, m4):
        assert list(inbox.arrive(arriving)) == []
    assert ids(inbox.items()) == [3, 1, 2, 4]
    assert ids(inbox.arrive(m0)) == [0, 1, 3, 2, 4]


def _processes(ordering: Ordering) -> list[Process]:
    return [ordering.process(index) for index in range(ordering.size)]


def test_a_message_from_the_same_station_is_released_before_others_that_wait_for_the_same_delivery() -> None:
    processes = _processes(Rst(4))
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
