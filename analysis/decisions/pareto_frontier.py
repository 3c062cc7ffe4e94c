"""The Pareto frontier of protocols at every point of a sweep, or of the runs of one scenario, as text and JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from mobilesim.analysis.decisions.recommendation import under_assumptions, without_location
from mobilesim.analysis.figures.style import BESIDE_PARTS
from mobilesim.analysis.pipeline.summarize import summarize_run, summarize_sweep
from mobilesim.analysis.report.run_page import page as run_page
from mobilesim.analysis.report.sweep_page import page as sweep_page
from mobilesim.analysis.report.sweep_panels import Panels
from mobilesim.analysis.statistics.estimate import Difference, Estimate, difference
from mobilesim.analysis.summary.formatting import intervals
from mobilesim.analysis.summary.metrics import COSTS, METRICS, Better, Metric
from mobilesim.analysis.summary.model import Summary
from mobilesim.analysis.sweeps.axes import Settings, point_text
from mobilesim.analysis.sweeps.front_text import front_sentences
from mobilesim.analysis.sweeps.metrics import without_unit
from mobilesim.analysis.sweeps.model import SweepSummary, one_point
from mobilesim.analysis.sweeps.ranking import Rank, ranks
from mobilesim.analysis.sweeps.reader import is_sweep
from mobilesim.analysis.sweeps.text import TextTable, crashes, verdicts
from mobilesim.errors import UserError, suggestion
from mobilesim.results.layout import PARETO, VARIANT
from mobilesim.results.location import Location

DEFAULT_COSTS: Final = ("inhibition", "bytes", "joules")

_BY_COLUMN: Final = {metric.column: metric for metric in METRICS.values() if metric.column}
COSTS_BY_NAME: Final = {name: row for name, row in (COSTS | _BY_COLUMN).items() if row.better is not Better.MORE}
"""The costs by short name, and by column in the table `protocols` of a summary."""


def costs(names: Sequence[str], fewest: int = 2) -> tuple[Metric, ...]:
    for name in names:
        if name not in COSTS_BY_NAME:
            if name in _BY_COLUMN:
                raise UserError(f"--costs {name}: this is not a cost: higher values are better; use joules")
            raise UserError(f"--costs {name}: there is no such metric{suggestion(name, COSTS_BY_NAME)}")
    if len(set(names)) < fewest:
        raise UserError(f"--costs {' '.join(names)}: one cost has no trade-offs; write two or more")
    return tuple(COSTS_BY_NAME[name] for name in dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class ParetoFrontier:
    """The ranks at each point. `costs`: the requested costs with a value above zero; `zero`: the rest of the costs."""

    summary: SweepSummary
    costs: tuple[Metric, ...]
    zero: tuple[Metric, ...]
    ranks: Mapping[Settings, tuple[Rank, ...]]

    @property
    def sound(self) -> bool:
        return self.summary.sound

    def lines(self, table: TextTable) -> Iterator[str]:
        yield from self._explanation()
        costs = [(cost, cost.unit(self.summary.protocols)) for cost in self.costs]
        head = ["protocol", *(cost.heading(unit) for cost, unit in costs), ""]
        for point, at_point in self.ranks.items():
            yield from ("", *([point_text(self.summary.keys, point)] if point else []))
            means = ([without_unit(cost.value(rank.protocol), unit) for cost, unit in costs] for rank in at_point)
            rows = [[rank.protocol.name, *cells, rank.text] for rank, cells in zip(at_point, means, strict=True)]
            yield from table([head, *rows], range(1, len(costs) + 1))
        yield ""
        yield from self._under_all_variants()
        yield from footer(self.summary)

    def _under_all_variants(self) -> Iterator[str]:
        """Yield which protocols are Pareto-optimal in all variants of a scenario, and which in some of them only."""
        if self.summary.keys != (VARIANT,):
            yield "not varied: locations, processing prices, bandwidths and media (--assumptions)"
            return
        fronts = {
            str(point[0]): {without_location(rank.protocol.name) for rank in at_point if rank.possibly_on_front}
            for point, at_point in self.ranks.items()
        }
        names = dict.fromkeys(name for front in fronts.values() for name in sorted(front))
        always = [name for name in names if all(name in front for front in fronts.values())]
        yield f"Pareto-optimal or undecided in all {len(fronts)} variants: {', '.join(always) or 'no protocol'}"
        for name in names:
            if name not in always:
                where = [variant for variant, front in fronts.items() if name in front]
                yield f"Pareto-optimal or undecided only in {', '.join(where)}: {name}"

    def _explanation(self) -> Iterator[str]:
        yield f"costs, with their margins: {', '.join(f'{cost.label} ({cost.margin_text})' for cost in self.costs)}"
        yield intervals(max(each.experiment.replications for _, each in self.summary.points))
        yield (
            "dominated: a Pareto-optimal protocol is worse by at most the margin in each cost, and better by more in "
            "one; at each point, the risk of any wrong statement is at most 5 %"
        )
        if any(rank.on_front and rank.dominated_by for several in self.ranks.values() for rank in several):
            yield (
                "Pareto-optimal, dominated by NAME only: NAME is dominated too, or both are in a cycle of dominance; "
                "dominance with margins is not transitive"
            )
        yield from (f"zero for all protocols: {cost.label}" for cost in self.zero)

    def document(self) -> dict[str, Any]:
        return {
            **self.summary.heading,
            "costs": [cost.label for cost in self.costs],
            "points": [
                {
                    "point": dict(zip(self.summary.keys, point, strict=True)),
                    "pareto_front": [rank.protocol.name for rank in at_point if rank.on_front],
                    "undecided": [rank.protocol.name for rank in at_point if rank.undecided],
                    "protocols": [self._entry(rank, at_point) for rank in at_point],
                }
                for point, at_point in self.ranks.items()
            ],
        }

    def _entry(self, rank: Rank, at_point: Sequence[Rank]) -> dict[str, Any]:
        """Return the JSON of a rank. `less`: the differences from each dominating protocol, in units of the tables."""
        values = {each.protocol.name: [cost.value(each.protocol) for cost in self.costs] for each in at_point}
        estimates = values[rank.protocol.name]

        def by_cost(several: Iterator[Estimate | Difference | None]) -> dict[str, Any]:
            return {cost.label: interval(each) for cost, each in zip(self.costs, several, strict=True)}

        return {
            "protocol": rank.protocol.name,
            "pareto_optimal": None if rank.undecided else rank.on_front,
            "may_be_dominated_by": list(rank.undecided),
            "replications_to_decide": rank.needed,
            "excluded": rank.excluded or None,
            "correctness": str(rank.protocol.correctness),
            "costs": by_cost(iter(estimates)),
            "dominated_by": [
                {"protocol": name, "less": by_cost(map(difference, estimates, values[name]))}
                for name in rank.dominated_by
            ],
        }


def pareto_frontier(summary: SweepSummary, costs: Sequence[Metric]) -> ParetoFrontier:
    nonzero = tuple(cost for cost in costs if any(cost.value(protocol).mean for protocol in summary.protocols))
    zero = tuple(cost for cost in costs if cost not in nonzero)
    points = [(point, at_point.protocols) for point, at_point in summary.points]
    if summary.keys == (VARIANT,):
        points = [(point, protocols) for point, protocols in under_assumptions(summary.points)]
    by_point = {point: tuple(ranks(protocols, nonzero)) for point, protocols in points}
    return ParetoFrontier(summary, nonzero, zero, by_point)


def footer(summary: SweepSummary) -> Iterator[str]:
    """Yield the verdicts, the failed runs and the location of the report."""
    yield from verdicts(summary)
    yield from crashes(summary)
    if summary.report is not None:
        yield f"report: {summary.report}"


def interval(value: Estimate | Difference | None) -> dict[str, float | None] | None:
    return None if value is None else {"mean": value.mean, "low": value.low, "high": value.high}


def pareto(
    directory: Location,
    master: str | None = None,
    *,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    costs: Sequence[Metric],
    name: str = PARETO,
) -> ParetoFrontier:
    """Summarize a sweep or the runs of one scenario, and compute the Pareto frontier. `name`: the report's file."""
    options: dict[str, Any] = {"report": report, "progress": progress, "name": name}
    if is_sweep(directory):
        draw = partial(sweep_page, trade_offs=costs)
        summary = summarize_sweep(directory, master, page=draw, events=False, **options)
    else:
        summary = one_point(summarize_run(directory, master, page=partial(_page, costs=costs), **options))
    return pareto_frontier(summary, costs)


def _page(summary: Summary, costs: Sequence[Metric]) -> str:
    alone = one_point(summary)
    trade_offs = Panels(alone, BESIDE_PARTS).trade_offs(costs)
    return run_page(summary, first=[trade_offs], results=front_sentences(alone.points, costs))
