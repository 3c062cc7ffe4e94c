"""Progress on stderr: a bar on a terminal, or else a line every ten seconds."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from mobilesim.errors import counted
from mobilesim.results.statuses import RunStatus

if TYPE_CHECKING:
    from mobilesim.experiments.run import Run, RunOutcome
    from mobilesim.experiments.scenario_runs import RunState
    from mobilesim.scenario.model import Scenario

SECONDS_BETWEEN_LINES: Final = 10.0
_ESTIMATED: Final = 0.05
"""The fraction of the runs after which the remaining time is estimated."""


class Progress:
    """Shows progress. `quiet`: show no bars or lines of tasks, and show stages of the work only on a terminal."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._last = monotonic() - 2 * SECONDS_BETWEEN_LINES

    def show_stage(self, line: str) -> None:
        """Print the present stage. If stderr is not a terminal, print at most one line in ten seconds."""
        now = monotonic()
        if sys.stderr.isatty() or (not self._quiet and now - self._last > SECONDS_BETWEEN_LINES):
            self._last = now
            _print(line)

    @contextmanager
    def meter(self, title: str) -> "Iterator[Meter]":
        with self._meters() as new_meter:
            yield new_meter(title)

    @contextmanager
    def count_runs(self, title: str, total: int) -> "Iterator[RunCounter]":
        with self.meter(title) as meter:
            yield RunCounter(meter, total)

    @contextmanager
    def runs(self, scenario: "Scenario") -> "Iterator[RunProgress]":
        """Show each run of a scenario on a separate line."""
        with self._meters() as new_meter:
            yield RunProgress(new_meter, len(scenario.protocols) * scenario.replications)

    @contextmanager
    def _meters(self) -> "Iterator[Callable[[str], Meter]]":
        """Yield a function that begins to show a task. Its argument is the title of the task."""
        if self._quiet or not sys.stderr.isatty() or os.environ.get("TERM") in {"dumb", "unknown"}:
            yield Meter if self._quiet else _Lines
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description:<24}"), BarColumn(), TextColumn("{task.fields[text]}"))
        with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
            yield partial(_Bar, bars)


class Meter:
    """The progress of one long task. This class shows nothing; subclasses show a bar or lines."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.start = monotonic()

    def show(self, done: float | None, text: str) -> None:
        """Show the finished fraction (None if it is unknown), and a text beside it."""

    def finish(self, line: str) -> None:
        """Print the result of the task if there is no bar."""

    def fraction(self, done: float) -> None:
        self.show(done, f"{done:.0%}")

    @property
    def elapsed(self) -> float:
        return monotonic() - self.start


class _Bar(Meter):
    """A bar, which is removed at the end."""

    def __init__(self, bars: Any, title: str) -> None:  # noqa: ANN401 - rich is imported where it is used
        super().__init__(title)
        self._bars = bars
        self._task = bars.add_task(title, total=None, text="")

    def show(self, done: float | None, text: str) -> None:
        self._bars.update(self._task, completed=done, total=None if done is None else 1.0, text=text)


class _Lines(Meter):
    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._last = self.start

    def show(self, done: float | None, text: str) -> None:
        now = monotonic()
        if now - self._last > SECONDS_BETWEEN_LINES:
            self._last = now
            left = f", about {(now - self.start) * (1 / done - 1):,.0f} s left" if done and done < 1 else ""
            _print(f"{self.title}: {text}{left}")

    def finish(self, line: str) -> None:
        _print(line)


class RunCounter:
    """Counts finished runs. It is called after every run.

    The remaining time is estimated only after a run of every core and 5 % of the runs: the first runs take longer, as
    the processes start.
    """

    def __init__(self, meter: Meter, total: int) -> None:
        from mobilesim.experiments.executors import cores

        self._meter, self._total = meter, total
        self._first_estimate = max(min(cores(), total), _ESTIMATED * total)
        self._done = self._failed = 0

    def __call__(self, *, failed: bool = False) -> None:
        self._done += 1
        self._failed += failed
        done, total = self._done, self._total
        failures = f", {self._failed:,} failed" if self._failed else ""
        if done < total:
            known = done / total if done >= self._first_estimate else None
            self._meter.show(known, f"{done:,} of {counted(total, 'run')}{failures}")
        else:
            self._meter.finish(f"{self._meter.title}: {counted(total, 'run')}{failures}, {self._meter.elapsed:.1f} s")


class RunProgress:
    """Shows the runs of a scenario, as `mobilesim.experiments.scenario_runs` reports them."""

    def __init__(self, new_meter: Callable[[str], Meter], total: int) -> None:
        self._new_meter = new_meter
        self._total = total
        self._finished = 0
        self._meters: dict[str, Meter] = {}

    def started(self, run: "Run") -> None:
        self._meters[run.id] = self._new_meter(title(run))

    def advanced(self, run: "Run", state: "RunState") -> None:
        meter, done = self._meters[run.id], state.done
        # It is unknown how long messages are in transit after the scenario's end.
        phase = f"{done:.0%}" if done < 1 else "draining"
        meter.show(done if done < 1 else None, f"{phase}, {_rate(meter, state.time, state.sent)}")

    def finished(self, outcome: "RunOutcome") -> None:
        self._finished += 1
        meter = self._meters.pop(outcome.run.id)
        rate = _rate(meter, outcome.simulated, outcome.messages)
        if outcome.status == RunStatus.COMPLETE:
            meter.show(1.0, f"100%, {rate}")
        meter.finish(f"[{self._finished}/{self._total}] {meter.title}: {outcome.status}, {rate}")


def _rate(meter: Meter, simulated: int, messages: int) -> str:
    per_second = messages / max(meter.elapsed, 1e-3)
    return f"{simulated / 1e9:,.1f} s simulated, {per_second:,.0f} messages/s"


def title(run: "Run") -> str:
    replication = f" #{run.replication}" if run.scenario.replications > 1 else ""
    return f"{run.choice.label}{replication}"


def _print(line: str) -> None:
    # One call writes the line as a whole: Ctrl-C between its text and its end would join it to the next message.
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
