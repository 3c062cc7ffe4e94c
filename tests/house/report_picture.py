"""The picture of a report in README.md: `python -m tests.house.report_picture` runs quickstart and draws it again.

It shows the beginning of the report and its first figure, without the sections between them.
"""

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mobilesim.cli.main import main
from tests.house.pictures import PICTURES
from tests.support.browser import Shown, chromium, missing

PICTURE: Final = PICTURES / "report.png"
SIZE: Final = (1080, 1045)

_LEAVE_OUT: Final = """() => {
  const left = ["protocols", "correctness", "key-figures"].map((name) => document.getElementById(name).parentElement);
  for (const each of [document.querySelector("nav"), ...left]) each.remove();
}"""


def draw() -> None:
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        results = Path(folder) / "quickstart"
        main(["run", "quickstart", "--out", str(results)])
        with chromium() as browser:
            shown = Shown(browser, results / "report.html", SIZE)
            shown.page.evaluate(_LEAVE_OUT)
            shown.page.screenshot(path=PICTURE)


if __name__ == "__main__":
    if reason := missing():
        raise SystemExit(f"{PICTURE.name}: {reason}")
    draw()
