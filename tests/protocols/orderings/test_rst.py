"""RST with versions against the printed matrix: the same deliveries in the same order, and the same matrices."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from mobilesim.conformance.executions import Sent, execution, ids
from mobilesim.conformance.rescanning_inbox import RescanningInbox
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.narrow_types import NARROWEST, limit
from mobilesim.protocols.orderings.rst import Matrix, Rst, RstProcess
from mobilesim.protocols.orderings.ses import Ses
from mobilesim.protocols.packets import Copy, Message, Stamp
from tests.support.protocols.dense_rst import Counts, Dense, Printed

Twins = tuple[Stamp, Stamp]


class LockStep:
    """One execution with versions and with the matrix. `history[k]` has the destinations of all sends of k."""

    def __init__(self, size: int) -> None:
        self.size = size
        optimised, reference = Rst(size), Dense(size)
        self.optimised = [RescanningInbox(optimised.process(index)) for index in range(size)]
        self.reference = [RescanningInbox(reference.process(index)) for index in range(size)]
        self.history: list[list[tuple[int, ...]]] = [[] for _ in range(size)]
        self.stamps: dict[int, Twins] = {}

    def sent(self, event: Sent) -> None:
        message = event.message
        ((_, optimised),) = self.optimised[message.source].process.send(message.destinations, -1)
        ((_, reference),) = self.reference[message.source].process.send(message.destinations, -1)
        self.stamps[message.id] = optimised, reference
        assert isinstance(optimised, Matrix)
        assert isinstance(reference, Printed)
        assert np.array_equal(self.expanded(optimised), reference.sent)
        assert optimised.integers == reference.integers == self.size**2
        self.history[message.source].append(message.destinations)

    def expanded(self, stamp: Matrix) -> Counts:
        """Return the matrix that the versions represent."""
        matrix = np.zeros((self.size, self.size), np.int32)
        versions = stamp.versions.tolist()
        versions[stamp.sender] = stamp.version - 1
        for sender, version in enumerate(versions):
            for destinations in self.history[sender][:version]:
                matrix[sender, list(destinations)] += 1
        return matrix

    def run(self, random: Random, messages: int, widest: int, *, fifo: bool) -> int:
        """Run an execution with both; return the number of deliveries."""
        total = 0
        for event in execution(random, self.size, messages, widest, fifo=fifo):
            if isinstance(event, Sent):
                self.sent(event)
                continue
            message, target = event.message, event.target
            optimised, reference = (Copy(message, (target,), stamp) for stamp in self.stamps[message.id])
            released = ids(self.optimised[target].arrive(optimised))
            assert released == ids(self.reference[target].arrive(reference))
            total += len(released)
        return total


@pytest.mark.full
@pytest.mark.parametrize("fifo", (False, True))
@pytest.mark.parametrize("widest", (1, 4))
@pytest.mark.parametrize("size", (2, 3, 5, 8, 12))
def test_versions_and_the_matrix_deliver_in_the_same_order(size: int, widest: int, fifo: bool) -> None:  # noqa: FBT001
    for seed in range(20):
        random = Random(seed)
        twins = LockStep(size)
        assert twins.run(random, 60, widest, fifo=fifo) == sum(map(len, _sends(twins)))


@pytest.mark.full
def test_versions_and_matrix_agree_among_fifty_processes() -> None:
    twins = LockStep(50)
    assert twins.run(Random(1), 400, 6, fifo=False) == sum(map(len, _sends(twins)))


@pytest.mark.full
@pytest.mark.parametrize("fifo", (False, True))
def test_versions_and_the_matrix_agree_when_versions_outgrow_their_type(fifo: bool) -> None:  # noqa: FBT001
    twins = LockStep(3)
    for inbox in twins.optimised:
        assert isinstance(inbox.process, RstProcess)
        inbox.process.known, inbox.process.limit = np.zeros(3, NARROWEST), limit(NARROWEST)
    assert twins.run(Random(1), 840, 2, fifo=fifo) == sum(map(len, _sends(twins)))
    assert min(map(len, twins.history)) > limit(NARROWEST)
    assert {inbox.process.known.dtype for inbox in twins.optimised if isinstance(inbox.process, RstProcess)} == {
        np.dtype(np.uint16)
    }


@pytest.mark.full
@pytest.mark.parametrize("ordering", (Rst, Ses))
def test_narrow_and_wide_versions_give_the_same_keys(ordering: type[Rst]) -> None:
    """Twelve of 257 processes send more messages than fit into a byte, and most messages wait."""
    size, senders, random = 257, 12, Random(1)
    narrow, wide = ([made.process(index) for index in range(senders)] for made in (ordering(size), ordering(size)))
    for process in wide:
        process.known, process.limit = np.zeros(size, np.int32), int(np.iinfo(np.int32).max)
    waiting: list[tuple[int, Stamp, Stamp]] = []
    waits = 0
    for number in range(300 * senders):
        source, target = random.sample(range(senders), 2)
        ((_, one),), ((_, other),) = (side[source].send((target,), -1) for side in (narrow, wide))
        waiting.append((target, one, other))
        if number % 40 == 39:
            random.shuffle(waiting)
            for entry in tuple(waiting):
                host, one, other = entry
                assert isinstance(one, Matrix)
                assert isinstance(other, Matrix)
                keys = narrow[host].missing(one), wide[host].missing(other)
                assert keys[0] == keys[1]
                waits += keys[0] is not None
                if keys[0] is None:
                    assert narrow[host].deliver(one) == wide[host].deliver(other)
                    waiting.remove(entry)
    assert waits > 300
    assert {process.known.dtype for process in narrow} == {np.dtype(np.uint16)}


def _sends(twins: LockStep) -> list[tuple[int, ...]]:
    return [destinations for sends in twins.history for destinations in sends]


def test_a_state_has_the_integers_that_the_paper_stores() -> None:
    assert Rst(7).process(0).integers == Dense(7).process(0).integers == 7 * 7 + 7


class Counted(list[int]):
    """Counts the reads of items."""

    looks = 0

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - an index or a slice
        self.looks += 1
        return super().__getitem__(place)

    def __iter__(self) -> Iterator[int]:
        for item in super().__iter__():
            self.looks += 1
            yield item


@pytest.mark.interpreted
def test_a_message_of_a_long_backlog_needs_a_logarithmic_number_of_reads() -> None:
    count = 1_000
    ordering = Rst(2)
    sender = ordering.process(0)
    receiver: Inbox[Copy] = Inbox(ordering.process(1))
    message = Message(0, 0, (1,), 1)
    copies = [Copy(message, (1,), sender.send((1,), -1)[0][1]) for _ in range(count)]
    backlog = ordering.outstanding[1][0] = Counted(ordering.outstanding[1][0])
    *late, first = copies[::-1]
    assert [receiver.arrive(copy) for copy in late] == [()] * (count - 1)
    assert list(receiver.arrive(first)) == copies
    assert count < backlog.looks < count * 2 * count.bit_length()


def test_no_item_is_outstanding_after_all_deliveries() -> None:
    ordering = Rst(2)
    sender = ordering.process(0)
    receiver: Inbox[Copy] = Inbox(ordering.process(1))
    for _ in range(5):
        ((targets, stamp),) = sender.send((1,), -1)
        del targets
        assert receiver.process.missing(stamp) is None
        receiver.process.deliver(stamp)
    assert ordering.outstanding == [{}, {}]
