"""Reports and the closing table, as text and as plain data for JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from mobilesim.experiments.claims.av_table_1 import PAPER, Entry
from mobilesim.experiments.claims.findings import Finding
from mobilesim.experiments.claims.measure import Report
from protocols.catalogue import AT_MOST

_VERDICT: Final = {True: "pass", False: "FAIL", None: ""}


def lines(report: Report) -> list[str]:
    row = report.row
    table = _aligned(
        [
            ("claim", "claimed", "measured", "grows as", ""),
            *(
                (found.what, found.claimed, found.measured, power(found), _VERDICT[found.holds])
                for found in report.findings
            ),
        ]
    )
    return [
        f"{row.name}: {row.placement} x {row.ordering} ({row.sources})",
        *_sizes(report),
        *_indented(table),
        f"  in {report.handoffs:,} calm hand-offs, messages were forwarded {report.forwarded:,} times over a link",
    ]


def _sizes(report: Report) -> list[str]:
    """What the numbers of a line belong to, once for all lines."""
    axes = {found.axis.variable: found.axis for found in report.findings if found.axis is not None}
    grown = []
    for axis in axes.values():
        sizes = {name: [point.values[name] for point in axis.points] for name in axis.points[0].values}
        others = ", ".join(f"{name} = {_listed(values)}" for name, values in sizes.items() if name != axis.variable)
        grown.append(f"{axis.variable} = {' '.join(map(str, axis.sizes))} ({others})")
    return [f"  where {'; '.join(grown)}"]


def _listed(values: Sequence[int]) -> str:
    return str(values[0]) if len(set(values)) == 1 else " ".join(map(str, values))


def power(found: Finding) -> str:
    """What has no more than a bound need not grow as any power, and is only said to if it does."""
    if found.axis is None:
        return ""
    if found.claimed.startswith(AT_MOST) and not (found.grows and found.grows.clear):
        return ""
    if found.grows is None:
        return "no power"
    return found.grows.of(found.axis.variable)


def closing(entries: Sequence[Entry]) -> list[str]:
    head = ("algorithm", "what", "printed", "ours", "measured", "")
    cells = [
        (entry.protocol, entry.what, entry.printed, entry.ours, entry.measured, _VERDICT[entry.holds])
        for entry in entries
    ]
    return [PAPER, *_indented(_aligned([head, *cells]))]


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _indented(rows: list[str]) -> list[str]:
    return [f"  {row}" for row in rows]


def document(reports: Sequence[Report], entries: Sequence[Entry], *, complete: bool) -> dict[str, Any]:
    return {
        "complete": complete,
        "holds": all(report.holds for report in reports) and all(entry.holds for entry in entries),
        "rows": [_row(report) for report in reports],
        "av_table_1": [asdict(entry) for entry in entries],
    }


def _row(report: Report) -> dict[str, Any]:
    row = report.row
    return {
        "name": row.name,
        "placement": row.placement,
        "ordering": row.ordering,
        "paper": row.paper,
        "holds": report.holds,
        "runs": report.runs,
        "deliveries": report.deliveries,
        "handoffs": report.handoffs,
        "forwarded": report.forwarded,
        "claims": [_claim(found) for found in report.findings],
    }


def _claim(found: Finding) -> dict[str, Any]:
    claim: dict[str, Any] = {
        "claim": found.what,
        "claimed": found.claimed,
        "measured": found.measured,
        "holds": found.holds,
        **found.figures,
    }
    if found.axis is not None:
        claim["sizes"] = [point.values for point in found.axis.points]
        claim["counts"] = found.counts
        claim["exponent"] = None if found.grows is None else found.grows.value
        claim["half_width"] = None if found.grows is None else found.grows.half_width
    return claim
