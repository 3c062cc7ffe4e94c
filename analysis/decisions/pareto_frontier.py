"""Who is beaten by nobody: protocols by several costs at once, point by point."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from analysis.figures.style import Figure
from analysis.pipeline import run_summary, sweep_summary
from analysis.report.run_page import page as page_of_runs
from analysis.report.sweep_page import Drawn
from analysis.report.sweep_page import page as page_of_sweep
from analysis.statistics.paired_differences import difference
from analysis.summary.metrics import Metric
from analysis.summary.model import Summary
from analysis.sweeps.axes import Settings
from analysis.sweeps.metrics import Points, all_protocols, without_unit
from analysis.sweeps.model import SweepSummary
from analysis.sweeps.ranking import Rank, ranks
from analysis.sweeps.text import Aligned, crashes, told_point, verdicts
from mobilesim.results.layout import PARETO
from mobilesim.results.location import Location

_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Frontier:
    """`costs`: those of which there is something at a point at least; `idle`: the others."""

    summary: SweepSummary
    costs: tuple[Metric, ...]
    idle: tuple[Metric, ...]

    @property
    def sound(self) -> bool:
        return self.summary.sound

    def at(self, point: Settings) -> list[Rank]:
        return ranks(dict(self.summary.points)[point].protocols, self.costs)

    def lines(self, width: int | None, aligned: Aligned) -> list[str]:
        return list(self._lines(width, aligned))

    def _lines(self, width: int | None, aligned: Aligned) -> Iterator[str]:
        keys, points = self.summary.keys, self.summary.points
        yield f"by {', '.join(cost.label for cost in self.costs)}; ± is half of a 95 % interval"
        yield "beaten: one on the frontier pays clearly less in one of them, and clearly more in none"
        yield "clearly: the interval of the difference, by pairs of runs, does not hold zero"
        if any(each.on_front and each.dominated_by for point, _ in points for each in self.at(point)):
            yield "though beaten: by one that is beaten itself, or in a ring, in which each beats the next"
        if any(
            len(cost.value(each).replications) == 1
            for _, found in points
            for each in found.protocols
            for cost in self.costs
        ):
            yield "one replication has no interval: who pays less in it may do so by chance"
        yield from (f"nobody pays with {cost.label} here" for cost in self.idle)
        for point, _ in points:
            yield from ("", *([told_point(keys, point)] if keys else []))
            rows = [self._row(each, points) for each in self.at(point)]
            head = ["protocol", *(cost.heading(cost.unit(all_protocols(points))) for cost in self.costs), ""]
            narrow = None if width is None else width - len(_INDENT)
            for line in aligned([head, *rows], range(1, len(self.costs) + 1), narrow):
                yield f"{_INDENT}{line}".rstrip()
        yield ""
        yield from verdicts(keys, points, self.summary.failures)
        yield from crashes(keys, self.summary.failures)
        if self.summary.report is not None:
            yield f"report: {self.summary.report}"

    def _row(self, standing: Rank, points: Points) -> list[str]:
        means = [without_unit(cost.value(standing.protocol), cost.unit(all_protocols(points))) for cost in self.costs]
        return [standing.protocol.name, *means, standing.text]

    def document(self) -> dict[str, Any]:
        report = self.summary.report
        return {
            "results": str(self.summary.directory),
            "scenario": self.summary.name,
            "costs": [cost.label for cost in self.costs],
            "sound": self.sound,
            "report": None if report is None else str(report),
            "points": [
                {
                    "point": dict(zip(self.summary.keys, point, strict=True)),
                    "frontier": [each.protocol.name for each in self.at(point) if each.on_front],
                    "protocols": [self._entry(each, self.at(point)) for each in self.at(point)],
                }
                for point, _ in self.summary.points
            ],
        }

    def _entry(self, of: Rank, others: Sequence[Rank]) -> dict[str, Any]:
        """`less`: what each that beats it pays less, in the units of the tables, with its interval."""
        by_name = {each.protocol.name: each.protocol for each in others}
        return {
            "protocol": of.protocol.name,
            "on": of.on_front,
            "out": of.excluded or None,
            "correctness": str(of.protocol.correctness),
            "costs": {cost.label: _ends(cost.value(of.protocol)) for cost in self.costs},
            "beaten_by": [
                {
                    "protocol": name,
                    "less": {
                        cost.label: _ends(difference(cost.value(of.protocol), cost.value(by_name[name])))
                        for cost in self.costs
                    },
                }
                for name in of.dominated_by
            ],
        }


def _ends(found: Any) -> dict[str, float | None] | None:  # noqa: ANN401 - an estimate, or a difference of two
    return None if found is None else {"mean": found.mean, "low": found.low, "high": found.high}


def frontier(
    directory: Location,
    master: str | None = None,
    *,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    costs: Sequence[Metric],
    name: str = PARETO,
) -> Frontier:
    """Of a sweep, or of the runs of one scenario. `name`: the page that it is drawn in, beside what they have."""
    told: dict[str, Any] = {"report": report, "progress": progress, "name": name}
    if sweep_summary.is_sweep(directory):
        return of(sweep_summary.summarise(directory, master, page=partial(page_of_sweep, costs=costs), **told), costs)
    drawn = partial(page_of_runs, besides=partial(_besides, costs=costs))
    return of(_alone(run_summary.summarise(directory, master, page=drawn, **told)), costs)


def of(summary: SweepSummary, costs: Sequence[Metric]) -> Frontier:
    everyone = [protocol for _, each in summary.points for protocol in each.protocols]
    there = tuple(cost for cost in costs if any(cost.value(protocol).mean for protocol in everyone))
    return Frontier(summary, there, tuple(cost for cost in costs if cost not in there))


def _alone(summary: Summary) -> SweepSummary:
    """A point of a sweep that has no other."""
    return SweepSummary(summary.directory, (), (((), summary),), (), summary.report)


def _besides(summary: Summary, costs: Sequence[Metric]) -> tuple[str, list[Figure]]:
    drawn = Drawn(_alone(summary))
    return drawn.trade_offs(costs), drawn.figures
