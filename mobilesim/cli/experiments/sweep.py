"""`mobilesim sweep`: a scenario with something varied, run at every point, and what comes of it."""

import argparse
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from analysis.sweeps.text import Aligned
    from mobilesim.cli.progress_lines import Aloud
    from mobilesim.cli.sweep_text import Told
    from mobilesim.experiments.sweep.plan import Plan
    from mobilesim.experiments.sweep.task import Job
    from mobilesim.results.compaction import Packing
    from mobilesim.results.location import Location
    from mobilesim.results.sweep_directory import Store
    from mobilesim.scenario.sweeps.sweep_file import Sweep


class View(Protocol):
    """What is told of results."""

    @property
    def sound(self) -> bool: ...

    def lines(self, width: int | None, aligned: "Aligned") -> list[str]: ...

    def document(self) -> dict[str, Any]: ...


Summarise = Callable[..., View]

NAME: Final = "sweep"
HELP: Final = "run a scenario with something varied, at every point and under every protocol, and compare"

_TEACH: Final = """\
Runs every protocol at every point of a sweep, in every replication, as tasks of Spark; all points and protocols meet
the same random numbers. Every run is judged by the oracle and written as `mobilesim run` does; then all are summarised.

  mobilesim sweep sweeps/mobility                a sweep that comes with mobilesim
  mobilesim sweep mine.yaml --dry-run            its points and runs, and what is done of them
  mobilesim sweep mine.yaml --quick              the ends of every axis, short runs, two replications
  mobilesim sweep mine.yaml --set duration='10 s'
  mobilesim sweep large.yaml --master spark://HOST:7077

A sweep file names a scenario and says what varies:

  scenario: quickstart              # a shipped one, a file, or its keys right here
  set: {messages: 2000}             # what is changed in it at all points
  vary:                             # a grid of all of these; any key of a scenario, by its path
    mobility.dwell: [1 s, 5 s]
    hosts: {from: 10, to: 40, step: 10}
  protocols: [av1, av2]             # instead of the scenario's
  replications: 5                   # or {until: {delay: 5 %}}: until the 95% interval is so narrow

A run that is finished is never repeated: after Ctrl-C, a crash, or with more points or replications in the file, the
same command goes on from there. A run that fails is noted and tried again the next time. The workers of a cluster need
mobilesim installed, and the results directory under the same path; or DIR is an address that all of them reach, such as
s3://BUCKET/PREFIX. The small files of many runs are packed into a few when all are over.

exit status: 0 every protocol kept what it claims, 1 one did not or a run failed, 2 bad input, 130 Ctrl-C (what is
finished is kept)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _TEACH
    add = parser.add_argument
    add("sweep", help="a YAML file, or the name of a shipped sweep")
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a key of the scenario, or protocols or replications; may be given again",
    )
    add_options(parser, "results/NAME")


def add_options(parser: argparse.ArgumentParser, where: str) -> None:
    """Those of whatever runs as a sweep. `where`: how the directory is called unless somebody says otherwise."""
    add = parser.add_argument
    add("--out", metavar="DIR", help=f"where results go (default: {where}; with --quick, the same and -quick)")
    add("--quick", action="store_true", help="the same in small, with two replications, to see whether it works")
    add("--dry-run", action="store_true", help="show points, runs, what is done and whether DIR will do; run nothing")
    add("--fresh", action="store_true", help="remove what is there, and run everything anew")
    add("--no-report", action="store_true", help="summarise, but draw no report")
    add("--master", metavar="URL", help="the Spark master (default: this machine, all of its cores)")
    add("--json", action="store_true", help="print one JSON document instead of text")


def run(args: argparse.Namespace) -> int:
    return carry_out(*_planned(args), args)


def carry_out(
    plan: "Plan", directory: "Location", args: argparse.Namespace, summarise: "Summarise | None" = None
) -> int:
    """Whatever was planned, and the exit code. `summarise`: another view of what comes of it than a sweep's."""
    from mobilesim.cli.sweep_text import Told
    from mobilesim.results.sweep_directory import opened

    if args.dry_run:
        return _show(plan, directory, args)
    told = Told(plan, directory)
    summary = None
    try:
        with opened(directory, plan.settled, plan.possible(), fresh=args.fresh) as store:
            told.begin(store)
            summary = _run_and_summarise(plan, store, told, args, summarise)
    except KeyboardInterrupt:
        told.interrupted = True
    _tell(told, summary, args)
    if told.interrupted:
        said = f"interrupted; what is finished is kept in {directory}, and the same command goes on from there"
        print(f"mobilesim: {said}", file=sys.stderr)
        return 130
    return 0 if told.sound and (summary is None or summary.sound) else 1


def _planned(args: argparse.Namespace) -> "tuple[Plan, Location]":
    from mobilesim.cli.arguments import overrides
    from mobilesim.scenario.bundled import find_sweep
    from mobilesim.scenario.sweeps.sweep_file import load

    return planned(load(find_sweep(args.sweep), overrides(args.set), quick=args.quick), args.out)


def planned(sweep: "Sweep", out: str | None) -> "tuple[Plan, Location]":
    """With the directory of its results."""
    from mobilesim.experiments.sweep.plan import plan
    from mobilesim.results.location import reached
    from mobilesim.results.run_directory import directory_for

    if out:
        return plan(sweep), reached(out)
    return plan(sweep), directory_for(sweep.name, quick=sweep.quick)


def _run_and_summarise(
    plan: "Plan", store: "Store", told: "Told", args: argparse.Namespace, summarise: "Summarise | None"
) -> "View | None":
    from analysis.spark.session import session
    from mobilesim.cli.progress_lines import Aloud
    from mobilesim.results.sweep_directory import packings, peek
    from mobilesim.statistics.intervals import half_width

    say = Aloud(quiet=args.json)
    rounds = _Rounds(store, say, quiet=args.json)
    jobs = plan.jobs(store, rounds.tried, half_width)
    needed = jobs or packings(store, plan.possible())
    with session(args.master, progress=say) if needed else nullcontext() as spark:
        while jobs and not told.interrupted:
            rounds.number += 1
            title = f"{plan.sweep.name}, round {rounds.number}" if plan.replications.shares else plan.sweep.name
            told.interrupted = rounds.play(spark, jobs, title)
            jobs = plan.jobs(store, rounds.tried, half_width)
        if not told.interrupted and (waiting := packings(store, plan.possible())):
            told.interrupted = rounds.pack(spark, waiting)
        if not told.interrupted and told.any_complete:
            from analysis.pipeline import sweep_summary

            return (summarise or sweep_summary.summarise)(
                store.directory, args.master, report=not args.no_report, progress=say
            )
    if told.interrupted:
        # Also those that nobody has told of; only now does nobody finish any more.
        store.records |= peek(store.directory, plan.possible()).records
    return None


@dataclass
class _Rounds:
    """`tried`: the runs that have been played since the command was given."""

    store: "Store"
    say: "Aloud"
    quiet: bool
    tried: set[str] = field(default_factory=set)
    number: int = 0

    def play(self, spark: Any, jobs: "list[Job]", title: str) -> bool:  # noqa: ANN401 (what `session` yields)
        """Whether somebody has interrupted it."""
        from analysis.spark.distribute import LostJob, distribute
        from mobilesim.cli.interrupts import interruption
        from mobilesim.cli.run_counter import countdown
        from mobilesim.experiments.sweep.task import lost, play

        with interruption() as stop, countdown(title, len(jobs), quiet=self.quiet) as count:
            for found in distribute(spark, jobs, play, kind=lambda job: (job.settings, job.protocol), stop=stop):
                record = lost(found.job, found.reason) if isinstance(found, LostJob) else found
                self.store.add(record)
                self.tried.add(record.run)
                count(failed=not record.complete)
            return stop.asked

    def pack(self, spark: Any, waiting: "list[Packing]") -> bool:  # noqa: ANN401 (what `session` yields)
        """Likewise."""
        from analysis.spark.distribute import LostJob, distribute
        from mobilesim.cli.interrupts import interruption
        from mobilesim.results.compaction import pack

        self.say(f"packing the files of {sum(len(job.runs) for job in waiting):,} runs…")
        with interruption() as stop:
            packs = distribute(spark, waiting, pack, kind=lambda job: len(job.runs), stop=stop)
            for number, found in enumerate(packs, 1):
                self.say(f"packing: {number} of {len(waiting)} packs")
                if found is not None and not isinstance(found, LostJob):
                    self.store.add_pack(found)
            return stop.asked


def _show(plan: "Plan", directory: "Location", args: argparse.Namespace) -> int:
    from mobilesim.cli.sweep_text import intended, intentions
    from mobilesim.cli.text_table import terminal_width
    from mobilesim.results.sweep_directory import look_at

    store = look_at(directory, plan.possible(), fresh=args.fresh)
    if args.json:
        _print_json(intended(plan, store))
    else:
        print(*intentions(plan, store, terminal_width()), sep="\n")
    return 0


def show(view: "View", args: argparse.Namespace) -> None:
    """One that needed no run."""
    from mobilesim.cli.text_table import aligned, terminal_width

    if args.json:
        _print_json(view.document())
    else:
        print(*view.lines(terminal_width(), aligned), sep="\n")


def _tell(told: "Told", summary: "View | None", args: argparse.Namespace) -> None:
    from mobilesim.cli.text_table import aligned, terminal_width

    if args.json:
        _print_json({**told.document(), "summary": None if summary is None else summary.document()})
        return
    lines = list(told.lines(summarised=summary is not None))
    if summary is not None:
        lines += ["", *summary.lines(terminal_width(), aligned)]
    print(*lines, sep="\n")


def _print_json(document: dict[str, Any]) -> None:
    import json

    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
