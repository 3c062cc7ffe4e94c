"""`mobilesim view`: write a page that shows a run event by event."""

import argparse
from typing import Final

from mobilesim.cli.tapes.tape_arguments import add_output, add_part, tape_and_target

HELP: Final = "write a page that shows a run event by event: map, space-time diagram, and why messages were late"

DESCRIPTION: Final = """\
Replays a run of a results directory, or reads a tape, and writes one HTML file, which needs no network: a map with a
slider of the time, a space-time diagram, a table of the deliveries, and, for the selected delivery, each step of its
path and what it waited for. docs/viewer.md explains the page.

  mobilesim run quickstart --quick --out results/q
  mobilesim view results/q --protocol av1
  mobilesim view results/q --protocol fifo --from 1s --to 3s --out part.html
  mobilesim view counter-example.tape

A page shows at most 1,000,000 events, which are about 100,000 deliveries. A longer run is refused with a part of it
that fits.

exit status: 0 success, 2 bad input, 130 Ctrl-C"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="DIR|TAPE", help="results directory of `mobilesim run`, or a tape")
    add_part(parser, "--to", "--until")
    add_output(parser, "FILE.html", "SCENARIO-PROTOCOL-REPLICATION.html")


def run(args: argparse.Namespace) -> int:
    tape, target = tape_and_target(args, ".html")
    print(f"page: {tape.view().save(target)}")
    return 0
