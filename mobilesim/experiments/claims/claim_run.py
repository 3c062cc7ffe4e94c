"""Simulates a run in memory, and counts the quantities of claims."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mobilesim.experiments.claims.scenarios import formula_options, formula_variables
from mobilesim.experiments.claims.station_probe import StationInhibition, StationProbe
from mobilesim.experiments.execute import paused_garbage_collector, play
from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow
from mobilesim.protocols.machine import System
from mobilesim.recording import delivery_record
from mobilesim.recording.recorder import RunRecorder
from mobilesim.recording.sinks import RecordBuffer
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.world.replication import build_world


@dataclass(frozen=True, slots=True)
class RunCounts:
    """`headers`: data packets, counted by header integers. `handoffs`: hand-offs, counted by wired packets.

    `avoidable`: the messages that were held although all their predecessors had been transmitted. At stations, they are
    counted only for rows with the claim "by false dependencies only".
    """

    variables: Mapping[str, int]
    """The values of the variables in formulas."""
    deliveries: int
    headers: Counter[int]
    handoffs: Counter[int]
    forwarded: int
    inhibited: int
    inhibition_ms: float
    """The sum over all deliveries."""
    avoidable: int
    causal_violations: int
    fifo_violations: int
    short_chain_violations: int
    duplicates: int
    lost: int
    fault: str | None


@paused_garbage_collector()
def simulate(
    row: ProtocolRow, options: Mapping[str, OptionValue], scenario: Scenario, replication: int = 0
) -> RunCounts:
    """Simulate the scenario with the protocol of this row instead of its own protocols."""
    world = build_world(scenario, replication)
    system = row.build(world.stations, world.starting_cells, options, world.groups)
    at_host = row.placement_row.orders_at == "host"
    oracle, probe = Oracle(scenario.hosts), StationProbe()
    if row.claims.short_chains:
        oracle.judge_short_chains()
    probed = System(probe.attach(system.stations), system.hosts)
    sink = RecordBuffer()
    floods = row.placement_row.floods
    recorder = RunRecorder(scenario, probed, world.starting_cells, sink, at_host=at_host, floods=floods)
    simulation = CellularSimulation(world, probed, oracle, recorder, at_host=at_host)
    at_stations = StationInhibition(scenario.hosts, simulation.engine, recorder.reachability)
    if row.claims.inhibition == "by false dependencies only":
        probe.inhibition = at_stations
    simulation.start()
    _, fault = play(simulation)
    waits = _inhibition(sink.deliveries.take(), scenario, at_host=at_host)
    inhibited = int(np.count_nonzero(waits))
    return RunCounts(
        variables=formula_variables(
            scenario.hosts, world.stations, options.get("k"), scenario.most_destinations, world.groups
        )
        | formula_options(options),
        deliveries=oracle.delivered_copies,
        headers=probe.headers,
        handoffs=Counter(probe.handoffs.values()),
        forwarded=probe.forwarded,
        inhibited=inhibited,
        inhibition_ms=float(waits.sum()) / 1e6,
        # Hosts that order messages stamp them after their own deliveries, without false dependencies.
        avoidable=inhibited if at_host else at_stations.avoidable,
        causal_violations=oracle.causal,
        fifo_violations=oracle.fifo,
        short_chain_violations=oracle.short,
        duplicates=oracle.duplicates,
        lost=0 if fault else sum(1 for _ in oracle.lost()),
        fault=fault,
    )


def _inhibition(numbers: npt.NDArray[np.int64], scenario: Scenario, *, at_host: bool) -> Any:  # noqa: ANN401 - an array of int64
    fields = numbers.reshape(-1, len(delivery_record.FIELDS)).T
    columns = delivery_record.columns(fields, at_host=at_host, integer=scenario.sizes.integer)
    return columns["inhibition"]
