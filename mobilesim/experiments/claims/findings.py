"""What a row claims, held against what was seen of it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from statistics import mean, stdev
from typing import Final, assert_never

from mobilesim.experiments.claims.claim_run import Seen
from mobilesim.experiments.claims.formula import agrees
from mobilesim.experiments.claims.growth_exponent import Exponent, Quantile, exponent
from mobilesim.experiments.claims.scenarios import Axis
from protocols.catalogue import Claims

HEADER: Final = "header"
HANDOFF: Final = "hand-off"
INHIBITION: Final = "inhibition"
BY_K: Final = f"{INHIBITION} by k"
NOT_CLAIMED: Final = "not claimed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim: what is claimed, what was measured, and whether that agrees; None if nothing is claimed.

    `grows`: in which power of its axis.
    """

    what: str
    claimed: str
    measured: str
    holds: bool | None
    axis: Axis | None = None
    grows: Exponent | None = None
    counts: tuple[tuple[int, ...], ...] = ()
    """At each point of the axis, all the values that occurred."""
    figures: Mapping[str, float | Sequence[float]] = field(default_factory=dict)


def growing(what: str, formula: str, axis: Axis, seen: Sequence[Counter[int]], quantile: Quantile) -> Finding:
    """A formula holds if every single message, or hand-off, is what it says at every point."""
    counts = tuple(tuple(sorted(counter)) for counter in seen)
    return Finding(
        what=f"{what} by {axis.variable}",
        claimed=formula,
        measured=" ".join(_range(values) for values in counts),
        holds=all(
            values and all(agrees(formula, point.values, value) for value in values)
            for point, values in zip(axis.points, counts, strict=True)
        ),
        axis=axis,
        grows=exponent(axis.sizes, [_mean(counter) for counter in seen], quantile) if all(seen) else None,
        counts=counts,
    )


def restless(what: str, formula: str, seen: Sequence[Seen], counted: Callable[[Seen], Counter[int]]) -> Finding:
    """Where hand-offs run into each other a formula holds just as strictly."""
    number = sum(counted(run).total() for run in seen)
    right = sum(times for run in seen for value, times in counted(run).items() if agrees(formula, run.sizes, value))
    return Finding(
        what=f"{what}, restless",
        claimed=formula,
        measured=f"so in {right:,} of {number:,}",
        holds=right == number > 0,
        figures={"counted": number, "as_claimed": right},
    )


def _range(values: Sequence[int]) -> str:
    if not values:
        return "none"
    return f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,}..{values[-1]:,}"


def _mean(counter: Counter[int]) -> float:
    return sum(value * count for value, count in counter.items()) / counter.total()


def inhibition(claims: Claims, where: str, seen: Sequence[Seen]) -> Finding:
    deliveries, inhibited, needless = (
        sum(getattr(run, name) for run in seen) for name in ("deliveries", "inhibited", "needless")
    )
    mean_wait = sum(run.inhibition for run in seen) / max(1, deliveries)
    measured = f"none in {deliveries:,} deliveries"
    if inhibited:
        measured = f"{mean_wait:.3g} ms a delivery, {inhibited / deliveries:.2%} of {deliveries:,}"
    figures = {"mean_ms": mean_wait, "deliveries": deliveries, "inhibited": inhibited}
    match claims.inhibition:
        case "none":
            holds = not inhibited
        case "by false dependencies only":
            holds = not needless
            figures["needless_to_stations"] = needless
            measured += f"; {needless or 'none'} to stations" if inhibited else ""
        case "yes" | "yes, less as k grows":
            holds = inhibited > 0
        case other:
            assert_never(other)
    return Finding(f"{INHIBITION}, {where}", claims.inhibition, measured, holds and deliveries > 0, figures=figures)


@dataclass(frozen=True, slots=True)
class Mean:
    """`half_width`: of its 95% interval over replications."""

    value: float
    half_width: float

    def __str__(self) -> str:
        return f"{self.value:.1f} ± {self.half_width:.1f}"


def averaged(values: Sequence[float], quantile: Quantile) -> Mean:
    return Mean(mean(values), quantile(len(values) - 1) * stdev(values) / sqrt(len(values)))


def inhibition_by_k(claims: Claims, seen: Mapping[int, Sequence[Seen]], quantile: Quantile) -> Finding:
    """`seen`: for each k its replications, which share movement and workload; so the falls are paired.

    Where hosts stay, all inhibition is the order among stations; what a hand-off holds back is another thing, of which
    the claim does not speak.
    """
    return _by_k(BY_K, seen, quantile, claimed=claims.inhibition == "yes, less as k grows")


def inhibition_on_the_move(seen: Mapping[int, Sequence[Seen]], dwell: str, quantile: Quantile) -> Finding:
    return _by_k(f"same, moving after {dwell}", seen, quantile, claimed=False)


def _by_k(what: str, seen: Mapping[int, Sequence[Seen]], quantile: Quantile, *, claimed: bool) -> Finding:
    waits = [[run.inhibition / max(1, run.deliveries) for run in runs] for runs in seen.values()]
    falls = [
        averaged([more - less for more, less in zip(before, after, strict=True)], quantile)
        for before, after in pairwise(waits)
    ]
    means = [mean(wait) for wait in waits]
    return Finding(
        what=what,
        claimed=f"less at k = {' '.join(map(str, seen))}" if claimed else NOT_CLAIMED,
        measured=f"{' '.join(f'{each:.1f}' for each in means)} ms, falls {', '.join(map(str, falls))}",
        holds=all(fall.value > fall.half_width for fall in falls) if claimed else None,
        figures={
            "k": list(seen),
            "mean_ms": means,
            "falls_ms": [fall.value for fall in falls],
            "falls_half_width_ms": [fall.half_width for fall in falls],
        },
    )


def order(claims: Claims, seen: Sequence[Seen]) -> Iterator[Finding]:
    deliveries = sum(run.deliveries for run in seen)
    kept: tuple[tuple[str, bool, Callable[[Seen], int]], ...] = (
        ("causal order", claims.causal, lambda run: run.causal),
        ("FIFO order", claims.fifo, lambda run: run.fifo),
    )
    for what, claimed, broken in kept:
        number = sum(map(broken, seen))
        yield _kept(what, f"broken by {number:,} of {deliveries:,} deliveries", claimed=claimed, broken=number)
    lost, duplicates = sum(run.lost for run in seen), sum(run.duplicates for run in seen)
    measured = f"{lost:,} lost, {duplicates:,} delivered again or astray, {deliveries:,} once"
    yield _kept("exactly once", measured, claimed=claims.exactly_once, broken=lost + duplicates)


def _kept(what: str, measured: str, *, claimed: bool, broken: int) -> Finding:
    return Finding(what, "yes" if claimed else NOT_CLAIMED, measured, not broken if claimed else None)


def faults(where: str, seen: Sequence[Seen]) -> Iterator[Finding]:
    """What machines raised; nothing to tell where none did."""
    for replication, run in enumerate(seen):
        if run.fault is not None:
            yield Finding("runs without a fault", "yes", f"{run.fault} ({where} #{replication})", holds=False)
