"""What a sweep says, as a frozen value."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis import sweep_text, sweep_tidy
from analysis.model import Summary
from analysis.sweep_axes import Axis, Settings, axes
from analysis.sweep_read import Failure
from mobilesim.tables import SUMMARY


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """A summary for each point at which a run is complete, in the order of the axes."""

    directory: Path
    keys: tuple[str, ...]
    points: tuple[tuple[Settings, Summary], ...]
    failures: tuple[Failure, ...]
    report: Path | None = None

    @property
    def name(self) -> str:
        return self.points[0][1].experiment.scenario

    @property
    def axes(self) -> tuple[Axis, ...]:
        return axes(self.keys, [point for point, _ in self.points])

    @property
    def runs(self) -> int:
        """The complete ones."""
        return sum(protocol.runs for _, summary in self.points for protocol in summary.protocols)

    @property
    def sound(self) -> bool:
        """As far as it has run: every delivery adds up, and no protocol breaks what it claims."""
        return all(summary.sound for _, summary in self.points)

    def lines(self, width: int | None, aligned: sweep_text.Aligned) -> list[str]:
        """For a terminal so wide; `aligned` is what makes columns there."""
        told = list(sweep_text.lines(self.keys, self.points, self.failures, width, aligned))
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
            **{name: table.to_pylist() for name, table in tables.items()},
        }


def _axis(axis: Axis) -> dict[str, Any]:
    values: Sequence[Settings] = axis.values
    return {"keys": list(axis.keys), "values": [list(value) for value in values], "unit": axis.unit}
