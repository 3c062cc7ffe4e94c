"""`mobilesim check-claims`: check by measurement what the catalogue claims of each protocol."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mobilesim.cli.exit_codes import ExitCode
from mobilesim.cli.progress import Progress
from mobilesim.cli.text.formatting import as_json

if TYPE_CHECKING:
    from mobilesim.experiments.claims.check import ClaimReport
    from protocols.catalogue_rows import ProtocolRow

HELP: Final = "check the claims of the protocols by measurement"

DESCRIPTION: Final = """\
Measures each claim of the protocols that `mobilesim protocols` lists, over growing numbers of hosts (n_h), stations
(n_s) and logical stations per cell (k): header integers of a message, wired messages of a hand-off, inhibition, and
delivery order. A formula passes if it holds for every single message or hand-off; the exponent of its growth is fitted
as well. An upper bound need not grow as a power. The last table is table 1 of Alagar & Venkatesan (1994).

Each protocol gets messages that it can order: to one host and to several (d). An ordering of unicasts gets messages to
one host, an ordering of broadcasts messages to all others, and an ordering of groups messages to the other members of
one of g groups, which have m members in total.

  mobilesim check-claims                        all named protocols
  mobilesim check-claims av1 av2 --quick        two of them, in a few seconds
  mobilesim check-claims resident+fifo --json   any pair, as one JSON document
  mobilesim check-claims proxy+bss proxy+isis   an ordering of broadcasts, and one of groups

exit status: 0 all claims hold, 1 a claim fails, 2 bad input, 130 Ctrl-C (once: finished protocols are printed;
twice: stops at once)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "a protocol, or placement+ordering (default: all named protocols)"
    parser.add_argument("names", nargs="*", metavar="NAME", help=about)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and shorter runs: seconds, not minutes")
    parser.add_argument("--json", action="store_true", help="print one JSON document at the end")


def run(args: argparse.Namespace) -> int:
    from mobilesim.cli.interrupts import Interruption
    from mobilesim.cli.text.claim_text import claims_document, report_lines, table_lines
    from mobilesim.experiments.claims.av_table_1 import table_entries
    from mobilesim.experiments.claims.check import check_claims
    from mobilesim.experiments.claims.scenarios import FULL, QUICK

    rows, display = _rows(args.names), Progress(quiet=args.json)
    reports: list[ClaimReport] = []
    with Interruption().noted() as stop:
        for number, row in enumerate(rows, 1):
            title = f"[{number}/{len(rows)}] {row.name}"
            report = check_claims(row, QUICK if args.quick else FULL, title=title, stop=stop, display=display)
            if report is None:
                break
            reports.append(report)
            if not args.json:
                print("\n".join(report_lines(report)), end="\n\n", flush=True)
    entries = list(table_entries(reports))
    if args.json:
        print(as_json(claims_document(reports, entries, complete=len(reports) == len(rows))))
    elif entries:
        print("\n".join(table_lines(entries)))
    if len(reports) < len(rows):
        print(f"mobilesim: interrupted; {len(reports)} of {len(rows)} protocols are checked", file=sys.stderr)
        return ExitCode.INTERRUPTED
    holds = all(report.holds for report in reports) and all(entry.holds for entry in entries)
    return ExitCode.OK if holds else ExitCode.FAULT


def _rows(names: Sequence[str]) -> "list[ProtocolRow]":
    from mobilesim.cli.protocol_arguments import named_row
    from protocols.catalogue import ROWS

    return [named_row(name) for name in dict.fromkeys(names)] or list(ROWS.values())
