"""Shared parts of the commands that run sweeps: options, preview, execution on Spark, and output."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mobilesim.api.interrupts import Interruption
from mobilesim.api.progress import Progress
from mobilesim.api.spark_sessions import spark_executor
from mobilesim.api.text_tables import as_json, indented, terminal_width
from mobilesim.cli.arguments import refuse_idle
from mobilesim.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from mobilesim.analysis.sweeps.text import TextTable
    from mobilesim.cli.text.sweep_text import SweepOutcome
    from mobilesim.experiments.sweep.plan import Plan
    from mobilesim.results.location import Location
    from mobilesim.scenario.sweeps.sweep_file import Sweep


class View(Protocol):
    @property
    def sound(self) -> bool: ...

    def lines(self, table: "TextTable") -> Iterator[str]: ...

    def document(self) -> dict[str, Any]: ...


Summarize = Callable[..., View]


def add_options(parser: argparse.ArgumentParser, default_directory: str) -> None:
    add = parser.add_argument
    where = f"results directory (default: {default_directory}; --quick appends -quick)"
    add("--out", metavar="DIR", help=where)
    add("--quick", action="store_true", help="short runs, at most two replications, for a first test")
    add(
        "--dry-run",
        action="store_true",
        help="show the points, the runs, which runs are complete, and their estimated cost; check DIR; write nothing",
    )
    add("--fresh", action="store_true", help="remove earlier results and start again")
    add("--no-report", action="store_true", help="summarize, but write no report")
    add("--master", metavar="URL", help="the Spark master (default: this machine, all of its cores)")
    add("--json", action="store_true", help="print one JSON document instead of text")


def list_instead(args: argparse.Namespace, directory: Path, options: Sequence[str]) -> int:
    """List the bundled files in a directory. `options`: those that only a run has, besides the shared ones."""
    from mobilesim.cli.text.scenario_list import print_list

    shared = ("out", "quick", "dry_run", "fresh", "no_report", "master")
    refuse_idle(args, (*options, *shared), "without a name, nothing runs; name a file first")
    return print_list(directory, json=args.json)


def run_sweep(sweep: "Sweep", args: argparse.Namespace, summarize: Summarize | None = None) -> int:
    """Run the missing runs, summarize and print; return the exit code. `summarize` replaces `summarize_sweep`."""
    from mobilesim.cli.text.sweep_text import SweepOutcome
    from mobilesim.experiments.sweep.refinement import plan_in
    from mobilesim.results.location import checked_location
    from mobilesim.results.run_directory import default_directory
    from mobilesim.results.sweeps.sweep_directory import open_sweep

    directory = checked_location(args.out) if args.out else default_directory(sweep.name, quick=sweep.quick)
    plan = plan_in(directory, sweep, fresh=args.fresh)
    if args.dry_run:
        return _preview(plan, directory, args)
    outcome = SweepOutcome(plan, directory)
    summary = None
    try:
        with open_sweep(directory, plan.resolved_text, plan.all_runs(), fresh=args.fresh, design=plan.design) as store:
            outcome.begin(store)
            summary = _execute(plan, outcome, args, summarize)
    except KeyboardInterrupt:
        outcome.interrupted = True
    _print_outcome(outcome, summary, args)
    if outcome.interrupted:
        hint = f"finished runs are kept in {directory}; the same command without --fresh continues with the other runs"
        print(f"mobilesim: interrupted; {hint}", file=sys.stderr)
        return ExitCode.INTERRUPTED
    return ExitCode.OK if outcome.sound and (summary is None or summary.sound) else ExitCode.FAULT


def _execute(
    plan: "Plan", outcome: "SweepOutcome", args: argparse.Namespace, summarize: Summarize | None
) -> View | None:
    from mobilesim.analysis.summary.reduce_run import reduce_run
    from mobilesim.experiments.sweep.engine import run_missing
    from mobilesim.results.sweeps.sweep_directory import view_sweep

    display, stop = Progress(quiet=args.json), Interruption()
    with spark_executor(args.master, display.show_stage, stop.noted) as executor:
        outcome.plan = plan = run_missing(plan, outcome.store, executor, stop=stop, display=display, reduce=reduce_run)
        outcome.interrupted = stop.asked
        if outcome.any_complete and not outcome.interrupted:
            from mobilesim.analysis.pipeline.summarize import summarize_sweep

            return (summarize or summarize_sweep)(
                outcome.store.directory, args.master, report=not args.no_report, progress=display.show_stage
            )
    if outcome.interrupted:
        # Some runs may have finished without being counted. Now no worker is active any more.
        outcome.store.records |= view_sweep(outcome.store.directory, plan.all_runs()).records
    return None


def _preview(plan: "Plan", directory: "Location", args: argparse.Namespace) -> int:
    from mobilesim.cli.text.sweep_text import plan_document, plan_lines
    from mobilesim.experiments.sweep.cost import estimate_cost
    from mobilesim.results.sweeps.sweep_directory import preview_sweep

    store = preview_sweep(directory, plan.all_runs(), fresh=args.fresh)
    cost = estimate_cost(plan, store)
    if args.json:
        print(as_json({**plan_document(plan, store), "cost": None if cost is None else asdict(cost)}))
    else:
        costs = [] if cost is None else [cost.text]
        print(*plan_lines(plan, store, terminal_width()), *costs, sep="\n")
    return ExitCode.OK


def print_view(view: View, args: argparse.Namespace) -> None:
    if args.json:
        print(as_json(view.document()))
    else:
        print(*view.lines(partial(indented, width=terminal_width())), sep="\n")


def _print_outcome(outcome: "SweepOutcome", summary: View | None, args: argparse.Namespace) -> None:
    if args.json:
        print(as_json({**outcome.document(), "summary": None if summary is None else summary.document()}))
        return
    lines = list(outcome.lines(summarized=summary is not None))
    if summary is not None:
        lines += ["", *summary.lines(partial(indented, width=terminal_width()))]
    print(*lines, sep="\n")
