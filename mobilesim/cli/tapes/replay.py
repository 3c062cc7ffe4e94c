"""`mobilesim replay`: record a finished run on a tape."""

import argparse
from pathlib import Path
from typing import Final

from mobilesim.cli.arguments import add_part, check_output, local_path

HELP: Final = "execute a finished run again, and record every packet, frame, wait and move on a tape"

DESCRIPTION: Final = """\
A run gives the same events whenever it is executed. So this command executes a run of a results directory again, checks
that it is executed as before, and writes its events to a file, the tape: submissions, frames and packets with their
kinds, waits with the messages that ended them, deliveries, moves, and the phases of hand-offs. The file is a Parquet
file with a row for each event; docs/tape.md explains its columns.

  mobilesim run quickstart --quick --out results/q
  mobilesim replay results/q --protocol av1
  mobilesim replay results/q --protocol av1 --from 10s --to 12s --out part.tape

The rest of the run after the given part is not executed. Runs with measured processing times, without the oracle or
without a trace, and runs of another version of mobilesim are refused.

exit status: 0 success, 2 bad input, 130 Ctrl-C"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("results", metavar="DIR", help="results directory of `mobilesim run`")
    add_part(parser, "--to", "--until")
    add("--out", metavar="FILE", help="the file to write (default: SCENARIO-PROTOCOL-REPLICATION.tape)")
    add("--force", action="store_true", help="replace an existing file")


def run(args: argparse.Namespace) -> int:
    from mobilesim.api.tapes.recorded_tape import SUFFIX, file_name, replayed

    out = None if args.out is None else local_path(args.out)
    if out is not None:
        check_output(out, replace=args.force)
    directory = local_path(args.results)
    tape = replayed(directory, args.protocol, args.replication, args.since, args.until, progress=True)
    target = out or Path(file_name(tape, SUFFIX))
    check_output(target, replace=args.force)
    print(tape)
    print(f"tape: {tape.save(target)}")
    return 0
