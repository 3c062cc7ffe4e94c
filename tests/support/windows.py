"""Runs with measurement windows, and the sums of their counters."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from mobilesim.results.quantities import BYTE_PURPOSES, RADIO_ENERGIES, RADIO_TIMES
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.measurement_window import NEVER, Window
from tests.support.simulations import FinishedRun, Row, simulate

BEGINS: Final = {"messages": "submitted", "deliveries": "delivered", "handoffs": "left", "disconnections": "left"}
"""The tables whose rows belong to a window as a whole, and the time that decides."""

_BYTES: Final = tuple(f"{purpose}_bytes" for purpose in BYTE_PURPOSES)
COUNTED: Final = {
    "links": ("packets", "bytes", *_BYTES, "lost_packets", "lost_bytes", "shared_bytes", "busy"),
    "hosts": (
        *("submitted", "delivered", "moves", "returns", "unreachable", "wake_ups", "cut_offs", *RADIO_TIMES),
        *(f"{way}_{name}" for way in ("sent", "received") for name in _BYTES),
        *(f"energy_{state}" for state in RADIO_ENERGIES),
    ),
    "stations": ("packets", "processing"),
}
"""The columns of counters, which add up over consecutive windows."""
_KEYS: Final = {"links": ("kind", "source", "target"), "hosts": ("host",), "stations": ("station",)}


def windowed(scenario: Scenario, directory: Path, window: dict[str, Any] | None) -> FinishedRun:
    """Run a scenario with a measurement window."""
    data = scenario.model_dump(mode="json", exclude={"measure"})
    for key in ("warm_up", "deliveries"):
        data.pop(key, None)
    name = "whole" if window is None else "-".join(window.values()).replace(" ", "") or "sending"
    return simulate(Scenario.model_validate({**data, "measure": window}), directory / name)


def totals(runs: Iterable[FinishedRun], table: str) -> dict[tuple[object, ...], Counter[str]]:
    """Return the sums of the counters of a table, by its key columns. Rows of zeros are left out."""
    found: dict[tuple[object, ...], Counter[str]] = {}
    for run in runs:
        for row in run.rows(table):
            key = tuple(row[name] for name in _KEYS[table])
            found.setdefault(key, Counter()).update({name: row[name] for name in COUNTED[table]})
    return {key: counted for key, counted in found.items() if any(counted.values())}


def rows_of(runs: Sequence[FinishedRun], table: str) -> list[Row]:
    """Return the rows of a table without the run id, which depends on the window."""
    rows = [row for run in runs for row in run.rows(table)]
    return [{name: value for name, value in row.items() if name != "run_id"} for row in rows]


def after_sending(scenario: Scenario) -> Window:
    """Return the window that begins at the end of the duration, and lasts until no message is in transit."""
    assert scenario.duration is not None
    window = Window(scenario.model_copy(update={"measure": None}))
    window.since, window.first = scenario.duration, NEVER
    window.opened = window.whole = False
    return window
