"""`mobilesim run`: simulate a scenario, check it, write its tables, summarize them and write the report."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mobilesim.api.text_tables import as_json
from mobilesim.cli.arguments import add_overrides, at_least, refuse_idle, settings
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import counted
from mobilesim.results.statuses import RunVerdict

if TYPE_CHECKING:
    from mobilesim.analysis.summary.model import Summary
    from mobilesim.analysis.summary.pooling import Estimator
    from mobilesim.experiments.run import RunOutcome
    from mobilesim.results.location import Location
    from mobilesim.scenario.model import Scenario

HELP: Final = "simulate a scenario under each of its protocols, check every delivery, summarize"

DESCRIPTION: Final = """\
Runs every protocol of the scenario in every replication, on the same movement and workload. An oracle checks every
delivery. The results are one Parquet file per run and table, a summary and an offline report.

  mobilesim run quickstart                       a bundled scenario
  mobilesim run mine.yaml --out results/mine     a scenario of your own
  mobilesim run mine.yaml --set hosts=200        with another number of hosts
  mobilesim run mine.yaml --protocol av1 fifo    with other protocols
  mobilesim run                                  list the bundled scenarios
  mobilesim run mine/                            list the scenarios of a directory

exit status: 0 every protocol kept its claims, 1 one did not, 2 bad input, 130 Ctrl-C (once: the measurements so far are
written; twice: stops at once)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    listed = "the scenarios of a directory are listed (default: list the bundled ones)"
    add("scenario", nargs="?", help=f"a YAML file, or the name of a bundled scenario; {listed}")
    where = "results/NAME, NAME as in the scenario; with --quick, results/NAME-quick"
    about = f"results directory (default: {where}); earlier results in it are replaced"
    add("--out", metavar="DIR", help=about)
    add_overrides(parser, "override a key, like wireless.bandwidth='256 kbit/s'; may be given again")
    about = "run these instead of the scenario's protocols; also placement+ordering, or with options: av3 k=3"
    add("--protocol", nargs="+", metavar="NAME", help=about)
    add("--seed", help="instead of the scenario's seed")
    add("--replications", help="instead of the scenario's number of replications")
    length = "the scenario's `quick_duration`, or at most 1,000 messages and, with cells, 5 s of simulated time"
    add("--quick", action="store_true", help=f"a short version without warm-up: {length}")
    add("--workers", type=int, metavar="N", help="the number of processes for the runs (default: one for each core)")
    add("--no-summary", action="store_true", help="write the tables only; `mobilesim summarize` adds the rest")
    add("--no-report", action="store_true", help="summarize, but draw no report")
    add("--master", metavar="URL", help="the Spark master for the summary (default: this machine)")
    add("--json", action="store_true", help="print one JSON document, with the runs and their summary, instead of text")


def run(args: argparse.Namespace) -> int:
    from mobilesim.api.interrupts import Interruption
    from mobilesim.api.progress import Progress
    from mobilesim.experiments.executors import cores
    from mobilesim.experiments.scenario_runs import prepare, run_scenario
    from mobilesim.results.location import checked_location
    from mobilesim.results.run_directory import default_directory
    from mobilesim.scenario.bundled import SCENARIOS, find, is_scenario_directory
    from mobilesim.scenario.loader import load

    workers = cores() if args.workers is None else at_least(1, "workers", args.workers)
    if args.no_summary:
        reason = "--no-summary writes neither summary nor report; leave one of these options out"
        refuse_idle(args, ("no_report", "master"), reason)
    if args.scenario is None:
        return _list(SCENARIOS, "without a scenario, nothing runs; name one first", args)
    if is_scenario_directory(args.scenario):
        reason = f"{args.scenario} is a directory, so its scenarios are listed; name one of them to run it"
        return _list(Path(args.scenario), reason, args)
    whole = load(find(args.scenario), settings(args, args.set))
    scenario = whole.shortened() if args.quick else whole
    directory = checked_location(args.out) if args.out else default_directory(scenario.name, quick=args.quick)
    if args.out is None and not args.json and Path(args.scenario).stem != scenario.name:
        print(f"{args.scenario} has the name '{scenario.name}': its results are in {directory}", file=sys.stderr)
    if args.master is not None:
        from mobilesim.analysis.spark.session import check_master

        check_master(args.master)
    stop = Interruption()
    with stop.noted():
        notes = prepare(scenario, directory)
    environment = dict(os.environ)  # while Spark starts, this process has environment variables for Spark
    with _estimator(scenario, directory, args) as estimator:
        with stop.noted(), Progress(quiet=args.json).runs(scenario) as progress:
            outcomes = run_scenario(
                scenario, directory, workers=workers, progress=progress, stop=stop, environment=environment
            )
        if stop.asked and not outcomes:
            raise KeyboardInterrupt  # before the first run
        finished = _Finished(scenario, directory, outcomes, notes, _quick_limits(whole) if args.quick else None)
        return _conclude(finished, None if stop.asked else estimator, args, interrupted=stop.asked)


def _list(directory: Path, unrun: str, args: argparse.Namespace) -> int:
    """List the scenarios of a directory. `unrun`: the reason why the options of a run are not allowed."""
    from mobilesim.cli.text.scenario_list import print_list

    refuse_idle(args, ("out", "set", "protocol", "seed", "replications", "quick"), unrun)
    return print_list(directory, json=args.json)


def _quick_limits(whole: "Scenario") -> str:
    from mobilesim.scenario.values.units import TIME

    ends = whole.quick_ends
    long = [] if ends["duration"] is None else [TIME.write(ends["duration"])]
    many = [] if ends["messages"] is None else [counted(ends["messages"], "message")]
    gone = whole.not_in_short_form
    without = f", without the scenario's {' and '.join(gone)}" if gone else ""
    return f"--quick: at most {' and '.join(long + many)}{without}"


@dataclass(frozen=True, slots=True)
class _Finished:
    """The outcomes of a scenario's runs. `notes`: warnings. `cut`: how --quick limits the runs; None without it."""

    scenario: "Scenario"
    directory: "Location"
    outcomes: "Sequence[RunOutcome]"
    notes: Sequence[str]
    cut: str | None


@contextmanager
def _estimator(scenario: "Scenario", directory: "Location", args: argparse.Namespace) -> "Iterator[Estimator | None]":
    """Yield what estimates the numbers of the summary: Spark, which starts now, or this process for the few rows of
    --quick; None if there will be no summary.
    """
    if args.no_summary or not (scenario.trace and scenario.oracle):
        yield None
        return
    from mobilesim.analysis.pipeline.summarize import early_spark_estimator
    from mobilesim.analysis.summary.pooling import estimates_here

    if args.quick and args.master is None:
        yield estimates_here
        return
    with early_spark_estimator(directory, args.master) as estimator:
        yield estimator


def _conclude(
    finished: _Finished, estimator: "Estimator | None", args: argparse.Namespace, *, interrupted: bool
) -> int:
    from mobilesim.cli.text.run_text import as_document, as_text

    outcomes, directory = finished.outcomes, finished.directory
    sound = all(outcome.verdict != RunVerdict.FAULT for outcome in outcomes)
    if args.json:
        document = as_document(finished.scenario, outcomes, directory, finished.notes)
        sound &= _print_json(document, directory, estimator, args)
    else:
        print(as_text(finished.scenario, outcomes, directory, finished.notes, finished.cut))
        if estimator is not None:
            from mobilesim.api.summary_text import summary_text

            summary = _summarised(directory, estimator, args)
            print(summary_text(summary))
            sound &= summary.sound
        elif not args.no_summary and not interrupted:
            print("no summary: it needs the trace and the oracle, and the scenario turns one of them off")
    if interrupted:
        print(f"mobilesim: interrupted; the tables in {directory} have the measurements until then", file=sys.stderr)
        return ExitCode.INTERRUPTED
    return ExitCode.OK if sound else ExitCode.FAULT


def _print_json(
    document: dict[str, Any], directory: "Location", estimator: "Estimator | None", args: argparse.Namespace
) -> bool:
    """Print the JSON document. It is printed even if the summary fails, because the runs are complete."""
    document["summary"] = None
    try:
        if estimator is None:
            return True
        from mobilesim.analysis.summary.tables import document as describe

        summary = _summarised(directory, estimator, args)
        document["summary"] = describe(summary)
        return summary.sound
    finally:
        print(as_json(document))


def _summarised(directory: "Location", estimator: "Estimator", args: argparse.Namespace) -> "Summary":
    from mobilesim.analysis.pipeline.summarize import summarize_run
    from mobilesim.api.progress import Progress

    progress = Progress(quiet=args.json).show_stage
    return summarize_run(directory, estimator=estimator, report=not args.no_report, progress=progress)
