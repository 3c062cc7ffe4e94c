"""The emulator, through its own runner: with nobody watching, with the oracle, and with the oracle and the trace.

Hosts stay in a cell for half a minute on average, so that 100,000 messages of 1,000 hosts meet over 3,000 hand-offs; on
a plane, where they look around every second, about as long. A
matrix of 1,000 x 1,000 integers goes with each message of `av1`; at 1 ns of work for an integer and 1 Gbit/s no station
and no link is overloaded. Under `av2` each of these hand-offs takes 201 packets, more than six a message. The crowd is
the scenario `stress/ten-thousand-hosts`. A run costs everything from the first event to the last table on disk.
"""

import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from mobilesim.experiments.run import Outcome, Run, execute
from mobilesim.results.run_directory import prepare_directory
from mobilesim.scenario.bundled import find
from mobilesim.scenario.loader import load
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.simulation import Simulation

SETTINGS: Final = {"bare": (False, False), "oracle": (True, False), "trace": (True, True)}
"""Is there an oracle, is there a trace. A trace needs an oracle."""

JUMPS: Final[dict[str, Any]] = {"dwell": "exponential 30 s"}
ON_PLANE: Final[dict[str, dict[str, Any]]] = {
    "waypoint": {"model": "waypoint", "waypoint": {"min_speed": "11 m/s", "max_speed": "17 m/s"}},
    "gauss-markov": {"model": "gauss-markov", "gauss_markov": {"speed": "13.5 m/s"}},
}

_PEAK_UNIT: Final = 1 if sys.platform == "darwin" else 1024


def scenario(protocol: str, setting: str, hosts: int, messages: int, movement: str | None = None) -> Scenario:
    oracle, trace = SETTINGS[setting]
    values: dict[str, Any] = {
        "name": "benchmark",
        "protocols": protocol,
        "hosts": hosts,
        "messages": messages,
        "cells": {"rows": 10, "columns": 10},
        "mobility": JUMPS if movement is None else ON_PLANE[movement],
        "workload": {"interval": "exponential 1 s"},
        "backbone": {"bandwidth": "1 Gbit/s", "jitter": "exponential 2 ms"},
        "processing": {"fixed": "10 us", "per_integer": "1 ns"},
        "oracle": oracle,
        "trace": trace,
    }
    return Scenario.model_validate(values)


class Meter:
    """What the runner reports to: CPU time from start to finish, and the peak of memory on the way."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.memory: list[tuple[int, int]] = []

    def started(self, run: Run) -> None:
        self.seconds = -process_time()

    def advanced(self, simulation: Simulation) -> None:
        self._look(simulation.sent)

    def _look(self, messages: int) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT
        self.memory.append((messages, peak))

    def finished(self, outcome: Outcome) -> None:
        self.seconds += process_time()
        self._look(outcome.simulation.sent)
        if outcome.verdict == "fault":
            raise AssertionError(f"{outcome.run.choice.label} broke its promises: its speed means nothing")


def crowd(hosts: int, messages: int) -> Meter:
    """That many of ten thousand hosts, who send and move as they do there."""
    changes = {"hosts": str(hosts), "messages": str(messages)}
    return run(load(find("stress/ten-thousand-hosts"), changes))


def play(protocol: str, setting: str, hosts: int, messages: int, movement: str | None = None) -> Meter:
    return run(scenario(protocol, setting, hosts, messages, movement))


def run(chosen: Scenario) -> Meter:
    meter = Meter()
    with TemporaryDirectory() as folder:
        directory = Path(folder) / "results"
        prepare_directory(directory)
        execute(Run(chosen, chosen.protocols[0], 0), directory, meter)
    return meter
