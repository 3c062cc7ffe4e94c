"""Execute the runs for the claims of one catalogue row, and check the claims.

There are three kinds of networks. Networks of low mobility grow along one axis at a time; in these, the integers of
headers and the packets of hand-offs are counted. Networks of high mobility provoke inhibition and violations of order.
Dense cells show the effect of k. A network size on two axes is simulated once. Table 1 of Alagar and Venkatesan (1994)
is also compared with the measurements.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mobilesim.experiments.claims import claim_results
from mobilesim.experiments.claims.claim_results import HANDOFF, HEADER, INHIBITION, INHIBITION_BY_K, ClaimResult
from mobilesim.experiments.claims.claim_run import RunCounts, simulate
from mobilesim.experiments.claims.scenarios import (
    Effort,
    NetworkSize,
    addressings,
    dense_cells,
    formula_options,
    high_mobility,
    low_mobility,
    option_values,
    size_axes,
)
from mobilesim.experiments.sweep.engine import Display
from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow, yaml_text
from mobilesim.scenario.model import Scenario

DWELL: Final = "5 s"


@dataclass(frozen=True, slots=True)
class RunSet:
    """Runs that are evaluated together: one run for a network size or, in other networks, one for each replication."""

    label: str
    scenario: Scenario
    options: Mapping[str, OptionValue]
    runs: list[RunCounts] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RunSets:
    """`dense` and `moving`: dense cells, by k. In `dense`, hosts never move; in `moving`, they dwell for `DWELL`."""

    sizes: Mapping[NetworkSize, RunSet]
    mobile: Sequence[RunSet]
    dense: Mapping[int, RunSet]
    moving: Mapping[int, RunSet]

    def all(self) -> Sequence[RunSet]:
        return *self.sizes.values(), *self.replicated()

    def replicated(self) -> Sequence[RunSet]:
        return *self.mobile, *self.dense.values(), *self.moving.values()


@dataclass(frozen=True, slots=True)
class ClaimReport:
    """`handoffs`: the hand-offs at low mobility. `forwarded`: the messages forwarded over a link in the same runs."""

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
    row: ProtocolRow, effort: Effort, *, title: str, stop: Callable[[], bool], display: Display
) -> ClaimReport | None:
    """Execute the runs and check the claims. Return None if `stop` returns true before the last run."""
    sets = _run_sets(row, effort)
    jobs = [(run_set, 0) for run_set in sets.sizes.values()]
    jobs += [(run_set, number) for number in range(effort.replications) for run_set in sets.replicated()]
    with display.count_runs(title, len(jobs)) as counted:
        for run_set, replication in jobs:
            if stop():
                return None
            run_set.runs.append(simulate(row, run_set.options, run_set.scenario, replication))
            counted()
    return _report(row, effort, sets)


def _run_sets(row: ProtocolRow, effort: Effort) -> RunSets:
    sizes = dict.fromkeys(size for axis in size_axes(row, effort) for size in axis.sizes)
    ks = [k for k in effort.ks if "k" in row.options and k in row.options["k"].values]
    dense, moving = (
        {k: RunSet(f"dense cells, k = {k}, {hosts}", dense_cells(effort, dwell), option_values(row, k=k)) for k in ks}
        for hosts, dwell in (("static", None), (f"dwell time {DWELL}", DWELL))
    )
    return RunSets(
        {size: RunSet(str(size), low_mobility(size), option_values(row, k=size.k)) for size in sizes},
        list(_high_mobility_sets(row, effort)),
        dense,
        moving,
    )


def _high_mobility_sets(row: ProtocolRow, effort: Effort) -> Iterator[RunSet]:
    """Yield a set for each kind of messages with default options, and for other options with the last kind."""
    kinds = addressings(row)
    for kind in kinds:
        yield RunSet(kind, high_mobility(effort, kind), option_values(row))
    for name, option in row.options.items():
        for value in option.examples:
            # The hosts of these runs move, so channels are not FIFO.
            usual = name == "k" or value == option.default or option.needs is not None
            if not usual and (name, value) not in row.ordering_row.needs_fifo:
                label = f"{kinds[-1]}, {name}={yaml_text(value)}"
                yield RunSet(label, high_mobility(effort, kinds[-1]), option_values(row, **{name: value}))


def _report(row: ProtocolRow, effort: Effort, sets: RunSets) -> ClaimReport:
    slow = [run for each in sets.sizes.values() for run in each.runs]
    runs = slow + [run for each in sets.replicated() for run in each.runs]
    return ClaimReport(
        row=row,
        results=tuple(_results(row, effort, sets, runs)),
        runs=len(runs),
        deliveries=sum(run.deliveries for run in runs),
        handoffs=sum(run.handoffs.total() for run in slow),
        forwarded=sum(run.forwarded for run in slow),
    )


def _results(row: ProtocolRow, effort: Effort, sets: RunSets, runs: Sequence[RunCounts]) -> Iterator[ClaimResult]:
    claims = row.claims
    yield from _formulas(row, effort, sets)
    for mobile in sets.mobile:
        defaults = mobile.options == option_values(row)
        yield claim_results.inhibition(claims, mobile.label, mobile.runs, defaults=defaults)
    # If hosts never move, all inhibition is due to the ordering. No row has a claim about inhibition by hand-offs.
    for what, dense, claimed in (
        (INHIBITION_BY_K, sets.dense, claims.inhibition == "yes, less as k grows"),
        (f"same, dwell time {DWELL}", sets.moving, False),
    ):
        if dense:
            yield claim_results.inhibition_by_k(what, {k: each.runs for k, each in dense.items()}, claimed=claimed)
    default = [run for each in sets.all() if each.options == option_values(row) for run in each.runs]
    yield from claim_results.delivery_order(claims, runs, default)
    for each in sets.all():
        yield from claim_results.faults(each.label, each.runs)


def _formulas(row: ProtocolRow, effort: Effort, sets: RunSets) -> Iterator[ClaimResult]:
    """Yield the results for headers and hand-offs: first over growing sizes, and then at high mobility."""
    formulas: tuple[tuple[str, str, claim_results.Counted], ...] = (
        (HEADER, row.claims.header, lambda run: run.headers),
        (HANDOFF, row.claims.handoff, lambda run: run.handoffs),
    )
    for what, formula, counted in formulas:
        for axis in size_axes(row, effort):
            counters = [counted(sets.sizes[size].runs[0]) for size in axis.sizes]
            yield claim_results.formula_over_sizes(what, formula, axis, counters, formula_options(option_values(row)))
    mobile = [run for each in sets.mobile for run in each.runs]
    for what, formula, counted in formulas:
        yield claim_results.formula_at_high_mobility(what, formula, mobile, counted)


PAPER: Final = "Alagar & Venkatesan 1994, table 1"

TABLE: Final[Mapping[str, Mapping[str, tuple[str, Mapping[str, int]]]]] = {
    "av1": {
        HEADER: ("O(n_h^2)", {"n_h": 2, "n_s": 0}),
        HANDOFF: ("O(1)", {"n_h": 0, "n_s": 0}),
        INHIBITION: ("no", {}),
    },
    "av2": {
        HEADER: ("O(n_s^2)", {"n_h": 0, "n_s": 2}),
        HANDOFF: ("O(n_s)", {"n_h": 0, "n_s": 1}),
        INHIBITION: ("yes", {}),
    },
    "av3": {
        HEADER: ("O(k^2 n_s^2)", {"n_h": 0, "n_s": 2, "k": 2}),
        HANDOFF: ("O(k n_s)", {"n_h": 0, "n_s": 1, "k": 1}),
        INHIBITION: ("decreases with k", {}),
    },
}
"""By algorithm and quantity, the entry as it is printed, and the exponent of each variable in this entry."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A printed entry, the claim of the catalogue, and the measurement: fitted powers or inhibition."""

    protocol: str
    what: str
    printed: str
    claimed: str
    measured: str
    holds: bool


def table_entries(reports: Sequence[ClaimReport]) -> Iterator[TableEntry]:
    """Yield the entries of the algorithms that have a report."""
    for report in reports:
        for what, (printed, exponents) in TABLE.get(report.row.name, {}).items():
            found = _inhibition(report) if what == INHIBITION else _growth(report, what, exponents)
            yield TableEntry(report.row.name, what, printed, *found)


def _growth(report: ClaimReport, what: str, exponents: Mapping[str, int]) -> tuple[str, str, bool]:
    fitted, holds, claimed = [], True, ""
    for variable, exponent in exponents.items():
        result = report.result(f"{what} by {variable}")
        assert result is not None
        claimed, growth = result.claimed, result.growth
        holds &= result.holds is True and growth is not None and growth.agrees_with(exponent)
        fitted.append("no power" if growth is None else growth.as_power_of(variable))
    return claimed, ", ".join(fitted), holds


def _inhibition(report: ClaimReport) -> tuple[str, str, bool]:
    """Return claim, measurement (by k, if there is one), and whether all results about inhibition hold."""
    results = [result for result in report.results if result.what.startswith(INHIBITION)]
    shown = report.result(INHIBITION_BY_K) or results[0]
    return report.row.claims.inhibition, shown.measured, all(result.holds for result in results)
