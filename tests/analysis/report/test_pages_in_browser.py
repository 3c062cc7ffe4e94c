"""Reports in a browser, from files: nothing is cut, nothing is requested, and the keyboard reaches every control."""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser

from mobilesim.cli.main import main
from tests.support.browser import NARROW, WIDE, Shown, chromium, require_chromium
from tests.support.report_pages import plots

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("spark")]

SCENARIO = """
hosts: 8
cells: 4
messages: 60
replications: 3
protocols: [av1, rst, fifo, unordered]
backbone: {jitter: exponential 30 ms}
mobility: {dwell: exponential 500 ms}
wireless: {bandwidth: 256 kbit/s, beacon: 100 ms}
energy: {preset: 802.11n}
"""
SWEEP = """
name: grid
scenario: SCENARIO
vary:
  mobility.dwell: [exponential 500 ms, exponential 2 s, exponential 8 s]
  hosts: [4, 8, 12]
protocols: [av1, av2, prs]
replications: 2
"""
CUBE = """
name: cube
scenario: SCENARIO
vary:
  mobility.dwell: [exponential 500 ms, exponential 8 s]
  hosts: [4, 8]
  wireless.bandwidth: [64 kbit/s, 256 kbit/s, 1 Mbit/s]
  backbone.jitter: [constant 0 ms, exponential 30 ms]
protocols: [av1, prs]
replications: 2
"""
STUDY = """
name: study
scenario: SCENARIO
protocols: [av1, rst]
variants:
  dozing: {wireless.doze: {after: 50 ms, listen: 3 ms}}
  ring: {backbone.topology: ring}
  replaced: {protocol: prs}
"""
PAGES = ("run", "pareto", "sweep", "cube", "study")
_DAMAGE = """() => {
  const title = document.querySelector("h1"), plot = document.querySelector(".plot");
  title.style.whiteSpace = "nowrap";
  title.textContent += "x".repeat(90);
  document.querySelector(".scroll").previousElementSibling.hidden ^= true;
  plot.style.width = "100px";
}"""
MOST_BYTES = 1_500_000
MOST_BYTES_OF_CUBE = 1_800_000
"""It has the figures of six slices."""
MOST_PIXELS = 5_000
"""The maximum height of the report on a sweep of 9 points and 3 protocols, in a window of 1280 pixels."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    require_chromium()
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Make each report once."""
    folder = tmp_path_factory.mktemp("reports")
    for name, text in (("run", SCENARIO), ("sweep", SWEEP), ("cube", CUBE), ("study", STUDY)):
        (folder / f"{name}.yaml").write_text(text.replace("SCENARIO", "run.yaml"), encoding="utf-8")
    for command, name in (("run", "run"), ("sweep", "sweep"), ("sweep", "cube"), ("what-if", "study")):
        assert main([command, str(folder / f"{name}.yaml"), "--out", str(folder / name)]) == 0
    assert main(["pareto", str(folder / "run")]) == 0
    return {
        **{name: folder / name / "report.html" for name in ("run", "sweep", "cube", "study")},
        "pareto": folder / "run" / "pareto.html",
    }


@pytest.fixture(params=(WIDE, NARROW), ids=("wide", "narrow"))
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    found: tuple[int, int] = request.param
    return found


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_whole_without_requests_and_every_control_is_reached_by_keyboard(
    name: str, size: tuple[int, int], browser: Browser, reports: dict[str, Path]
) -> None:
    shown = Shown(browser, reports[name], size)
    assert shown.cut == []
    shown.unfold()
    assert shown.cut == []
    assert shown.controls_without_focus() == []
    assert shown.requests == [reports[name].as_uri()]
    assert shown.errors == []
    shown.page.close()


@pytest.mark.parametrize("name", PAGES)
def test_figures_are_saved_as_svg_and_csv(name: str, browser: Browser, reports: dict[str, Path]) -> None:
    shown = Shown(browser, reports[name], WIDE)
    drawn = plots(reports[name].read_text(encoding="utf-8"))
    for figure in [*drawn][:3]:
        picture = ET.fromstring(shown.saved("svg", figure))
        assert picture.tag.endswith("}svg")
        words = " ".join(filter(None, picture.itertext()))
        label = shown.page.locator(f"#plot-{figure}").get_attribute("aria-label") or "no label"
        assert label.partition(". The table")[0].partition(" (")[0] in words
        head, *rows = csv.reader(StringIO(shown.saved("csv", figure)))
        assert rows
        assert {len(row) for row in rows} == {len(head)}
    assert shown.errors == []
    shown.page.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_report_is_small(name: str, reports: dict[str, Path]) -> None:
    assert reports[name].stat().st_size < (MOST_BYTES_OF_CUBE if name == "cube" else MOST_BYTES)


@pytest.mark.parametrize("name", ("sweep", "cube"))
def test_the_report_on_a_sweep_is_short(name: str, browser: Browser, reports: dict[str, Path]) -> None:
    """Also with four axes and 24 points."""
    shown = Shown(browser, reports[name], WIDE)
    assert shown.height <= MOST_PIXELS
    shown.page.close()


def test_the_keyboard_chooses_the_settings_of_further_axes_for_all_sections(
    size: tuple[int, int], browser: Browser, reports: dict[str, Path]
) -> None:
    shown = Shown(browser, reports["cube"], size)
    drawn = plots(reports["cube"].read_text(encoding="utf-8"))
    seen = [shown.figures]
    boxes = shown.page.locator("#metrics ~ .choices select")
    for box, key in ((0, "ArrowDown"), (0, "ArrowDown"), (1, "ArrowDown"), (0, "ArrowUp"), (0, "ArrowUp")):
        boxes.nth(box).focus()
        shown.page.keyboard.press(key)
        seen.append(shown.figures)
        assert shown.cut == []
    assert len({*map(tuple, seen)}) == 6
    assert {name for figures in seen for name in figures} == drawn.keys()
    assert len(seen[0]) < len(drawn) / 5
    values = shown.page.evaluate("[...document.querySelectorAll('select')].map((each) => each.value)")
    assert values == ["0", "1"] * 3
    figure = seen[-1][-1]
    assert len(shown.saved("csv", figure).splitlines()) > 1
    label = shown.page.locator(f"#plot-{figure}").get_attribute("aria-label")
    assert label is not None
    assert "wireless.bandwidth 64 kbit/s, backbone.jitter exponential 30 ms" in label
    assert shown.errors == []
    assert shown.requests == [reports["cube"].as_uri()]
    shown.page.close()


def test_a_link_of_the_contents_leads_to_its_section(browser: Browser, reports: dict[str, Path]) -> None:
    shown = Shown(browser, reports["run"], NARROW)
    shown.page.locator("nav a", has_text="Bytes per delivery").press("Enter")
    at = "document.querySelector('#bytes-per-delivery').getBoundingClientRect().top"
    shown.page.wait_for_function(f"() => Math.abs({at}) < 60")
    shown.page.close()


def test_the_check_for_cut_content_finds_it(browser: Browser, reports: dict[str, Path]) -> None:
    shown = Shown(browser, reports["run"], NARROW)
    shown.page.evaluate(_DAMAGE)
    found = " ".join(shown.cut)
    assert "the page scrolls sideways" in found
    assert "hint of" in found
    assert "plot-breakdown" in found
    shown.page.close()


@pytest.mark.parametrize(("variables", "outcome"), (({"CI": "1"}, "Failed"), ({}, "Skipped")))
def test_without_chromium_tests_are_skipped_but_fail_in_ci(
    variables: dict[str, str], outcome: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(BaseException, match="apt-get install chromium") as raised:
        require_chromium()
    assert type(raised.value).__name__ == outcome
