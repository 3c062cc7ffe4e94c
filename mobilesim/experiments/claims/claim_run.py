"""A run in memory, of which nothing is kept but what claims are about."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mobilesim.experiments.claims.scenarios import sizes
from mobilesim.experiments.claims.station_inhibition import StationsView
from mobilesim.experiments.claims.station_probe import Tap
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.fault_attribution import protocols_fault
from mobilesim.recording import delay_parts
from mobilesim.recording.message_timeline import Sink
from mobilesim.recording.recorder import Watch
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.cells import Cells
from mobilesim.world.replication import World, build_world
from protocols.catalogue import OptionValue, ProtocolRow
from protocols.machine import System

_STEPS: Final = 20_000
_MILLISECOND: Final = 1e6


@dataclass(frozen=True, slots=True)
class Seen:
    """`needless`: messages held back although their station knew of nothing that they depend on; looked for only where
    a row claims that there are none.
    """

    sizes: Mapping[str, int]
    """What formulas are made of."""
    deliveries: int
    headers: Counter[int]
    handoffs: Counter[int]
    """Hand-offs by their packets on the wire."""
    forwarded: int
    inhibited: int
    inhibition: float
    """Milliseconds of all deliveries together."""
    needless: int
    causal: int
    fifo: int
    duplicates: int
    lost: int
    fault: str | None


def emulate(row: ProtocolRow, options: Mapping[str, OptionValue], scenario: Scenario, replication: int = 0) -> Seen:
    """The scenario's world under this row, whatever protocols the scenario names."""
    world = build_world(scenario, replication)
    system = row.build(world.stations, world.starting_cells, options, world.groups)
    at_host = row.placement_row.orders_at == "host"
    oracle, tap = Oracle(scenario.hosts), Tap()
    stations = tap.on(system.stations)
    rows: list[list[int]] = []
    sink = Sink(rows.append, lambda _row, _items: None)
    watch = Watch(scenario, oracle, stations, world.starting_cells, sink, at_host=at_host)
    simulation = Cells(world, System(stations, system.hosts), oracle, watch, at_host=at_host)
    view = StationsView(scenario.hosts, simulation.engine, watch.reach)
    if row.claims.inhibition == "by false dependencies only":
        tap.listener = view
    fault = _play(simulation)
    waits = _inhibition(rows, scenario, at_host=at_host)
    inhibited = int(np.count_nonzero(waits))
    return Seen(
        sizes=_sizes(scenario, world, options),
        deliveries=oracle.delivered_copies,
        headers=tap.headers,
        handoffs=Counter(tap.handoffs.values()),
        forwarded=tap.forwarded,
        inhibited=inhibited,
        inhibition=float(waits.sum()) / _MILLISECOND,
        # A host that orders stamps what it says itself, and knows what it has heard by then.
        needless=inhibited if at_host else view.needless,
        causal=oracle.causal,
        fifo=oracle.fifo,
        duplicates=oracle.duplicates,
        lost=0 if fault else sum(1 for _ in oracle.lost()),
        fault=fault,
    )


def _sizes(scenario: Scenario, world: World, options: Mapping[str, OptionValue]) -> dict[str, int]:
    k = options.get("k")
    most = scenario.most_destinations
    return sizes(scenario.hosts, world.stations, None if k is None else int(k), most, world.groups)


def _play(simulation: Cells) -> str | None:
    """What a machine of the protocol raised, if one did."""
    try:
        while simulation.advance(_STEPS):
            pass
    except Exception as error:
        fault = protocols_fault(error)
        if fault is None:
            raise
        return fault
    return None


def _inhibition(rows: list[list[int]], scenario: Scenario, *, at_host: bool) -> Any:  # noqa: ANN401 - an array of int64
    if not rows:
        return np.zeros(0, np.int64)
    columns = delay_parts.columns(np.array(rows, np.int64), at_host=at_host, integer=scenario.sizes.integer)
    return columns["inhibition"]
