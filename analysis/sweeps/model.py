"""The summary of a sweep as a frozen value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from mobilesim.analysis.summary.model import Experiment, ProtocolSummary, Summary
from mobilesim.analysis.sweeps import text
from mobilesim.analysis.sweeps.axes import Axis, Settings, axes, factor_axes
from mobilesim.analysis.sweeps.crossings import crossings
from mobilesim.analysis.sweeps.designs import overview
from mobilesim.analysis.sweeps.designs.indices import MetricIndices
from mobilesim.analysis.sweeps.designs.refined_crossings import Crossing, crossing_sentences, refined_crossings
from mobilesim.analysis.sweeps.effects import sentences
from mobilesim.analysis.sweeps.reader import Failure
from mobilesim.analysis.sweeps.tables import tables
from mobilesim.analysis.sweeps.variants import Comparison, DivergencesByKey, comparisons
from mobilesim.errors import UserError
from mobilesim.results.layout import SUMMARY, VARIANT
from mobilesim.results.location import Location
from mobilesim.results.statuses import RunStatus
from mobilesim.results.sweeps.design_record import ONE_AT_A_TIME, DesignRecord


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """The summaries of all points with complete runs, in the order of the axes."""

    directory: Location
    keys: tuple[str, ...]
    points: tuple[tuple[Settings, Summary], ...]
    failures: tuple[Failure, ...] = ()
    report: Location | None = None
    divergences: DivergencesByKey = field(default_factory=dict)
    design: DesignRecord | None = None
    """The design; None for a grid."""
    refine: Mapping[str, Any] | None = None
    """The settings of the refinement, if there is one."""
    indices: tuple[MetricIndices, ...] = ()
    """The Sobol indices, if the design has them."""

    def __getitem__(self, name: str) -> NoReturn:
        """Raise: only the summary of a scenario has one value of a metric for a protocol."""
        raise UserError(
            f"[{name!r}]: this is the summary of a sweep, with values at each point; the results have them in "
            "frame(METRIC) and summary_tables"
        )

    @property
    def experiment(self) -> Experiment:
        """The experiment at the first point."""
        return self.points[0][1].experiment

    @property
    def axes(self) -> tuple[Axis, ...]:
        points = [point for point, _ in self.points]
        return axes(self.keys, points) if self.design is None else factor_axes(self.design.factors, self.keys, points)

    @property
    def is_sampled(self) -> bool:
        """Whether the points are a sample of a space: most values of a factor occur at a single point."""
        return self.design is not None and self.design.kind != ONE_AT_A_TIME

    @property
    def protocols(self) -> list[ProtocolSummary]:
        """The protocols of all points."""
        return [protocol for _, summary in self.points for protocol in summary.protocols]

    @property
    def comparisons(self) -> list[Comparison]:
        return list(comparisons(self.keys, self.points))

    @property
    def runs(self) -> int:
        """The number of complete runs."""
        return sum(protocol.runs for protocol in self.protocols)

    @property
    def sound(self) -> bool:
        """Whether no run failed, all delays add up, and no protocol is incorrect."""
        crashed = any(failure.kind == RunStatus.FAILED for failure in self.failures)
        return not crashed and all(summary.sound for _, summary in self.points)

    @property
    def crossings(self) -> list[Crossing]:
        """The crossings to which the refinement has led."""
        return refined_crossings(self.refine, self.axes[0], self.points) if self.refine else []

    @property
    def results(self) -> list[str]:
        """The sentences with which the report begins: the effects of variants, or where protocols cross."""
        if self.comparisons:
            return [*sentences(self.comparisons)]
        if self.design is not None:
            return overview.results(self)
        refined = crossing_sentences(self.refine, self.axes[0], self.crossings) if self.refine else []
        return [*refined, *(crossings(self.axes[0], self.keys, self.points) if self.axes else [])]

    def lines(self, table: text.TextTable) -> Iterator[str]:
        yield from self.numbers(table)
        yield f"summary: {self.directory / SUMMARY}"
        if self.report is not None:
            yield f"report: {self.report}"

    def numbers(self, table: text.TextTable) -> Iterator[str]:
        """Yield the lines without the paths of files."""
        yield from text.lines(self, table)

    @property
    def heading(self) -> dict[str, Any]:
        """The first entries of a JSON document on this sweep."""
        directory, scenario = str(self.directory), self.experiment.scenario
        report = None if self.report is None else str(self.report)
        return {"results": directory, "scenario": scenario, "sound": self.sound, "report": report}

    def document(self) -> dict[str, Any]:
        compared = {"divergences": list(map(self._divergence, self.comparisons))} if VARIANT in self.keys else {}
        return {
            **self.heading,
            "version": self.experiment.version,
            "design": "grid" if self.design is None else self.design.kind,
            "vary": [
                {"keys": axis.keys, "values": axis.values, "unit": f"{axis.words} {axis.unit}".strip()}
                for axis in self.axes
            ],
            "runs": self.runs,
            **compared,
            **{name: table.to_pylist() for name, table in tables(self).items()},
        }

    def _divergence(self, comparison: Comparison) -> dict[str, Any]:
        divergences = self.divergences.get(comparison.key)
        by_replication = {} if divergences is None else divergences.by_replication
        first = None if divergences is None else divergences.first
        return {
            **{f"vary.{key}": value for key, value in zip(self.keys, comparison.point, strict=True)},
            "left": comparison.left.name,
            "right": comparison.right.name,
            "replications": [{"replication": one, "at": each and each.at} for one, each in by_replication.items()],
            "replication": first and first.replication,
            "at": first and first.at,
            "left_at": first and first.left.at,
            "right_at": first and first.right.at,
            "text": first and first.text(*comparison.names),
        }


def one_point(summary: Summary) -> SweepSummary:
    """Return the summary of a run as the summary of a sweep with one point."""
    return SweepSummary(summary.directory, (), (((), summary),), report=summary.report)
