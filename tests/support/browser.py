"""A browser that shows report pages: Debian's Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

WIDE: Final = (1280, 800)
NARROW: Final = (390, 844)

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)

_CUT: Final = """() => {
  const cut = [], wide = innerWidth + 0.5;
  const name = (each) => `${each.tagName.toLowerCase()}.${each.className.baseVal ?? each.className} `
    + (each.textContent ?? "").trim().slice(0, 40);
  if (document.documentElement.scrollWidth > innerWidth) cut.push("the page scrolls sideways");
  for (const each of document.querySelectorAll("main *:not(svg *)")) {
    const box = each.getBoundingClientRect(), scrolls = each.closest(".scroll, pre");
    if (!box.width || each.closest(".plot")) continue;
    if ((box.right > wide || box.left < -0.5) && (!scrolls || scrolls === each)) cut.push(name(each));
    if (!scrolls && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline"
        && each.clientWidth) cut.push(name(each) + " overflows");
  }
  for (const box of document.querySelectorAll(".scroll")) {
    const hint = box.previousElementSibling, scrolls = box.scrollWidth > box.clientWidth + 1;
    const visible = box.checkVisibility({ contentVisibilityAuto: true });
    if (visible && scrolls === hint.hidden) cut.push("hint of " + name(box));
  }
  for (const plot of document.querySelectorAll(".plot")) {
    if (plot.closest("[hidden]")) continue;
    const box = plot.getBoundingClientRect();
    if (!plot.querySelector("svg")) cut.push(plot.id + " is not drawn");
    for (const text of plot.querySelectorAll("text")) {
      const at = text.getBoundingClientRect();
      if (at.width && (at.left < box.left - 1 || at.right > box.right + 1 || at.bottom > box.bottom + 2
          || at.top < box.top - 2)) cut.push(plot.id + ": " + text.textContent);
    }
  }
  return cut;
}"""
"""Returns what is cut, what overflows, and boxes whose hint is wrong."""

_ALL_DRAWN: Final = """() => [...document.querySelectorAll(".plot")]
  .every((plot) => plot.closest("[hidden]") || plot.querySelector(".main-svg"))"""

_UNFOLD: Final = """() => {
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))));
}"""

_CONTROLS: Final = """() => [
  ...document.querySelectorAll("a[href], button:enabled, input, select, summary, [tabindex='0']")]
  .filter((each) => each.checkVisibility()).map((each, index) => { each.dataset.control = index; return index; })"""
"""Numbers all visible controls."""


def missing() -> str:
    """Return the reason why there is no browser, or ''."""
    if _path() is not None:
        return ""
    return f"needs Chromium: none of {', '.join(_NAMES)} is installed (on Debian: apt-get install chromium)"


def _path() -> str | None:
    return next(filter(None, map(shutil.which, _NAMES)), None)


def require_chromium() -> None:
    """Skip the test if there is no browser; with the environment variable CI, fail."""
    if reason := missing():
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_path(), args=list(_OPTIONS))
        yield browser
        browser.close()


class Shown:
    """A page in the browser, with the requests and the errors since it was opened."""

    def __init__(self, browser: Browser, path: Path, size: tuple[int, int]) -> None:
        width, height = size
        self.page: Page = browser.new_page(viewport={"width": width, "height": height}, accept_downloads=True)
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(path.as_uri())
        self.page.wait_for_function(_ALL_DRAWN)

    def unfold(self) -> None:
        """Open all texts behind clicks, and wait until the page has noticed their sizes."""
        self.page.evaluate(_UNFOLD)

    @property
    def height(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollHeight"))

    @property
    def cut(self) -> list[str]:
        return list(self.page.evaluate(_CUT))

    def controls_without_focus(self) -> list[str]:
        """Press the tab key through the whole page, and return the visible controls that did not get the focus."""
        controls: list[int] = self.page.evaluate(_CONTROLS)
        reached: set[Any] = set()
        for _ in range(len(controls) + 5):
            self.page.keyboard.press("Tab")
            reached.add(self.page.evaluate("document.activeElement?.dataset?.control"))
        missed = [number for number in controls if str(number) not in reached]
        return [self.page.locator(f"[data-control='{number}']").inner_text() for number in missed]

    @property
    def figures(self) -> list[str]:
        """The keys of the figures that are not hidden."""
        visible = "[...document.querySelectorAll('.plot')].filter((each) => each.checkVisibility())"
        return [name.removeprefix("plot-") for name in self.page.evaluate(f"{visible}.map((each) => each.id)")]

    def saved(self, kind: str, figure: str) -> str:
        """Press a button that saves a figure, and return the content of the file."""
        with self.page.expect_download() as download:
            self.page.locator(f"button[data-save='{kind}'][data-figure='{figure}']").press("Enter")
        path = download.value.path()
        return Path(path).read_text(encoding="utf-8")
