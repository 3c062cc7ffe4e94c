"""How often intervals contain the true mean, and how often dominance is wrong, for the values of a shipped scenario."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Final

import pytest

import mobilesim as ms
from mobilesim.statistics.dominance import Domination, compare
from mobilesim.statistics.intervals import Interval, interval_of_difference, interval_of_mean
from mobilesim.statistics.proportions import Proportion

pytestmark = pytest.mark.slow

PROTOCOLS: Final = ("av1", "av2", "av3", "fifo", "prs")
METRICS: Final = (
    *("delay", "delay.p95", "inhibition", "inhibited", "causal_wait", "downlink_queue", "retransmissions", "forwards"),
    *("move.time", "move.forwarded", "move.retransmitted", "host.energy", "wireless.total", "wired.handoff"),
)
POPULATION: Final = 150
"""The number of replications from which studies are drawn. Their mean counts as the true one."""
STUDIES: Final = 500
REPLICATIONS: Final = (2, 3, 5, 10)
LEAST: Final = {2: 0.83, 3: 0.84, 5: 0.87, 10: 0.87}
"""The least share of intervals of a single mean that contain it. Skewness is hardly known from two or three values."""

Values = Mapping[tuple[str, str], tuple[float, ...]]
"""The values of all replications by protocol and metric."""


@cache
def population() -> Values:
    results = ms.run("quickstart", quick=True, replications=POPULATION, protocols=list(PROTOCOLS))
    found = {}
    for protocol in PROTOCOLS:
        summary = results.summary[protocol]
        for metric in METRICS:
            name, _, percent = metric.partition(".p")
            estimate = summary[name].estimate_of_percentile(int(percent)) if percent else summary[metric]
            if len(estimate.run_means) == POPULATION and any(estimate.run_means):
                found[protocol, metric] = estimate.run_means
    return found


def covered(found: Iterator[tuple[Interval, float]]) -> Proportion:
    """Return how many of the intervals contain the true mean. Values that are all zero have no interval."""
    known = [(each.low or 0.0, mean, each.high) for each, mean in found if each.high is not None]
    return Proportion(sum(low - 1e-9 <= mean <= high + 1e-9 for low, mean, high in known), len(known))


@pytest.mark.parametrize("replications", REPLICATIONS)
def test_intervals_of_means_cover(replications: int) -> None:
    random, all_covered = Random(replications), []
    for values in population().values():
        draws = (random.sample(values, replications) for _ in range(STUDIES))
        each = covered((interval_of_mean(drawn), fmean(values)) for drawn in draws)
        assert each.rate > LEAST[replications], each
        all_covered.append(each)
    assert sum(each.count for each in all_covered) / sum(each.total for each in all_covered) > 0.94


@pytest.mark.parametrize("replications", REPLICATIONS)
def test_intervals_of_paired_differences_cover(replications: int) -> None:
    random, all_covered = Random(replications), []
    for one, other in combinations(population(), 2):
        if one[1] != other[1]:
            continue
        pairs = list(zip(population()[one], population()[other], strict=True))
        if all(left == right for left, right in pairs):
            continue
        truth = fmean(left - right for left, right in pairs)
        found = []
        for _ in range(STUDIES // 4):
            lefts, rights = zip(*random.sample(pairs, replications), strict=True)
            if lefts != rights:
                found.append((interval_of_difference(lefts, rights), truth))
        each = covered(iter(found))
        assert each.total < 100 or each.rate > 0.85, (one, other, each)
        all_covered.append(each)
    assert sum(each.count for each in all_covered) / sum(each.total for each in all_covered) > 0.94


@pytest.mark.parametrize("replications", (4, 10))
@pytest.mark.parametrize("protocol", ("av1", "prs"))
def test_equal_protocols_are_rarely_called_dominated(protocol: str, replications: int) -> None:
    """The alternatives have the same distribution: each is the protocol in other replications."""
    random, wrong = Random(1), 0
    delay, inhibition, energy = (population()[protocol, name] for name in ("delay", "inhibition", "host.energy"))
    for _ in range(STUDIES):
        numbers = random.sample(range(POPULATION), 6 * replications)
        groups = {str(at): numbers[at * replications : (at + 1) * replications] for at in range(6)}
        costs = [_by_group(groups, values) for values in (delay, inhibition, energy)]
        margins = [_by_group(groups, [0.01 * value for value in values]) for values in (delay, delay, energy)]
        wrong += Domination.YES in compare(costs, margins).statements.values()
    assert not Proportion(wrong, STUDIES).exceeds(0.05)


def _by_group(groups: Mapping[str, Sequence[int]], values: Sequence[float]) -> dict[str, dict[int, float]]:
    return {name: {at: values[number] for at, number in enumerate(numbers)} for name, numbers in groups.items()}
