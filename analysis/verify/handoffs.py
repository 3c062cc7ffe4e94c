"""Checks of hand-offs, disconnections and passive clocks: each row alone, and against the previous row."""

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.summary.results_reader import Run
from analysis.verify.checks import COUNTERS, HANDOFFS, Mask, RunChecks
from analysis.verify.columns import Columns, read_columns
from analysis.verify.messages import Network
from mobilesim.results.quantities import HANDOFF_PACKETS, HANDOFF_STAGES

_MOMENTS: Final = ("left", "entered", *(stage.phase for stage in HANDOFF_STAGES.values()))
_PLACE: Final = ("host", "visit", "from_station", "to_station", "superseded")
_COUNTS: Final = ("control_messages", "control_bytes", "buffered", "forwarded", "retransmitted", "backlog")
_KINDS: Final = tuple(f"{kind}_{what}" for kind in HANDOFF_PACKETS for what in ("messages", "bytes"))
_DISCONNECTIONS: Final = ("host", "from_station", "left", "returned", "drained", "to_station", "waiting", "dropped")


def check_handoffs(checks: RunChecks, run: Run, network: Network) -> None:
    table = _sorted(read_columns(run, "handoffs", *_PLACE, *_MOMENTS, *_COUNTS, *_KINDS), "visit")
    rules = [*_places(table, network), *_phases(table), *_sums(table), *_visits(table)]
    _check(checks, table, rules, lambda row: f"host {table['host'][row]}, visit {table['visit'][row]}")


def check_disconnections(checks: RunChecks, run: Run, network: Network) -> None:
    table = _sorted(read_columns(run, "disconnections", *_DISCONNECTIONS), "left")
    host, left, returned, drained = (table[name] for name in ("host", "left", "returned", "drained"))
    same = np.diff(host, prepend=-1) == 0
    back = returned >= 0
    before = np.roll(returned, 1) if len(host) else returned
    rules = [
        ((host < 0) | (host >= network.hosts), "there is no such host"),
        (back & (returned < left), "returned before it left"),
        ((drained >= 0) & (~back | (drained < returned)), "drained before the host returned"),
        (back != (table["to_station"] >= 0), "returned to no station, or to one without returning"),
        (same & ((before < 0) | (left < before)), "left before it had returned"),
        ((table["waiting"] < 0) | (table["dropped"] < 0), "a number is negative"),
    ]
    _check(checks, table, rules, lambda row: f"disconnection of host {host[row]} at {left[row]}")


def check_clocks(checks: RunChecks, run: Run) -> None:
    """Check that the wrong answers of each clock are the sum of the three kinds of mistakes."""
    table = read_columns(run, "clocks", "compared", "wrong", "missed", "reversed", "spurious")
    checks.count(COUNTERS, len(table["wrong"]))
    kinds = table["missed"] + table["reversed"] + table["spurious"]
    wrong = (table["wrong"] != kinds) | (table["wrong"] > table["compared"])
    checks.faults(COUNTERS, wrong, lambda row: f"clocks, row {row}: its wrong answers are not the sum of their kinds")


def _sorted(table: Columns, within: str) -> Columns:
    """Sort the rows by host."""
    order = np.lexsort((table[within], table["host"]))
    return {name: column[order] for name, column in table.items()}


def _check(checks: RunChecks, table: Columns, rules: list[tuple[Mask, str]], name: Callable[[int], str]) -> None:
    checks.count(HANDOFFS, len(table["host"]))
    for wrong, text in rules:
        checks.faults(HANDOFFS, wrong, lambda row, text=text: f"{name(row)}: {text}")  # type: ignore[misc]


def _places(table: Columns, network: Network) -> list[tuple[Mask, str]]:
    stations = [(table[name] < 0) | (table[name] >= network.stations) for name in ("from_station", "to_station")]
    return [
        ((table["host"] < 0) | (table["host"] >= network.hosts), "there is no such host"),
        (stations[0] | stations[1], "there is no such station"),
        (table["from_station"] == table["to_station"], "from a station to the same one"),
    ]


def _phases(table: Columns) -> list[tuple[Mask, str]]:
    """A phase that was never reached is -1."""
    late = [(f"{name} before the host left", table[name], table["left"]) for name in _MOMENTS[3:]]
    late += [("entered before it left", table["entered"], table["left"])]
    late += [("registered before it entered", table["registered"], table["entered"])]
    late += [("complete before the old station was informed", table["complete"], table["request"])]
    return [((moment >= 0) & (moment < since), text) for text, moment, since in late]


def _sums(table: Columns) -> list[tuple[Mask, str]]:
    wrong = [
        (
            table[f"control_{what}"] != np.sum([table[f"{kind}_{what}"] for kind in HANDOFF_PACKETS], axis=0),
            f"control_{what} is not the sum over the kinds",
        )
        for what in ("messages", "bytes")
    ]
    return [*wrong, *((table[name] < 0, f"{name} is negative") for name in (*_COUNTS, *_KINDS))]


def _visits(table: Columns) -> list[tuple[Mask, str]]:
    """Return rules for visits: those of a host are numbered from 1, and each begins where the previous one ended."""
    if not len(table["host"]):
        return []
    same = np.diff(table["host"], prepend=-1) == 0
    before = {name: np.roll(column, 1) for name, column in table.items()}
    has_next = np.append(same[1:], False)
    superseded = has_next & ((table["complete"] < 0) | (np.roll(table["left"], -1) < table["complete"]))
    return [
        (table["visit"] != np.where(same, before["visit"] + 1, 1), "its visits are not numbered consecutively"),
        (same & (table["from_station"] != before["to_station"]), "does not begin where the one before ended"),
        (same & (table["left"] < before["entered"]), "left before it had entered"),
        (table["superseded"].astype(np.bool_) != superseded, "superseded contradicts its moments"),
    ]
