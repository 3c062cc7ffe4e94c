"""The viewer in a browser, from files: its numbers are those of the tables, and all views show the same delivery."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Browser, Frame, Page

from mobilesim.cli.main import main
from mobilesim.tape.events import COLUMNS, EventKind, Tape
from mobilesim.tape.tape_builder import DELIVERED, PACKET, SUBMITTED, TapeBuilder
from mobilesim.tape.tape_file import read_tape
from mobilesim.viewing.page import page
from tests.support.browser import NARROW, WIDE, Shown, chromium, require_chromium
from tests.support.viewed_tapes import header, random_tape

pytestmark = pytest.mark.full

SCENARIO: Final = """
name: <b>moves</b>
hosts: 8
cells: 4
messages: 150
protocols: [av1, fifo]
backbone: {jitter: exponential 60 ms}
mobility: {dwell: exponential 400 ms}
wireless: {bandwidth: 256 kbit/s, beacon: 50 ms}
workload: {kind: multicast, destinations: 2, interval: exponential 60 ms}
"""

_COLUMNS: Final = """() => Object.fromEntries(Object.entries(viewer.tape.columns)
  .map(([name, column]) => [name, [...column]]))"""
_DELIVERIES: Final = """() => { const d = viewer.tape.deliveries;
  return [...d.message].map((message, i) => ({message, destination: d.host[i], delay: d.delay[i],
    uplink: d.waited.uplink[i], downlink: d.waited.downlink[i], blocker: d.blocker[i],
    overtaken: d.overtaken[i]})); }"""
_SELECTED: Final = """() => { const {state, tape} = viewer, d = tape.deliveries;
  return state.selection < 0 ? null : [d.message[state.selection], d.host[state.selection]]; }"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    require_chromium()
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results, and with a page and a tape of each protocol and of a counter-example."""
    folder = tmp_path_factory.mktemp("viewer")
    (folder / "s.yaml").write_text(SCENARIO, encoding="utf-8")
    results = str(folder / "results")
    assert main(["run", str(folder / "s.yaml"), "--out", results, "--no-summary"]) == 0
    for protocol in ("av1", "fifo"):
        run = [results, "--protocol", protocol]
        assert main(["replay", *run, "--out", str(folder / f"{protocol}.tape")]) == 0
        assert main(["view", *run, "--out", str(folder / f"{protocol}.html")]) == 0
    explore = ["explore", "fifo", "--hosts", "3", "--destinations", "2", "--moves", "0", "--out", str(folder / "c")]
    assert main(explore) == 1
    assert main(["view", str(folder / "c" / "counter-example.tape"), "--out", str(folder / "explorer.html")]) == 0
    return folder


@pytest.fixture(params=(WIDE, NARROW), ids=("wide", "narrow"))
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    found: tuple[int, int] = request.param
    return found


@pytest.fixture
def av1(browser: Browser, files: Path) -> Iterator[Shown]:
    shown = opened(browser, files / "av1.html")
    yield shown
    assert shown.errors == []
    shown.page.close()


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


@pytest.mark.parametrize("name", ("av1", "fifo", "explorer"))
def test_a_page_requests_nothing_and_is_whole_and_reached_by_keyboard(
    name: str, size: tuple[int, int], browser: Browser, files: Path
) -> None:
    path = files / f"{name}.html"
    shown = opened(browser, path, size)
    assert shown.page.locator("h1").inner_text().startswith("counter-ex" if name == "explorer" else "<b>moves</b>, ")
    shown.page.evaluate("viewer.select(0)")
    shown.unfold()
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not shown.page.evaluate(wide)
    assert shown.controls_without_focus() == []
    assert (shown.requests, shown.errors) == ([path.as_uri()], [])
    shown.page.close()


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
        found = {(row["message"], row["destination"]): row for row in shown.page.evaluate(_DELIVERIES)}
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
    assert av1.page.evaluate(_SELECTED) == [row["message"], row["destination"]]
    assert f"held by message {row['waited_for']}" in av1.page.inner_text("#deliveries tr.selected")
    av1.page.click(".blocker button")
    assert av1.page.evaluate(_SELECTED) == [row["waited_for"], row["destination"]]
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


def test_filters_and_orders_of_the_table(browser: Browser, files: Path) -> None:
    shown = opened(browser, files / "fifo.html")
    rows = rows_of(files, "fifo")
    every = read_tape(files / "fifo.tape").of(EventKind.DELIVERED)
    shown.page.check("#filter-violations")
    broken = int((every["detail"] >= 0).sum())
    assert broken > 0
    assert shown.page.inner_text("#deliveries-note").startswith(f"{broken} of {len(every['time'])} deliveries")
    shown.page.locator("#deliveries tbody button").first.click()
    assert "breaks causal order" in shown.page.inner_text(".why")
    shown.page.uncheck("#filter-violations")
    shown.page.select_option("#filter-wait", "downlink")
    queued = int(shown.page.inner_text("#deliveries-note").split()[0])
    assert queued >= sum(row["downlink_queue"] > 0 for row in rows) > 0
    shown.page.select_option("#filter-wait", "")
    shown.page.fill("#filter-node", "h1")
    named = shown.page.locator("#deliveries tbody tr").all_inner_texts()
    assert named
    assert all("h1" in text.split() for text in named)
    shown.page.fill("#filter-node", "h99")
    assert "There is no h99; there are s0 to s3 and h0 to h7." in shown.page.inner_text("#deliveries-note")
    shown.page.fill("#filter-node", "")
    shown.page.get_by_role("button", name="message", exact=True).click()
    assert int(shown.page.locator("#deliveries tbody td").first.inner_text()) == 0
    shown.page.close()


def test_the_causal_past_and_future_are_those_of_happened_before(av1: Shown, files: Path) -> None:
    before = happened_before(read_tape(files / "av1.tape"))
    number: dict[tuple[int, int], int] = {
        (row["message"], row["destination"]): index for index, row in enumerate(av1.page.evaluate(_DELIVERIES))
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


def test_the_time_is_played_paused_stepped_and_moved(av1: Shown) -> None:
    time = "viewer.state.time"
    start = av1.page.evaluate(time)
    av1.page.select_option("#speed", "1000000000")
    av1.page.click("#play")
    until(av1.page, f"{time} > {start}")
    av1.page.click("#play")
    assert not av1.page.evaluate("viewer.playing")
    paused = av1.page.evaluate(time)
    av1.page.click("#forward")
    stepped = av1.page.evaluate(time)
    assert stepped == av1.page.evaluate(f"Math.min(...[...viewer.tape.columns.time].filter((t) => t > {paused}))")
    assert " s: " in av1.page.inner_text("#announced")
    av1.page.focus("#time")
    av1.page.keyboard.press("End")
    assert av1.page.evaluate(time) == av1.page.evaluate("viewer.tape.end")
    assert av1.page.inner_text("#clock") in av1.page.inner_text("#map-title")


def test_with_reduced_motion_the_time_moves_in_few_steps(av1: Shown) -> None:
    av1.page.emulate_media(reduced_motion="reduce")
    av1.page.select_option("#speed", "100000000")
    script = """() => new Promise((done) => { const times = new Set(), end = performance.now() + 1300;
      const look = () => { times.add(viewer.state.time);
        performance.now() < end ? requestAnimationFrame(look) : done(times.size); }; look(); })"""
    av1.page.click("#play")
    assert 1 <= av1.page.evaluate(script) <= 4


def test_the_diagram_is_used_with_the_keyboard_alone(av1: Shown) -> None:
    page = av1.page
    page.focus("#diagram")
    whole = page.evaluate("viewer.state.window")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert page.inner_text("#announced") != ""
    page.keyboard.press("+")
    zoomed = page.evaluate("viewer.state.window")
    assert zoomed["to"] - zoomed["from"] < whole["to"] - whole["from"]
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#announced") == "Node s0"
    page.keyboard.press("ArrowRight")
    assert "s0" in page.inner_text("#announced")
    selected = _pressed_until_selected(page)
    assert selected is not None
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.evaluate(_SELECTED) is None


def _pressed_until_selected(page: Page) -> object:
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        if found := page.evaluate(_SELECTED):
            return found
    return None


def test_the_fragment_of_the_address_keeps_selection_time_and_window(av1: Shown, browser: Browser, files: Path) -> None:
    row = longest_held(rows_of(files, "av1"))
    in_table(av1, row)
    av1.page.select_option("#axis", "event")
    until(av1.page, "location.hash.includes('axis=event')")
    state = av1.page.evaluate("viewer.state")
    again = browser.new_page()
    again.goto(av1.page.url)
    until(again, "window.viewer !== undefined")
    found = again.evaluate("viewer.state")
    for name in ("selection", "byEvent"):
        assert found[name] == state[name]
    assert found["time"] == pytest.approx(state["time"], abs=1)
    assert found["window"]["from"] == pytest.approx(state["window"]["from"], abs=2)
    again.close()


def test_the_diagram_is_saved_as_svg(av1: Shown, files: Path) -> None:
    in_table(av1, longest_held(rows_of(files, "av1")))
    with av1.page.expect_download() as download:
        av1.page.click("#save-svg")
    picture = ET.fromstring(Path(download.value.path()).read_text(encoding="utf-8"))
    words = " ".join(filter(None, picture.itertext()))
    assert "Space-time diagram of" in words
    assert "until message" in words


def test_densities_replace_too_many_lines_and_the_page_says_so(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "many.html").write_text(page(random_tape(9000, hosts=6)), encoding="utf-8")
    shown = opened(browser, tmp_path / "many.html")
    assert "so their density is shown" in shown.page.inner_text("#diagram-note")
    assert shown.errors == []
    shown.page.close()


def test_hosts_that_join_during_a_run_are_shown(browser: Browser, tmp_path: Path) -> None:
    builder = TapeBuilder()
    builder.add(SUBMITTED, 1000, 1000, 4, -1, 0, 3, 0, 9)
    builder.add(PACKET, 1000, 2000, 4, 3, 0, -1, builder.name("data"), 0)
    builder.add(DELIVERED, 2000, 2000, 3, -1, 0, 3, 0, -1)
    (tmp_path / "joins.html").write_text(page(builder.tape(header(hosts=2, stations=0))), encoding="utf-8")
    shown = opened(browser, tmp_path / "joins.html")
    shown.page.locator("#deliveries tbody button").click()
    assert "wire: h4 to h3" in shown.page.inner_text("#path")
    assert shown.errors == []
    shown.page.close()


def test_packets_of_one_kind_are_chosen(av1: Shown, files: Path) -> None:
    tape = read_tape(files / "av1.tape")
    begin, end = 500_000_000, 900_000_000
    of_kind = sum(
        event.name == "location query" and event.time <= end and event.until >= begin
        for event in tape.events()
        if event.kind is EventKind.PACKET and event.node != event.peer
    )
    assert of_kind > 0
    av1.page.goto(f"{av1.page.url.partition('#')[0]}?#from={begin}&to={end}&time={begin}")
    av1.page.wait_for_selector("#lines")
    av1.page.select_option("#lines", "only location query")
    label = av1.page.get_attribute("#diagram", "aria-label") or ""
    arrows = int(label.split(": ")[1].split()[0])
    assert of_kind <= arrows <= of_kind + 5  # the margins of the window show a little more


def test_a_counter_example_shows_the_delivery_that_breaks_causal_order(browser: Browser, files: Path) -> None:
    shown = opened(browser, files / "explorer.html")
    assert shown.page.inner_text("#clock") == "step 1"
    shown.page.locator(".why li button").last.click()
    assert "breaks causal order: message 0" in shown.page.inner_text(".why")
    assert shown.page.evaluate(_SELECTED) == [1, 1]
    shown.page.close()


def test_a_page_works_in_the_frame_of_a_notebook(browser: Browser, files: Path, tmp_path: Path) -> None:
    from mobilesim.api.tapes.recorded_tape import open_tape

    shown = open_tape(files / "av1.tape").view()
    (tmp_path / "notebook.html").write_text(f"<main>{shown._repr_html_()}</main>", encoding="utf-8")
    found = Shown(browser, tmp_path / "notebook.html", WIDE)
    inner = found.page.frames[1]
    until(inner, "window.viewer !== undefined")
    inner.evaluate("viewer.select(3)")
    inner.wait_for_selector("#path-sum")
    found.page.wait_for_timeout(400)  # the fragment is written later
    assert found.errors == []
    found.page.close()
