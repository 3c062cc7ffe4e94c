"""The picture of the viewer in docs/viewer.md: `python -m tests.house.viewer_picture` runs quickstart and draws it."""

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mobilesim.cli.main import main
from tests.house.pictures import PICTURES
from tests.support.browser import Shown, chromium, missing

PICTURE: Final = PICTURES / "viewer.png"
SIZE: Final = (1120, 790)

_SELECT: Final = """() => {
  const { order } = viewer.tape.deliveries.waited;
  viewer.select(order.indexOf(Math.max(...order)));
}"""
"""Selects the delivery that waited longest for causal order."""


def draw() -> None:
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        results, page = Path(folder) / "quickstart", Path(folder) / "page.html"
        main(["run", "quickstart", "--quick", "--out", str(results), "--no-summary"])
        main(["view", str(results), "--protocol", "av1", "--out", str(page)])
        with chromium() as browser:
            shown = Shown(browser, page, SIZE)
            shown.page.wait_for_selector("#deliveries")
            shown.page.evaluate(_SELECT)
            shown.page.wait_for_selector("#path")
            shown.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            shown.page.screenshot(path=PICTURE)


if __name__ == "__main__":
    if reason := missing():
        raise SystemExit(f"{PICTURE.name}: {reason}")
    draw()
