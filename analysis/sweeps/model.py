"""What a sweep says, as a frozen value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.summary.model import Summary
from analysis.sweeps import tables as sweep_tidy
from analysis.sweeps import text, variants_text
from analysis.sweeps.axes import Axis, Settings, axes
from analysis.sweeps.reader import CRASHED, Failure
from analysis.sweeps.variants import Comparison, DivergencesByKey, comparisons
from mobilesim.results.layout import SUMMARY, VARIANT
from mobilesim.results.location import Location


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """A summary for each point at which a run is complete, in the order of the axes."""

    directory: Location
    keys: tuple[str, ...]
    points: tuple[tuple[Settings, Summary], ...]
    failures: tuple[Failure, ...]
    report: Location | None = None
    partings: DivergencesByKey = field(default_factory=dict)
    """Of variants and the base."""

    @property
    def name(self) -> str:
        return self.points[0][1].experiment.scenario

    @property
    def axes(self) -> tuple[Axis, ...]:
        return axes(self.keys, [point for point, _ in self.points])

    @property
    def comparisons(self) -> list[Comparison]:
        """Of every variant with the base."""
        return list(comparisons(self.keys, self.points))

    @property
    def runs(self) -> int:
        """The complete ones."""
        return sum(protocol.runs for _, summary in self.points for protocol in summary.protocols)

    @property
    def sound(self) -> bool:
        """No run failed, every delivery adds up, and no protocol breaks what it claims."""
        crashed = any(failure.kind == CRASHED for failure in self.failures)
        return not crashed and all(summary.sound for _, summary in self.points)

    def lines(self, width: int | None, aligned: text.Aligned) -> list[str]:
        """For a terminal so wide; `aligned` is what makes columns there."""
        if VARIANT in self.keys:
            narrow = None if width is None else width - len(variants_text.INDENT)
            told = list(
                variants_text.lines(
                    self.keys,
                    self.points,
                    self.failures,
                    self.partings,
                    lambda rows, numbers: aligned(rows, numbers, narrow),
                )
            )
        else:
            told = list(text.lines(self.keys, self.points, self.failures, width, aligned))
        told.append(f"summary: {self.directory / SUMMARY}")
        return told if self.report is None else [*told, f"report: {self.report}"]

    def document(self) -> dict[str, Any]:
        """The whole of it for a program to read."""
        tables = sweep_tidy.tables(self.keys, self.points, self.failures)
        return {
            "results": str(self.directory),
            "scenario": self.name,
            "version": self.points[0][1].experiment.version,
            "vary": [_axis(axis) for axis in self.axes],
            "runs": self.runs,
            "sound": self.sound,
            "report": None if self.report is None else str(self.report),
            **({"partings": [self._parting(each) for each in self.comparisons]} if VARIANT in self.keys else {}),
            **{name: table.to_pylist() for name, table in tables.items()},
        }

    def _parting(self, of: Comparison) -> dict[str, Any]:
        parted = self.partings.get(of.key)
        found = None if parted is None else parted.first
        about = {f"vary.{key}": value for key, value in zip(self.keys, of.point, strict=True)}
        every = {} if parted is None else parted.by_replication
        sides: Mapping[str, Any] = {
            "left": of.left.name,
            "right": of.right.name,
            "replications": [{"replication": one, "at": each and each.at} for one, each in every.items()],
        }
        if found is None:
            return {**about, **sides, "replication": None, "at": None, "left_at": None, "right_at": None, "told": None}
        moments = {"at": found.at, "left_at": found.left.at, "right_at": found.right.at}
        return {**about, **sides, "replication": found.replication, **moments, "told": found.text(*of.names)}


def _axis(axis: Axis) -> dict[str, Any]:
    values: Sequence[Settings] = axis.values
    return {"keys": list(axis.keys), "values": [list(value) for value in values], "unit": axis.unit}
