"""Intervals of 95 % contain the true value in about 95 % of cases. All draws are seeded."""

from collections.abc import Callable
from math import exp
from random import Random
from statistics import fmean

import pytest

from mobilesim.analysis.statistics.estimate import Estimate, difference, paired, ratio, sum_by_run
from mobilesim.statistics.intervals import half_width

REPETITIONS = 2_000
LOW, HIGH = 0.93, 0.97


def estimate(*means: float, first: int = 0) -> Estimate:
    return Estimate("delay", 1, fmean(means), replications=tuple(range(first, first + len(means))), run_means=means)


def share(covers: Callable[[Random], bool], seed: int) -> float:
    draw = Random(seed)
    return sum(covers(draw) for _ in range(REPETITIONS)) / REPETITIONS


@pytest.mark.full
@pytest.mark.parametrize("count", (3, 5, 20))
def test_the_interval_of_a_mean_contains_it_in_95_percent_of_cases(count: int) -> None:
    def covers(draw: Random) -> bool:
        values = [draw.gauss(40, 9) for _ in range(count)]
        return abs(fmean(values) - 40) <= half_width(values)

    assert LOW < share(covers, 5) < HIGH


def test_the_check_detects_intervals_that_are_too_short() -> None:
    def covers(draw: Random) -> bool:
        values = [draw.gauss(40, 9) for _ in range(5)]
        return abs(fmean(values) - 40) <= 0.7 * half_width(values)

    assert share(covers, 5) < LOW


def pair(draw: Random, gap: float) -> tuple[Estimate, Estimate]:
    """Return two protocols in five replications. Replications differ much; protocols differ by `gap` on average."""
    means = [draw.gauss(40, 9) for _ in range(5)]
    return estimate(*(mean + gap + draw.gauss(0, 1) for mean in means)), estimate(*means)


def test_the_interval_of_a_difference_contains_it_in_95_percent_of_cases() -> None:
    def covers(draw: Random) -> bool:
        gap = difference(*pair(draw, 3))
        assert gap is not None
        assert gap.low is not None
        assert gap.high is not None
        return gap.low <= 3 <= gap.high

    assert LOW < share(covers, 6) < HIGH


def test_the_interval_of_a_ratio_contains_it_in_95_percent_of_cases() -> None:
    def covers(draw: Random) -> bool:
        means = [exp(draw.gauss(3, 0.3)) for _ in range(5)]
        found = ratio(estimate(*(mean * exp(draw.gauss(0.1, 0.05)) for mean in means)), estimate(*means))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        return found.low <= exp(0.1) <= found.high

    assert LOW < share(covers, 7) < HIGH


def test_runs_are_paired_by_replication() -> None:
    assert paired(estimate(1, 2, 3), estimate(20, 30, 40, first=1)) == [(2, 20), (3, 30)]
    assert difference(estimate(1), estimate(2, first=5)) is None
    assert ratio(estimate(1), estimate(2, first=5)) is None


def test_exchanged_sides_give_the_reciprocal_ratio() -> None:
    left, right = estimate(2, 4, 9), estimate(1, 3, 4)
    direct, inverse = ratio(left, right), ratio(right, left)
    assert direct is not None
    assert inverse is not None
    assert direct.mean is not None
    assert direct.mean == pytest.approx((2 * 4 / 3 * 9 / 4) ** (1 / 3))
    assert (inverse.mean, inverse.low, inverse.high) == pytest.approx(
        (1 / direct.mean, 1 / (direct.high or 0), 1 / (direct.low or 0))
    )


def test_a_mean_of_zero_has_no_ratio() -> None:
    assert ratio(estimate(1, 2), estimate(0, 1)) is None
    assert ratio(estimate(0, 2), estimate(1, 1)) is None


def test_a_single_pair_has_a_ratio_and_no_interval() -> None:
    found = ratio(estimate(3), estimate(2))
    assert found is not None
    assert found.mean == pytest.approx(1.5)
    assert (found.low, found.high) == (None, None)


def test_estimates_are_added_run_by_run() -> None:
    """The interval of a sum is narrow if its parts vary in opposite directions."""
    whole = sum_by_run([estimate(1, 2, 3), estimate(13, 12, 11)])
    assert (whole.mean, whole.low, whole.high, whole.replications) == (14, 14, 14, (0, 1, 2))
    assert sum_by_run([estimate(1), estimate(2, first=1)]).mean is None
