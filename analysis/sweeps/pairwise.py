"""Comparisons of protocols at one point: paired differences and ratios, and Pareto dominance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Final

from analysis.statistics.paired_differences import Difference, Ratio, difference, ratio
from analysis.statistics.pareto import domination, pareto_front
from analysis.summary.metrics import MEANS
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import DELAY_PARTS

# The name of each mean in the tables, and the metric that it shows. Inhibition is a part, and a mean besides.
COMPARED: Final = {**MEANS, **{part: part for part in DELAY_PARTS}}

COSTS: Final = ("header_bytes", "inhibition")
"""What an ordering can pay with: bytes on every message, or time in which nothing is delivered."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Of two protocols and one mean. There is no ratio where the mean of a run is zero."""

    left: str
    right: str
    metric: str
    difference: Difference
    ratio: Ratio | None


def pairs(protocols: Sequence[ProtocolSummary]) -> Iterator[Pair]:
    """Each protocol against each that stands before it."""
    for right, left in combinations(protocols, 2):
        yield from between(left, right)


def between(left: ProtocolSummary, right: ProtocolSummary) -> Iterator[Pair]:
    """They may stand at different points: a replication has its random numbers at all of them."""
    for name, metric in COMPARED.items():
        gap = difference(left[metric], right[metric])
        if gap is not None:
            yield Pair(left.name, right.name, name, gap, ratio(left[metric], right[metric]))


def counterparts(
    protocols: Sequence[ProtocolSummary], others: Sequence[ProtocolSummary]
) -> Iterator[tuple[ProtocolSummary, ProtocolSummary]]:
    """Each protocol of one point with the same one of another point, or with all where that one is not there."""
    for left in protocols:
        same = [right for right in others if right.name == left.name]
        yield from ((left, right) for right in same or others)


ORDERING_COSTS: Final = tuple(itemgetter(cost) for cost in COSTS)


def dominated_by(protocols: Sequence[ProtocolSummary]) -> dict[str, tuple[str, ...]]:
    """By name, who beats it in what an ordering pays with, and is beaten by nobody. Only causal order competes."""
    found = pareto_front(domination([each for each in protocols if each.claims_causal], ORDERING_COSTS))
    off = {name: by for name, by in found.dominated_by.items() if name not in found.members}
    return {each.name: off.get(each.name, ()) for each in protocols}
