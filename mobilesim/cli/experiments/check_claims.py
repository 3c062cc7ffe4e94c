"""`mobilesim check-claims`: check by measurement what the catalogue claims about each protocol."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from mobilesim.api.progress import Progress
from mobilesim.api.text_tables import as_json, indented
from mobilesim.cli.arguments import names
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import counted

if TYPE_CHECKING:
    from mobilesim.experiments.claims.check import ClaimReport, TableEntry
    from mobilesim.experiments.claims.claim_results import ClaimResult

HELP: Final = "check the claims of the protocols by measurement"

DESCRIPTION: Final = """\
Measures the claims of protocols: the header integers of a message and the wired messages of a hand-off for growing
numbers of hosts (n_h), stations (n_s) and logical stations per cell (k), as well as inhibition and delivery order. A
formula passes if it holds for every single message or hand-off. The column `grows as` has the fitted power of n_h, n_s
or k; for an upper bound, it is empty unless the power is clearly an integer. The last table is table 1 of Alagar &
Venkatesan (1994).

Each protocol gets messages that it can order: to one host and to several (d). An ordering of unicasts gets messages to
one host, an ordering of broadcasts messages to all others, and an ordering of groups messages to the other members of
one of g groups, which have m members in total.

  mobilesim check-claims                        all protocols with a name in the catalogue
  mobilesim check-claims av1 av2 --quick        two of them, in a few seconds
  mobilesim check-claims resident+fifo --json   any placement+ordering, as one JSON document
  mobilesim check-claims proxy+bss proxy+isis   an ordering of broadcasts, and one of groups

exit status: 0 all claims hold, 1 a claim fails, 2 bad input, 130 Ctrl-C (once: finished protocols are printed;
twice: stops at once)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "a protocol, or placement+ordering (default: all protocols with a name in the catalogue)"
    parser.add_argument("names", nargs="*", metavar="NAME", help=about)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and shorter runs: seconds, not minutes")
    parser.add_argument("--json", action="store_true", help="print one JSON document at the end")


def run(args: argparse.Namespace) -> int:
    from mobilesim.api.interrupts import Interruption
    from mobilesim.api.protocol_choices import named_row
    from mobilesim.experiments.claims.check import check_claims, table_entries
    from mobilesim.experiments.claims.scenarios import FULL, QUICK
    from mobilesim.protocols.catalogue import ROWS

    rows = [named_row(name) for name in dict.fromkeys(names(args.names))] or list(ROWS.values())
    display = Progress(quiet=args.json)
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
    holds = all(report.holds for report in reports) and all(entry.holds for entry in entries)
    complete = len(reports) == len(rows)
    if args.json:
        described, table = [_row(report) for report in reports], [asdict(entry) for entry in entries]
        print(as_json({"complete": complete, "holds": holds, "rows": described, "av_table_1": table}))
    elif entries:
        print("\n".join(table_lines(entries)))
    if not complete:
        print(f"mobilesim: interrupted; checked {len(reports)} of {counted(len(rows), 'protocol')}", file=sys.stderr)
        return ExitCode.INTERRUPTED
    return ExitCode.OK if holds else ExitCode.FAULT


_VERDICT: Final = {True: "pass", False: "FAIL", None: ""}


def report_lines(report: "ClaimReport") -> list[str]:
    row, head = report.row, ("claim", "claimed", "measured", "grows as", "")
    cells = [(each.what, each.claimed, each.measured, growth(each), _VERDICT[each.holds]) for each in report.results]
    handoffs, forwarded = counted(report.handoffs, "hand-off"), counted(report.forwarded, "message")
    return [
        f"{row.name}: {row.placement} x {row.ordering}{f' ({row.source})' if row.source else ''}",
        f"  where {'; '.join(_sizes(report))}",
        *indented([head, *cells]),
        f"  {handoffs} at low mobility, {forwarded} forwarded over links",
    ]


def _sizes(report: "ClaimReport") -> list[str]:
    """Return each axis, with the values of all variables at its points."""
    axes = {result.axis.variable: result.axis for result in report.results if result.axis is not None}
    described = []
    for axis in axes.values():
        values = {name: [size.variables[name] for size in axis.sizes] for name in axis.sizes[0].variables}
        others = ", ".join(f"{name} = {_listed(each)}" for name, each in values.items() if name != axis.variable)
        described.append(f"{axis.variable} = {' '.join(map(str, axis.values))} ({others})")
    return described


def _listed(values: Sequence[int]) -> str:
    return str(values[0]) if len(set(values)) == 1 else " ".join(map(str, values))


def growth(result: "ClaimResult") -> str:
    """Return the fitted power as text; for an upper bound, '' unless the exponent is clearly an integer."""
    from mobilesim.protocols.catalogue_rows import AT_MOST

    if result.axis is None:
        return ""
    if result.claimed.startswith(AT_MOST) and not (result.growth and result.growth.is_clearly_integer):
        return ""
    return "no power" if result.growth is None else result.growth.as_power_of(result.axis.variable)


def table_lines(entries: "Sequence[TableEntry]") -> list[str]:
    from mobilesim.experiments.claims.check import PAPER

    columns = ("protocol", "what", "printed", "claimed", "measured")
    cells = [(*attrgetter(*columns)(entry), _VERDICT[entry.holds]) for entry in entries]
    return [PAPER, *indented([("algorithm", *columns[1:], ""), *cells])]


def _row(report: "ClaimReport") -> dict[str, Any]:
    return {
        **{key: getattr(report.row, key) for key in ("name", "placement", "ordering", "paper")},
        **{key: getattr(report, key) for key in ("holds", "runs", "deliveries", "handoffs", "forwarded")},
        "claims": [_claim(result) for result in report.results],
    }


def _claim(result: "ClaimResult") -> dict[str, Any]:
    claim: dict[str, Any] = {
        "claim": result.what,
        "claimed": result.claimed,
        "measured": result.measured,
        "holds": result.holds,
        **result.numbers,
    }
    if result.axis is not None:
        claim["sizes"] = [size.variables for size in result.axis.sizes]
        claim["counts"] = result.counts
        claim["exponent"] = None if result.growth is None else result.growth.value
        claim["half_width"] = None if result.growth is None else result.growth.half_width
    return claim
