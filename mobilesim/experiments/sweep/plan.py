"""The plan of a sweep: its runs, the missing runs, and the replications for the wanted confidence intervals."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from mobilesim.errors import UserError
from mobilesim.experiments.sweep.points import Grid, Point, build_grid
from mobilesim.experiments.sweep.stopping_rule import StoppingRule
from mobilesim.experiments.sweep.task import Job
from mobilesim.results.layout import run_id
from mobilesim.results.location import address
from mobilesim.results.sweeps.design_record import DesignRecord
from mobilesim.results.sweeps.sweep_directory import SweepDirectory, WantedRuns
from mobilesim.scenario.sweeps.replications import Replications, fixed
from mobilesim.scenario.sweeps.sweep_file import Sweep, fingerprint

QUICK_REPLICATIONS: Final = 2
DEFAULT_REPLICATIONS: Final = 10
"""The default minimum of replications of variants. With fewer, only large differences are significant."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One protocol at one point. `index`: its index in the scenario's list of protocols. `protocol`: its label."""

    point: Point
    index: int
    protocol: str
    identity: str
    extensions: str
    scenario_hash: str

    def run(self, replication: int) -> str:
        return run_id(self.scenario_hash, self.identity, replication)


@dataclass(frozen=True, slots=True)
class Plan:
    """`resolved_text`: the sweep file with the scenario that it names, and with the changes of the command line."""

    sweep: Sweep
    resolved_text: str
    grid: Grid
    configurations: tuple[Configuration, ...]
    replications: Replications

    @property
    def protocols(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(configuration.protocol for configuration in self.configurations))

    @property
    def design(self) -> DesignRecord | None:
        """The design and the refinement for the summary; None for a grid without refinement."""
        sweep = self.sweep
        if sweep.design.is_grid and sweep.refine is None:
            return None
        rows = [[value.text for value in row] for row in sweep.rows]
        refine = None if sweep.refine is None else sweep.refine.written()
        return DesignRecord(sweep.design.kind, [factor.keys for factor in sweep.factors], rows, refine)

    def all_runs(self) -> WantedRuns:
        """Return all runs that the sweep may need, each with the label of its point."""
        numbers = range(self.replications.at_most)
        return {
            configuration.run(number): tuple(configuration.point.label.items())
            for configuration in self.configurations
            for number in numbers
        }

    def rule(self, store: SweepDirectory) -> StoppingRule:
        return StoppingRule(self.replications, store)

    def jobs(self, rule: StoppingRule, attempted: Container[str] = ()) -> list[Job]:
        """Return the missing runs in the order of replications; [] if no run is missing.

        `attempted`: the runs that this command has executed. It does not execute a failed run twice.
        """
        mark, directory = fingerprint(self.resolved_text), address(rule.store.directory)
        levels = self.levels(rule)
        jobs = [
            _job(configuration, number, directory, mark)
            for configuration in self.configurations
            for number in range(levels[configuration.run(0)])
            if not rule.store.done(configuration.run(number)) and configuration.run(number) not in attempted
        ]
        return sorted(jobs, key=lambda job: job.replication)

    def levels(self, rule: StoppingRule) -> dict[str, int]:
        """Return the number of replications of each protocol at each point, by its first run.

        Differences are those from the first protocol at the point, which needs as many replications as the others.
        """
        levels: dict[str, int] = {}
        first: Configuration | None = None
        for each in self.configurations:
            compared = self.replications.differences and first is not None and each.point is first.point
            if not compared or first is None:
                first = each
                levels[each.run(0)] = rule.needed(each.run)
            else:
                levels[each.run(0)] = level = rule.needed(each.run, first.run)
                levels[first.run(0)] = max(levels[first.run(0)], level)
        if self.replications.decide:
            self._raise_undecided(rule, levels)
        return levels

    def _raise_undecided(self, rule: StoppingRule, levels: dict[str, int]) -> None:
        """Raise the numbers of replications of protocols of which it is undecided whether they are dominated."""
        for _, at_point in groupby(self.configurations, key=attrgetter("point")):
            several = {each.protocol: each for each in at_point}
            for name, level in rule.levels_to_decide({name: each.run for name, each in several.items()}).items():
                first = several[name].run(0)
                levels[first] = max(levels[first], level)


def make_plan(sweep: Sweep) -> Plan:
    grid = build_grid(sweep)
    first = grid.points[0].scenario
    replications = sweep.replications or fixed(max(first.replications, DEFAULT_REPLICATIONS if sweep.variants else 1))
    if sweep.quick:
        replications = fixed(min(QUICK_REPLICATIONS, replications.at_least))
    plan = Plan(sweep, sweep.settled(), grid, tuple(_configurations(grid)), replications)
    _check_refinement(plan)
    return plan


def _check_refinement(plan: Plan) -> None:
    if (refine := plan.sweep.refine) is None:
        return
    where, known = f"{plan.sweep.source}: refine", ", ".join(plan.protocols)
    unknown = [name for name in refine.protocols if name not in plan.protocols]
    faults = [f"{where}.protocols: '{name}' is not among the protocols of the sweep: {known}" for name in unknown]
    if plan.replications.at_least < 2:
        faults.append(f"{where}: one replication has no interval; write 2 or more 'replications'")
    if faults:
        raise UserError(*faults)


def _configurations(grid: Grid) -> Iterator[Configuration]:
    for point in grid.points:
        scenario_hash = point.scenario.hash
        for index, choice in enumerate(point.scenario.protocols):
            used = "; ".join(filter(None, (choice.extensions, point.scenario.extensions)))
            yield Configuration(point, index, choice.label, choice.identity, used, scenario_hash)


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
        extensions=configuration.extensions,
    )
