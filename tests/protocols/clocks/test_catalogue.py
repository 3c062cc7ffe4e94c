"""Every clock of the catalogue, compared with the true happened-before relation in random executions."""

from collections.abc import Callable, Mapping
from random import Random

import pytest

from mobilesim.protocols.clocks.catalogue import CLOCKS, Errors
from mobilesim.protocols.clocks.logical_clock import Network, PhysicalTime
from tests.support.clocks.execution import Execution, in_any_order
from tests.support.clocks.graphs import random_links
from tests.support.clocks.lockstep import (
    ADMITTED,
    MISSED,
    ORDERS,
    REVERSED,
    SPURIOUS,
    Variant,
    kinds_of_wrong_answers,
    variants,
)

SEED_OF_A_REVERSED_ANSWER = 2094

VARIANTS = list(variants())
of_each_clock = pytest.mark.parametrize("variant", VARIANTS, ids=[variant.text for variant in VARIANTS])


@of_each_clock
def test_a_clock_gives_only_the_wrong_answers_that_its_row_admits(variant: Variant) -> None:
    found = kinds_of_wrong_answers(variant.build, ORDERS[variant.row.arrivals], range(200))
    admitted = ADMITTED[variant.errors]
    assert found <= admitted
    assert found or not admitted or variant.options.get("counters") == 1, "the row admits errors that do not occur"


@pytest.mark.slow
@of_each_clock
def test_a_clock_gives_only_the_wrong_answers_that_its_row_admits_in_20_000_executions(variant: Variant) -> None:
    found = kinds_of_wrong_answers(variant.build, ORDERS[variant.row.arrivals], range(1_000, 21_000))
    assert found <= ADMITTED[variant.errors]


def test_without_fifo_order_differential_vectors_give_wrong_answers_of_every_kind() -> None:
    seeds = [*range(200), SEED_OF_A_REVERSED_ANSWER]
    found = kinds_of_wrong_answers(CLOCKS["differential"].clocks, ORDERS["any"], seeds)
    assert found >= MISSED | SPURIOUS
    assert found & REVERSED


@pytest.mark.parametrize("name", [name for name, row in CLOCKS.items() if row.arrivals == "causal"])
def test_without_causal_order_gateways_miss_orders(name: str) -> None:
    variant = Variant(CLOCKS[name], {})
    found = kinds_of_wrong_answers(variant.build, ORDERS["any"], range(300))
    assert found
    assert found <= MISSED


def test_the_catalogue_has_a_name_a_title_and_a_paper_for_every_clock() -> None:
    for name, row in CLOCKS.items():
        assert row.name == name
        assert all((row.title, row.paper, row.integers))
    assert {row.errors for row in CLOCKS.values()} == {Errors.NONE, Errors.SPURIOUS}


SIZES: Mapping[str, Callable[[int], float]] = {
    "N": lambda processes: processes,
    "at most N": lambda processes: processes,
    "at most 2 N": lambda processes: 2 * processes,
    "at most 2.1 N": lambda processes: 2.1 * processes,
    "entries": lambda _: 4,
    "counters": lambda _: 8,
    "2": lambda _: 2,
    "1": lambda _: 1,
}
"""The sizes in the catalogue, with default options. That of an encoded clock depends on the events."""


@pytest.mark.parametrize("name", [name for name, row in CLOCKS.items() if row.integers in SIZES])
def test_no_message_is_larger_than_its_row_says(name: str) -> None:
    row, largest = CLOCKS[name], 0.0
    for seed in range(60):
        random = Random(seed)
        network = Network(random_links(random, most=9), PhysicalTime(), fifo=False)
        execution = Execution(network.links, [row.clocks(network)], network.physical)
        execution.live(random, 60, in_any_order)
        sizes = [stamp.integers for arrived in execution.arrived for _, (stamp,) in arrived]
        limit = SIZES[row.integers](network.size)
        assert max(sizes, default=0) <= limit
        largest = max(largest, max(sizes, default=0) / limit)
        if not row.integers.startswith("at most"):
            assert set(sizes) <= {limit}
    assert largest > 0.9, "a lower limit would do"


def test_every_size_but_that_of_an_encoded_clock_is_checked() -> None:
    assert [name for name, row in CLOCKS.items() if row.integers not in SIZES] == ["encoded"]
