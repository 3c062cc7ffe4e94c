"""Runs for tests: real scenarios, executed by the product's runner, which writes real tables."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.experiments import assemble
from mobilesim.experiments.execute import execute
from mobilesim.experiments.executors import never
from mobilesim.experiments.run import Run, RunOutcome
from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.results.run_directory import prepare_directory
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.protocol_choice import choose
from mobilesim.simulation import cells
from mobilesim.simulation.batteries import BatterySimulation
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.simulation.simulation import Simulation
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.random_streams import Streams
from mobilesim.world.replication import World
from mobilesim.world.traffic.messages import Address, TrafficSource

Row = dict[str, Any]

MS: Final = 1_000_000
US: Final = 1_000
NEVER: Final = 1 << 50

Play = Any
"""The type of the fixture `play`, which runs a script under a protocol, with settings of the scenario."""


class KeepSimulation:
    """An observer that keeps the simulation of the last run. The outcome of a run does not contain the simulation."""

    simulation: Simulation

    def started(self, run: Run) -> None: ...

    def advanced(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def finished(self, outcome: RunOutcome) -> None: ...


@dataclass(frozen=True)
class FinishedRun:
    outcome: RunOutcome
    simulation: Simulation
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
    def cells(self) -> CellularSimulation:
        assert isinstance(self.simulation, CellularSimulation)
        return self.simulation

    def delivery(self, message: int, destination: int | None = None) -> Row:
        (row,) = (
            row for row in self.deliveries if row["message"] == message and destination in {None, row["destination"]}
        )
        return row

    def parts(self, message: int, destination: int | None = None) -> dict[str, int]:
        """Return the nonzero parts of a delay."""
        row = self.delivery(message, destination)
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        return {part: row[part] for part in DELAY_PARTS if row[part]}


def simulate(
    scenario: Scenario,
    directory: Path,
    index: int = 0,
    replication: int = 0,
    stop: Callable[[], bool] = never,
) -> FinishedRun:
    """Execute one of the scenario's protocols. Write its tables below `directory`."""
    run = Run(scenario, scenario.protocols[index], replication)
    if not (directory / "runs").is_dir():
        prepare_directory(directory)
    progress = KeepSimulation()
    outcome = execute(run, directory, progress, stop)
    return FinishedRun(outcome, progress.simulation, directory)


FREE_HOSTS = {"fixed": "0 s", "per_integer": "0 s"}
"""The settings `processing.hosts` with which the work of hosts takes no time."""

Said = tuple[int, int, int]
Moved = tuple[int, int, int]


def with_free_location(protocol: object) -> object:
    """Return a protocol given by its name with free locations, so that each message takes one packet on the wires."""
    if isinstance(protocol, str):
        choice = choose(protocol)
        if "location" in dict(choice.options):
            return {"placement": choice.placement, "ordering": choice.ordering, "location": "free"}
    return protocol


class Script:
    """A world without randomness. `says` has (moment, host, destination), and `moves` has (moment, host, cell)."""

    def __init__(
        self, says: Iterable[Said] = (), moves: Iterable[Moved] = (), gap: int = 0, *, off: bool = False
    ) -> None:
        self.says = sorted(says, key=lambda output: output[0])
        self.moves = sorted(moves)
        self.gap = gap
        self.off = off

    def senders(self, hosts: int) -> dict[int, TrafficSource]:
        return {host: self.sender(host) for host in range(hosts)}

    def sender(self, host: int) -> TrafficSource:
        return ScriptedSender([(moment, destination) for moment, source, destination in self.says if source == host])

    def host_actions(self, world: World) -> list[Iterator[Departure]]:
        return [self.walker(host) for host in range(world.scenario.hosts)]

    def walker(self, host: int) -> Iterator[Departure]:
        for moment, who, cell in self.moves:
            if who == host:
                yield Departure(moment, moment + self.gap, cell, disconnects=self.off)

    def play(
        self, monkeypatch: pytest.MonkeyPatch, directory: Path, protocol: object, **settings: object
    ) -> FinishedRun:
        """Run the script under a protocol. Each host starts in the cell of its own number."""
        monkeypatch.setattr(assemble, "CellularSimulation", scripted(self, CellularSimulation))
        monkeypatch.setattr(assemble, "BatterySimulation", scripted(self, BatterySimulation))
        monkeypatch.setattr(cells, "host_actions", self.host_actions)
        defaults: dict[str, Any] = {
            "hosts": 2,
            "cells": 3,
            "duration": "10 s",
            "mobility": {"start": "spread", "disconnect": {"announced": False}},
            "processing": {"fixed": "10 us", "per_integer": "1 us", "hosts": FREE_HOSTS},
        }
        scenario = Scenario.model_validate({**defaults, "protocols": (protocol,), **settings})
        return simulate(scenario, directory)


def scripted(script: Script, network: type[CellularSimulation]) -> type[CellularSimulation]:
    """Return a subclass with the script's senders, because methods of compiled classes cannot be replaced."""

    class Scripted(network):  # type: ignore[misc, valid-type] # a parameter
        def __init__(self, world: World, *others: Any, **named: Any) -> None:  # noqa: ANN401 - of the simulation
            super().__init__(replace(world, streams=AlignedBeacons(world.scenario.seed, 0)), *others, **named)

        def host_traffic(self) -> dict[int, TrafficSource]:
            return script.senders(len(self.hosts))

    return Scripted


class AlignedBeacons(Streams):
    """The streams of a world in which all stations send their first beacon at time 0."""

    def stream(self, purpose: str, index: int = 0) -> Random:
        return Least() if purpose == "beacon-phase" else super().stream(purpose, index)


class Least(Random):
    def random(self) -> float:
        return 0.0


class ScriptedSender(TrafficSource):
    def __init__(self, says: list[tuple[int, int]]) -> None:
        self.says = says
        self.now = 0
        self.first = self.pause = self.next_pause
        self.address = self.next_address

    def next_pause(self) -> int:
        if not self.says:
            return NEVER
        pause = self.says[0][0] - self.now
        self.now = self.says[0][0]
        return pause

    def next_address(self) -> Address:
        _, destination = self.says.pop(0)
        return (destination,), -1, 100
