"""A send releases messages that wait for it: in the inbox, under every placement, in every schedule."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random

import pytest

from mobilesim.conformance.causality import Causality
from mobilesim.conformance.executions import Sent, execution, ids
from mobilesim.conformance.rescanning_inbox import RescanningInbox
from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import PLACEMENTS, pair
from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.machine import System
from mobilesim.protocols.mailbox import Inbox, mailbox_for
from mobilesim.protocols.ordering import NO_KEYS, Key, Ordering
from mobilesim.protocols.packets import Copy, Message, Stamp
from probabilistic_causal.ordering import HashedVector, HashedVectorProcess, entries_of
from tests.support.orderings.released_at_send import AfterAnswer, AfterSend, Forgetful
from tests.support.protocols.script import Script

BROADCASTS = 12


class ForgetfulVector(HashedVector):
    """Hashed vectors that do not return the keys of their sends."""

    def process(self, index: int) -> HashedVectorProcess:
        return ForgetfulVectorProcess(index, self.size, self.entries, entries_of(index, self.entries, self.hashes))


class ForgetfulVectorProcess(HashedVectorProcess):
    __slots__ = ()

    def sent_keys(self) -> Sequence[Key]:
        return NO_KEYS


def built_under(placement: str, ordering: Callable[[int], Ordering]) -> SystemBuilder:
    def build(stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue]) -> System:
        return PLACEMENTS[placement].load()(stations, homes, ordering, **options)

    return build


def faults_after_waiting(script: Script) -> list[FaultKind]:
    """Return the faults at the end, and all earlier ones that are not due to the message that waits for a send."""
    waiting = {FaultKind.LOST, FaultKind.KEPT}
    earlier = [fault.kind for fault in script.world.faults if fault.kind not in waiting]
    return earlier + [fault.kind for fault in script.driver.lost()]


def run_of_hashed_vectors(ordering: Callable[[int], Ordering], seed: int) -> tuple[int, int]:
    """Run the inbox and its reference implementation with the same broadcasts; return the number of messages that sends
    released, and the number that remained.
    """
    size, random = 4, Random(seed)
    quick: list[Inbox[Copy]] = [Inbox(ordering(size).process(index)) for index in range(size)]
    slow = [RescanningInbox(ordering(size).process(index)) for index in range(size)]
    stamps: dict[int, tuple[Stamp, Stamp]] = {}
    by_sends = 0
    for event in execution(random, size, BROADCASTS, size - 1, fifo=False, narrowest=size - 1):
        message = event.message
        if isinstance(event, Sent):
            source = message.source
            ((_, one),) = quick[source].process.send(message.destinations, -1)
            ((_, other),) = slow[source].process.send(message.destinations, -1)
            stamps[message.id] = one, other
            released, expected = ids(quick[source].released_by_send()), ids(slow[source].sent())
            by_sends += len(expected)
        else:
            one, other = stamps[message.id]
            released = ids(quick[event.target].arrive(Copy(message, (event.target,), one)))
            expected = ids(slow[event.target].arrive(Copy(message, (event.target,), other)))
        assert released == expected
    return by_sends, sum(inbox.size for inbox in quick)


def test_the_inbox_releases_at_sends_what_the_reference_implementation_releases() -> None:
    found = [run_of_hashed_vectors(partial(HashedVector, entries=3, hashes=1), seed) for seed in range(200)]
    assert sum(by_sends for by_sends, _ in found) > 20
    assert not any(remaining for _, remaining in found)


def test_an_ordering_that_does_not_return_the_keys_of_its_sends_differs_from_the_reference_implementation() -> None:
    forgetful = partial(ForgetfulVector, entries=3, hashes=1)
    with pytest.raises(AssertionError):
        [run_of_hashed_vectors(forgetful, seed) for seed in range(200)]


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_message_that_waits_for_a_send_is_delivered_after_the_send(placement: str) -> None:
    script = Script(built_under(placement, AfterSend), 2, (0, 1)).submit(0, 1).drain()
    assert script.deliveries() == []
    script.submit(1, 0).drain()
    assert sorted(script.deliveries()) == ["h0 delivers m1", "h1 delivers m0"]
    assert [script.driver.kept(len(script.homes) + index) for index in (0, 1)] == ["", ""]
    assert faults_after_waiting(script) == []


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_without_the_keys_of_the_send_the_message_is_lost(placement: str) -> None:
    script = Script(built_under(placement, Forgetful), 2, (0, 1)).submit(0, 1).drain().submit(1, 0).drain()
    assert script.deliveries() == ["h0 delivers m1"]
    assert {fault.kind for fault in script.world.faults} >= {FaultKind.LOST}


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_send_that_waited_for_the_state_of_its_host_releases_messages(placement: str) -> None:
    script = Script(built_under(placement, AfterSend), 3, (0, 1)).submit(0, 1).drain()
    script.move(1, 2).submit(1, 0).drain()
    assert sorted(script.deliveries()) == ["h0 delivers m1", "h1 delivers m0"]
    assert faults_after_waiting(script) == []


@pytest.mark.parametrize("placement", ("proxy", "flood"))
def test_a_message_that_a_send_releases_after_its_host_has_left_is_delivered_at_the_next_station(
    placement: str,
) -> None:
    script = Script(built_under(placement, AfterSend), 4, (0, 1)).submit(0, 1).drain()
    script.move(1, 2).up(1)
    script.submit(1, 0).down(1).up(1).move(1, 3).drain()
    assert sorted(script.deliveries()) == ["h0 delivers m1", "h1 delivers m0"]
    assert faults_after_waiting(script) == []


@pytest.mark.parametrize("placement", ("proxy", "resident"))
def test_control_messages_also_release_messages(placement: str) -> None:
    script = Script(built_under(placement, AfterAnswer), 2, (0, 1)).submit(0, 1).drain()
    script.submit(1, 0).drain()
    assert sorted(script.deliveries()) == ["h0 delivers m1", "h1 delivers m0"]
    assert faults_after_waiting(script) == []


def test_an_active_mailbox_releases_what_all_its_sends_have_met() -> None:
    sender, receiver = (mailbox_for(AfterAnswer(2).process(index)) for index in (0, 1))
    (copy,) = sender.send(Message(0, 0, (1,), 1))
    assert (list(receiver.arrive(copy)), receiver.size) == ([], 1)
    receiver.send(Message(1, 1, (0,), 1))
    assert (ids(receiver.released_by_send()), receiver.size) == ([0], 0)
    assert ids(receiver.released_by_send()) == []
    assert [each.is_control for each in receiver.pending_control()] == [True]


UNORDERED = frozenset({FaultKind.OVERTAKES, FaultKind.OUT_OF_TURN})


@pytest.mark.parametrize("placement", ("proxy", "resident"))
@pytest.mark.parametrize(
    ("hosts", "messages", "moves"), ((2, 2, 1), (3, 2, 0), pytest.param(2, 3, 1, marks=pytest.mark.slow))
)
def test_in_every_schedule_all_messages_of_hashed_vectors_arrive(
    placement: str, hosts: int, messages: int, moves: int
) -> None:
    broadcasts = Bounds(messages, moves, destinations=hosts - 1, tolerated=UNORDERED)
    build = built_under(placement, partial(HashedVector, entries=2, hashes=1))
    assert explore(build, 2, homes_of(2, hosts), broadcasts).ending is Ending.EXHAUSTED


@pytest.mark.parametrize("placement", ("proxy", "resident"))
@pytest.mark.parametrize("reduced", (False, True))
def test_the_explorer_finds_the_message_that_a_forgotten_key_loses(placement: str, *, reduced: bool) -> None:
    bounds = Bounds(messages=3, moves=0, destinations=1, tolerated=UNORDERED)
    build = built_under(placement, partial(ForgetfulVector, entries=1, hashes=1))
    found = explore(build, 2, homes_of(2, 2), bounds, reduced=reduced)
    assert (found.ending, found.fault_kind) == (Ending.FAULT, FaultKind.LOST)


def test_hashed_vectors_violate_causal_order_rarely_and_less_with_more_entries() -> None:
    # With 256 entries, no two of the processes share an entry.
    few, more, most = (violations(entries) for entries in (2, 8, 256))
    assert few > 5 * more > 0 == most


def violations(entries: int) -> int:
    """Return the number of deliveries that violate causal order in random executions."""
    found, size = 0, 6
    for seed in range(60):
        ordering = HashedVector(size, entries, hashes=2)
        inboxes: list[Inbox[Copy]] = [Inbox(ordering.process(index)) for index in range(size)]
        causality, stamps = Causality(), {}
        for event in execution(Random(seed), size, 30, size - 1, fifo=False, narrowest=size - 1):
            message = event.message
            if isinstance(event, Sent):
                ((_, stamps[message.id]),) = inboxes[message.source].process.send(message.destinations, -1)
                causality.sent(message)
                target, copies = message.source, inboxes[message.source].released_by_send()
            else:
                target = event.target
                causality.arrived(message.id, target)
                copies = inboxes[target].arrive(Copy(message, (target,), stamps[message.id]))
            for copy in copies:
                found += not causality.allows(copy.message.id, target)
                causality.due[target] &= ~(1 << copy.message.id)
                causality.past[target] = causality.past.get(target, 0) | causality.before[copy.message.id]
                causality.past[target] |= 1 << copy.message.id
    return found


def test_a_pair_of_the_catalogue_has_no_cost_for_sends_that_release() -> None:
    assert not any(
        mailbox_for(pair("proxy", name).ordering_row.load()(3).process(0)).process.releases_at_send
        for name in ("rst", "fifo", "bss", "transport")
    )
