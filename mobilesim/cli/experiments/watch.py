"""`mobilesim watch`: the progress of a sweep, and its means so far."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from mobilesim.api.interrupts import Interruption
from mobilesim.api.text_tables import aligned, as_json, terminal_width
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError, counted
from mobilesim.results.statuses import RunVerdict

if TYPE_CHECKING:
    from mobilesim.analysis.pipeline.watch import RunMeans
    from mobilesim.analysis.statistics.estimate import Estimate
    from mobilesim.analysis.summary.metrics import Metric
    from mobilesim.experiments.sweep.plan import Plan
    from mobilesim.results.location import Location
    from mobilesim.results.sweeps.manifest import RunRecord

HELP: Final = "show the progress of a sweep, and its means so far"

DESCRIPTION: Final = """\
Shows how many runs of a sweep are complete, how long the others may take, and the mean of a metric at each point with
its 95% interval, which becomes narrower with each replication. The sweep may run on any machine: this command reads its
directory, and changes nothing. It ends when all runs are finished.

  mobilesim watch results/mobility
  mobilesim watch results/mobility --metric header_bytes
  mobilesim watch s3://BUCKET/mobility --once --json    once, for scripts

exit status: 0 no fault so far, 1 a run failed or a protocol broke a claim, 2 bad input, 130 Ctrl-C"""

_SECONDS: Final = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("results", metavar="DIR", help="results directory of a sweep, or its address")
    add("--metric", default="delay", metavar="METRIC", help="the metric of which means are shown (default: delay)")
    add("--once", action="store_true", help="show the present state, and end")
    add("--interval", type=float, default=_SECONDS, metavar="S", help="seconds between two looks (default: 5)")
    add("--json", action="store_true", help="with --once: print one JSON document")


def run(args: argparse.Namespace) -> int:
    from mobilesim.analysis.pipeline.watch import RunMeans, watched_metric
    from mobilesim.results.location import checked_location

    if args.json and not args.once:
        raise UserError("--json: write --once, too; without it, there would be many documents")
    if not args.interval > 0:
        raise UserError(f"--interval {args.interval:g}: expected a number above 0")
    metric = watched_metric(args.metric)
    sweep = _WatchedSweep(checked_location(args.results), metric, RunMeans(metric.name))
    with Interruption().noted() as stop:
        shown: list[str] = []
        while True:
            state = sweep.state()
            if args.json:
                print(as_json(state.document()))
            else:
                shown = _show(list(state.lines()), shown)
            if args.once or state.finished or _stopped(stop, args.interval):
                break
    if stop.asked:
        print("mobilesim: interrupted; the sweep goes on", file=sys.stderr)
        return ExitCode.INTERRUPTED
    return ExitCode.FAULT if state.failed or state.faults else ExitCode.OK


def _stopped(stop: Interruption, seconds: float) -> bool:
    """Wait, and return whether Ctrl-C was pressed."""
    end = monotonic() + seconds
    while not stop.asked and (left := end - monotonic()) > 0:
        sleep(min(left, 0.1))
    return stop.asked


def _show(lines: list[str], before: list[str]) -> list[str]:
    """Print the lines. On a terminal they replace those before; elsewhere, they are printed if they have changed."""
    if sys.stdout.isatty() and before:
        print(f"\x1b[{len(before)}F\x1b[J", end="")
    if sys.stdout.isatty() or lines != before:
        print(*lines, sep="\n", flush=True)
    return lines


@dataclass
class _WatchedSweep:
    directory: "Location"
    metric: "Metric"
    means: "RunMeans"

    @cached_property
    def _plan(self) -> "Plan":
        from mobilesim.experiments.sweep.plan import make_plan
        from mobilesim.results.layout import SWEEP
        from mobilesim.scenario.sweeps.sweep_file import loads

        path = self.directory / SWEEP
        if not path.is_file():
            raise UserError(f"{self.directory}: not the directory of a sweep: it has no '{SWEEP}'")
        return make_plan(loads(path.read_text(encoding="utf-8"), str(path)))

    def state(self) -> "_State":
        from mobilesim.analysis.pipeline.watch import seconds_left
        from mobilesim.results.sweeps.sweep_directory import finish_times, view_sweep

        plan = self._plan
        store = view_sweep(self.directory, plan.all_runs())
        rows: list[_Row] = []
        records: dict[str, RunRecord] = {}
        for each in plan.configurations:
            names = [each.run(number) for number in range(plan.replications.at_most)]
            found = [store.records[name] for name in names if name in store.records]
            records |= {record.run: record for record in found}
            complete = [record for record in found if record.complete]
            point = tuple(each.point.label.values())
            rows.append(_Row(point, each.protocol, len(complete), self.means.estimate(complete)))
        missing = sum(max(0, plan.replications.at_least - row.complete) for row in rows)
        left = seconds_left(finish_times(self.directory, records), missing)
        keys = tuple(key for axis in plan.sweep.axes for key in axis.keys)
        return _State(plan.sweep.name, keys, self.metric, rows, missing, left, [*records.values()])


@dataclass(frozen=True)
class _Row:
    point: tuple[str, ...]
    protocol: str
    complete: int
    mean: "Estimate"


@dataclass(frozen=True)
class _State:
    """`missing`: the number of runs that are not complete; with a stopping rule, more of them may be necessary."""

    sweep: str
    keys: tuple[str, ...]
    metric: "Metric"
    rows: Sequence[_Row]
    missing: int
    left: float | None
    records: list["RunRecord"] = field(repr=False)

    @property
    def complete(self) -> int:
        return sum(row.complete for row in self.rows)

    @property
    def failed(self) -> int:
        return sum(not record.complete for record in self.records)

    @property
    def faults(self) -> int:
        return sum(record.verdict == RunVerdict.FAULT for record in self.records)

    @property
    def finished(self) -> bool:
        return self.missing <= self.failed

    def lines(self) -> Iterator[str]:
        head = ["protocol", *self.keys, "runs", self.metric.label]
        rows = [
            [row.protocol, *row.point, str(row.complete), self.metric.scale.show_estimate(row.mean)]
            for row in self.rows
        ]
        yield from aligned([head, *rows], (len(self.keys) + 1,), terminal_width())
        yield ""
        bad = [f"{self.failed:,} failed"] * bool(self.failed) + [f"{self.faults:,} with faults"] * bool(self.faults)
        whole = ", ".join((f"{self.complete:,} of {counted(self.complete + self.missing, 'run')} are complete", *bad))
        left = f"; about {_duration(self.left)} left" if self.left is not None and not self.finished else ""
        yield f"{self.sweep}: {whole}{left}"

    def document(self) -> dict[str, Any]:
        rows = [
            {
                "point": dict(zip(self.keys, row.point, strict=True)),
                "protocol": row.protocol,
                "complete": row.complete,
                "mean": row.mean.mean,
                "low": row.mean.low,
                "high": row.mean.high,
            }
            for row in self.rows
        ]
        counts = {name: getattr(self, name) for name in ("complete", "missing", "failed", "faults")}
        about = {"sweep": self.sweep, "metric": self.metric.name, **counts, "seconds_left": self.left}
        return {**about, "points": rows}


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
