"""The results of `python -m benchmarks.growth` as a table and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from benchmarks.growth_points import EXPERIMENTS, Experiment, Point

_MEGABYTE: Final = 1e6
_HEADINGS: Final = ("messages", "us/message", "(min-max)", "us/hand-off", "(min-max)", "peak MB")
_WIDTHS: Final = (10, 10, 19, 11, 21, 8)


@dataclass(frozen=True, slots=True)
class GrowthMeasurement:
    """The measurement of a point in one round. `per_handoff` is None unless the point was also run without movement.

    `per_message` is the CPU time of a message in microseconds, without hand-offs if `per_handoff` is known. `peak` is
    the peak memory of the process in bytes, including the imported modules and the network of the scenario.
    """

    per_message: float
    per_handoff: float | None
    peak: int


@dataclass(frozen=True, slots=True)
class PointResult:
    point: Point
    rounds: tuple[GrowthMeasurement, ...]

    @property
    def per_message(self) -> list[float]:
        return [each.per_message for each in self.rounds]

    @property
    def per_handoff(self) -> list[float]:
        return [each.per_handoff for each in self.rounds if each.per_handoff is not None]

    @property
    def peaks(self) -> list[float]:
        return [each.peak / _MEGABYTE for each in self.rounds]


def by_experiment(results: Sequence[PointResult]) -> Mapping[Experiment, list[PointResult]]:
    """Return the results of each experiment that has any, by protocol and value."""
    found: dict[Experiment, list[PointResult]] = {}
    for name, experiment in EXPERIMENTS.items():
        if mine := [result for result in results if result.point.experiment == name]:
            protocols = list(dict.fromkeys(result.point.protocol for result in mine))
            mine.sort(key=lambda result: (protocols.index(result.point.protocol), result.point.value))
            found[experiment] = mine
    return found


def lines(results: Sequence[PointResult]) -> Iterator[str]:
    for number, (experiment, found) in enumerate(by_experiment(results).items()):
        if number:
            yield ""
        yield _row("", experiment.quantity, _HEADINGS)
        for result in found:
            yield _row(result.point.protocol, f"{result.point.value:,}", list(_cells(result)))


def _row(protocol: str, value: str, cells: Sequence[str]) -> str:
    return f"{protocol:<6}{value:>10}" + "".join(f"  {cell:>{wide}}" for cell, wide in zip(cells, _WIDTHS, strict=True))


def _cells(result: PointResult) -> Iterator[str]:
    yield f"{result.point.messages:,}"
    yield from _spread(result.per_message)
    yield from _spread(result.per_handoff)
    yield f"{median(result.peaks):,.0f}"


def _spread(times: Sequence[float]) -> tuple[str, str]:
    return (f"{median(times):,.2f}", f"({min(times):,.2f}-{max(times):,.2f})") if times else ("-", "-")


def document(results: Sequence[PointResult], core: str) -> dict[str, Any]:
    return {"core": core, "points": [_entry(result) for result in results]}


def _entry(result: PointResult) -> dict[str, Any]:
    point = result.point
    return {
        "name": point.name,
        "experiment": point.experiment,
        "protocol": point.protocol,
        "hosts": point.hosts,
        "stations": point.stations,
        "messages": point.messages,
        "microseconds_per_message": result.per_message,
        "microseconds_per_handoff": result.per_handoff or None,
        "peak_megabytes": result.peaks,
    }
