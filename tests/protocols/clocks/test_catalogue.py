"""Every clock of the catalogue, compared with the true happened-before relation in random executions."""

import pytest

from mobilesim.protocols.clocks.catalogue import CLOCKS, Errors
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
    found = kinds_of_wrong_answers(CLOCKS["differential"].build, ORDERS["any"], seeds)
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
