"""At the end of a run, the memory of the simulation does not depend on the number of messages. Only tables grow."""

import gc
from collections import deque
from typing import Any

import numpy as np
import pytest

from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.catalogue import PLACEMENTS, ROWS
from mobilesim.recording.recorder import RunRecorder
from mobilesim.recording.sinks import Sink
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.world.replication import build_world
from tests.support.protocols.script import free_location


def prepared(protocol: str, messages: int) -> CellularSimulation:
    """Return a simulation of ten hosts in four cells, in which each host soon visits every cell."""
    scenario = Scenario.model_validate(
        {
            "hosts": 10,
            "cells": 4,
            "protocols": protocol,
            "messages": messages,
            "mobility": {"dwell": "exponential 500 ms", "next": "uniform"},
            "workload": {"interval": "exponential 100 ms"},
            "backbone": {"jitter": "exponential 10 ms"},
        }
    )
    world, row = build_world(scenario, 0), ROWS[protocol]
    system = row.build(world.stations, world.starting_cells, free_location(row))
    oracle = Oracle(scenario.hosts)
    at_host = PLACEMENTS[row.placement].orders_at == "host"
    sink, floods = Sink(), PLACEMENTS[row.placement].floods
    recorder = RunRecorder(scenario, system, world.starting_cells, sink, at_host=at_host, floods=floods)
    simulation = CellularSimulation(world, system, oracle, recorder, at_host=at_host)
    simulation.start()
    return simulation


def completed_run(protocol: str, messages: int) -> CellularSimulation:
    simulation = prepared(protocol, messages)
    while simulation.advance(10_000):
        pass
    assert simulation.delivered_copies == messages
    return simulation


def value_count(part: Any, seen: set[int]) -> int:  # noqa: ANN401 - plain data of any kind
    """Return the number of values reachable from an object; shared values count once."""
    if id(part) in seen:
        return 0
    if not isinstance(part, int | str | np.ndarray | None):
        seen.add(id(part))
    if isinstance(part, np.ndarray):
        return part.size
    if isinstance(part, dict):
        return sum(value_count(item, seen) for pair in part.items() for item in pair)
    if isinstance(part, list | tuple | deque | set):
        return sum(value_count(item, seen) for item in part)
    slots = [name for kind in type(part).__mro__ for name in getattr(kind, "__slots__", ())]
    return 1 + sum(value_count(getattr(part, name), seen) for name in slots if hasattr(part, name))


def value_counts(simulation: CellularSimulation) -> dict[str, int]:
    assert isinstance(simulation.recorder, RunRecorder)
    timeline = simulation.recorder.message_timeline
    return {
        "hosts": value_count(list(simulation.hosts), set()),
        "stations": value_count(list(simulation.stations), set()),
        "oracle": value_count(simulation.oracle, set()),
        "waiting": value_count(timeline.waiting, set()),
        "traces": value_count(list(timeline._traces.values()), set()),
        "tallies": len(simulation.air.up.links) + len(simulation.air.down.links) + len(simulation.wired.carried),
        "calls": len(simulation.engine.events()),
    }


@pytest.mark.full
@pytest.mark.parametrize("protocol", ("av1", "rst", "fifo", "av2", "av3", "ab"))
def test_memory_at_the_end_is_equal_for_four_times_the_messages(protocol: str) -> None:
    """With a location service, a station also stores the cells of its hosts, which depend on their moves."""
    assert value_counts(completed_run(protocol, 10_000)) == value_counts(completed_run(protocol, 2_500))


@pytest.mark.slow
def test_memory_at_the_end_is_equal_for_5000_and_100000_messages() -> None:
    assert value_counts(completed_run("av1", 100_000)) == value_counts(completed_run("av1", 5_000))


@pytest.mark.full
def test_no_message_is_undelivered_unacknowledged_or_waiting_at_the_end() -> None:
    simulation = completed_run("av1", 5_000)
    oracle, recorder = simulation.oracle, simulation.recorder
    assert oracle is not None
    assert isinstance(recorder, RunRecorder)
    assert not any(oracle.due)
    assert not any(recorder.message_timeline.waiting)
    hosts: Any = simulation.hosts
    assert not any(host.sender.unacknowledged for host in hosts)
    stations: Any = simulation.stations
    assert not any(station.older or station.pending for station in stations)
    serving = [visit for station in stations for visit in station.served.values()]
    assert len(serving) == len(simulation.hosts)
    assert not any(visit.sender.unacknowledged or visit.held or visit.queue for visit in serving)
    assert not any(visit.mailbox.blocked or visit.mailbox.process.incoming for visit in serving)


@pytest.mark.full
def test_the_number_of_recorded_releases_per_host_stays_small() -> None:
    simulation = prepared("av1", 5_000)
    assert isinstance(simulation.recorder, RunRecorder)
    logs, longest = simulation.recorder.message_timeline._releases, 0
    while simulation.advance(100):
        longest = max(longest, *map(len, logs))
    assert 0 < longest < 200 < 5_000 // len(simulation.hosts)
    assert not any(logs)


@pytest.mark.full
@pytest.mark.parametrize("protocol", ROWS)
def test_a_run_creates_no_reference_cycles(protocol: str) -> None:
    simulation = prepared(protocol, 2_000)
    gc.collect()
    gc.disable()
    try:
        while simulation.advance(10_000):
            pass
        assert gc.collect() == 0
    finally:
        gc.enable()
