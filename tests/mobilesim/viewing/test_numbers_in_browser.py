"""The viewer in a browser: its numbers are those of the tables, and all of the tape is there."""

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser

from mobilesim.tape.events import COLUMNS, EventKind, Tape
from mobilesim.tape.tape_file import read_tape
from mobilesim.viewing.page import page
from tests.support.browser import Shown
from tests.support.viewed_tapes import random_tape
from tests.support.viewer_pages import (
    DELIVERIES,
    SELECTED,
    in_table,
    longest_held,
    milliseconds,
    opened,
    rows_of,
    until,
)

pytestmark = pytest.mark.full

_COLUMNS: Final = """() => Object.fromEntries(Object.entries(viewer.tape.columns)
  .map(([name, column]) => [name, [...column]]))"""


def test_the_page_decodes_every_event(browser: Browser, tmp_path: Path) -> None:
    tape = random_tape(3000, hosts=6, stations=0)
    (tmp_path / "random.html").write_text(page(tape), encoding="utf-8")
    shown = opened(browser, tmp_path / "random.html")
    columns = shown.page.evaluate(_COLUMNS)
    for name in COLUMNS:
        assert columns[name] == tape.columns[name].tolist(), name
    shown.page.close()


def test_delays_and_waits_are_those_of_the_tables(browser: Browser, files: Path) -> None:
    for protocol in ("av1", "fifo"):
        shown = opened(browser, files / f"{protocol}.html")
        found = {(row["message"], row["destination"]): row for row in shown.page.evaluate(DELIVERIES)}
        rows = rows_of(files, protocol)
        assert len(rows) > 200
        for row in rows:
            delivery = found[row["message"], row["destination"]]
            waits = row["sender_away"] + row["uplink_queue"]
            told = (row["delay"], waits, row["waited_for"], row["overtaken"])
            assert told == (delivery["delay"], delivery["uplink"], delivery["blocker"], delivery["overtaken"])
        shown.page.close()


def test_the_steps_of_a_path_add_up_to_the_delay(av1: Shown, files: Path) -> None:
    rows = sorted(rows_of(files, "av1"), key=lambda row: row["delay"])
    for row in [*rows[-6:], *rows[:2], longest_held(rows)]:
        av1.page.evaluate("([m, h]) => viewer.select(viewer.tape.delivery(m, h))", [row["message"], row["destination"]])
        until(av1.page, f"document.querySelector('#why-title').textContent.includes(' {row['message']} to h')")
        steps = [milliseconds(text) for text in av1.page.locator("#path tbody tr > td:nth-child(2)").all_inner_texts()]
        assert sum(steps) == milliseconds(av1.page.inner_text("#path-sum")) == row["delay"]
        words = " ".join(av1.page.locator("#path tbody .words").all_inner_texts())
        assert f"uplink: h{row['source']} to s{row['source_station']}" in words
        assert f"downlink: s{row['station']} to h{row['destination']}" in words


def test_the_message_that_held_another_one_is_a_link(av1: Shown, files: Path) -> None:
    row = longest_held(rows_of(files, "av1"))
    in_table(av1, row)
    assert av1.page.evaluate(SELECTED) == [row["message"], row["destination"]]
    assert f"held by message {row['waited_for']}" in av1.page.inner_text("#deliveries tr.selected")
    av1.page.click(".blocker button")
    assert av1.page.evaluate(SELECTED) == [row["waited_for"], row["destination"]]
    assert f"message {row['waited_for']} to h{row['destination']}" in av1.page.inner_text("#why-title")


def test_hand_offs_during_a_delivery_are_those_of_the_tape(av1: Shown, files: Path) -> None:
    tape = read_tape(files / "av1.tape")
    row = max(rows_of(files, "av1"), key=lambda row: row["delay"])
    in_table(av1, row)
    ends = {row["source"], row["destination"]}
    begun = {
        f"h{event.host}"
        for event in tape.events()
        if event.kind is EventKind.LEFT and event.host in ends and row["submitted"] <= event.time <= row["delivered"]
    }
    shown = {text.split()[0] for text in av1.page.locator("#hand-offs tr.joined td:first-child").all_inner_texts()}
    assert begun <= shown
    assert shown <= {f"h{host}" for host in ends}


def test_the_causal_past_and_future_are_those_of_happened_before(av1: Shown, files: Path) -> None:
    before = happened_before(read_tape(files / "av1.tape"))
    number: dict[tuple[int, int], int] = {
        (row["message"], row["destination"]): index for index, row in enumerate(av1.page.evaluate(DELIVERIES))
    }
    for delivery in ((5, None), (60, None), (120, None)):
        message, host = next(key for key in number if key[0] == delivery[0])
        found = av1.page.evaluate("each => viewer.cone(each)", number[message, host])
        past = {n for key, n in number.items() if ("d", *key) in before["d", message, host]}
        future = {n for key, n in number.items() if ("d", message, host) in before["s", key[0], -1]}
        assert set(found["past"]) == past
        assert set(found["future"]) == future
        assert len(found["past"]) == len(past)


def happened_before(tape: Tape) -> dict[tuple[str, int, int], frozenset[tuple[str, int, int]]]:
    """Return for each submission and delivery all of them that happened before it."""
    last: dict[int, frozenset[tuple[str, int, int]]] = {}
    before: dict[tuple[str, int, int], frozenset[tuple[str, int, int]]] = {}
    for event in tape.events():
        if event.kind is EventKind.SUBMITTED and ("s", event.message, -1) not in before:
            key, causes = ("s", event.message, -1), last.get(event.node, frozenset())
        elif event.kind is EventKind.DELIVERED:
            sent = ("s", event.message, -1)
            key, causes = ("d", event.message, event.host), last.get(event.node, frozenset()) | before[sent] | {sent}
        else:
            continue
        before[key] = causes
        last[event.node] = causes | {key}
    return before
