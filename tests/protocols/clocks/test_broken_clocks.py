"""Random executions find the faults of broken clocks, and clocks agree with reference implementations."""

from itertools import combinations
from random import Random

import pytest

from mobilesim.protocols.clocks import encoded, interval_tree
from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.protocols.clocks.interval_tree import TreeStamp
from mobilesim.protocols.clocks.logical_clock import Network, PhysicalTime
from tests.support.clocks.broken_clocks import BROKEN, by_trees, products
from tests.support.clocks.execution import Execution, in_any_order
from tests.support.clocks.graphs import random_links
from tests.support.clocks.lockstep import ADMITTED, ORDERS, kinds_of_wrong_answers


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_clock_gives_an_answer_that_its_row_excludes(name: str) -> None:
    of, build = BROKEN[name]
    row = CLOCKS[of]
    assert kinds_of_wrong_answers(build, ORDERS[row.arrivals], range(200)) - ADMITTED[row.errors]


def test_every_other_clock_has_a_broken_variant() -> None:
    assert {of for of, _ in BROKEN.values()} >= {name for name, row in CLOCKS.items() if row.allocation is None}


def check_products(seed: int, steps: int) -> None:
    random = Random(seed)
    network = Network(random_links(random), PhysicalTime())
    execution = Execution(network.links, [encoded.build(network), products(network)], network.physical)
    execution.live(random, steps, in_any_order)
    for _, (answer, expected) in execution.comparisons():
        assert answer is expected
    for arrived in execution.arrived:
        for _, (stamp, twin) in arrived:
            assert stamp.integers == twin.integers


def test_exponents_answer_and_count_as_products_of_primes_do() -> None:
    for seed in range(100):
        check_products(seed, 60)
    check_products(0, 1_000)


@pytest.mark.slow
def test_exponents_answer_and_count_as_products_of_primes_do_in_many_executions() -> None:
    for seed in range(1_000, 21_000):
        check_products(seed, 60)


def test_heights_in_parts_of_the_interval_answer_as_a_walk_through_trees_does() -> None:
    for seed in range(100):
        random = Random(seed)
        network = Network(random_links(random, most=9), PhysicalTime())
        clocks = interval_tree.build(network)
        execution = Execution(network.links, [clocks], network.physical)
        execution.live(random, 60, in_any_order)
        for receiver, arrived in enumerate(execution.arrived):
            for (_, (one,)), (_, (other,)) in combinations(arrived, 2):
                assert isinstance(one, TreeStamp)
                assert isinstance(other, TreeStamp)
                assert clocks.compare(receiver, one, other) is by_trees(receiver, one, other)
