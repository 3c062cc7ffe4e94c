"""Random executions find the faults of broken clocks, and the encoded clock agrees with a reference implementation."""

from random import Random

import pytest

from mobilesim.protocols.clocks import encoded
from mobilesim.protocols.clocks.catalogue import CLOCKS
from mobilesim.protocols.clocks.logical_clock import Network, PhysicalTime
from tests.support.clocks.broken_clocks import BROKEN, products
from tests.support.clocks.execution import Execution, in_any_order
from tests.support.clocks.graphs import random_links
from tests.support.clocks.lockstep import ADMITTED, ORDERS, kinds_of_wrong_answers


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_clock_gives_an_answer_that_its_row_excludes(name: str) -> None:
    of, build = BROKEN[name]
    row = CLOCKS[of]
    assert kinds_of_wrong_answers(build, ORDERS[row.arrivals], range(200)) - ADMITTED[row.errors]


def test_every_other_clock_has_a_broken_variant() -> None:
    assert {of for of, _ in BROKEN.values()} == {name for name, row in CLOCKS.items() if row.allocation is None}


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
