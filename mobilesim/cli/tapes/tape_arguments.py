"""The arguments of commands on tapes: a run or a tape, a part of the run, and the file to write."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.cli.arguments import check_output, local_path

if TYPE_CHECKING:
    from mobilesim.api.tapes.recorded_tape import RecordedTape


def add_part(parser: argparse.ArgumentParser, *until: str) -> None:
    """Add the arguments that choose a run of a results directory and a part of it. `until`: the names of its end."""
    add = parser.add_argument
    add("--protocol", metavar="NAME", help="the protocol (may be omitted if there is only one)")
    add("--replication", type=int, default=0, metavar="N", help="the replication, from 0 (default: 0)")
    add("--from", dest="since", metavar="TIME", help="the begin of a part of the run, such as 10s")
    add(*until, dest="until", metavar="TIME", help="the end of this part")


def add_output(parser: argparse.ArgumentParser, metavar: str, default: str) -> None:
    parser.add_argument("--out", metavar=metavar, help=f"the file to write (default: {default})")
    parser.add_argument("--force", action="store_true", help="replace an existing file")


def tape_and_target(args: argparse.Namespace, suffix: str) -> "tuple[RecordedTape, Path]":
    """Return the tape of `args.source`, and the file to write. A file that may not be replaced is refused before a run
    is replayed.
    """
    from mobilesim.api.tapes.recorded_tape import file_name, tape_of

    out = None if args.out is None else local_path(args.out)
    if out is not None:
        check_output(out, replace=args.force)
    tape = tape_of(local_path(args.source), args.protocol, args.replication, args.since, args.until)
    target = out or Path(file_name(tape, suffix))
    check_output(target, replace=args.force)
    return tape, target
