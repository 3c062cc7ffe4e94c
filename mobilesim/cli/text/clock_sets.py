"""The sizes of clocks on known links, as text and as JSON."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from mobilesim.api.text_tables import aligned, terminal_width
from mobilesim.clocks.allocations import ClockCost
from mobilesim.errors import counted
from mobilesim.geometry.named_graphs import Graph
from mobilesim.protocols.clocks.links import members

_HEAD: Final = (
    *("clocks", "ClockSet", "most", "ObsSet", "most", "space", "of FM", "message", "of FM"),
    *("gateways", "arrivals", "sets"),
)


def as_text(made: Graph, found: Sequence[ClockCost], sets: int | None, *, pairs: bool) -> str:
    """Return the text. `sets`: the number of an allocation whose sets are printed, too. `pairs`: whether events of
    pairs of processes are compared.
    """
    lines = [*_table(made, found), *_remarks(found, pairs=pairs), *(_sets(found[sets]) if sets else ())]
    return "\n".join(lines)


def as_document(made: Graph, found: Sequence[ClockCost]) -> dict[str, Any]:
    counts = {"graph": made.title, "processes": len(made.adjacency), "links": made.links}
    return {**counts, "clocks": [_entry(cost) for cost in found]}


def _table(made: Graph, found: Sequence[ClockCost]) -> list[str]:
    rows = [_HEAD, *(_row(cost, found[0]) for cost in found)]
    title = f"{made.title}: {counted(len(made.adjacency), 'process')}, {counted(made.links, 'link')}"
    return [title, "", *aligned(rows, numbers=range(1, 11), width=terminal_width())]


def _remarks(found: Sequence[ClockCost], *, pairs: bool) -> list[str]:
    """Return an explanation if no allocation keeps a clock, or if no allocation saves space."""
    vectors, *allocations = (cost.space for cost in found)
    if not any(allocations):
        reason = "of two messages that come to one process over different links, neither can depend on the other"
        if pairs:
            reason = "no path leads from one process of a pair to the other one"
        return ["", f"Nothing to keep: {reason}."]
    if min(allocations) == vectors:
        return ["", "Nothing to save: on these links any clock may be needed by any process."]
    return []


def _row(cost: ClockCost, vectors: ClockCost) -> tuple[str, ...]:
    return (
        cost.name,
        *_sizes(cost.clock_sets),
        *(_sizes(cost.obs_sets) if cost.has_obs_sets else ("-", "-")),
        str(cost.space),
        f"{cost.space / vectors.space:.1%}",
        f"{cost.message:.1f}",
        f"{cost.message / vectors.message:.1%}" if vectors.messages else "-",
        str(cost.gateways),
        str(cost.arrivals),
        "exact" if cost.allocation.exact else "superset",
    )


def _sizes(sets: list[int]) -> tuple[str, str]:
    return f"{sum(sets) / len(sets):.1f}", str(max(sets))


def _sets(cost: ClockCost) -> list[str]:
    allocation, rows = cost.allocation, [("process", "ClockSet", "ObsSet", "")]
    for p in range(len(allocation.clocks)):
        observed = _listed(allocation.obs_set(p)) if cost.has_obs_sets else "-"
        rows.append((str(p), _listed(allocation.clock_set(p)), observed, "gateway" * (allocation.gateways >> p & 1)))
    return ["", cost.name, *aligned(rows, numbers=(0,))]


def _listed(processes: frozenset[int]) -> str:
    """Return the numbers of processes as text. Three or more consecutive numbers become a range, like 3-7."""
    by_run = groupby(enumerate(sorted(processes)), key=lambda ranked: ranked[1] - ranked[0])
    runs = [[p for _, p in run] for _, run in by_run]
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs) or "-"


def _entry(cost: ClockCost) -> dict[str, Any]:
    allocation, processes = cost.allocation, range(len(cost.allocation.clocks))
    return {
        "name": cost.name,
        "space": cost.space,
        "message": cost.message,
        "message_most": max(cost.messages, default=0),
        "gateways": list(members(allocation.gateways)),
        "arrivals": cost.arrivals,
        "exact": allocation.exact,
        "clock_sets": [sorted(allocation.clock_set(p)) for p in processes],
        "obs_sets": [sorted(allocation.obs_set(p)) for p in processes] if cost.has_obs_sets else None,
    }
