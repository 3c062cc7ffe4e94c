"""Compares the claims of a protocol with the counts of its runs."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Final, assert_never

from mobilesim.errors import counted
from mobilesim.experiments.claims.claim_run import RunCounts
from mobilesim.experiments.claims.fitted_power import Exponent, fit_exponent
from mobilesim.experiments.claims.scenarios import SizeAxis
from mobilesim.extensions.formulas import agrees
from mobilesim.protocols.catalogue_rows import Claims
from mobilesim.statistics.intervals import Interval, interval
from mobilesim.statistics.proportions import Proportion

HEADER: Final = "header"
HANDOFF: Final = "hand-off"
INHIBITION: Final = "inhibition"
INHIBITION_BY_K: Final = f"{INHIBITION} by k"
NOT_CLAIMED: Final = "not claimed"

Counted = Callable[[RunCounts], Counter[int]]
"""Returns the counts of headers, or of hand-offs, of a run."""


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """A claim, its measurement, and whether they agree. `holds` is None if nothing is claimed."""

    what: str
    claimed: str
    measured: str
    holds: bool | None
    axis: SizeAxis | None = None
    growth: Exponent | None = None
    """The fitted power of the variable of the axis."""
    counts: tuple[tuple[int, ...], ...] = ()
    """The distinct values at each size of the axis."""
    numbers: Mapping[str, float | Sequence[float]] = field(default_factory=dict)


def formula_over_sizes(
    what: str, formula: str, axis: SizeAxis, counters: Sequence[Counter[int]], options: Mapping[str, int] = {}
) -> ClaimResult:
    """Check that, at every size, all messages (or hand-offs) have the value of the formula. `options`: those of the
    protocol that are variables, too.
    """
    counts = tuple(tuple(sorted(counter)) for counter in counters)
    return ClaimResult(
        what=f"{what} by {axis.variable}",
        claimed=formula,
        measured=" ".join(map(_range, counts)),
        holds=all(
            values and all(agrees(formula, {**options, **size.variables}, value) for value in values)
            for size, values in zip(axis.sizes, counts, strict=True)
        ),
        axis=axis,
        growth=fit_exponent(axis.values, [_mean(counter) for counter in counters]) if all(counters) else None,
        counts=counts,
    )


def formula_at_high_mobility(what: str, formula: str, runs: Sequence[RunCounts], counted: Counted) -> ClaimResult:
    """Check all messages (or hand-offs) in networks in which hand-offs of a host overlap."""
    number = sum(counted(run).total() for run in runs)
    right = sum(times for run in runs for value, times in counted(run).items() if agrees(formula, run.variables, value))
    return ClaimResult(
        what=f"{what}, high mobility",
        claimed=formula,
        measured=f"holds for {right:,} of {number:,}",
        holds=right == number > 0,
        numbers={"counted": number, "as_claimed": right},
    )


def _range(values: Sequence[int]) -> str:
    if not values:
        return "none"
    return f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,}..{values[-1]:,}"


def _mean(counter: Counter[int]) -> float:
    return sum(value * count for value, count in counter.items()) / counter.total()


def inhibition(claims: Claims, label: str, runs: Sequence[RunCounts], *, defaults: bool = True) -> ClaimResult:
    """Check the claim of inhibition. `defaults`: whether the options have their default values. With other values, an
    ordering that claims to inhibit need not do so.
    """
    deliveries = sum(run.deliveries for run in runs)
    inhibited = sum(run.inhibited for run in runs)
    avoidable = sum(run.avoidable for run in runs)
    mean = sum(run.inhibition_ms for run in runs) / max(1, deliveries)
    measured = f"none in {counted(deliveries, 'delivery')}"
    if inhibited:
        measured = f"{mean:.3g} ms per delivery, {inhibited / deliveries:.2%} of {deliveries:,}"
    numbers = {"mean_ms": mean, "deliveries": deliveries, "inhibited": inhibited}
    match claims.inhibition:
        case "none":
            holds = not inhibited
        case "by false dependencies only":
            holds = not avoidable
            numbers["avoidable_at_stations"] = avoidable
            measured += f"; {avoidable or 'none'} avoidable at stations" if inhibited else ""
        case "yes" | "yes, less as k grows":
            if not defaults:
                return ClaimResult(f"{INHIBITION}, {label}", NOT_CLAIMED, measured, None, numbers=numbers)
            holds = inhibited > 0
        case other:
            assert_never(other)
    return ClaimResult(f"{INHIBITION}, {label}", claims.inhibition, measured, holds and deliveries > 0, numbers=numbers)


def inhibition_by_k(what: str, runs: Mapping[int, Sequence[RunCounts]], *, claimed: bool) -> ClaimResult:
    """Check that inhibition decreases with k, if that is claimed.

    `runs`: by k, one run for each replication. In a replication, movement and messages are the same for all k, so the
    decreases are computed for each replication.
    """
    waits = [[run.inhibition_ms / max(1, run.deliveries) for run in replications] for replications in runs.values()]
    decreases = [
        interval([more - less for more, less in zip(before, after, strict=True)]) for before, after in pairwise(waits)
    ]
    means = [fmean(wait) for wait in waits]
    return ClaimResult(
        what=what,
        claimed=f"less at k = {' '.join(map(str, runs))}" if claimed else NOT_CLAIMED,
        measured=f"{' '.join(f'{mean:.1f}' for mean in means)} ms, decreases by {', '.join(map(_shown, decreases))}",
        holds=all(decrease.above_zero for decrease in decreases) if claimed else None,
        numbers={
            "k": list(runs),
            "mean_ms": means,
            "decreases_ms": [decrease.mean for decrease in decreases],
            "decreases_half_width_ms": [decrease.half_width or 0.0 for decrease in decreases],
        },
    )


def _shown(decrease: Interval) -> str:
    return f"{decrease.mean:.1f} ± {decrease.half_width or 0.0:.1f}"


def delivery_order(claims: Claims, runs: Sequence[RunCounts], default: Sequence[RunCounts]) -> Iterator[ClaimResult]:
    """Check the promises about order. `default`: the runs with default options, for which a rate is promised."""
    deliveries = sum(run.deliveries for run in runs)
    orders = [
        ("causal order", claims.causal, sum(run.causal_violations for run in runs)),
        ("FIFO order", claims.fifo, sum(run.fifo_violations for run in runs)),
    ]
    if claims.short_chains:
        orders.append(("causal order, short chains", True, sum(run.short_chain_violations for run in runs)))
    for what, claimed, violations in orders:
        measured = f"violated by {violations:,} of {counted(deliveries, 'delivery')}"
        yield _guarantee(what, measured, violations, claimed=claimed)
    if claims.violation_rate is not None:
        violations = sum(run.causal_violations for run in default)
        yield _rate(claims.violation_rate, Proportion(violations, sum(run.deliveries for run in default)))
    lost, duplicates = sum(run.lost for run in runs), sum(run.duplicates for run in runs)
    measured = f"{lost:,} lost, {duplicates:,} duplicated or misdelivered, {deliveries:,} once"
    yield _guarantee("exactly once", measured, lost + duplicates, claimed=claims.exactly_once)


def _rate(promised: float, found: Proportion) -> ClaimResult:
    return ClaimResult(
        "causal violations",
        f"at most {promised:.3%}",
        found.compared(promised),
        found.total > 0 and not found.exceeds(promised),
        numbers={"rate": found.rate, "low": found.low, "high": found.high},
    )


def _guarantee(what: str, measured: str, violations: int, *, claimed: bool) -> ClaimResult:
    return ClaimResult(what, "yes" if claimed else NOT_CLAIMED, measured, not violations if claimed else None)


def faults(label: str, runs: Sequence[RunCounts]) -> Iterator[ClaimResult]:
    """Yield a failed result for every run in which a machine raised an exception."""
    for replication, run in enumerate(runs):
        if run.fault is not None:
            yield ClaimResult("runs without a fault", "yes", f"{run.fault} ({label} #{replication})", holds=False)
