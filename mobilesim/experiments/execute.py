"""Execute a run and write its tables."""

import gc
import json
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Final, Protocol

from mobilesim.experiments import clock_comparison
from mobilesim.experiments.assemble import Worlds, assemble
from mobilesim.experiments.executors import never
from mobilesim.experiments.run import OracleCounts, Run, RunOutcome, runs
from mobilesim.oracle.fault_attribution import protocols_fault
from mobilesim.protocols.catalogue import SHARED_HEADER
from mobilesim.recording import delivery_record, link_counters
from mobilesim.recording.recorder import RunRecorder
from mobilesim.recording.sinks import Sink
from mobilesim.recording.table_sink import TableSink
from mobilesim.results.location import Location
from mobilesim.results.parquet_writer import Constants
from mobilesim.results.run_directory import RunFiles, unwritable
from mobilesim.results.statuses import RunStatus
from mobilesim.results.version import __version__
from mobilesim.scenario import assumptions
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.simulation import Simulation
from mobilesim.tape.tape_builder import TapeBuilder
from mobilesim.world.mobility import mobility_warnings
from mobilesim.world.replication import World

_STEPS: Final = 20_000


class Progress(Protocol):
    def started(self, run: Run) -> None: ...

    def advanced(self, simulation: Simulation) -> None:
        """Report the progress of a run: after every 20,000 events, and at its end."""

    def finished(self, outcome: RunOutcome) -> None: ...


class _NoProgress:
    def started(self, run: Run) -> None: ...

    def advanced(self, simulation: Simulation) -> None: ...

    def finished(self, outcome: RunOutcome) -> None: ...


NO_PROGRESS: Final = _NoProgress()


def dry_run(scenario: Scenario, worlds: Worlds | None = None) -> list[str]:
    """Build and start the first run, so that wrong input is detected before files are written. Return warnings."""
    first = next(runs(scenario))
    world = (worlds or Worlds()).of(first)
    with paused_garbage_collector():
        assemble(first, world, Sink).start()
    return [*mobility_warnings(world), *_header_warnings(scenario), *_free(scenario)]


def _free(scenario: Scenario) -> Iterator[str]:
    """Yield for each protocol what costs nothing in its runs although it could have a price."""
    for index, choice in enumerate(scenario.protocols):
        if what := assumptions.free(scenario, choice):
            yield f"protocols[{index}]: {choice.label}: free: {what}"


def _header_warnings(scenario: Scenario) -> Iterator[str]:
    """Yield a warning for each protocol that sends a header for each copy, though one transmission reaches all."""
    bus = scenario.links is not None and scenario.links.service == "bus"
    if scenario.workload.kind == "unicast" or scenario.membership or not (bus or scenario.network == "cells"):
        return
    what = "an uplink frame carries the copies of a message for all destinations, each with its own header"
    if bus:
        what = "on a bus, copies with different headers are transmitted one after another"
    for index, choice in enumerate(scenario.protocols):
        if Run(scenario, choice, 0).at_host and dict(choice.options).get(SHARED_HEADER) is False:
            yield f"protocols[{index}]: {choice.label}: {what}; '{SHARED_HEADER}: true' sends one header for all"


def ignore(*_: object) -> None: ...


def execute(
    run: Run,
    directory: Location,
    progress: Progress = NO_PROGRESS,
    stop: Callable[[], bool] = never,
    worlds: Worlds | None = None,
    *,
    written: Callable[[RunFiles], None] = ignore,
) -> RunOutcome:
    """Execute a run and write its tables. If `stop` returns true, end the run, and write its measurements so far.

    `written` is called with the complete tables, before they are moved to the results directory.
    """
    with paused_garbage_collector():
        outcome = _execute(run, directory, (worlds or Worlds()).of(run), progress, stop, written=written)
    progress.finished(outcome)
    return outcome


def _execute(
    run: Run,
    directory: Location,
    world: World,
    progress: Progress,
    stop: Callable[[], bool],
    *,
    written: Callable[[RunFiles], None],
) -> RunOutcome:
    constants: Constants = {"run_id": run.id, "protocol": run.choice.label, "replication": run.replication}
    metadata = {"scenario_hash": run.scenario.hash, "seed": str(run.scenario.seed), "version": __version__}
    try:
        files = RunFiles(directory, run.id, constants, metadata)
        try:
            simulation, outcome = simulated(run, world, partial(_sink, run, files), progress, stop)
            _write(outcome, simulation, files)
            written(files)
            files.publish()
        except BaseException:
            files.retract()
            raise
    except OSError as error:
        raise unwritable(directory, error) from error
    return outcome


def simulated(
    run: Run,
    world: World,
    new_sink: Callable[[], Sink],
    progress: Progress = NO_PROGRESS,
    stop: Callable[[], bool] = never,
    *,
    tape: TapeBuilder | None = None,
) -> tuple[Simulation, RunOutcome]:
    """Simulate a run until its end, or until `stop` returns true. `tape`: where to record its events."""
    simulation = assemble(run, world, new_sink, tape)
    simulation.start()
    progress.started(run)
    start = perf_counter()
    status, fault = play(simulation, progress.advanced, stop)
    simulation.finish()
    return simulation, _outcome(run, simulation, status, fault, perf_counter() - start)


def _sink(run: Run, files: RunFiles) -> Sink:
    integer = run.scenario.sizes.integer
    columns = partial(delivery_record.columns, at_host=run.at_host, integer=integer)
    deliveries = files.stream("deliveries", columns, len(delivery_record.FIELDS))
    return TableSink(deliveries, files.stream("messages"), integer)


@contextmanager
def paused_garbage_collector() -> Iterator[None]:
    """Pause the garbage collector, because it takes more time if more messages are in transit. Collect at the end.

    Objects that are allocated during the pause are in the youngest generation, so only this generation is collected.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if enabled:
            gc.enable()


def play(
    simulation: Simulation, advanced: Callable[[Simulation], None] = ignore, stop: Callable[[], bool] = never
) -> tuple[RunStatus, str | None]:
    """Simulate until no event is left; return the status, and the exception of a protocol machine as text.

    Exceptions of the simulator itself are raised.
    """
    try:
        more = True
        while more:
            more = simulation.advance(_STEPS)
            advanced(simulation)
            if more and stop():
                return RunStatus.INTERRUPTED, None
    except Exception as error:
        fault = protocols_fault(error)
        if fault is None:
            raise
        advanced(simulation)
        return RunStatus.FAILED, fault
    return RunStatus.COMPLETE, None


def _outcome(run: Run, simulation: Simulation, status: RunStatus, fault: str | None, wall_seconds: float) -> RunOutcome:
    oracle, recorder = simulation.oracle, simulation.recorder
    lost = stranded = away = 0
    if status is RunStatus.COMPLETE and oracle is not None:
        stranded, away = simulation.undeliverable
        lost = sum(1 for _ in oracle.lost()) - stranded - away
    disconnected = 0
    if isinstance(recorder, RunRecorder):
        disconnected = sum(recorder.disconnections.away(run.scenario.hosts, simulation.ended))
    return RunOutcome(
        run,
        status,
        fault,
        messages=simulation.sent,
        deliveries=simulation.delivered_copies,
        dropped=simulation.dropped_copies,
        left=simulation.left_copies,
        lost=lost,
        stranded=stranded,
        away_at_end=away,
        hosts=simulation.host_count,
        measured=simulation.measured,
        window=(simulation.window.since, simulation.window.ended),
        judged=None if oracle is None else OracleCounts(oracle.duplicates, oracle.causal, oracle.fifo, oracle.short),
        ended=simulation.ended,
        simulated=simulation.engine.time,
        events=simulation.engine.processed,
        busiest=simulation.busiest,
        disconnected=disconnected,
        died=simulation.died,
        clocks=clock_comparison.rows(oracle, run.scenario.clocks),
        overload=simulation.overload,
        wall_seconds=wall_seconds,
    )


def _write(outcome: RunOutcome, simulation: Simulation, files: RunFiles) -> None:
    recorder = simulation.recorder
    if isinstance(recorder, RunRecorder):
        recorder.timeline.close()
        files.write_columns("handoffs", recorder.handoff_columns())
        files.write("disconnections", recorder.disconnection_rows())
        links = simulation.final_links()
        files.write_columns("links", link_counters.joined(links), {"kind": tuple(links)})
        for name, columns in simulation.final_tables(recorder).items():
            files.write_columns(name, columns)
    if outcome.clocks or isinstance(recorder, RunRecorder):
        files.write("clocks", outcome.clocks)
    files.write("runs", [_run_row(outcome, simulation.world)])
    files.finish()


_SAME: Final = (
    *("status", "verdict", "ended", "simulated", "events", "lost", "stranded", "away_at_end", "dropped"),
    *("left", "hosts", "wall_seconds"),
)
"""The columns of `runs` that are fields of an outcome."""


def _run_row(outcome: RunOutcome, world: World) -> Mapping[str, object]:
    run, scenario, judged = outcome.run, outcome.run.scenario, outcome.judged or OracleCounts(0, 0, 0)
    messages, deliveries = outcome.measured
    return {
        **{name: getattr(outcome, name) for name in _SAME},
        "scenario": scenario.name,
        "scenario_hash": scenario.hash,
        "placement": run.choice.placement,
        "ordering": run.choice.ordering,
        "options": json.dumps(dict(run.choice.options), sort_keys=True),
        "extensions": run.extensions,
        "description": run.row.description,
        "paper": run.row.source,
        "point": run.point,
        "version": __version__,
        "python": platform.python_version(),
        "protocol_index": scenario.protocols.index(run.choice),
        "overload": str(outcome.overload or ""),
        "free": assumptions.free(scenario, run.choice),
        "seed": scenario.seed,
        "messages": messages,
        "deliveries": deliveries,
        "measured_from": outcome.window[0],
        "measured_to": outcome.window[1],
        "judged": outcome.deliveries if outcome.judged is not None else 0,
        "duplicates": judged.duplicates,
        "causal_violations": judged.causal,
        "fifo_violations": judged.fifo,
        "short_chain_violations": judged.short,
        "claims_causal": run.row.claims.causal,
        "claims_fifo": run.row.claims.fifo,
        "relays": run.row.ordering_row.relays,
        "claims_short_chains": run.row.claims.short_chains,
        "claims_violation_rate": run.promised_rate,
        "stations": 0 if scenario.network == "static" else world.stations,
    }
