"""The lemmas and theorems on orderings that the papers prove, in random executions."""

from collections.abc import Iterable, Iterator
from random import Random

import pytest

from mobilesim.conformance.causality import executions
from mobilesim.conformance.executions import Arrived, Sent, execution
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.ordering import Groups
from mobilesim.protocols.orderings.mr import Mr, MrProcess, Phases
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.packets import Copy, Message
from tests.support.orderings import dense_prs
from tests.support.orderings.control_runs import ControlRun
from tests.support.orderings.dense_ks import Dense, DenseProcess, Log, Printed, Unit, units_of
from tests.support.orderings.histories import Watched

SEEDS = pytest.mark.parametrize("seeds", (range(40), pytest.param(range(40, 1_000), marks=pytest.mark.slow)))


# Prakash, Raynal and Singhal (1997), section 6.1


def barriers(run: Watched, message: Message) -> dense_prs.Components:
    stamp = run.stamps[message.id, message.destinations[0]]
    assert isinstance(stamp, dense_prs.Printed)
    return stamp.barrier


def prs_sends(seeds: Iterable[int]) -> Iterator[tuple[Watched, Message]]:
    """Yield each send of random executions, directly after it."""
    for size, events in executions(seeds):
        run = Watched(dense_prs.Sets(size), size)
        for event in events:
            run.apply(event)
            if isinstance(event, Sent):
                yield run, event.message


@SEEDS
def test_prs_lemma_1_a_tuple_is_a_message_to_the_process_that_was_sent_before(seeds: range) -> None:
    tuples = 0
    for run, message in prs_sends(seeds):
        history = run.history
        before, _ = history.past[message.id]
        sent = {(history.messages[m].source, history.times[m]): history.messages[m] for m in before}
        for process, component in barriers(run, message).items():
            assert all(process in sent[each].destinations for each in component)
            tuples += len(component)
    assert tuples > 1_000


@SEEDS
def test_prs_lemma_2_a_barrier_has_every_direct_predecessor_that_may_be_undelivered(seeds: range) -> None:
    direct = 0
    for run, message in prs_sends(seeds):
        barrier = barriers(run, message)
        for source, time, process in run.history.open_units(*run.history.past[message.id]):
            assert (source, time) in barrier[process]
            direct += 1
    assert direct > 1_000


def unnecessary_tuples(seeds: Iterable[int], *, broadcasts: bool) -> tuple[int, int]:
    """Return the number of tuples in the barriers of random executions, and of those that are not needed. The tuples
    for the sender itself, which report its deliveries, are not counted.
    """
    all_tuples = unnecessary = 0
    for seed in seeds:
        size = 3 + seed % 4
        run = Watched(dense_prs.Sets(size), size)
        narrowest = size - 1 if broadcasts else 1
        for event in execution(Random(seed), size, 25, size - 1, fifo=bool(seed & 1), narrowest=narrowest):
            run.apply(event)
            if isinstance(event, Sent):
                message = event.message
                found = {(k, x, to) for to, tuples in barriers(run, message).items() for k, x in tuples}
                sent = {unit for unit in found if unit[2] != message.source}
                all_tuples += len(sent)
                unnecessary += len(sent - run.history.open_units(*run.history.past[message.id]))
    return all_tuples, unnecessary


@SEEDS
def test_prs_8_3_a_barrier_of_a_broadcast_has_only_tuples_that_are_needed(seeds: range) -> None:
    broadcasts, multicasts = (unnecessary_tuples(seeds, broadcasts=chosen) for chosen in (True, False))
    assert broadcasts[0] > 1_000
    assert broadcasts[1] == 0
    assert multicasts[1] > 100


# Kshemkalyani and Singhal (1998), sections 5.1 and 6.1


def latest(log: Log, source: int) -> int:
    """Return TS(source, log)."""
    return max(time for sender, time in log if sender == source)


def destinations_occur_once(log: Log) -> bool:
    units = [(source, to) for (source, _), remaining in log.items() for to in remaining]
    return len(units) == len(set(units))


def only_the_latest_set_is_empty(log: Log) -> bool:
    return all(remaining or time == latest(log, source) for (source, time), remaining in log.items())


def shrinks(before: Log, after: Log) -> bool:
    """Return whether no destination was added to a set that both logs have."""
    return all(after[each] <= remaining for each, remaining in before.items() if each in after)


def log_of(inbox: Inbox[Copy]) -> Log:
    assert isinstance(inbox.process, DenseProcess)
    return dict(inbox.process.log)


def carried_log(run: Watched, number: int, target: int) -> Log:
    stamp = run.stamps[number, target]
    assert isinstance(stamp, Printed)
    return dict(stamp.log)


def ks_steps(seeds: Iterable[int]) -> Iterator[tuple[Log, Log, list[Log]]]:
    """Yield for each event of random executions the log before it, the log after it, and the logs that it sends or
    delivers.
    """
    for size, events in executions(seeds):
        run = Watched(Dense(size), size)
        for event in events:
            process = event.target if isinstance(event, Arrived) else event.message.source
            before = log_of(run.inboxes[process])
            released = run.apply(event)
            pairs = [(number, process) for number in released]
            if isinstance(event, Sent):
                pairs = [(event.message.id, target) for target in event.message.destinations]
            yield before, log_of(run.inboxes[process]), [carried_log(run, *pair) for pair in pairs]


@SEEDS
def test_ks_lemmas_1_and_7_each_destination_occurs_once_and_only_the_latest_set_is_empty(seeds: range) -> None:
    for _, log, carried in ks_steps(seeds):
        for each in (log, *carried):
            assert destinations_occur_once(each)
            assert only_the_latest_set_is_empty(each)


@SEEDS
def test_ks_lemmas_2_and_4_in_a_log_times_never_decrease_and_sets_never_grow(seeds: range) -> None:
    for before, after, _ in ks_steps(seeds):
        assert all(latest(before, source) <= latest(after, source) for source, _ in before)
        assert shrinks(before, after)


@SEEDS
def test_ks_lemmas_3_and_5_times_never_decrease_and_sets_never_grow_along_a_path(seeds: range) -> None:
    for size, events in executions(seeds):
        run = Watched(Dense(size), size)
        for event in events:
            message = event.message
            sender = log_of(run.inboxes[message.source])
            released = run.apply(event)
            if isinstance(event, Sent):
                for target in message.destinations:
                    carried = carried_log(run, message.id, target)
                    assert all(latest(sender, source) == latest(carried, source) for source in range(size))
                    assert shrinks(sender, carried)
            elif len(released) == 1:
                carried, log = carried_log(run, released[0], event.target), log_of(run.inboxes[event.target])
                assert all(latest(carried, source) <= latest(log, source) for source in range(size))
                assert shrinks(carried, log)


def continued_without(unit: Unit, run: Watched, number: int, target: int, *, omitted: bool) -> bool:
    """Continue an execution of three messages: `target` delivers the copy, without the unit if `omitted`, and then
    sends a message to the destination of the unit. It arrives after all others except that of the unit. Return whether
    it is delivered there.
    """
    source, time, destination = unit
    stamp = run.stamps[number, target]
    assert isinstance(stamp, Printed)
    log = dict(stamp.log)
    if omitted:
        log[source, time] -= {destination}
    middle, last = DenseProcess(target, len(run.inboxes)), DenseProcess(destination, len(run.inboxes))
    middle.deliver(Printed(stamp.sender, stamp.clock, stamp.destinations, log))
    ((_, answer),) = middle.send((destination,), -1)
    assert isinstance(answer, Printed)
    last.delivered = [
        max((when for other, when in answer.log if other == each), default=0) for each in range(len(run.inboxes))
    ]
    last.delivered[source] = min(last.delivered[source], time - 1)
    return last.missing(answer) is None


def test_ks_theorem_2_without_any_of_the_units_a_message_may_be_delivered_too_early() -> None:
    units = 0
    for size, events in executions(range(30)):
        run = Watched(Dense(size), size)
        for event in events:
            run.apply(event)
            if isinstance(event, Sent):
                for target in event.message.destinations:
                    for unit in units_of(carried_log(run, event.message.id, target)):
                        if unit[2] in (target, *event.message.destinations):
                            continue
                        units += 1
                        assert not continued_without(unit, run, event.message.id, target, omitted=False)
                        assert continued_without(unit, run, event.message.id, target, omitted=True)
    assert units > 1_000


@pytest.mark.parametrize("size", (4, 8, 16, 32))
def test_ks_theorem_8_a_header_may_need_units_for_half_of_all_pairs(size: int) -> None:
    """Each process sends to each other process, and nothing arrives. Then a chain of messages visits all processes."""
    pairs = size * (size - 1) // 2
    logs = [Dense(size).process(index) for index in range(size)]
    for source, log in enumerate(logs):
        for target in range(size):
            if target != source:
                log.send((target,), -1)
    for source in range(size - 1):
        ((_, stamp),) = logs[source].send((source + 1,), -1)
        logs[source + 1].deliver(stamp)
    ((_, last),) = logs[-1].send((0,), -1)
    assert last.units >= pairs - size


# Mostefaoui and Raynal (1993), section 4.4.1

RING: Groups = ((0, 1, 2), (1, 2, 3), (2, 3, 0))


def test_mr_lemmas_1_and_2_phases_never_decrease_and_grow_along_causal_order() -> None:
    ordered = 0
    for seed in range(40):
        random = Random(seed)
        run = ControlRun(Mr(4, RING), 4)
        known = [0] * 4
        for number in range(30):
            group = random.randrange(len(RING))
            source = random.choice(RING[group])
            run.send(Message(number, source, tuple(p for p in sorted(RING[group]) if p != source), 1, group=group))
            for _ in range(random.randint(0, 4)):
                channel = random.choice(sorted(run.channels))
                run.arrive(channel, 0)
                run.pending_control(channel[1])
            known = [grown(run, process, known[process]) for process in range(4)]
        for later, past in run.causality.before.items():
            for earlier in range(later):
                if past >> earlier & 1:
                    ordered += 1
                    assert_smaller(run, earlier, later)
    assert ordered > 1_000


def grown(run: ControlRun, index: int, before: int) -> int:
    process = run.mailboxes[index].process
    assert isinstance(process, MrProcess)
    assert all(entry(before, group) <= entry(process.known, group) for group in range(len(RING)))
    return process.known


def assert_smaller(run: ControlRun, earlier: int, later: int) -> None:
    one, other = run.stamps[earlier], run.stamps[later]
    assert isinstance(one, Phases)
    assert isinstance(other, Phases)
    assert all(entry(one.counts, group) <= entry(other.counts, group) for group in range(len(RING)))
    assert entry(one.counts, one.group) < entry(other.counts, one.group)
