"""`mobilesim verify-results`: whether a results directory holds together."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mobilesim.cli.text_table import aligned, terminal_width

if TYPE_CHECKING:
    from analysis.verify.model import Check, Verification

NAME: Final = "verify-results"
HELP: Final = "check a results directory again, from its tables alone"

_TEACH: Final = """\
Reads the tables that `mobilesim run` or a sweep has written, and nothing else, and works out again what they claim:
that every delivery is of a message that was sent to that host, and the only one; that causal order and FIFO order held
where the protocol claims them, replayed from the tables without the emulator's judge; that every delay adds up and its
moments come in order; that bytes and counters agree from table to table.

  mobilesim verify-results results/quickstart
  mobilesim verify-results results/quickstart --json
  mobilesim verify-results results/large --master 'local[4]' --driver-memory 4g

Of each check it says how much was looked at, in how much something does not hold, and the first of that: the run, the
message, the host. `note:` tells what the tables cannot decide, such as deliveries outside the measured part of a run.
In a sweep the runs that its manifests call complete are checked. docs/verify.md explains every check.

Each run is one task of Spark, which holds some 130 bytes for each delivery, besides what --driver-memory says.
A Java comes with mobilesim. The workers of a cluster need mobilesim installed, and the directory under the same path,
or at an address that all reach, such as s3://BUCKET/PREFIX.

exit status: 0 all holds, 1 something does not, 2 bad input, 130 Ctrl-C"""

_HEAD: Final = ("check", "checked", "", "faults")
_NOTES: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _TEACH
    parser.add_argument(
        "results", metavar="DIR", help="a directory that `mobilesim run` or a sweep wrote, or its address"
    )
    parser.add_argument("--master", metavar="URL", help="the Spark master (default: this machine, all of its cores)")
    parser.add_argument(
        "--driver-memory",
        metavar="SIZE",
        help="what Spark's own process may take, as 2g, where there are very many runs (default: 1g)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    from analysis.verify.verify_results import verify
    from mobilesim.cli.progress_lines import Aloud
    from mobilesim.results.location import reached

    say = Aloud(quiet=args.json)
    found = verify(reached(args.results), args.master, memory=args.driver_memory, progress=say)
    print(_as_json(found) if args.json else "\n".join(_as_text(found)))
    return 0 if found.sound else 1


def _as_json(found: "Verification") -> str:
    import json

    return json.dumps(found.document(), indent=2, ensure_ascii=False, allow_nan=False)


def _as_text(found: "Verification") -> Iterator[str]:
    rows = [(check.name, f"{check.checked:,}", check.unit, f"{check.faults:,}") for check in found.checks]
    yield from aligned([_HEAD, *rows], (1, 3), terminal_width())
    yield ""
    for tell in (_offenders, _notes):
        for check in found.checks:
            yield from tell(check)
    if found.left_out:
        yield f"left out: {found.left_out}"
    runs = f"{found.runs:,} {'run' if found.runs == 1 else 'runs'}"
    broken = [check.name for check in found.checks if check.faults]
    held = f"does not hold: {', '.join(broken)}" if broken else "all holds"
    yield f"{held}; {runs}, {found.deliveries:,} deliveries, mobilesim {found.version}"


def _offenders(check: "Check") -> Iterator[str]:
    for example in check.examples:
        yield f"{check.name}: {example}"
    if check.faults > len(check.examples) > 0:
        yield f"{check.name}: {check.faults:,} in all"


def _notes(check: "Check") -> Iterator[str]:
    for note in check.notes[:_NOTES]:
        yield f"note: {check.name}: {note}"
    if len(check.notes) > _NOTES:
        yield f"note: {check.name}: {len(check.notes) - _NOTES:,} more like these"
