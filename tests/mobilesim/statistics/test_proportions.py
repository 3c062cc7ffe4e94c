"""Shares with Wilson intervals, and the comparison with a promised rate."""

import math

import pytest

from mobilesim.statistics.proportions import Proportion


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    # Newcombe (1998), table I: the score method without continuity correction.
    ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)),
)
def test_the_interval_is_that_of_wilson(count: int, total: int, low: float, high: float) -> None:
    found = Proportion(count, total)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_no_deliveries_and_only_violations_have_the_widest_and_the_highest_interval() -> None:
    nothing, everything = Proportion(0, 0), Proportion(20, 20)
    assert (nothing.rate, nothing.low, nothing.high) == (0.0, 0.0, 1.0)
    assert (everything.rate, everything.high) == (1.0, 1.0)
    assert math.isclose(everything.low, 1 - Proportion(0, 20).high)


def test_a_rate_exceeds_a_promise_if_its_whole_interval_does() -> None:
    assert not Proportion(12, 1000).exceeds(0.01)
    assert Proportion(120, 10_000).exceeds(0.0099)
    assert Proportion(1, 1_000).exceeds(0.0)
    assert not Proportion(0, 1_000).exceeds(0.0)


def test_the_text_has_the_count_the_rate_its_interval_and_the_promise() -> None:
    text = "12 causal violations of 1,000 deliveries (1.200%, 95% interval 0.688% to 2.086%), at most 1.000% promised"
    assert Proportion(12, 1000).compared(0.01) == text
    assert Proportion(1, 8).compared(0.5).startswith("1 causal violation of 8 deliveries ")
