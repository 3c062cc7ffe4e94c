"""The lemmas of Meldal, Sankar and Vera (1991), on random graphs and in random executions."""

from collections.abc import Mapping
from itertools import combinations, permutations
from random import Random

import networkx as nx
import pytest

from mobilesim.protocols.clocks.known_links.allocation import allocate, full_vectors
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock, TimestampedMessage
from mobilesim.protocols.clocks.links import Links
from mobilesim.protocols.clocks.logical_clock import Stamp
from tests.support.clocks.execution import Chooses, Execution, allocated, in_any_order, in_causal_order
from tests.support.clocks.graphs import both_ways, linked, random_links
from tests.support.clocks.literal import digraph, triples

GRAPHS = 150


def vector_run(links: Links, random: Random) -> Execution:
    execution = Execution(links, [allocated(full_vectors(links))])
    execution.live(random, 60, in_any_order)
    return execution


def times(stamp: Stamp) -> Mapping[int, int]:
    assert isinstance(stamp, TimestampedMessage)
    return stamp.times


def arrival(stamp: Stamp) -> int | None:
    assert isinstance(stamp, TimestampedMessage)
    return stamp.arrival


def graphs(seeds: int = GRAPHS) -> list[tuple[Links, Random]]:
    randoms = [Random(seed) for seed in range(seeds)]
    return [(random_links(random), random) for random in randoms]


def test_lemma_2_without_a_path_a_process_never_learns_the_clock() -> None:
    zeros = 0
    for links, random in graphs():
        graph = digraph(links)
        for q, clock in enumerate(vector_run(links, random).clocks[0].processes):
            assert isinstance(clock, AllocatedClock)
            for p, time in clock.times.items():
                if p != q and not nx.has_path(graph, p, q):
                    assert time == 0
                    zeros += 1
    assert zeros > 100


def test_lemma_3_a_message_carries_a_time_of_its_sender_above_zero() -> None:
    for links, random in graphs():
        for arrived in vector_run(links, random).arrived:
            assert all(times(kept[0])[sending.sender] > 0 for sending, kept in arrived)


def test_lemma_4_with_all_clocks_the_propagation_is_that_of_vector_clocks() -> None:
    """The reference: an event counts itself, and at an arrival the sender's time counts one more."""
    for links, random in graphs(40):
        execution = Execution(links, [allocated(full_vectors(links))])
        vectors = [[0] * links.size for _ in range(links.size)]
        for _ in range(40):
            if not list(links.pairs()):
                break
            sender, receiver = random.choice(list(links.pairs()))
            vectors[sender][sender] += 1
            sent = list(vectors[sender])
            sending = execution.send(sender, receiver)
            assert list(times(sending.stamps[0]).values()) == sent
            sent[sender] += 1
            vectors[receiver][receiver] += 1
            vectors[receiver] = [max(pair) for pair in zip(vectors[receiver], sent, strict=True)]
            execution.arrive(sending)
            clock = execution.clocks[0].processes[receiver]
            assert isinstance(clock, AllocatedClock)
            assert list(clock.times.values()) == vectors[receiver]


def test_lemma_5_allocation_1_keeps_a_clock_exactly_if_there_is_a_path() -> None:
    for links, _ in graphs():
        graph, allocation = digraph(links), allocate(links, 1)
        for one, other, _ in triples(links):
            assert nx.has_path(graph, one, other) == (one in allocation.clock_set(other))


def test_lemma_7_a_time_spreads_without_visiting_a_process_twice() -> None:
    """By the rule of section 2, an arrival counts the sender's time plus one. Later hops pass this number on, so the
    vectors of Lemma 7 are those without the increment.
    """
    for links, random in graphs(60):
        paths: dict[tuple[int, int, int], list[int]] = {}
        vectors = [[0] * links.size for _ in range(links.size)]
        pairs = list(links.pairs())
        for _ in range(80 if pairs else 0):
            p, q = random.choice(pairs)
            vectors[p][p] += 1
            paths[p, p, vectors[p][p]] = [p]
            vectors[q][q] += 1
            paths[q, q, vectors[q][q]] = [q]
            for process, time in enumerate(vectors[p]):
                if time > vectors[q][process]:
                    vectors[q][process] = time
                    path = [*paths[process, p, time], q]
                    assert len(set(path)) == len(path)
                    paths[process, q, time] = path


def without(links: Links, process: int) -> "nx.DiGraph[int]":
    graph = digraph(links)
    graph.remove_node(process)
    return graph


def test_lemma_8_a_path_past_the_receiver_puts_the_clock_into_the_set() -> None:
    for links, _ in graphs():
        allocation = allocate(links, 4)
        for one, other, receiver in triples(links):
            if nx.has_path(without(links, receiver), one, other):
                assert one in allocation.clock_set(other)


CYCLE = linked(4, [(0, 1), (1, 0), (3, 1), (0, 2), (3, 2)])


def test_the_converse_of_lemma_8_is_false_if_another_receiver_needs_the_clock() -> None:
    """At process 1, messages of 3 and 0 need no clock of 3: the only path from 3 to 0 is through 1 itself. But at
    process 2, they need it.
    """
    assert (3, 0, 1) in triples(CYCLE)
    assert not nx.has_path(without(CYCLE, 1), 3, 0)
    assert nx.has_path(without(CYCLE, 2), 3, 0)
    assert 3 in allocate(CYCLE, 4).clock_set(0)


def test_section_6_the_denser_the_links_the_more_clocks_are_kept() -> None:
    """The share of all clocks that processes keep, in random graphs with links in both directions."""
    shares = []
    for density in (0.05, 0.1, 0.2, 0.4, 0.8):
        kept = 0
        for seed in range(5):
            random = Random(seed)
            pairs = [pair for pair in combinations(range(30), 2) if random.random() < density]
            kept += sum(mask.bit_count() for mask in allocate(linked(30, both_ways(pairs)), 5).clocks)
        shares.append(kept / (5 * 30 * 30))
    assert shares == sorted(shares)
    assert shares[0] < 0.2
    assert shares[-1] == 1


@pytest.mark.parametrize("arrivals", (in_any_order, in_causal_order))
def test_lemma_9_an_arrival_before_the_gateways_time_of_a_message_means_sent_before(arrivals: Chooses) -> None:
    found = 0
    for links, random in graphs():
        execution = Execution(links, [allocated(allocate(links, 4))])
        execution.live(random, 60, arrivals)
        for gateway, arrived in enumerate(execution.arrived):
            for (one, [first]), (other, [second]) in permutations(arrived, 2):
                time, came = times(second).get(gateway), arrival(first)
                if one.sender != other.sender and came is not None and time is not None and time > came:
                    found += 1
                    assert other.past >> one.number & 1
    assert found > 100
