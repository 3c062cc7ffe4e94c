"""Algorithm 3 with one logical station in each cell has the same states and results as algorithm 2."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa
import pytest

from mobilesim.conformance.random_schedules import Drawn, random_schedule
from mobilesim.explorer.machine_driver import Effect, InputKind
from mobilesim.oracle.verdicts import tolerated_faults
from mobilesim.protocols.catalogue import pair
from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow
from mobilesim.protocols.machine import System
from mobilesim.protocols.state import key
from mobilesim.results.schema import TABLES
from mobilesim.scenario.model import Scenario
from tests.support.protocols.recording import ObservedMachines
from tests.support.simulations import FinishedRun, simulate

LIVELY: Final[dict[str, Any]] = {
    "hosts": 10,
    "cells": 4,
    "duration": "2 s",
    "backbone": {"jitter": "exponential 20 ms"},
    "mobility": {"dwell": "exponential 150 ms", "disconnect": {"probability": 0.2, "duration": "exponential 100 ms"}},
    "workload": {"kind": "multicast", "destinations": 3, "interval": "exponential 60 ms"},
}
NAMES: Final = {"run_id", "protocol"}


class StateLog(ObservedMachines):
    """A driver that records a key of every state and output of the machines."""

    __slots__ = ("notes",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.notes: list[bytes] = []

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        effects = super().feed(machine, kind, item)
        self.notes += [key(self.machines[machine]), key(list(effects))]
        return effects


def drawn(row: ProtocolRow, options: dict[str, OptionValue], seed: int) -> Drawn:
    broken = tolerated_faults(row.claims)
    return random_schedule(row.build, Random(seed), options, driver=StateLog, tolerated=broken)


@pytest.mark.full
@pytest.mark.parametrize(
    "seeds", (range(10), pytest.param(range(10, 200), marks=pytest.mark.slow)), ids=("some", "others")
)
@pytest.mark.parametrize("ordering", ("rst", "fifo", "unordered"))
def test_algorithms_2_and_3_have_the_same_states_and_outputs(ordering: str, seeds: range) -> None:
    station, logical = pair("station", ordering), pair("logical", ordering)
    for seed in seeds:
        one, other = drawn(station, {}, seed), drawn(logical, {"k": 1}, seed)
        assert isinstance(one.world.driver, StateLog)
        assert isinstance(other.world.driver, StateLog)
        assert one.schedule == other.schedule
        assert one.world.driver.notes == other.world.driver.notes
        assert one.world.driver.milestones == other.world.driver.milestones


def test_with_two_logical_stations_the_outputs_differ() -> None:
    one, other = drawn(pair("station", "rst"), {}, 0), drawn(pair("logical", "rst"), {"k": 2}, 0)
    assert one.schedule != other.schedule


@pytest.mark.full
def test_algorithms_2_and_3_write_the_same_bytes_in_a_timed_run(tmp_path: Path) -> None:
    protocols = ("av2", {"placement": "logical", "ordering": "rst", "k": 1})
    scenario = Scenario.model_validate({**LIVELY, "protocols": protocols})
    one, other = (simulate(scenario, tmp_path, place) for place in range(2))
    for table in TABLES.keys() - {"runs"}:
        assert table_bytes(one, table) == table_bytes(other, table), table
    assert len(one.deliveries) > 300


def table_bytes(run: FinishedRun, name: str) -> bytes:
    """Return a table as bytes, without the columns that identify the run and the protocol."""
    table = run.table(name)
    table = table.drop_columns([column for column in table.column_names if column in NAMES])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return bytes(sink.getvalue())
