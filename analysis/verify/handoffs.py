"""Check the rows of hand-offs, disconnections and passive clocks, some of them against the previous row of the host."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from mobilesim.analysis.verify.checks import COUNTERS, HANDOFFS, Columns, Rule, RunChecks
from mobilesim.analysis.verify.columns import outside, read_columns
from mobilesim.analysis.verify.messages import Network
from mobilesim.results.quantities import HANDOFF_PACKETS, HANDOFF_STAGES

_MOMENTS: Final = ("left", "entered", *(stage.phase for stage in HANDOFF_STAGES.values()))
_PLACE: Final = ("host", "visit", "from_station", "to_station", "superseded")
_COUNTS: Final = ("control_messages", "control_bytes", "buffered", "forwarded", "retransmitted", "backlog")
_KINDS: Final = tuple(f"{kind}_{what}" for kind in HANDOFF_PACKETS for what in ("messages", "bytes"))
_DISCONNECTIONS: Final = ("host", "from_station", "left", "returned", "drained", "to_station", "waiting", "dropped")


def check_handoffs(checks: RunChecks, network: Network) -> None:
    table = _sorted(read_columns(checks.run, "handoffs", *_PLACE, *_MOMENTS, *_COUNTS, *_KINDS), "visit")
    checks.count(HANDOFFS, len(table["host"]))
    rules = (*_places(table, network), *_phases(table), *_sums(table), *_visits(table, network))
    checks.rules(HANDOFFS, lambda row: f"host {table['host'][row]}, visit {table['visit'][row]}", rules)


def check_disconnections(checks: RunChecks, network: Network) -> None:
    table = _sorted(read_columns(checks.run, "disconnections", *_DISCONNECTIONS), "left")
    host, left, returned, drained = (table[name] for name in ("host", "left", "returned", "drained"))
    same = np.diff(host, prepend=-1) == 0
    back = returned >= 0
    before = np.roll(returned, 1) if len(host) else returned
    rules = [
        (outside(host, network.hosts), "there is no such host"),
        (back & (returned < left), "the host returned before it left"),
        ((drained >= 0) & (~back | (drained < returned)), "drained before the host returned"),
        (back != (table["to_station"] >= 0), "to_station contradicts returned"),
        (same & ((before < 0) | (left < before)), "left before the previous return"),
        ((table["waiting"] < 0) | (table["dropped"] < 0), "a number is negative"),
    ]
    checks.count(HANDOFFS, len(host))
    checks.rules(HANDOFFS, lambda row: f"disconnection of host {host[row]} at {left[row]}", rules)


def check_clocks(checks: RunChecks) -> None:
    """Check that the wrong answers of each clock are the sum of the three kinds, and at most its comparisons."""
    table = read_columns(checks.run, "clocks", "compared", "wrong", "missed", "reversed", "spurious")
    checks.count(COUNTERS, len(table["wrong"]))
    kinds = table["missed"] + table["reversed"] + table["spurious"]
    wrong = (table["wrong"] != kinds) | (table["wrong"] > table["compared"])
    checks.faults(COUNTERS, wrong, lambda row: f"clocks, row {row}: wrong is not the sum of its kinds, or too large")


def _sorted(table: Columns, within: str) -> Columns:
    """Sort the rows by host and, for each host, by the column `within`."""
    order = np.lexsort((table[within], table["host"]))
    return {name: column[order] for name, column in table.items()}


def _places(table: Columns, network: Network) -> Iterator[Rule]:
    start, end = table["from_station"], table["to_station"]
    yield outside(table["host"], network.hosts), "there is no such host"
    yield outside(start, network.stations) | outside(end, network.stations), "there is no such station"
    yield start == end, "from_station and to_station are the same"


def _phases(table: Columns) -> Iterator[Rule]:
    """Yield the rules for the order of phases. A phase that was not reached is -1."""
    late = [(f"{name} before the host left", name, "left") for name in _MOMENTS[3:]]
    late += [("entered before it left", "entered", "left"), ("registered before it entered", "registered", "entered")]
    late += [("complete before the old station received the request", "complete", "request")]
    for text, phase, since in late:
        yield (table[phase] >= 0) & (table[phase] < table[since]), text


def _sums(table: Columns) -> Iterator[Rule]:
    for what in ("messages", "bytes"):
        total = np.sum([table[f"{kind}_{what}"] for kind in HANDOFF_PACKETS], axis=0)
        yield table[f"control_{what}"] != total, f"control_{what} is not the sum over the kinds"
    for name in (*_COUNTS, *_KINDS):
        yield table[name] < 0, f"{name} is negative"


def _visits(table: Columns, network: Network) -> Iterator[Rule]:
    """Yield rules for visits. The visits of a host are numbered from 1; each begins where the previous one ended. If
    only a window was measured, it may begin with any visit, and the next visit of a host may be outside of it.
    """
    if not len(table["host"]):
        return
    same = np.diff(table["host"], prepend=-1) == 0
    before = {name: np.roll(column, 1) for name, column in table.items()}
    superseded = np.append(same[1:], False) & (
        (table["complete"] < 0) | (np.roll(table["left"], -1) < table["complete"])
    )
    first = table["visit"] if network.windowed else 1
    yield table["visit"] != np.where(same, before["visit"] + 1, first), "the number of the visit is not consecutive"
    yield same & (table["from_station"] != before["to_station"]), "does not begin where the previous visit ended"
    yield same & (table["left"] < before["entered"]), "the host left a cell before it entered this cell"
    known = np.append(same[1:], False) | (not network.windowed)
    yield known & (table["superseded"].astype(np.bool_) != superseded), "superseded contradicts the times of the phases"
