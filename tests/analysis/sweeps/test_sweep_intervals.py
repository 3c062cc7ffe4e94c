"""Do intervals hold what they should, as often as they say? All draws are seeded."""

from collections.abc import Callable
from math import exp
from random import Random
from statistics import fmean

import pytest

from analysis.statistics.estimate import Estimate, difference, paired, ratio, sum_by_run
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
def test_the_interval_of_a_mean_holds_the_truth_in_95_of_100_cases(count: int) -> None:
    def covers(draw: Random) -> bool:
        values = [draw.gauss(40, 9) for _ in range(count)]
        return abs(fmean(values) - 40) <= half_width(values)

    assert LOW < share(covers, 5) < HIGH


def test_an_interval_that_is_too_short_would_be_found_out() -> None:
    def covers(draw: Random) -> bool:
        values = [draw.gauss(40, 9) for _ in range(5)]
        return abs(fmean(values) - 40) <= 0.7 * half_width(values)

    assert share(covers, 5) < LOW


def pair(draw: Random, gap: float) -> tuple[Estimate, Estimate]:
    """Worlds differ much, and protocols little: 3 in each world on average, or a ratio of e^0.1."""
    worlds = [draw.gauss(40, 9) for _ in range(5)]
    return estimate(*(world + gap + draw.gauss(0, 1) for world in worlds)), estimate(*worlds)


def test_the_interval_of_a_difference_holds_the_truth_in_95_of_100_cases() -> None:
    def covers(draw: Random) -> bool:
        gap = difference(*pair(draw, 3))
        assert gap is not None
        assert gap.low is not None
        assert gap.high is not None
        return gap.low <= 3 <= gap.high

    assert LOW < share(covers, 6) < HIGH


def test_the_interval_of_a_ratio_holds_the_truth_in_95_of_100_cases() -> None:
    def covers(draw: Random) -> bool:
        worlds = [exp(draw.gauss(3, 0.3)) for _ in range(5)]
        found = ratio(estimate(*(world * exp(draw.gauss(0.1, 0.05)) for world in worlds)), estimate(*worlds))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        return found.low <= exp(0.1) <= found.high

    assert LOW < share(covers, 7) < HIGH


def test_a_pair_is_of_one_replication() -> None:
    assert paired(estimate(1, 2, 3), estimate(20, 30, 40, first=1)) == [(2, 20), (3, 30)]
    assert difference(estimate(1), estimate(2, first=5)) is None
    assert ratio(estimate(1), estimate(2, first=5)) is None


def test_a_ratio_turns_round_with_its_sides() -> None:
    left, right = estimate(2, 4, 9), estimate(1, 3, 4)
    there, back = ratio(left, right), ratio(right, left)
    assert there is not None
    assert back is not None
    assert there.mean == pytest.approx((2 * 4 / 3 * 9 / 4) ** (1 / 3))
    assert (back.mean, back.low, back.high) == pytest.approx(
        (1 / there.mean, 1 / (there.high or 0), 1 / (there.low or 0))
    )


def test_there_is_no_ratio_with_nothing() -> None:
    assert ratio(estimate(1, 2), estimate(0, 1)) is None
    assert ratio(estimate(0, 2), estimate(1, 1)) is None


def test_a_single_pair_has_a_ratio_and_no_interval() -> None:
    found = ratio(estimate(3), estimate(2))
    assert found is not None
    assert found.mean == pytest.approx(1.5)
    assert (found.low, found.high) == (None, None)


def test_a_sum_is_made_run_by_run() -> None:
    """What one link carries more, the other may carry less: the sum knows it, its parts do not."""
    whole = sum_by_run([estimate(1, 2, 3), estimate(13, 12, 11)])
    assert (whole.mean, whole.low, whole.high, whole.replications) == (14, 14, 14, (0, 1, 2))
    assert sum_by_run([estimate(1), estimate(2, first=1)]).mean is None
