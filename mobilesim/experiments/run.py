"""Run a scenario: every protocol in every replication, each a run of its own with its own files."""

import gc
import json
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from time import perf_counter
from typing import Final, Protocol

from mobilesim.errors import UserError
from mobilesim.experiments import clock_comparison
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.clock_observer import ClockObserver
from mobilesim.oracle.fault_attribution import protocols_fault
from mobilesim.recording import delay_parts
from mobilesim.recording.message_timeline import Sink
from mobilesim.recording.recorder import Watch
from mobilesim.results.location import Location
from mobilesim.results.parquet_writer import Constants
from mobilesim.results.run_directory import RunFiles, unwritable
from mobilesim.results.statuses import RunStatus, RunVerdict
from mobilesim.results.version import __version__
from mobilesim.scenario.message_file import unsent
from mobilesim.scenario.model import ProtocolChoice, Scenario
from mobilesim.simulation.batteries import MortalCells
from mobilesim.simulation.cells import Cells
from mobilesim.simulation.measurement_window import Window
from mobilesim.simulation.simulation import Simulation
from mobilesim.simulation.static_network import Mesh, meadow
from mobilesim.world.mobility import mobility_warnings
from mobilesim.world.replication import World, build_world
from protocols import catalogue

QUICK_DURATION: Final = 5_000_000_000
QUICK_MESSAGES: Final = 1_000

_STEPS: Final = 20_000


class Progress(Protocol):
    def started(self, run: "Run") -> None: ...

    def advanced(self, simulation: Simulation) -> None: ...

    def finished(self, outcome: "Outcome") -> None: ...


class NoProgress:
    def started(self, run: "Run") -> None: ...

    def advanced(self, simulation: Simulation) -> None: ...

    def finished(self, outcome: "Outcome") -> None: ...


def identity(scenario_hash: str, label: str, replication: int) -> str:
    """The same run has the same id, alone or among others: it is made of what decides what comes out of it."""
    parts = (scenario_hash, label, replication, __version__)
    return blake2b("/".join(map(str, parts)).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Run:
    """One protocol in one replication of a scenario. `point`: where in a sweep that is, as JSON."""

    scenario: Scenario
    choice: ProtocolChoice
    replication: int
    point: str = "{}"

    @property
    def id(self) -> str:
        return identity(self.scenario.hash, self.choice.label, self.replication)

    @property
    def row(self) -> catalogue.ProtocolRow:
        return catalogue.pair(self.choice.placement, self.choice.ordering)

    @property
    def at_host(self) -> bool:
        return catalogue.PLACEMENTS[self.choice.placement].orders_at == "host"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of a run. `fault`: what a machine of the protocol raised."""

    run: Run
    status: RunStatus
    simulation: Simulation
    wall_seconds: float
    fault: str | None = None
    lost: int = field(default=0)
    stranded: int = 0
    """What is not lost by the protocol: it was from or to a host whose battery was empty."""

    @property
    def verdict(self) -> RunVerdict:
        oracle, claims = self.simulation.oracle, self.run.row.claims
        if self.fault is not None:
            return RunVerdict.FAULT
        if oracle is None:
            return RunVerdict.UNJUDGED
        broken = self.lost or oracle.duplicates or (claims.causal and oracle.causal) or (claims.fifo and oracle.fifo)
        return RunVerdict.FAULT if broken else RunVerdict.OK

    @property
    def looking_on(self) -> list[clock_comparison.Row]:
        """A row for each of the clocks that do."""
        oracle = self.simulation.oracle
        return clock_comparison.rows(oracle) if isinstance(oracle, ClockObserver) else []


def runs(scenario: Scenario) -> Iterator[Run]:
    """All runs of a scenario, replication by replication, so that protocols are compared early."""
    for replication in range(scenario.replications):
        for choice in scenario.protocols:
            yield Run(scenario, choice, replication)


def shortened(scenario: Scenario) -> Scenario:
    """The same in small, to see whether it works. It is over before most warm-ups are: it has none.

    Hosts that stay where they are take no time but for their messages, which may be far between.
    """
    ends = {key: _sooner(getattr(scenario, key), most) for key, most in quick_ends(scenario).items()}
    return scenario.model_copy(update={**ends, "deliveries": None, "warm_up": None})


def quick_ends(scenario: Scenario) -> dict[str, int | None]:
    """When the short form is over at the latest, which a scenario may say by itself."""
    if scenario.quick_duration is not None:
        return {"duration": scenario.quick_duration, "messages": None}
    return {"duration": QUICK_DURATION if scenario.network == "cells" else None, "messages": QUICK_MESSAGES}


def _sooner(one: int | None, other: int | None) -> int | None:
    return min((end for end in (one, other) if end is not None), default=None)


def execute(run: Run, directory: Location, progress: Progress, stop: Callable[[], bool] = lambda: False) -> Outcome:
    """Run it and write its tables. Once `stop` says so, what has been measured so far is written, and marked."""
    world = world_of(run)
    try:
        files = _files(run, directory)
        try:
            simulation = assemble(run, world, partial(_sink, run, files))
            progress.started(run)
            outcome = play(run, simulation, progress, stop)
            _write(outcome, world, files)
        except BaseException:
            files.discard()
            raise
    except OSError as error:
        raise unwritable(directory, error) from error
    progress.finished(outcome)
    return outcome


def _files(run: Run, directory: Location) -> RunFiles:
    constants: Constants = {"run_id": run.id, "protocol": run.choice.label, "replication": run.replication}
    metadata = {"scenario_hash": run.scenario.hash, "seed": str(run.scenario.seed), "version": __version__}
    return RunFiles(directory, run.id, constants, metadata)


def rehearse(scenario: Scenario) -> list[str]:
    """Refuse what its first run would refuse before it begins: the files that it names are read, and nothing is
    written. What it would do all the same, and may not be meant so, is told.
    """
    first = next(runs(scenario))
    world = world_of(first)
    assemble(first, world, lambda: Sink(_unheeded, _unheeded))
    gc.collect()  # what was put together refers to itself, and nobody looks for that during a run
    return mobility_warnings(world)


def _unheeded(*_: object) -> None: ...


def world_of(run: Run) -> World:
    scenario = run.scenario
    replay = scenario.workload.replay
    if replay is not None and scenario.duration is not None and (fault := unsent(replay, scenario.duration)):
        raise UserError(f"workload.replay: {fault}")
    lay_out = build_world if scenario.network == "cells" else meadow
    return lay_out(scenario, run.replication)


def assemble(run: Run, world: World, sink: Callable[[], Sink]) -> Simulation:
    """Ready to be played. There is a `sink` where there are an oracle and a trace."""
    scenario, window = run.scenario, Window(run.scenario)
    system = run.row.build(world.stations, world.starting_cells, dict(run.choice.options), world.groups)
    oracle = _judge(scenario, world)
    watch = None
    if scenario.trace and oracle is not None:
        through = window.through(sink())
        watch = Watch(scenario, oracle, system.stations, world.starting_cells, through, at_host=run.at_host)
    if scenario.network == "static":
        return Mesh(world, system, oracle, watch, window)
    network = Cells if scenario.energy.battery is None else MortalCells
    return network(world, system, oracle, watch, at_host=run.at_host)


def _judge(scenario: Scenario, world: World) -> Oracle | None:
    if not scenario.oracle:
        return None
    if scenario.clocks is not None:
        return clock_comparison.observer(world, scenario.clocks)
    return Oracle(scenario.hosts if scenario.workload.stations is None else scenario.hosts + world.stations)


def _sink(run: Run, files: RunFiles) -> Sink:
    columns = partial(delay_parts.columns, at_host=run.at_host, integer=run.scenario.sizes.integer)
    deliveries = files.stream("deliveries", columns, len(delay_parts.PLACES))
    return Sink(deliveries.append, files.stream("messages").append_list)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """A run makes none, and Python's search for them takes time that grows with what is under way."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def play(run: Run, simulation: Simulation, progress: Progress, stop: Callable[[], bool]) -> Outcome:
    """Advance the simulation to its end, or until `stop` says so."""
    start = perf_counter()
    status, fault = advance(simulation, progress.advanced, stop)
    lost = stranded = 0
    if status == RunStatus.COMPLETE and simulation.oracle is not None:
        stranded = simulation.stranded
        lost = sum(1 for _ in simulation.oracle.lost()) - stranded
    return Outcome(run, status, simulation, perf_counter() - start, fault, lost, stranded)


def advance(
    simulation: Simulation,
    advanced: Callable[[Simulation], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[RunStatus, str | None]:
    """Return how the simulation ended, and what a machine of the protocol raised."""
    try:
        with _no_search_for_cycles():
            while simulation.advance(_STEPS):
                if stop():
                    return RunStatus.INTERRUPTED, None
                advanced(simulation)
    except Exception as error:
        fault = protocols_fault(error)
        if fault is None:  # an error of the simulator, not of a protocol
            raise
        return RunStatus.FAILED, fault
    return RunStatus.COMPLETE, None


def _write(outcome: Outcome, world: World, files: RunFiles) -> None:
    simulation, watch = outcome.simulation, outcome.simulation.watch
    overload = simulation.overload  # before what a run that was cut short has on the air is cut off
    if watch is not None:
        watch.journeys.close()
        files.write_columns("handoffs", watch.handoffs.columns())
        files.write("disconnections", watch.disconnections.rows)
        for name, rows in simulation.census(watch).items():
            files.write(name, rows)
    if outcome.looking_on or watch is not None:
        files.write("clocks", outcome.looking_on)
    files.write("runs", [{**_run_row(outcome, world), "overload": str(overload or "")}])
    files.close()


def _run_row(outcome: Outcome, world: World) -> Mapping[str, object]:
    run, simulation = outcome.run, outcome.simulation
    scenario, oracle = run.scenario, simulation.oracle
    messages, deliveries = simulation.measured
    return {
        "scenario": scenario.name,
        "scenario_hash": scenario.hash,
        "placement": run.choice.placement,
        "ordering": run.choice.ordering,
        "options": json.dumps(dict(run.choice.options), sort_keys=True),
        "point": run.point,
        "version": __version__,
        "python": platform.python_version(),
        "place": scenario.protocols.index(run.choice),
        "status": outcome.status,
        "verdict": outcome.verdict,
        "seed": scenario.seed,
        "ended": simulation.ended,
        "emulated": simulation.engine.time,
        "events": simulation.engine.processed,
        "messages": messages,
        "deliveries": deliveries,
        "judged": simulation.delivered_copies if oracle is not None else 0,
        "lost": outcome.lost,
        "stranded": outcome.stranded,
        "dropped": simulation.dropped_copies,
        "duplicates": oracle.duplicates if oracle is not None else 0,
        "causal_violations": oracle.causal if oracle is not None else 0,
        "fifo_violations": oracle.fifo if oracle is not None else 0,
        "claims_causal": run.row.claims.causal,
        "hosts": scenario.hosts,
        "stations": 0 if scenario.network == "static" else world.stations,
        "wall_seconds": outcome.wall_seconds,
    }
