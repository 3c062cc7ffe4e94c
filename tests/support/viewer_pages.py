"""The viewer in a browser: how tests open its pages, and compare them with tables."""

from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import pyarrow.parquet as pq
from playwright.sync_api import Browser, Frame, Page

from tests.support.browser import WIDE, Shown

DELIVERIES: Final = """() => { const d = viewer.tape.deliveries;
  return [...d.message].map((message, i) => ({message, destination: d.host[i], delay: d.delay[i],
    uplink: d.waited.uplink[i], downlink: d.waited.downlink[i], blocker: d.blocker[i],
    overtaken: d.overtaken[i]})); }"""
SELECTED: Final = """() => { const {state, tape} = viewer, d = tape.deliveries;
  return state.selection < 0 ? null : [d.message[state.selection], d.host[state.selection]]; }"""


def opened(browser: Browser, path: Path, size: tuple[int, int] = WIDE) -> Shown:
    shown = Shown(browser, path, size)
    until(shown.page, "window.viewer !== undefined")
    return shown


def until(page: Page | Frame, condition: str) -> None:
    """Wait for a condition. The policy of the page forbids the evaluation by which Playwright waits."""
    deadline = monotonic() + 30
    while not page.evaluate(condition):
        assert monotonic() < deadline, condition
        sleep(0.02)


def rows_of(files: Path, protocol: str) -> list[dict[str, Any]]:
    """Return the rows of the table of deliveries of a protocol."""
    rows: list[dict[str, Any]] = pq.read_table(files / "results" / "deliveries").to_pylist()
    return [row for row in rows if row["protocol"] == protocol]


def longest_held(rows: list[dict[str, Any]]) -> Mapping[str, Any]:
    return max((row for row in rows if row["waited_for"] >= 0), key=lambda row: row["deliverable"] - row["arrived"])


def in_table(shown: Shown, row: Mapping[str, Any]) -> None:
    """Select a delivery in the table of the page."""
    shown.page.fill("#filter-message", str(row["message"]))
    shown.page.fill("#filter-node", f"h{row['destination']}")
    shown.page.get_by_role("button", name=f"Select message {row['message']} to h{row['destination']}").click()


def milliseconds(text: str) -> int:
    """Return the nanoseconds of a text like `1.234567 ms`."""
    number, unit = text.split()
    assert unit == "ms"
    return round(float(number) * 1_000_000)
