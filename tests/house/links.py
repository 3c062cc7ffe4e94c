"""Relative links of the Markdown files: the linked file, and the heading for an anchor."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.house.snippets import FENCE, documents
from tests.house.tree import ROOT

LINK: Final = re.compile(r"\]\((?P<target>[^()\s]+)\)")
_CODE: Final = re.compile(r"(`+).+?\1")
_HEADING: Final = re.compile(r"#{1,6} +(?P<title>.+?)\s*#*")
_ADDRESS: Final = re.compile(r"[a-z]+:")


def pages() -> list[Path]:
    """Return the documents, and the other Markdown files outside the folders of the product."""
    others = (*ROOT.glob("*.md"), *(ROOT / "tests").glob("*.md"), *(ROOT / "examples").glob("*/*.md"))
    return sorted({*documents(), *others})


def broken_links(page: Path) -> list[str]:
    """Return the links to missing files and to missing headings as `line: target`."""
    return [f"{number}: {target}" for number, target in _links(page) if not _exists(page, target)]


def anchor(title: str) -> str:
    """Return the anchor of a heading: lower case, without punctuation, with hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page. A repeated one has a number."""
    found: Counter[str] = Counter()
    every = set()
    for _, line in _text(page):
        if match := _HEADING.fullmatch(line):
            name = anchor(match["title"])
            every.add(f"{name}-{found[name]}" if found[name] else name)
            found[name] += 1
    return frozenset(every)


def _links(page: Path) -> Iterator[tuple[int, str]]:
    for number, line in _text(page):
        for match in LINK.finditer(_CODE.sub("", line)):
            if not _ADDRESS.match(match["target"]):
                yield number, match["target"]


def _text(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines outside code blocks."""
    closing = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if closing:
            closing = "" if line.strip() == closing else closing
        elif fence := FENCE.match(line.lstrip()):
            closing = fence["ticks"]
        else:
            yield number, line


def _exists(page: Path, target: str) -> bool:
    name, _, heading = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.exists() or not path.is_relative_to(ROOT):
        return False
    return not heading or (path.suffix == ".md" and heading in anchors(path))
