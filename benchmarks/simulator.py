"""Benchmarks of the simulator through its own runner: without observers, with the oracle, and with oracle and trace.
Hosts dwell in a cell for half a minute on average. While 1,000 hosts send 100,000 messages, they make over 3,000
hand-offs. With a mobility model on the plane, the cell of a host is determined every second, and dwell times are
similar. Each message of `av1` carries a matrix of 1,000 x 1,000 integers; at 1 ns of work per integer and 1 Gbit/s no
station and no link is overloaded. With `av2` each hand-off takes 201 packets, so there are more than six hand-off
packets per message. The work of hosts takes no time, as in the programs with which mobilesim is compared. The
benchmark of ten thousand hosts uses the scenario `stress/ten-thousand-hosts`. The time of a run includes everything
from the first event to the last table on disk.
"""

import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from mobilesim.experiments.execute import execute
from mobilesim.experiments.run import Run, RunOutcome
from mobilesim.protocols import catalogue
from mobilesim.results.run_directory import prepare_directory
from mobilesim.results.statuses import RunVerdict
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import load
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.simulation import Simulation

SETTINGS: Final = {"bare": (False, False), "oracle": (True, False), "trace": (True, True)}
"""For each setting, whether the run has an oracle, and whether it has a trace."""

CELL_CHANGES: Final[dict[str, Any]] = {"dwell": "exponential 30 s"}
PLANE_MODELS: Final[dict[str, dict[str, Any]]] = {
    "waypoint": {"model": "waypoint", "waypoint": {"min_speed": "11 m/s", "max_speed": "17 m/s"}},
    "gauss-markov": {"model": "gauss-markov", "gauss_markov": {"speed": "13.5 m/s"}},
}

_PEAK_UNIT: Final = 1 if sys.platform == "darwin" else 1024


def with_free_location(protocol: str) -> dict[str, str]:
    """Return a protocol that sends messages without a search, like the programs with which it is compared."""
    options = catalogue.ROWS[protocol].options
    return {"name": protocol, **({"location": "free"} if "location" in options else {})}


def scenario(protocol: str, setting: str, hosts: int, messages: int, movement: str | None = None) -> Scenario:
    oracle, trace = SETTINGS[setting]
    values: dict[str, Any] = {
        "name": "benchmark",
        "protocols": with_free_location(protocol),
        "hosts": hosts,
        "messages": messages,
        "cells": {"rows": 10, "columns": 10},
        "mobility": CELL_CHANGES if movement is None else PLANE_MODELS[movement],
        "workload": {"interval": "exponential 1 s"},
        "backbone": {"bandwidth": "1 Gbit/s", "jitter": "exponential 2 ms"},
        "processing": {"fixed": "10 us", "per_integer": "1 ns", "hosts": {"fixed": "0 s", "per_integer": "0 s"}},
        "oracle": oracle,
        "trace": trace,
    }
    return Scenario.model_validate(values)


class CpuMeter:
    """An observer that measures the CPU time of a run and its peak memory."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.memory: list[tuple[int, int]] = []

    def started(self, run_scenario: Run) -> None:
        self.seconds = -process_time()

    def advanced(self, simulation: Simulation) -> None:
        self._sample_memory(simulation.sent)

    def _sample_memory(self, messages: int) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT
        self.memory.append((messages, peak))

    def finished(self, outcome: RunOutcome) -> None:
        self.seconds += process_time()
        self._sample_memory(outcome.messages)
        if outcome.verdict is RunVerdict.FAULT:
            raise AssertionError(f"{outcome.run.choice.label} violated its claims, so its speed is meaningless")


def run_ten_thousand_hosts(hosts: int, messages: int) -> CpuMeter:
    """Run the scenario `stress/ten-thousand-hosts` with `hosts` hosts instead of ten thousand."""
    changes = {"hosts": str(hosts), "messages": str(messages)}
    return run_scenario(load(find("stress/ten-thousand-hosts"), changes))


def run_protocol(protocol: str, setting: str, hosts: int, messages: int, movement: str | None = None) -> CpuMeter:
    return run_scenario(scenario(protocol, setting, hosts, messages, movement))


def run_scenario(chosen: Scenario) -> CpuMeter:
    meter = CpuMeter()
    with TemporaryDirectory() as folder:
        directory = Path(folder) / "results"
        prepare_directory(directory)
        execute(Run(chosen, chosen.protocols[0], 0), directory, meter)
    return meter
