"""`mobilesim run`: emulate a scenario, judge it, write its tables, summarise them and draw the report."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mobilesim.runner import Outcome
    from mobilesim.scenario.model import Scenario

NAME: Final = "run"
HELP: Final = "emulate a scenario under each of its protocols, check every delivery, summarise"

_TEACH: Final = """\
Runs every protocol of the scenario in every replication, on the same movement and workload, lets the oracle judge every
delivery, and writes one Parquet file per run and table, a summary and an offline report.

  mobilesim run quickstart                       a scenario that comes with mobilesim
  mobilesim run mine.yaml --out results/mine     a scenario of your own
  mobilesim run mine.yaml --set hosts=200        the same with another number of hosts
  mobilesim run mine.yaml --protocol av1 fifo    the same under other protocols

exit status: 0 every protocol kept what it claims, 1 one did not, 2 bad input, 130 interrupted (what there is, is written)"""

_QUICK: Final = {"duration": 5_000_000_000, "messages": 1_000}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _TEACH
    parser.add_argument("scenario", help="a YAML file, or the name of a shipped scenario")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go (default: results/NAME); earlier results there are replaced")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a key, like wireless.bandwidth='256 kbit/s'; may be given again")
    parser.add_argument("--protocol", nargs="+", metavar="NAME", help="run these instead of the scenario's protocols")
    parser.add_argument("--seed", help="instead of the scenario's seed")
    parser.add_argument("--replications", help="instead of the scenario's number of replications")
    parser.add_argument("--quick", action="store_true", help="a short version: at most 5 s of emulated time and 1,000 messages")
    parser.add_argument("--no-summary", action="store_true", help="write the tables only; `mobilesim summarize` does the rest later")
    parser.add_argument("--no-report", action="store_true", help="summarise, but draw no report")
    parser.add_argument("--master", metavar="URL", help="the Spark master that summarises (default: this machine)")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")


def run(args: argparse.Namespace) -> int:
    from mobilesim.cli.progress import reporter
    from mobilesim.results import prepare
    from mobilesim.runner import execute, runs
    from mobilesim.shipped import find

    path = find(args.scenario)
    scenario = _scenario(path, args)
    directory = args.out or Path("results") / scenario.name
    prepare(directory)
    (directory / "scenario.yaml").write_bytes(path.read_bytes())
    outcomes: list[Outcome] = []
    with reporter(scenario, quiet=args.json) as progress:
        for each in runs(scenario):
            outcome = execute(each, directory, progress)
            outcomes.append(outcome)
            if outcome.status == "interrupted":
                break
    return _conclude(scenario, outcomes, directory, args)


def _scenario(path: Path, args: argparse.Namespace) -> "Scenario":
    from mobilesim.cli.arguments import overrides
    from mobilesim.scenario.loader import load

    given = overrides(args.set)
    if args.protocol:
        given["protocols"] = f"[{', '.join(args.protocol)}]"
    for key in ("seed", "replications"):
        if getattr(args, key) is not None:
            given[key] = getattr(args, key)
    scenario = load(path, given)
    if not args.quick:
        return scenario
    limits = {key: min(limit, getattr(scenario, key) or limit) for key, limit in _QUICK.items()}
    return scenario.model_copy(update=limits)


def _conclude(scenario: "Scenario", outcomes: "list[Outcome]", directory: Path, args: argparse.Namespace) -> int:
    from mobilesim.cli.verdict import as_json, as_text

    interrupted = outcomes[-1].status == "interrupted"
    whole = not interrupted and not args.no_summary and scenario.trace and scenario.oracle
    summary_fault = False
    if args.json:
        print(as_json(scenario, outcomes, directory))
    else:
        print(as_text(scenario, outcomes, directory))
    if whole:
        summary_fault = _summarise(directory, args)
    elif not args.json and not interrupted and not args.no_summary:
        print("no summary: it needs the trace and the oracle, and the scenario turns one of them off")
    if interrupted:
        print(f"mobilesim: interrupted; the tables in {directory} hold what was measured, and say so", file=sys.stderr)
        return 130
    return 1 if summary_fault or any(outcome.verdict == "fault" for outcome in outcomes) else 0


def _summarise(directory: Path, args: argparse.Namespace) -> bool:
    from mobilesim.cli import summarize

    wanted = argparse.Namespace(results=directory, master=args.master, json=args.json, no_report=args.no_report)
    return summarize.run(wanted) != 0
