"""Build the parts of a run: its world, the machines of its protocol, the oracle, the recorder and the simulation."""

from collections.abc import Callable
from typing import Final

from mobilesim.errors import UserError
from mobilesim.experiments import clock_comparison
from mobilesim.experiments.run import Run
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.clock_observer import ClockObserver
from mobilesim.oracle.members import MemberOracle
from mobilesim.protocols.flush import VIEW_CHANGES
from mobilesim.protocols.machine import System
from mobilesim.recording.null_recorder import Recorder
from mobilesim.recording.recorder import RunRecorder
from mobilesim.recording.sinks import Sink
from mobilesim.scenario.message_file import unsent
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.batteries import BatterySimulation
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.simulation.measurement_window import Window
from mobilesim.simulation.membership import MembershipSimulation
from mobilesim.simulation.simulation import Simulation
from mobilesim.simulation.static_network import StaticSimulation
from mobilesim.simulation.tape_recorder import TapeFrames, TapeRecorder
from mobilesim.tape.tape_builder import TapeBuilder
from mobilesim.world.replication import World, build_world, single_cell_world


def world_of(run: Run) -> World:
    scenario = run.scenario
    replay = scenario.workload.replay
    if replay is not None and scenario.duration is not None and (fault := unsent(replay, scenario.duration)):
        raise UserError(f"workload.replay: {fault}")
    build = build_world if scenario.network == "cells" else single_cell_world
    return build(scenario, run.replication)


class Worlds:
    """Builds the world of each replication once for all protocols, and keeps the last world."""

    def __init__(self) -> None:
        self._last: tuple[Scenario, int, World] | None = None

    def of(self, run: Run) -> World:
        if self._last is None or self._last[:2] != (run.scenario, run.replication):
            self._last = run.scenario, run.replication, world_of(run)
        return self._last[2]

    def forget(self) -> None:
        self._last = None


WORLDS: Final = Worlds()
"""Keeps the last world of this process, because the protocols of a replication are often run one after another."""


def assemble(run: Run, world: World, new_sink: Callable[[], Sink], tape: TapeBuilder | None = None) -> Simulation:
    """Return a simulation that has not started. `new_sink` is called if the run has a trace and an oracle; such a run
    can be recorded on a tape.
    """
    scenario, window = run.scenario, Window(run.scenario)
    if world.stays:
        return _with_membership(run, world, window, new_sink, tape)
    system = run.row.build(world.stations, world.starting_cells, dict(run.choice.options), world.groups)
    oracle = _oracle(run, world)
    recorder: Recorder = Recorder()
    if scenario.trace and oracle is not None:
        sink, floods = window.through(new_sink()), run.row.placement_row.floods
        recorder = _recorder(run, world, system, sink, tape, floods=floods)
    simulation: Simulation
    if scenario.network == "static":
        simulation = StaticSimulation(world, system, oracle, recorder, window)
    else:
        network = CellularSimulation if scenario.energy.battery is None else BatterySimulation
        simulation = cells = network(world, system, oracle, recorder, window, at_host=run.at_host)
        if tape is not None:
            for direction in (cells.air.up, cells.air.down):
                up = direction is cells.air.up
                direction.receiver = TapeFrames(direction.receiver, tape, cells.engine, world.stations, up=up)
    if isinstance(oracle, ClockObserver):
        oracle.network.physical.source = simulation.engine
    return simulation


def _recorder(
    run: Run, world: World, system: System, sink: Sink, tape: TapeBuilder | None, *, floods: bool
) -> RunRecorder:
    scenario, starts, at_host = run.scenario, world.starting_cells, run.at_host or bool(world.stays)
    if tape is None:
        return RunRecorder(scenario, system, starts, sink, at_host=at_host, floods=floods)
    stations = station_count(run, world)
    return TapeRecorder(scenario, system, starts, sink, tape, stations=stations, at_host=at_host, floods=floods)


def station_count(run: Run, world: World) -> int:
    """Return the number of stations. The world of a static network has one cell, which is none."""
    return 0 if run.scenario.network == "static" else world.stations


def _with_membership(
    run: Run, world: World, window: Window, new_sink: Callable[[], Sink], tape: TapeBuilder | None
) -> Simulation:
    scenario, starts = run.scenario, world.starting_cells
    oracle = MemberOracle(len(starts)) if scenario.oracle else None
    recorder: Recorder = Recorder()
    if scenario.trace and oracle is not None:
        members = System((), ())
        sink = window.through(new_sink())
        recorder = _recorder(run, world, members, sink, tape, floods=False)
    ordering = run.row.ordering_factory(dict(run.choice.options))(scenario.hosts)
    change = VIEW_CHANGES[run.row.ordering_row.views]
    return MembershipSimulation(world, ordering, oracle, recorder, window, change=change)


def _oracle(run: Run, world: World) -> Oracle | None:
    scenario = run.scenario
    if not scenario.oracle:
        return None
    oracle = Oracle(scenario.hosts if scenario.workload.stations is None else scenario.hosts + world.stations)
    if scenario.clocks is not None:
        oracle = clock_comparison.observer(world, scenario.clocks, fifo=run.row.claims.fifo)
    if run.row.claims.short_chains:
        oracle.judge_short_chains()
    return oracle
