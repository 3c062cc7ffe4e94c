"""The gallery of bundled scenarios. Its commands draw its pictures, like those of other documents."""

from collections.abc import Iterator, Sequence
from typing import Final

from mobilesim.cli.text.scenario_list import Entry, entries
from mobilesim.scenario.bundled import SCENARIOS, find
from mobilesim.scenario.loader import load
from tests.house.reference.markdown import page, table

PAGE: Final = "docs/gallery.md"
MOST_HOSTS: Final = 100
DRAWN_ELSEWHERE: Final = {"mobility/": "movement.md", "cells/": "cells.md", "hexagons": "cells.md"}
"""The pages with pictures of these scenarios."""

GROUPS: Final = {
    "First scenarios": ("quickstart", "campus"),
    "Backbones": ("tree-backbone", "backbone/"),
    "Workloads": ("workload/",),
    "Wireless channels and batteries": ("radio/",),
    "Frequent hand-offs and disconnections": ("stress/",),
    "Networks of papers": ("papers/",),
}
"""The sections of the page, each with the starts of the names of its scenarios."""

HEAD: Final = """\
# Gallery of scenarios

These scenarios come with mobilesim. `mobilesim run` lists them, and `mobilesim run NAME` runs one. Each picture shows
the cells, the backbone, and the paths of the first five hosts; it is drawn by the command above it. The smallest
networks of each section come first. Pictures of
[mobility models](movement.md) and of [cells](cells.md) are on pages of their own.
"""


def pages() -> dict[str, str]:
    found = list(entries(SCENARIOS))
    drawn = [entry for entry in found if _is_drawn(entry)]
    others = ((f"`{each.file}`", each.size, each.asks, _page(each)) for each in found if each not in drawn)
    return {
        PAGE: page(
            HEAD,
            *(part for title in GROUPS for part in _group(title, drawn)),
            "## Scenarios without a picture here",
            "A sweep is run by `mobilesim sweep`, a study by `mobilesim what-if`.",
            table(("name", "size", "question", "picture"), others),
        )
    }


def _group(title: str, drawn: Sequence[Entry]) -> Iterator[str]:
    """Yield a section. An order of names in `GROUPS` precedes that of the numbers of hosts."""
    yield f"## {title}"
    for start in GROUPS[title]:
        found = [entry for entry in drawn if entry.file.startswith(start)]
        for entry in sorted(found, key=lambda each: load(find(each.file)).hosts):
            yield from _section(entry)


def _is_drawn(entry: Entry) -> bool:
    if entry.size in {"sweep", "what-if"} or _page(entry):
        return False
    scenario = load(find(entry.file))
    return scenario.network == "cells" and scenario.hosts <= MOST_HOSTS


def _page(entry: Entry) -> str:
    place = next((page for start, page in DRAWN_ELSEWHERE.items() if entry.file.startswith(start)), None)
    return f"[{place.removesuffix('.md')}]({place})" if place else ""


def _section(entry: Entry) -> Iterator[str]:
    picture = f"gallery-{entry.file.replace('/', '-')}.svg"
    yield f"### {entry.file}"
    yield f"{entry.asks} ({entry.size})"
    yield f"```console\n$ mobilesim map {entry.file} -o {picture}\ndrew {picture}\n```"
    yield f"![Cells, backbone and paths of hosts in {entry.file}](pictures/{picture})"
