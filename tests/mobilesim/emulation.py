"""Runs for tests: real scenarios through the real runner, into real tables."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.results import prepare
from mobilesim.runner import Outcome, Run, execute
from mobilesim.scenario.model import Scenario
from mobilesim.simulation import cells
from mobilesim.simulation.cells import Cells
from mobilesim.simulation.driver import Simulation
from mobilesim.tables import PARTS
from mobilesim.world import traffic
from mobilesim.world.movement import Departure

Row = dict[str, Any]

MS: Final = 1_000_000
US: Final = 1_000
NEVER: Final = 1 << 50

Play = Any
"""The fixture `play`: a script under a protocol, with settings of the scenario."""


class Silence:
    def started(self, run: Run) -> None: ...

    def advanced(self, simulation: Simulation) -> None: ...

    def finished(self, outcome: Outcome) -> None: ...


@dataclass(frozen=True)
class Emulation:
    outcome: Outcome
    directory: Path

    def table(self, name: str) -> pa.Table:
        return pq.ParquetFile(self.directory / name / f"{self.outcome.run.id}.parquet").read()

    def rows(self, name: str) -> list[Row]:
        rows: list[Row] = self.table(name).to_pylist()
        return rows

    @cached_property
    def deliveries(self) -> list[Row]:
        return self.rows("deliveries")

    @property
    def simulation(self) -> Simulation:
        return self.outcome.simulation

    @property
    def cells(self) -> Cells:
        assert isinstance(self.simulation, Cells)
        return self.simulation

    def delivery(self, message: int, destination: int | None = None) -> Row:
        (row,) = (
            row for row in self.deliveries if row["message"] == message and destination in {None, row["destination"]}
        )
        return row

    def parts(self, message: int, destination: int | None = None) -> dict[str, int]:
        """The parts that took any time."""
        row = self.delivery(message, destination)
        assert sum(row[part] for part in PARTS) == row["delay"]
        return {part: row[part] for part in PARTS if row[part]}


def emulate(scenario: Scenario, directory: Path, place: int = 0, replication: int = 0) -> Emulation:
    """The scenario's protocol of that place, into tables below `directory`."""
    run = Run(scenario, scenario.protocols[place], replication)
    if not (directory / "runs").is_dir():
        prepare(directory)
    return Emulation(execute(run, directory, Silence()), directory)


Said = tuple[int, int, int]
Moved = tuple[int, int, int]


class Script:
    """A world without chance. `says`: (moment, host, destination); `moves`: (moment, host, cell)."""

    def __init__(
        self, says: Iterable[Said] = (), moves: Iterable[Moved] = (), gap: int = 0, *, off: bool = False
    ) -> None:
        self.says = sorted(says, key=lambda said: said[0])
        self.moves = sorted(moves)
        self.gap = gap
        self.off = off

    def talker(self, _workload: object, _hosts: int, _streams: object, host: int, **_: object) -> "Speaker":
        return Speaker([(moment, destination) for moment, source, destination in self.says if source == host])

    def walker(self, _mobility: object, _cells: object, _streams: object, host: int) -> "Wanderer":
        return Wanderer([(moment, cell) for moment, who, cell in self.moves if who == host], self)

    def play(self, monkeypatch: pytest.MonkeyPatch, directory: Path, protocol: object, **settings: object) -> Emulation:
        """Under a protocol; hosts start in the cell of their own number."""
        monkeypatch.setattr(traffic, "Talker", self.talker)
        monkeypatch.setattr(cells, "Walker", self.walker)
        defaults: dict[str, Any] = {
            "hosts": 2,
            "cells": 3,
            "duration": "10 s",
            "mobility": {"start": "spread"},
            "processing": {"fixed": "10 us", "per_integer": "1 us"},
        }
        scenario = Scenario.model_validate({**defaults, "protocols": (protocol,), **settings})
        return emulate(scenario, directory)


class Speaker:
    def __init__(self, says: list[tuple[int, int]]) -> None:
        self.says = says
        self.now = 0

    def pause(self) -> int:
        if not self.says:
            return NEVER
        pause = self.says[0][0] - self.now
        self.now = self.says[0][0]
        return pause

    def address(self) -> tuple[tuple[int, ...], int]:
        _, destination = self.says.pop(0)
        return (destination,), -1


class Wanderer:
    def __init__(self, moves: list[tuple[int, int]], script: Script) -> None:
        self.moves = moves
        self.script = script
        self.now = 0

    def depart(self, cell: int) -> Departure:
        if not self.moves:
            return Departure(NEVER, 0, cell, disconnects=False)
        moment, target = self.moves.pop(0)
        dwell, gap = moment - self.now, self.script.gap
        self.now = moment + gap
        return Departure(dwell, gap, target, disconnects=self.script.off)
