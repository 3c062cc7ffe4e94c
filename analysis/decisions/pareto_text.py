"""A Pareto frontier as text and as JSON, computed from the results of a run or a sweep."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from analysis.decisions.pareto_frontier import ParetoFrontier, pareto_frontier
from analysis.pipeline.summarize import summarize_run, summarize_sweep
from analysis.report.run_page import page as run_page
from analysis.report.sweep_page import page as sweep_page
from analysis.report.sweep_panels import Panels
from analysis.statistics.estimate import Estimate
from analysis.statistics.paired_differences import Difference, difference
from analysis.summary.metrics import Metric
from analysis.summary.model import Summary
from analysis.sweeps.metrics import all_protocols, without_unit
from analysis.sweeps.model import SweepSummary
from analysis.sweeps.ranking import Rank
from analysis.sweeps.reader import is_sweep
from analysis.sweeps.text import Aligned, crashes, point_text, verdicts
from mobilesim.results.layout import PARETO
from mobilesim.results.location import Location

_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class ParetoReport:
    """A Pareto frontier with the results behind it."""

    summary: SweepSummary
    frontier: ParetoFrontier

    @property
    def sound(self) -> bool:
        return self.summary.sound

    def lines(self, width: int | None, aligned: Aligned) -> list[str]:
        return list(self._lines(width, aligned))

    def _lines(self, width: int | None, aligned: Aligned) -> Iterator[str]:
        keys, points = self.summary.keys, self.summary.points
        yield from self._explanation()
        narrow = None if width is None else width - len(_INDENT)
        costs = [(cost, cost.unit(all_protocols(points))) for cost in self.frontier.costs]
        head = ["protocol", *(cost.heading(unit) for cost, unit in costs), ""]
        for point, ranks in self.frontier.ranks.items():
            yield from ("", *([point_text(keys, point)] if keys else []))
            rows = [
                [
                    rank.protocol.name,
                    *(without_unit(cost.value(rank.protocol), unit) for cost, unit in costs),
                    rank.text,
                ]
                for rank in ranks
            ]
            for line in aligned([head, *rows], range(1, len(costs) + 1), narrow):
                yield f"{_INDENT}{line}".rstrip()
        yield ""
        yield from footer(self.summary)

    def _explanation(self) -> Iterator[str]:
        costs = self.frontier.costs
        yield f"costs: {', '.join(cost.label for cost in costs)}; ± is half of a 95 % interval"
        yield "dominated: a Pareto-optimal protocol is significantly lower in a cost, and in none significantly higher"
        yield "significant: the 95 % interval of the difference, by pairs of runs, does not contain zero"
        if any(rank.on_front and rank.dominated_by for ranks in self.frontier.ranks.values() for rank in ranks):
            yield "though dominated: by a dominated protocol, or in a cycle in which each dominates the next"
        protocols = list(all_protocols(self.summary.points))
        if any(len(cost.value(protocol).replications) == 1 for protocol in protocols for cost in costs):
            yield "one replication has no interval: a lower mean counts as lower, and may be so by chance"
        yield from (f"zero for all protocols: {cost.label}" for cost in self.frontier.zero)

    def document(self) -> dict[str, Any]:
        """Return the JSON document."""
        report = self.summary.report
        return {
            "results": str(self.summary.directory),
            "scenario": self.summary.name,
            "costs": [cost.label for cost in self.frontier.costs],
            "sound": self.sound,
            "report": None if report is None else str(report),
            "points": [
                {
                    "point": dict(zip(self.summary.keys, point, strict=True)),
                    "pareto_front": [rank.protocol.name for rank in ranks if rank.on_front],
                    "protocols": [self._entry(rank, ranks) for rank in ranks],
                }
                for point, ranks in self.frontier.ranks.items()
            ],
        }

    def _entry(self, rank: Rank, ranks: Sequence[Rank]) -> dict[str, Any]:
        """Return the JSON of a rank. `less`: the savings of each dominating protocol, in the units of the tables."""
        protocols = {other.protocol.name: other.protocol for other in ranks}
        costs = self.frontier.costs
        return {
            "protocol": rank.protocol.name,
            "pareto_optimal": rank.on_front,
            "excluded": rank.excluded or None,
            "correctness": str(rank.protocol.correctness),
            "costs": {cost.label: interval(cost.value(rank.protocol)) for cost in costs},
            "dominated_by": [
                {
                    "protocol": name,
                    "less": {
                        cost.label: interval(difference(cost.value(rank.protocol), cost.value(protocols[name])))
                        for cost in costs
                    },
                }
                for name in rank.dominated_by
            ],
        }


def footer(summary: SweepSummary) -> Iterator[str]:
    """Yield the verdicts, the failed runs and the place of the report."""
    yield from verdicts(summary.keys, summary.points, summary.failures)
    yield from crashes(summary.keys, summary.failures)
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
) -> ParetoReport:
    """Summarize a sweep or the runs of one scenario, and compute the Pareto frontier. `name`: the report's file."""
    options: dict[str, Any] = {"report": report, "progress": progress, "name": name}
    if is_sweep(directory):
        page = partial(sweep_page, trade_offs=costs)
        summary = summarize_sweep(directory, master, page=page, **options)
    else:
        summary = _one_point(summarize_run(directory, master, page=partial(_page, costs=costs), **options))
    return ParetoReport(summary, pareto_frontier(summary, costs))


def _one_point(summary: Summary) -> SweepSummary:
    return SweepSummary(summary.directory, (), (((), summary),), (), summary.report)


def _page(summary: Summary, costs: Sequence[Metric]) -> str:
    return run_page(summary, first=[Panels(_one_point(summary)).trade_offs(costs)])
