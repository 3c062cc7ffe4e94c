"""How far a scenario has come: a bar on a terminal, plain lines anywhere else. Both on stderr."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

from mobilesim.results.statuses import RunStatus

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from mobilesim.experiments.run import Outcome, Progress, Run
    from mobilesim.scenario.model import Scenario
    from mobilesim.simulation.simulation import Simulation

_EVERY: Final = 10.0
_SECOND: Final = 1e9


@contextmanager
def reporter(scenario: "Scenario", *, quiet: bool) -> "Iterator[Progress]":
    if quiet:
        yield _Silent()
    elif sys.stderr.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description:<24}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%  {task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            yield _Bar(bar)
    else:
        yield _Lines(scenario)


def title(run: "Run") -> str:
    place = f" #{run.replication}" if run.scenario.replications > 1 else ""
    return f"{run.choice.label}{place}"


class _Silent:
    def started(self, run: "Run") -> None: ...

    def advanced(self, simulation: "Simulation") -> None: ...

    def finished(self, outcome: "Outcome") -> None: ...


class _Clock:
    """Messages per second since a run began."""

    def __init__(self) -> None:
        self.start = monotonic()

    def rate(self, simulation: "Simulation") -> str:
        elapsed = max(monotonic() - self.start, 1e-3)
        return f"{simulation.engine.time / _SECOND:,.1f} s emulated, {simulation.sent / elapsed:,.0f} messages/s"


class _Bar:
    """One bar for each run; its remaining time is rich's. They go when all is done: the verdict takes their place."""

    def __init__(self, bar: "Bar") -> None:
        self._bar = bar
        self._clock = _Clock()

    def started(self, run: "Run") -> None:
        self._clock = _Clock()
        self._task = self._bar.add_task(title(run), total=1.0, rate="")

    def advanced(self, simulation: "Simulation") -> None:
        self._bar.update(self._task, completed=simulation.progress, rate=self._clock.rate(simulation))

    def finished(self, outcome: "Outcome") -> None:
        done = 1.0 if outcome.status == RunStatus.COMPLETE else outcome.simulation.progress
        self._bar.update(self._task, completed=done, rate=self._clock.rate(outcome.simulation))


class _Lines:
    """A line when a run is over, and every ten seconds while it is not."""

    def __init__(self, scenario: "Scenario") -> None:
        self._runs = len(scenario.protocols) * scenario.replications
        self._done = 0
        self._clock = _Clock()
        self._said = monotonic()

    def started(self, run: "Run") -> None:
        self._clock = _Clock()
        self._said = monotonic()
        self._title = title(run)

    def advanced(self, simulation: "Simulation") -> None:
        if monotonic() - self._said > _EVERY:
            self._said = monotonic()
            left = (monotonic() - self._clock.start) * (1 / max(simulation.progress, 1e-6) - 1)
            share = f"{simulation.progress:.0%}"
            self._say(f"{self._title}: {share}, {self._clock.rate(simulation)}, about {left:,.0f} s left")

    def finished(self, outcome: "Outcome") -> None:
        self._done += 1
        place = f"[{self._done}/{self._runs}]"
        self._say(f"{place} {self._title}: {outcome.status}, {self._clock.rate(outcome.simulation)}")

    @staticmethod
    def _say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)
