"""`mobilesim replay`: record a finished run on a tape."""

import argparse
from pathlib import Path
from typing import Final

from mobilesim.cli.tapes.tape_arguments import add_output, add_part, tape_and_target
from mobilesim.errors import UserError

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
    add("source", metavar="DIR", help="results directory of `mobilesim run`")
    add_part(parser, "--to", "--until")
    add_output(parser, "FILE", "SCENARIO-PROTOCOL-REPLICATION.tape")


def run(args: argparse.Namespace) -> int:
    from mobilesim.api.tapes.recorded_tape import SUFFIX

    if Path(args.source).is_file():
        raise UserError(f"{args.source}: a file; name the results directory of a run")
    tape, target = tape_and_target(args, SUFFIX)
    print(tape)
    print(f"tape: {tape.save(target)}")
    return 0
