"""The summary of runs as text."""

from typing import TYPE_CHECKING

from mobilesim.api.text_tables import aligned, terminal_width

if TYPE_CHECKING:
    from mobilesim.analysis.summary.model import ProtocolSummary, Summary


def summary_text(summary: "Summary") -> str:
    """Return the numbers and checks, with the paths of the files."""
    lines = [numbers_text(summary), f"summary: {summary.directory / 'summary'}"]
    if summary.report is not None:
        lines.append(f"report: {summary.report}")
    return "\n".join(lines)


def key_rows(summary: "Summary") -> list[tuple[str, ...]]:
    """Return a head and a row for each protocol: its key figures and its verdict."""
    from mobilesim.analysis.summary.metrics import key_metrics

    metrics = key_metrics(has_handoffs=summary.has_handoffs, has_energy=summary.has_energy)
    rows = (
        (each.name, f"{each.deliveries:,}", *(metric.show(each) for metric in metrics), _verdict(each))
        for each in summary.protocols
    )
    return [("protocol", "deliveries", *(metric.label for metric in metrics), "verdict"), *rows]


def numbers_text(summary: "Summary") -> str:
    from mobilesim.analysis.report.narrative import batteries, clocks, end_effects
    from mobilesim.analysis.sweeps.model import one_point
    from mobilesim.analysis.sweeps.text import check, claims, no_deliveries, overloads, transients, windows

    rows = key_rows(summary)
    lines = aligned(rows, range(1, len(rows[0]) - 1), terminal_width())
    alone = one_point(summary)
    titled = (("end", end_effects), ("batteries", batteries), ("clocks", clocks))
    groups = [[f"{title}: {remark}" for remark in remarks(summary.protocols)] for title, remarks in titled]
    groups += [[*remarks(alone)] for remarks in (windows, transients, no_deliveries, overloads)]
    for group in filter(None, groups):
        lines += ["", *group]
    return "\n".join([*lines, "", *claims(alone), f"check: {check(alone)}"])


def _verdict(protocol: "ProtocolSummary") -> str:
    incomplete = f" ({protocol.incomplete_runs})" if protocol.incomplete_runs else ""
    return f"{protocol.correctness}{incomplete}"
