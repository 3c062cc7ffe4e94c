"""Common random numbers make the intervals of differences narrower: measured on a shipped sweep."""

from itertools import combinations
from math import sqrt
from statistics import fmean, stdev

import numpy as np
import pytest

from mobilesim.analysis.statistics.estimate import Estimate, difference
from mobilesim.analysis.summary.run_metrics import delays
from mobilesim.analysis.sweeps.reader import read_sweep
from mobilesim.experiments.sweep.points import build_grid
from mobilesim.scenario.bundled import find_sweep
from mobilesim.scenario.sweeps.sweep_file import load
from mobilesim.statistics.intervals import student_t
from tests.support import made_sweeps

REPLICATIONS = 8


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Estimate]]:
    """The mean delays of every protocol at two points of the sweep: few hosts with short and with long dwell times."""
    directory = tmp_path_factory.mktemp("mobility")
    small = load(find_sweep("mobility"), {"messages": "200"})
    wanted = {"exponential 1 s", "exponential 20 s"}
    for point in build_grid(small).points:
        if point.label["hosts"] == "10" and point.label["mobility.dwell"] in wanted:
            made_sweeps.run_point(
                directory, point.label, point.scenario.model_copy(update={"replications": REPLICATIONS})
            )
    found = []
    for results in read_sweep(directory).points.values():
        means: dict[str, dict[int, float]] = {}
        for run in results.runs:
            means.setdefault(run.protocol, {})[run.replication] = fmean(np.concatenate(list(delays(run))))
        found.append({name: estimate(several) for name, several in means.items()})
    return found


def estimate(means: dict[int, float]) -> Estimate:
    values = tuple(means.values())
    return Estimate("delay", 1, fmean(values), replications=tuple(means), run_means=values)


@pytest.mark.full
def test_paired_differences_are_narrower_than_unpaired_ones(points: list[dict[str, Estimate]]) -> None:
    """The unpaired interval assumes equal variances, which gives the most degrees of freedom."""
    shares = []
    for protocols in points:
        for left, right in combinations(protocols.values(), 2):
            gap = difference(left, right)
            assert gap is not None
            assert gap.high is not None
            spread = sqrt((stdev(left.run_means) ** 2 + stdev(right.run_means) ** 2) / REPLICATIONS)
            shares.append((gap.high - gap.mean) / (student_t(2 * REPLICATIONS - 2) * spread))
    assert len(shares) == 2 * 6
    assert max(shares) < 1
    assert fmean(shares) < 0.8
