"""A browser, and results with pages of the viewer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser

from mobilesim.cli.main import main
from tests.support.browser import NARROW, WIDE, Shown, chromium, require_chromium
from tests.support.viewer_pages import opened

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    require_chromium()
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
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
