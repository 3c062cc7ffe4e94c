"""The summary of a sweep as a frozen value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.summary.model import Summary
from analysis.sweeps import tables as sweep_tables
from analysis.sweeps import text
from analysis.sweeps.axes import Axis, Settings, axes
from analysis.sweeps.reader import CRASHED, Failure
from analysis.sweeps.variants import Comparison, DivergencesByKey, comparisons
from mobilesim.results.layout import SUMMARY, VARIANT
from mobilesim.results.location import Location


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """The summaries of all points with complete runs, in the order of the axes."""

    directory: Location
    keys: tuple[str, ...]
    points: tuple[tuple[Settings, Summary], ...]
    failures: tuple[Failure, ...]
    report: Location | None = None
    divergences: DivergencesByKey = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.points[0][1].experiment.scenario

    @property
    def axes(self) -> tuple[Axis, ...]:
        return axes(self.keys, [point for point, _ in self.points])

    @property
    def comparisons(self) -> list[Comparison]:
        return list(comparisons(self.keys, self.points))

    @property
    def runs(self) -> int:
        """The number of complete runs."""
        return sum(protocol.runs for _, summary in self.points for protocol in summary.protocols)

    @property
    def sound(self) -> bool:
        """Whether no run failed, all delays add up, and no protocol is incorrect."""
        crashed = any(failure.kind == CRASHED for failure in self.failures)
        return not crashed and all(summary.sound for _, summary in self.points)

    def lines(self, width: int | None, aligned: text.Aligned) -> list[str]:
        """Return the text of the summary for a terminal; `aligned` aligns columns."""
        found = text.lines(self.keys, self.points, self.failures, width, aligned, divergences=self.divergences)
        report = [] if self.report is None else [f"report: {self.report}"]
        return [*found, f"summary: {self.directory / SUMMARY}", *report]

    def document(self) -> dict[str, Any]:
        """Return the summary as a JSON document."""
        tables = sweep_tables.tables(self.keys, self.points, self.failures)
        return {
            "results": str(self.directory),
            "scenario": self.name,
            "version": self.points[0][1].experiment.version,
            "vary": [_axis(axis) for axis in self.axes],
            "runs": self.runs,
            "sound": self.sound,
            "report": None if self.report is None else str(self.report),
            **(
                {"divergences": [self._divergence(comparison) for comparison in self.comparisons]}
                if VARIANT in self.keys
                else {}
            ),
            **{name: table.to_pylist() for name, table in tables.items()},
        }

    def _divergence(self, of: Comparison) -> dict[str, Any]:
        found_in = self.divergences.get(of.key)
        found = None if found_in is None else found_in.first
        about = {f"vary.{key}": value for key, value in zip(self.keys, of.point, strict=True)}
        every = {} if found_in is None else found_in.by_replication
        sides: Mapping[str, Any] = {
            "left": of.left.name,
            "right": of.right.name,
            "replications": [{"replication": one, "at": each and each.at} for one, each in every.items()],
        }
        if found is None:
            return {**about, **sides, "replication": None, "at": None, "left_at": None, "right_at": None, "text": None}
        moments = {"at": found.at, "left_at": found.left.at, "right_at": found.right.at}
        return {**about, **sides, "replication": found.replication, **moments, "text": found.text(*of.names)}


def _axis(axis: Axis) -> dict[str, Any]:
    values: Sequence[Settings] = axis.values
    return {"keys": list(axis.keys), "values": [list(value) for value in values], "unit": axis.unit}
