"""The plan of a sweep: its runs, the missing runs, and the replications for the wanted confidence intervals."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mobilesim.errors import UserError
from mobilesim.experiments.sweep.points import Grid, Point, build_grid
from mobilesim.experiments.sweep.task import Job
from mobilesim.results.layout import run_id
from mobilesim.results.location import address
from mobilesim.results.sweeps.design_record import DesignRecord
from mobilesim.results.sweeps.sweep_directory import SweepDirectory, WantedRuns
from mobilesim.scenario.sweeps.replications import Replications, fixed
from mobilesim.scenario.sweeps.sweep_file import Sweep, fingerprint
from mobilesim.statistics.intervals import half_width

QUICK_REPLICATIONS: Final = 2
DEFAULT_REPLICATIONS: Final = 10
"""The default minimum of replications of variants. With fewer, only large differences are significant."""
_GROWTH: Final = 2
"""The largest growth of the number of replications in one step, because few runs give a poor estimate of a variance."""


class StoppingRule:
    """Applies the rule for replications to the runs in a directory. The mean of a run is computed once."""

    def __init__(self, replications: Replications, store: SweepDirectory) -> None:
        self.store = store
        self._replications = replications
        self._means: dict[tuple[str, str], float | None] = {}

    def needed(self, run: Callable[[int], str]) -> int:
        """Return the number of replications that are needed. `run`: the run id of a replication."""
        level = self._replications.at_least
        while all(run(number) in self.store.records for number in range(level)):
            done = [name for name in map(run, range(level)) if self.store.done(name)]
            found = {metric: [self.mean(run, metric) for run in done] for metric in self._replications.until}
            means = {metric: [mean for mean in each if mean is not None] for metric, each in found.items()}
            more = replications_needed(self._replications, level, means)
            if more == level:
                break
            level = more
        return level

    def mean(self, run: str, metric: str) -> float | None:
        """Return the mean of a column over the deliveries of a run; None if there are no deliveries."""
        if (run, metric) not in self._means:
            rows = self.store.rows(run, "deliveries")
            try:
                self._means[run, metric] = pc.mean(rows.read(metric)[metric]).as_py()
            except (pa.ArrowException, KeyError):
                raise UserError(f"{rows.path}: damaged; delete it and start the sweep again") from None
        return self._means[run, metric]


def replications_needed(wanted: Replications, level: int, means: Mapping[str, Sequence[float]]) -> int:
    """Return `level` if the intervals are narrow enough or the limit is reached, else the level of the next step.

    `level`: a number of replications. The result depends only on the means. So a sweep that is continued later takes
    the same steps.
    """
    if level >= wanted.at_most:
        return level
    needed = [_needed(level, values, wanted.until[metric]) for metric, values in means.items()]
    most = max(needed, default=float(level))
    return level if most <= level else min(wanted.at_most, max(level + 1, ceil(min(_GROWTH * level, most))))


def _needed(level: int, means: Sequence[float], share: float) -> float:
    if len(means) < 2:
        return level  # further runs would probably fail, or deliver nothing, too
    half, target = half_width(means), share * abs(sum(means) / len(means))
    if half <= target:
        return level
    return level * (half / target) ** 2 if target else inf


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
