"""The examples of KS section 4.4 step by step, with the printed sets and with bits. Section 4.5: a counter-example."""

from collections.abc import Iterable

import numpy as np
import pytest

from mobilesim.conformance.causality import OvertakenError, checked_run, overtaking_triangle
from mobilesim.conformance.executions import Arrived, Event, Sent
from mobilesim.protocols.ordering import Process
from mobilesim.protocols.orderings.ks import Ks, KsProcess, Pruned, Times, send_number, source_and_time
from mobilesim.protocols.packets import Message, Stamp
from tests.support.orderings.dense_ks import Dense, DenseProcess, Log, Lookahead, Printed, unpacked

SIZE = 20
I, J, K = 0, 1, 19  # noqa: E741 - as the paper calls them


def sets(**entries: set[int]) -> Log:
    """Return a log with sets: `i9={7}` is the entry of M(i, 9) with destination 7."""
    return {(I, int(name[1:])): frozenset(destinations) for name, destinations in entries.items()}


def bits(destinations: Iterable[int]) -> int:
    return sum(1 << destination for destination in destinations)


def packed(log: Log) -> tuple[dict[int, int], Times]:
    """Return a log as mobilesim stores it: the non-empty sets, and the time of each process's last send."""
    known = np.zeros(SIZE, np.int32)
    for source, time in log:
        known[source] = max(known[source], time)
    return {send_number(*entry): bits(destinations) for entry, destinations in log.items() if destinations}, known


def entries(log: dict[int, int], known: Times) -> Log:
    """Return a log in its printed form, which includes empty sets."""
    return {(source, time): frozenset[int]() for source, time in enumerate(known.tolist()) if time} | unpacked(log)


class Sets:
    """The log as printed, with sets."""

    def process(self, log: Log) -> DenseProcess:
        process = DenseProcess(J, SIZE)
        process.log = {entry: to for entry, to in process.log.items() if entry[0] != I} | log
        return process

    def log(self, process: Process) -> Log:
        assert isinstance(process, DenseProcess)
        return _started(process.log)

    def carrying(self, destinations: tuple[int, ...], log: Log) -> Stamp:
        return Printed(K, 1, frozenset(destinations), log)

    def carried(self, stamp: Stamp, target: int) -> Log:
        assert isinstance(stamp, Printed)
        return _started(dict(stamp.log))


class Bits:
    """The log of mobilesim, with bits."""

    def process(self, log: Log) -> Process:
        process = KsProcess(J, SIZE, complement=False)
        process.log, process.known = packed(log)
        return process

    def log(self, process: Process) -> Log:
        assert isinstance(process, KsProcess)
        return entries(process.log, process.known)

    def carrying(self, destinations: tuple[int, ...], log: Log) -> Stamp:
        older, known = packed(log | {(K, 1): frozenset()})
        return Pruned(K, 1, bits(destinations), tuple(older.items()), known, (0, 0), ())

    def carried(self, stamp: Stamp, target: int) -> Log:
        assert isinstance(stamp, Pruned)
        known = stamp.known.copy()
        known[stamp.sender] = stamp.clock - 1
        log = entries(dict(stamp.entries), known)
        return log | {entry: log.get(entry, frozenset()) | {target} for entry in map(source_and_time, stamp.awaited)}


def _started(log: Log) -> Log:
    return {entry: to for entry, to in log.items() if entry[1]}


FORMS = pytest.mark.parametrize("form", (Sets(), Bits()), ids=("sets", "bits"))


@FORMS
def test_in_a_send_to_five_processes_each_copy_carries_the_units_of_its_destination(form: Sets | Bits) -> None:
    process = form.process(sets(i9={2, 3, 4, 6, 8}))
    stamps = {to: stamp for targets, stamp in process.send((3, 4, 7, 8, 11), -1) for to in targets}
    assert {to: form.carried(stamp, to) for to, stamp in stamps.items()} == {
        3: sets(i9={2, 3, 6}),
        4: sets(i9={2, 4, 6}),
        8: sets(i9={2, 6, 8}),
        7: sets(i9={2, 6}),
        11: sets(i9={2, 6}),
    }
    assert form.log(process) == sets(i9={2, 6}) | {(J, 1): frozenset({3, 4, 7, 8, 11})}


@FORMS
def test_a_merge_removes_units_that_one_of_both_logs_knows_to_be_delivered(form: Sets | Bits) -> None:
    process = form.process(sets(i9={2, 7, 13}, i10={4}, i14={5}, i20={3}, i21={6}))
    stamp = form.carrying((J, 10), sets(i7={8}, i9={7, 11}, i12={9}, i20={15, 16}))
    assert process.missing(stamp) is None
    process.deliver(stamp)
    assert form.log(process) == sets(i9={7}, i21={6}) | {(K, 1): frozenset({10})}


@FORMS
def test_the_empty_entry_of_the_latest_send_removes_older_entries(form: Sets | Bits) -> None:
    process = form.process(sets(i9={2, 7}, i20={3}))
    process.send((2, 3, 7), -1)
    assert form.log(process) == sets(i20=set()) | {(J, 1): frozenset({2, 3, 7})}
    other = form.process(sets(i9={2, 7}))
    stamp = form.carrying((J,), sets(i20=set()))
    other.deliver(stamp)
    assert form.log(other) == sets(i20=set()) | {(K, 1): frozenset()}


@FORMS
def test_a_message_waits_for_logged_sends_to_its_receiver_and_its_delivery_removes_them(
    form: Sets | Bits,
) -> None:
    ordering = Dense(SIZE) if isinstance(form, Sets) else Ks(SIZE)
    processes: list[Process] = [ordering.process(index) for index in (0, 2, J)]
    sender, relay, receiver = processes
    (((_, first),), ((_, second),)) = sender.send((J,), -1), sender.send((2,), -1)
    relay.deliver(second)
    ((_, third),) = relay.send((J,), -1)
    assert form.carried(third, J) == {(0, 1): frozenset({J}), (0, 2): frozenset()}
    assert receiver.missing(third) == (0, 1)
    assert list(receiver.deliver(first)) == [(0, 1)]
    assert receiver.missing(third) is None
    receiver.deliver(third)
    assert form.log(receiver) == {(0, 2): frozenset(), (2, 1): frozenset()}


@pytest.mark.parametrize("ordering", (Ks(3), Ks(3, hardware=True), Dense(3)), ids=("copies", "hardware", "print"))
def test_the_first_message_of_the_triangle_is_delivered_first(ordering: Ks | Dense) -> None:
    assert checked_run(ordering, 3, overtaking_triangle()).inhibited == 0


def early_merge() -> list[Event]:
    """p2 sends m2 to p1, where m2 waits for m1, and to p3. Its stamp says that messages to p3 may omit m0, as they
    depend on m2.
    p1 omits m0 although its own log does not contain m2, so its m3 names neither.
    """
    slow, blocking = Message(0, 0, (1, 2, 3), 1), Message(1, 0, (1, 2), 1)
    misread, early = Message(2, 2, (1, 3), 1), Message(3, 1, (3,), 1)
    known: list[Event] = [Sent(slow), Sent(blocking), Arrived(slow, 1), Arrived(slow, 2), Arrived(blocking, 2)]
    overtaking: list[Event] = [Sent(misread), Arrived(misread, 1), Sent(early), Arrived(early, 3)]
    return [*known, *overtaking, Arrived(slow, 3), Arrived(misread, 3), Arrived(blocking, 1)]


def test_merging_the_log_of_a_waiting_message_violates_causal_order_even_on_fifo_channels() -> None:
    with pytest.raises(OvertakenError, match="m3 is delivered to p3 too early"):
        checked_run(Lookahead(4), 4, early_merge())


@pytest.mark.parametrize("ordering", (Ks(4), Dense(4)), ids=("bits", "sets"))
def test_merging_the_log_at_the_delivery_keeps_causal_order(ordering: Ks | Dense) -> None:
    assert checked_run(ordering, 4, early_merge()).inhibited == 0
