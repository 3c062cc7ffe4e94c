"""`mobilesim verify-results`: check the consistency of a results directory."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mobilesim.api.text_tables import aligned, as_json, terminal_width
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import counted

if TYPE_CHECKING:
    from mobilesim.analysis.verify.checks import Verification

HELP: Final = "check a results directory again, from its tables alone"

DESCRIPTION: Final = """\
Reads the tables written by `mobilesim run` or `mobilesim sweep`, and checks them again. Every delivery belongs to a
message for its host, and no message is delivered twice to a host. Causal order and FIFO order hold if the protocol
claims them; this is computed from the tables, independently of the simulator's oracle. The parts of every delay add up,
and the times of every delivery are in order. Bytes and counters agree between tables.

  mobilesim verify-results results/quickstart
  mobilesim verify-results results/quickstart --json
  mobilesim verify-results results/large --master 'local[4]' --driver-memory 4g

For each check the command prints the number of checked rows, the number of faults, and the first fault: run, message,
host. `note:` lines name what the tables cannot decide, such as deliveries outside the measurement window of a run. In a
sweep, the runs with complete manifests are checked. docs/verify.md explains every check, and lists the columns that
cannot be checked to the last digit; so does the key `unchecked` of the JSON document.

Up to 50 runs with a million deliveries are checked in this process. Otherwise, and with --master or --driver-memory,
each run is one Spark task, which needs about 130 bytes for each delivery, besides --driver-memory.
Java is bundled with mobilesim. Workers of a cluster need mobilesim installed, and the directory under the same path,
or at an address that all of them reach, such as s3://BUCKET/PREFIX.

exit status: 0 no faults, 1 faults found, 2 bad input, 130 Ctrl-C"""

_MAX_NOTES: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", metavar="DIR", help="results directory of a run or a sweep, or its address")
    parser.add_argument("--master", metavar="URL", help="Spark master (default: all cores of this machine)")
    about = "memory of the Spark driver, such as 2g; more for very many runs (default: 1g)"
    parser.add_argument("--driver-memory", metavar="SIZE", help=about)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    from mobilesim.analysis.verify.verify_results import verify
    from mobilesim.api.progress import Progress
    from mobilesim.results.location import checked_location

    show_stage = Progress(quiet=args.json).show_stage
    found = verify(checked_location(args.results), args.master, memory=args.driver_memory, progress=show_stage)
    print(as_json(found.document()) if args.json else "\n".join(_as_text(found)))
    return ExitCode.OK if found.sound else ExitCode.FAULT


def _as_text(found: "Verification") -> Iterator[str]:
    rows = [(check.name, f"{check.checked:,}", check.unit, f"{check.faults:,}") for check in found.checks]
    yield from aligned([("check", "checked", "", "faults"), *rows], (1, 3), terminal_width())
    yield ""
    for check in found.checks:
        yield from (f"{check.name}: {example}" for example in check.examples)
        if check.faults > len(check.examples) > 0:
            yield f"{check.name}: {check.faults:,} in total"
    for check in found.checks:
        yield from (f"note: {check.name}: {note}" for note in check.notes[:_MAX_NOTES])
        if len(check.notes) > _MAX_NOTES:
            yield f"note: {check.name}: {len(check.notes) - _MAX_NOTES:,} more like these"
    if found.left_out:
        yield f"left out: {found.left_out}"
    faulty = [check.name for check in found.checks if check.faults]
    result = f"faults: {', '.join(faulty)}" if faulty else "no faults"
    yield f"{result}; {counted(found.runs, 'run')}, {counted(found.deliveries, 'delivery')}, mobilesim {found.version}"
