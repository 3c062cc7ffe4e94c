"""The web site of the documents, which `make docs` builds."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

from tests.house.tree import ROOT
from tests.support.browser import WIDE, Shown, chromium

DOCS: Final = ROOT / "docs"
SETTINGS: Final[dict[str, Any]] = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
PAGES: Final = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
# The page on decisions has a link to each of them.
LISTED_ELSEWHERE: Final = re.compile(r"decisions/\d{3}-.*")
ELSEWHERE: Final = re.compile(r"(?:https?:)?//")
# Markdown of GitHub that the site would show as text: lists and tables without an empty line above, and deep lists.
UNREAD: Final = re.compile(r"^\s*(?:[-*] |\d+\. |\|.*\||`{3})", re.MULTILINE)


class Page(HTMLParser):
    """The links, anchors, sources and paragraphs of a page. Code is no part of a paragraph's text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.sources: list[str] = []
        self.anchors: set[str] = set()
        self.paragraphs: list[str] = []
        self._open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: text or "" for name, text in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in {"script", "img", "iframe", "source"} and "src" in given:
            self.sources.append(given["src"])
        if tag == "link" and given.get("rel") not in {"canonical", "next", "prev"}:
            self.sources.append(given.get("href", ""))
        if tag == "p":
            self._open = True
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "p"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.paragraphs[-1] += data


def in_navigation(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for target in entry.values() if isinstance(entry, dict) else (entry,):
            yield from [target] if isinstance(target, str) else in_navigation(target)


def test_the_navigation_has_every_page_once() -> None:
    listed = sorted(in_navigation(SETTINGS["nav"]))
    assert listed == [page for page in PAGES if not LISTED_ELSEWHERE.fullmatch(page)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site of a copy, so that the working tree gets neither pages nor a cache."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    return folder / str(SETTINGS["site_dir"])


def built(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


@pytest.mark.full
def test_the_site_has_every_page_without_broken_links_or_requests_to_other_hosts(site: Path) -> None:
    pages = built(site)
    found = {path.relative_to(site).as_posix() for path in pages}
    names = (re.sub(r"(^|/)README\.md$", r"\1index.md", page) for page in PAGES)
    assert {name.removesuffix(".md") + ".html" for name in names} | {"404.html"} == found
    problems = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links begin at the root of a server
            continue
        problems += [f"{path.name} requests {source}" for source in page.sources if ELSEWHERE.match(source)]
        problems += [f"{path.name} has text that is no list or table: {p}" for p in page.paragraphs if UNREAD.search(p)]
        for link in page.links:
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            if ELSEWHERE.match(link):
                continue
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                problems.append(f"{path.name} has a broken link: {link}")
    assert "\n".join(problems) == ""


@pytest.mark.full
@pytest.mark.parametrize("name", ("index.html", "architecture.html", "hand-off.html"))
def test_a_page_in_a_browser_requests_files_of_the_site_only(site: Path, name: str) -> None:
    with chromium() as browser:
        shown = Shown(browser, site / name, WIDE)
        shown.page.wait_for_load_state("networkidle")
        assert shown.page.locator("article h1").count() == 1
        assert [request for request in shown.requests if not request.startswith(("file:", "data:", "blob:"))] == []
