"""Execute the runs for the claims of one catalogue row, and check the claims.

Networks of low mobility grow along one axis at a time; messages and hand-offs are counted there. Networks of high
mobility provoke inhibition and violations of order. Dense cells show the effect of k. A size that two axes share runs
once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mobilesim.experiments.claims import claim_results
from mobilesim.experiments.claims.claim_results import HANDOFF, HEADER, ClaimResult
from mobilesim.experiments.claims.claim_run import RunCounts, simulate
from mobilesim.experiments.claims.scenarios import (
    Addressing,
    Effort,
    NetworkSize,
    addressings,
    dense_cells,
    high_mobility,
    low_mobility,
    option_values,
    size_axes,
)
from mobilesim.experiments.executors import never
from mobilesim.experiments.sweep.engine import SILENT, Display
from mobilesim.scenario.model import Scenario
from protocols.catalogue import OptionValue, ProtocolRow, yaml_text


@dataclass(frozen=True, slots=True)
class HighMobility:
    """Runs of high mobility with messages of one kind, and with one option changed."""

    addressing: Addressing
    option: tuple[str, OptionValue] | None = None

    def __str__(self) -> str:
        suffix = "" if self.option is None else f", {self.option[0]}={yaml_text(self.option[1])}"
        return f"{self.addressing}{suffix}"


@dataclass(frozen=True, slots=True)
class DenseCells:
    """Runs with many hosts in a cell and k logical stations; hosts move after `dwell` on average, or never."""

    k: int
    dwell: str | None = None

    def __str__(self) -> str:
        return f"dense cells, k = {self.k}, {'static' if self.dwell is None else f'dwell time {self.dwell}'}"


RunSet: TypeAlias = NetworkSize | HighMobility | DenseCells
"""Runs that are evaluated together: one for a network size, otherwise one for each replication."""

RunsBySet: TypeAlias = Mapping[RunSet, Sequence[RunCounts]]

DWELL: Final = "5 s"


@dataclass(frozen=True, slots=True)
class ClaimReport:
    """`handoffs` and `forwarded`, the number of messages forwarded over a link, are counted at low mobility."""

    row: ProtocolRow
    results: tuple[ClaimResult, ...]
    runs: int
    deliveries: int
    handoffs: int
    forwarded: int

    @property
    def holds(self) -> bool:
        return all(result.holds is not False for result in self.results)

    def result(self, what: str) -> ClaimResult | None:
        return next((result for result in self.results if result.what == what), None)


def check_claims(
    row: ProtocolRow, effort: Effort, *, title: str = "", stop: Callable[[], bool] = never, display: Display = SILENT
) -> ClaimReport | None:
    """Execute the runs and check the claims; return None if stopped before the last run. `title`: for the display."""
    runs: dict[RunSet, list[RunCounts]] = {}
    jobs = list(_jobs(row, effort))
    with display.count_runs(title, len(jobs)) as counted:
        for run_set, options, scenario, replication in jobs:
            if stop():
                return None
            runs.setdefault(run_set, []).append(simulate(row, options, scenario, replication))
            counted()
    return _report(row, effort, runs)


def _jobs(row: ProtocolRow, effort: Effort) -> Iterator[tuple[RunSet, dict[str, OptionValue], Scenario, int]]:
    for size in dict.fromkeys(size for axis in size_axes(row, effort) for size in axis.sizes):
        yield size, option_values(row, k=size.k), low_mobility(size), 0
    for replication in range(effort.replications):
        for mobile in _high_mobility_sets(row):
            changed = dict([mobile.option] if mobile.option else [])
            yield mobile, option_values(row, **changed), high_mobility(effort, mobile.addressing), replication
        for dense in (*_dense_sets(row, effort), *_dense_sets(row, effort, DWELL)):
            yield dense, option_values(row, k=dense.k), dense_cells(effort, dense.dwell), replication


def _high_mobility_sets(row: ProtocolRow) -> Iterator[HighMobility]:
    """Yield every kind of messages with the defaults, and the last kind with other values of options."""
    kinds = addressings(row)
    yield from map(HighMobility, kinds)
    for name, option in row.options.items():
        if name != "k":
            yield from (HighMobility(kinds[-1], (name, value)) for value in option.few if value != option.default)


def _dense_sets(row: ProtocolRow, effort: Effort, dwell: str | None = None) -> list[DenseCells]:
    option = row.options.get("k")
    return [] if option is None else [DenseCells(k, dwell) for k in effort.ks if k in option.values]


def _report(row: ProtocolRow, effort: Effort, runs: RunsBySet) -> ClaimReport:
    everything = _runs_of(runs, NetworkSize, HighMobility, DenseCells)
    slow = _runs_of(runs, NetworkSize)
    return ClaimReport(
        row=row,
        results=tuple(_results(row, effort, runs)),
        runs=len(everything),
        deliveries=sum(run.deliveries for run in everything),
        handoffs=sum(run.handoffs.total() for run in slow),
        forwarded=sum(run.forwarded for run in slow),
    )


def _runs_of(runs: RunsBySet, *kinds: type[RunSet]) -> list[RunCounts]:
    return [run for run_set, each in runs.items() if isinstance(run_set, kinds) for run in each]


def _results(row: ProtocolRow, effort: Effort, runs: RunsBySet) -> Iterator[ClaimResult]:
    claims = row.claims
    yield from _formulas(row, effort, runs)
    for mobile in _high_mobility_sets(row):
        yield claim_results.inhibition(claims, str(mobile), runs[mobile])
    if dense := _dense_sets(row, effort):
        yield claim_results.inhibition_by_k(claims, {each.k: runs[each] for each in dense})
        moving = {each.k: runs[each] for each in _dense_sets(row, effort, DWELL)}
        yield claim_results.inhibition_by_k_with_moves(moving, DWELL)
    yield from claim_results.delivery_order(claims, [run for each in runs.values() for run in each])
    for run_set, each in runs.items():
        yield from claim_results.faults(str(run_set), each)


def _formulas(row: ProtocolRow, effort: Effort, runs: RunsBySet) -> Iterator[ClaimResult]:
    """Yield the results for headers and hand-offs: over growing sizes, then at high mobility."""
    formulas: tuple[tuple[str, str, claim_results.Counted], ...] = (
        (HEADER, row.claims.header, lambda run: run.headers),
        (HANDOFF, row.claims.handoff, lambda run: run.handoffs),
    )
    for what, formula, counted in formulas:
        for axis in size_axes(row, effort):
            counters = [counted(runs[size][0]) for size in axis.sizes]
            yield claim_results.formula_over_sizes(what, formula, axis, counters)
    for what, formula, counted in formulas:
        yield claim_results.formula_at_high_mobility(what, formula, _runs_of(runs, HighMobility), counted)
