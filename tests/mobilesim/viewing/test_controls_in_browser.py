"""The viewer in a browser: its controls, its keys, and what it shows and says. All views show the same delivery."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Page

from mobilesim.tape.events import EventKind
from mobilesim.tape.tape_builder import DELIVERED, PACKET, SUBMITTED, TapeBuilder
from mobilesim.tape.tape_file import read_tape
from mobilesim.viewing.page import page
from tests.support.browser import WIDE, Shown
from tests.support.viewed_tapes import header, random_tape
from tests.support.viewer_pages import SELECTED, in_table, longest_held, opened, rows_of, until

pytestmark = pytest.mark.full


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
    assert page.evaluate(SELECTED) is None


def _pressed_until_selected(page: Page) -> object:
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        if found := page.evaluate(SELECTED):
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
    assert shown.page.evaluate(SELECTED) == [1, 1]
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
