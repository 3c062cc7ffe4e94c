"""Claim reports and table 1 as text, and as plain data for JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, Final

from mobilesim.cli.text.text_table import indented
from mobilesim.experiments.claims.av_table_1 import PAPER, TableEntry
from mobilesim.experiments.claims.check import ClaimReport
from mobilesim.experiments.claims.claim_results import ClaimResult
from protocols.catalogue_rows import AT_MOST

_VERDICT: Final = {True: "pass", False: "FAIL", None: ""}


def report_lines(report: ClaimReport) -> list[str]:
    row, head = report.row, ("claim", "claimed", "measured", "grows as", "")
    cells = [(each.what, each.claimed, each.measured, growth(each), _VERDICT[each.holds]) for each in report.results]
    return [
        f"{row.name}: {row.placement} x {row.ordering} ({row.sources})",
        f"  where {'; '.join(_sizes(report))}",
        *indented([head, *cells]),
        f"  {report.handoffs:,} hand-offs at low mobility, {report.forwarded:,} messages forwarded over links",
    ]


def _sizes(report: ClaimReport) -> list[str]:
    """Return each axis with the values of all variables for the numbers of a line."""
    axes = {result.axis.variable: result.axis for result in report.results if result.axis is not None}
    described = []
    for axis in axes.values():
        values = {name: [size.variables[name] for size in axis.sizes] for name in axis.sizes[0].variables}
        others = ", ".join(f"{name} = {_listed(each)}" for name, each in values.items() if name != axis.variable)
        described.append(f"{axis.variable} = {' '.join(map(str, axis.values))} ({others})")
    return described


def _listed(values: Sequence[int]) -> str:
    return str(values[0]) if len(set(values)) == 1 else " ".join(map(str, values))


def growth(result: ClaimResult) -> str:
    """Return the fitted power; for an upper bound, only if the fit is clear."""
    if result.axis is None:
        return ""
    if result.claimed.startswith(AT_MOST) and not (result.growth and result.growth.is_clearly_integer):
        return ""
    return "no power" if result.growth is None else result.growth.as_power_of(result.axis.variable)


def table_lines(entries: Sequence[TableEntry]) -> list[str]:
    columns = ("protocol", "what", "printed", "claimed", "measured")
    cells = [(*attrgetter(*columns)(entry), _VERDICT[entry.holds]) for entry in entries]
    return [PAPER, *indented([("algorithm", *columns[1:], ""), *cells])]


def claims_document(reports: Sequence[ClaimReport], entries: Sequence[TableEntry], *, complete: bool) -> dict[str, Any]:
    return {
        "complete": complete,
        "holds": all(report.holds for report in reports) and all(entry.holds for entry in entries),
        "rows": [_row(report) for report in reports],
        "av_table_1": [asdict(entry) for entry in entries],
    }


def _row(report: ClaimReport) -> dict[str, Any]:
    return {
        **{key: getattr(report.row, key) for key in ("name", "placement", "ordering", "paper")},
        **{key: getattr(report, key) for key in ("holds", "runs", "deliveries", "handoffs", "forwarded")},
        "claims": [_claim(result) for result in report.results],
    }


def _claim(result: ClaimResult) -> dict[str, Any]:
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
