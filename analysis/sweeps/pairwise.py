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

# The column of each mean in the tables, and its metric. Inhibition is a delay part and a mean of its own.
COMPARED: Final = {**MEANS, **{part: part for part in DELAY_PARTS}}

COSTS: Final = ("header_bytes", "inhibition")
"""The costs of an ordering: bytes of each header, and time for which deliveries are held back."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The difference and the ratio of two protocols in one mean. `ratio` is None if the mean of a run is zero."""

    left: str
    right: str
    metric: str
    difference: Difference
    ratio: Ratio | None


def pairs(protocols: Sequence[ProtocolSummary]) -> Iterator[Pair]:
    """Compare each protocol with each earlier one in the list."""
    for right, left in combinations(protocols, 2):
        yield from between(left, right)


def between(left: ProtocolSummary, right: ProtocolSummary) -> Iterator[Pair]:
    """Compare two protocols, also of different points: a replication has the same random numbers at all points."""
    for name, metric in COMPARED.items():
        gap = difference(left[metric], right[metric])
        if gap is not None:
            yield Pair(left.name, right.name, name, gap, ratio(left[metric], right[metric]))


def counterparts(
    protocols: Sequence[ProtocolSummary], others: Sequence[ProtocolSummary]
) -> Iterator[tuple[ProtocolSummary, ProtocolSummary]]:
    """Pair each protocol of a point with the same one of another point, or with all if that point lacks it."""
    for left in protocols:
        same = [right for right in others if right.name == left.name]
        yield from ((left, right) for right in same or others)


def dominated_by(protocols: Sequence[ProtocolSummary]) -> dict[str, tuple[str, ...]]:
    """Return by protocol those of the Pareto front that dominate it in `COSTS`. Only causal orderings are compared."""
    causal = [protocol for protocol in protocols if protocol.claims_causal]
    front = pareto_front(domination(causal, [itemgetter(cost) for cost in COSTS]))
    off = {name: by for name, by in front.dominated_by.items() if name not in front.members}
    return {protocol.name: off.get(protocol.name, ()) for protocol in protocols}
