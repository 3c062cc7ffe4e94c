"""The plan of a sweep: all runs that it may need, and those that are missing in its directory."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Final

from mobilesim.experiments.sweep.points import Grid, Point, build_grid
from mobilesim.experiments.sweep.stopping_rule import StoppingRule
from mobilesim.experiments.sweep.task import Job
from mobilesim.results.layout import run_id
from mobilesim.results.location import address
from mobilesim.results.sweeps.sweep_directory import SweepDirectory, WantedRuns
from mobilesim.scenario.sweeps.replications import Replications, fixed
from mobilesim.scenario.sweeps.sweep_file import Sweep, fingerprint

QUICK_REPLICATIONS: Final = 2
DEFAULT_REPLICATIONS: Final = 10
"""The minimum number of replications of variants: with fewer, only large differences are significant."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One protocol at one point. `index`: its index in the scenario's list of protocols."""

    point: Point
    index: int
    protocol: str
    scenario_hash: str

    def run(self, replication: int) -> str:
        return run_id(self.scenario_hash, self.protocol, replication)


@dataclass(frozen=True, slots=True)
class Plan:
    """`resolved_text`: the sweep file with the content of all named files and all defaults."""

    sweep: Sweep
    resolved_text: str
    grid: Grid
    configurations: tuple[Configuration, ...]
    replications: Replications

    @property
    def protocols(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(configuration.protocol for configuration in self.configurations))

    def all_runs(self) -> WantedRuns:
        """Return every run that the sweep may need, with the label of its point."""
        numbers = range(self.replications.at_most)
        return {
            configuration.run(number): tuple(configuration.point.label.items())
            for configuration in self.configurations
            for number in numbers
        }

    def rule(self, store: SweepDirectory) -> StoppingRule:
        return StoppingRule(self.replications, store)

    def jobs(self, rule: StoppingRule, attempted: Container[str] = ()) -> list[Job]:
        """Return the missing runs in the order of replications; none if the sweep is complete.

        `attempted`: the runs that this command has executed. It does not execute a failed run twice.
        """
        mark, directory = fingerprint(self.resolved_text), address(rule.store.directory)
        jobs = [
            _job(configuration, number, directory, mark)
            for configuration in self.configurations
            for number in range(rule.needed(configuration.run))
            if not rule.store.done(configuration.run(number)) and configuration.run(number) not in attempted
        ]
        return sorted(jobs, key=lambda job: job.replication)


def make_plan(sweep: Sweep) -> Plan:
    grid = build_grid(sweep)
    first = grid.points[0].scenario
    replications = sweep.replications or fixed(max(first.replications, DEFAULT_REPLICATIONS if sweep.variants else 1))
    if sweep.quick:
        replications = fixed(min(QUICK_REPLICATIONS, replications.at_least))
    return Plan(sweep, sweep.settled(), grid, tuple(_configurations(grid)), replications)


def _configurations(grid: Grid) -> Iterator[Configuration]:
    for point in grid.points:
        scenario_hash = point.scenario.hash
        for index, choice in enumerate(point.scenario.protocols):
            yield Configuration(point, index, choice.label, scenario_hash)


def _job(configuration: Configuration, replication: int, directory: str, mark: str) -> Job:
    point = configuration.point
    return Job(
        directory=directory,
        sweep=mark,
        run=configuration.run(replication),
        label=tuple(point.label.items()),
        settings=point.settings,
        index=configuration.index,
        protocol=configuration.protocol,
        replication=replication,
        seed=point.scenario.seed,
    )
