"""The initial transient: found where the mean changes, and rarely found in stationary batches."""

from collections.abc import Sequence
from math import exp
from random import Random
from typing import Final

import pytest

from mobilesim.analysis.statistics.initial_transient import transient_share
from mobilesim.statistics.proportions import Proportion

BATCHES: Final = 20


def batches(random: Random, replications: int, rise: float, settling: float = 2.0) -> list[list[float]]:
    """Return batches whose mean begins at 100 - rise, and approaches 100 exponentially."""
    return [
        [100 - rise * exp(-batch / settling) + random.gauss(0, 3) for batch in range(BATCHES)]
        for _ in range(replications)
    ]


@pytest.mark.parametrize("replications", (2, 5, 10))
def test_stationary_batches_have_rarely_a_transient(replications: int) -> None:
    random = Random(replications)
    found = [transient_share(batches(random, replications, 0.0), 0.01) for _ in range(400)]
    assert not Proportion(sum(map(bool, found)), 400).exceeds(0.005)


@pytest.mark.parametrize("rise", (60, -60))
def test_a_queue_that_fills_is_found_and_deleted(rise: float) -> None:
    random = Random(1)
    shares = [transient_share(batches(random, 5, rise), 0.01) for _ in range(50)]
    assert min(shares) >= 3 / BATCHES
    assert max(shares) <= 0.5


def test_a_transient_that_hardly_changes_the_mean_does_not_count() -> None:
    runs = [[100.0 - 5 * (batch == 0) + 0.01 * run for batch in range(BATCHES)] for run in range(4)]
    assert transient_share(runs, 0.01) == 0
    assert transient_share(runs, 0.001) == 1 / BATCHES


@pytest.mark.parametrize("runs", ([], [[1.0, 2.0] * 10]))
def test_one_replication_shows_no_transient(runs: Sequence[Sequence[float]]) -> None:
    assert transient_share(runs, 0.01) == 0
