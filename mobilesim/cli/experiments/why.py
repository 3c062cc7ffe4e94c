"""`mobilesim why`: explain why messages were late, from the tables of a finished run."""

import argparse
from typing import Final

from mobilesim.api.text_tables import as_json
from mobilesim.cli.arguments import overrides
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError

HELP: Final = "explain why a message was late, or the latest messages of a run"

DESCRIPTION: Final = """\
Reads the tables of a finished run, and explains the delay of a delivery: its parts in the order of time, the cause of
each part, and the causes of these causes. The lengths below each line add up exactly to its length.

  mobilesim why results/quickstart --protocol av1 --message 38 --to 30
  mobilesim why results/quickstart --protocol rst --latest 5
  mobilesim why results/quickstart --protocol rst --latest 100 --json

A message may wait for the arrival of another one, for a hand-off or a disconnection of its source or its destination,
or behind other frames. m38 is message 38, h30 host 30, and s5 station 5. Lines of less than 1 % of the delay are added
up in one line; --json has all of them. Nothing is simulated again.

In the directory of a sweep, --point names the point, with as many keys as are needed to tell it from the others:

  mobilesim why results/mobility --point hosts=20 --point mobility.dwell='exponential 1 s' --protocol av2 --latest 3

exit status: 0 explained, 2 bad input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", metavar="DIR", help="results directory of a run or a sweep, or its address")
    parser.add_argument("--protocol", metavar="NAME", help="the protocol, as the table `runs` names it")
    parser.add_argument("--message", metavar="M", help="the number of the message, like 38 or m38")
    about = "the host to which the message was sent, like 16 or h16; may be left out if there is only one"
    parser.add_argument("--to", metavar="H", help=about)
    about = "explain the N deliveries with the longest delays, instead of one message"
    parser.add_argument("--latest", type=int, metavar="N", help=about)
    parser.add_argument("--replication", type=int, default=0, metavar="R", help="the replication (default: 0)")
    about = "the value of a varied key, in the directory of a sweep; may be given again"
    parser.add_argument("--point", action="append", default=[], metavar="KEY=VALUE", help=about)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    from mobilesim.analysis.sweeps.one_run import find_run
    from mobilesim.causes.questions import latest, why
    from mobilesim.causes.tables import RunTables
    from mobilesim.results.location import checked_location

    if (args.message is None) == (args.latest is None):
        raise UserError("name either a message (--message M --to H) or a number of latest deliveries (--latest N)")
    if args.to is not None and args.message is None:
        raise UserError("--to: it belongs to --message; --latest explains deliveries to all hosts")
    message, host = (_number(args.message, "message", "m"), _number(args.to, "to", "h"))
    point = overrides(args.point, "--point")
    chosen = find_run(checked_location(args.results), args.protocol, args.replication, point)
    tables = RunTables(chosen, chosen.row)
    found = latest(tables, args.latest) if message is None else why(tables, message, host)
    print(as_json(found.document()) if args.json else found)
    return ExitCode.OK


def _number(text: str | None, option: str, letter: str) -> int | None:
    """Return the number of a message or a host, which may have its letter."""
    if text is None:
        return None
    digits = text.removeprefix(letter)
    if not (digits.isascii() and digits.isdigit()):
        raise UserError(f"--{option} {text}: expected a number, like 16 or {letter}16")
    return int(digits)
