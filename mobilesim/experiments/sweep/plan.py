"""What runs a sweep has, and which of them are still to be done."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.experiments.run import identity
from mobilesim.experiments.sweep.points import Grid, Point, grid
from mobilesim.experiments.sweep.stopping_rule import enough
from mobilesim.experiments.sweep.task import Job
from mobilesim.results.location import address
from mobilesim.results.sweep_directory import Store, Wanted
from mobilesim.scenario.sweeps.replications import Replications, fixed
from mobilesim.scenario.sweeps.sweep_file import Sweep, fingerprint

QUICK_REPLICATIONS: Final = 2

ENOUGH: Final = 10
"""Replications of variants, unless somebody says how many: fewer show only large differences."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One protocol at one point."""

    point: Point
    place: int
    protocol: str
    scenario_hash: str

    def run(self, replication: int) -> str:
        return identity(self.scenario_hash, self.protocol, replication)


@dataclass(frozen=True, slots=True)
class Plan:
    sweep: Sweep
    settled: str
    grid: Grid
    cells: tuple[Cell, ...]
    replications: Replications

    @property
    def protocols(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.protocol for cell in self.cells))

    def possible(self) -> Wanted:
        """The runs that there may be in the end."""
        numbers = range(self.replications.at_most)
        return {cell.run(number): tuple(cell.point.label.items()) for cell in self.cells for number in numbers}

    def jobs(self, store: Store, tried: set[str], half_width: Callable[[Sequence[float]], float]) -> list[Job]:
        """The next ones, replication by replication, so that protocols can be compared early; none when all is done.

        What failed is tried once each time that the sweep starts: `tried` has what this start has seen.
        """
        mark, directory = fingerprint(self.settled), address(store.directory)
        found = [
            _job(cell, number, directory, mark)
            for cell in self.cells
            for number in self._missing(cell, store, tried, half_width)
        ]
        return sorted(found, key=lambda job: job.replication)

    def repeated(self, cell: Cell, store: Store, half_width: Callable[[Sequence[float]], float]) -> int:
        """How many replications of this cell there have to be, as far as can be known by now."""
        level = self.replications.at_least
        while all(cell.run(number) in store.records for number in range(level)):
            more = enough(self.replications, level, self._means(cell, level, store), half_width)
            if more == level:
                break
            level = more
        return level

    def _missing(
        self, cell: Cell, store: Store, tried: set[str], half_width: Callable[[Sequence[float]], float]
    ) -> Iterator[int]:
        for number in range(self.repeated(cell, store, half_width)):
            run = cell.run(number)
            if not store.done(run) and run not in tried:
                yield number

    def _means(self, cell: Cell, level: int, store: Store) -> dict[str, list[float]]:
        runs = [run for run in map(cell.run, range(level)) if store.done(run)]
        found = {metric: [store.mean(run, metric) for run in runs] for metric in self.replications.shares}
        return {metric: [mean for mean in means if mean is not None] for metric, means in found.items()}


def plan(sweep: Sweep) -> Plan:
    found = grid(sweep)
    first = found.points[0].scenario
    replications = sweep.replications or fixed(max(first.replications, ENOUGH if sweep.variants else 1))
    if sweep.quick:
        replications = fixed(min(QUICK_REPLICATIONS, replications.at_least))
    return Plan(sweep, sweep.settled(), found, tuple(_cells(found)), replications)


def _cells(grid: Grid) -> Iterator[Cell]:
    for point in grid.points:
        scenario_hash = point.scenario.hash
        for place, choice in enumerate(point.scenario.protocols):
            yield Cell(point, place, choice.label, scenario_hash)


def _job(cell: Cell, replication: int, directory: str, mark: str) -> Job:
    return Job(
        directory=directory,
        sweep=mark,
        run=cell.run(replication),
        label=tuple(cell.point.label.items()),
        settings=cell.point.settings,
        place=cell.place,
        protocol=cell.protocol,
        replication=replication,
        seed=cell.point.scenario.seed,
    )
