"""`mobilesim run`: simulate a scenario, check it, write its tables, summarize them and write the report."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mobilesim.cli.arguments import add_overrides, refuse_idle, settings
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.cli.text.formatting import as_json
from mobilesim.results.statuses import RunVerdict

if TYPE_CHECKING:
    from mobilesim.analysis.summary.model import Summary
    from mobilesim.experiments.run import RunOutcome
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
    add("--out", type=Path, metavar="DIR", help=about)
    add_overrides(parser, "override a key, like wireless.bandwidth='256 kbit/s'; may be given again")
    about = "run these instead of the scenario's protocols; also placement+ordering, or with options: av3 k=3"
    add("--protocol", nargs="+", metavar="NAME", help=about)
    add("--seed", help="instead of the scenario's seed")
    add("--replications", help="instead of the scenario's number of replications")
    length = "the scenario's `quick_duration`, or at most 1,000 messages and, with cells, 5 s of simulated time"
    add("--quick", action="store_true", help=f"a short version without warm-up: {length}")
    add("--no-summary", action="store_true", help="write the tables only; `mobilesim summarize` adds the rest")
    add("--no-report", action="store_true", help="summarize, but draw no report")
    add("--master", metavar="URL", help="the Spark master for the summary (default: this machine)")
    add("--json", action="store_true", help="print one JSON document, with the runs and their summary, instead of text")


def run(args: argparse.Namespace) -> int:
    from mobilesim.cli.interrupts import Interruption
    from mobilesim.cli.progress import Progress
    from mobilesim.experiments.assemble import Worlds
    from mobilesim.experiments.execute import dry_run, execute
    from mobilesim.experiments.executors import in_process
    from mobilesim.experiments.run import runs
    from mobilesim.results.layout import SCENARIO
    from mobilesim.results.run_directory import default_directory, prepare_directory, write_files
    from mobilesim.scenario.bundled import SCENARIOS, find, is_scenario_directory
    from mobilesim.scenario.loader import load
    from mobilesim.scenario.referenced_files import record

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
    directory = args.out or default_directory(scenario.name, quick=args.quick)
    if args.out is None and not args.json and Path(args.scenario).stem != scenario.name:
        print(f"{args.scenario} has the name '{scenario.name}': its results are in {directory}", file=sys.stderr)
    worlds = Worlds()
    with Interruption().noted() as stop:
        notes = dry_run(scenario, worlds)  # wrong input must not remove earlier results
        text, files = record(scenario)
        prepare_directory(directory)
        write_files(directory, {**files, SCENARIO: text.encode()})
        with Progress(quiet=args.json).runs(scenario) as progress:
            work = partial(execute, directory=directory, progress=progress, stop=stop, worlds=worlds)
            outcomes = list(in_process(list(runs(scenario)), work, stop=stop))
    cut = _quick_limits(whole) if args.quick else None
    return _conclude(scenario, outcomes, directory, notes, args, interrupted=stop.asked, cut=cut)


def _list(directory: Path, unrun: str, args: argparse.Namespace) -> int:
    """List the scenarios of a directory. `unrun`: the reason why the options of a run are not allowed."""
    from mobilesim.cli.text.formatting import aligned, terminal_width
    from mobilesim.cli.text.scenario_list import entries

    refuse_idle(args, ("out", "set", "protocol", "seed", "replications", "quick"), unrun)
    found = list(entries(directory))
    if args.json:
        from dataclasses import asdict

        print(as_json([asdict(each) for each in found]))
    else:
        width, lines = terminal_width(), aligned([[each.file, each.size, each.asks] for each in found])
        print(*(line if width is None or len(line) <= width else f"{line[: width - 1]}…" for line in lines), sep="\n")
    return 2 if any(each.size == "wrong" for each in found) else 0


def _quick_limits(whole: "Scenario") -> str:
    from mobilesim.scenario.values.units import TIME

    ends = whole.quick_ends
    long = [] if ends["duration"] is None else [TIME.write(ends["duration"])]
    many = [] if ends["messages"] is None else [f"{ends['messages']:,} messages"]
    gone = [key for key in ("warm_up", "deliveries") if getattr(whole, key) is not None]
    without = f", without the scenario's {' and '.join(gone)}" if gone else ""
    return f"--quick: at most {' and '.join(long + many)}{without}"


def _conclude(
    scenario: "Scenario",
    outcomes: "list[RunOutcome]",
    directory: Path,
    notes: Sequence[str],
    args: argparse.Namespace,
    *,
    interrupted: bool,
    cut: str | None,
) -> int:
    from mobilesim.cli.text.run_text import as_document, as_text

    why_not = _why_no_summary(scenario, args, interrupted=interrupted)
    sound = all(outcome.verdict != RunVerdict.FAULT for outcome in outcomes)
    if args.json:
        document = as_document(scenario, outcomes, directory, notes)
        sound &= _print_json(document, directory, args, summarized=why_not is None)
    else:
        print(as_text(scenario, outcomes, directory, notes, cut))
        if why_not is None:
            from mobilesim.cli.text.summary_text import summary_text

            summary = _summarised(directory, args)
            print(summary_text(summary))
            sound &= summary.sound
        elif why_not:
            print(why_not)
    if interrupted:
        print(f"mobilesim: interrupted; the tables in {directory} have the measurements until then", file=sys.stderr)
        return ExitCode.INTERRUPTED
    return ExitCode.OK if sound else ExitCode.FAULT


def _why_no_summary(scenario: "Scenario", args: argparse.Namespace, *, interrupted: bool) -> str | None:
    """Return None if a summary is written, '' if none is wanted or after Ctrl-C, else the reason why there is none."""
    if interrupted or args.no_summary:
        return ""
    if scenario.trace and scenario.oracle:
        return None
    return "no summary: it needs the trace and the oracle, and the scenario turns one of them off"


def _print_json(document: dict[str, Any], directory: Path, args: argparse.Namespace, *, summarized: bool) -> bool:
    """Print the JSON document. It is printed even if the summary fails, because the runs are complete."""
    from mobilesim.analysis.summary.tables import document as describe

    document["summary"] = None
    try:
        if summarized:
            summary = _summarised(directory, args)
            document["summary"] = describe(summary)
        return not summarized or summary.sound
    finally:
        print(as_json(document))


def _summarised(directory: Path, args: argparse.Namespace) -> "Summary":
    from mobilesim.analysis.pipeline.summarize import summarize_run
    from mobilesim.cli.progress import Progress

    display = Progress(quiet=args.json)
    return summarize_run(directory, args.master, report=not args.no_report, progress=display.show_stage)
