"""The generated parts of the documentation: `python -m tests.support.protocols.error_pages` writes them again."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

from mobilesim.explorer.api import explore
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Exploration
from protocols.handoff.flush_handoff import FLUSH_TABLE
from protocols.handoff.visits import DIRECT_TABLE, HandoffEvent, Transition, VisitState
from protocols.placements.flood import FLOOD_TABLE
from tests.support.mutants.specimens import BEYOND, BROKEN, FAR, HARMLESS, REPEATED, Specimen
from tests.support.orderings.shortest import Sends, shortest, transcript
from tests.support.orderings.specimens import SPECIMENS
from tests.support.protocols.stories import STORIES, fenced, story

Table = Mapping[tuple[VisitState, HandoffEvent], Transition]

TABLES: Final[Mapping[str, Table]] = {"proxy": DIRECT_TABLE, "logical": FLUSH_TABLE, "flood": FLOOD_TABLE}

DOCS: Final = Path(__file__).resolve().parents[3] / "docs"
BLOCK: Final = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(?P<end><!-- end -->)", re.DOTALL)


def diagram(table: Table) -> str:
    lines = ["stateDiagram-v2", f"    [*] --> {VisitState.ABSENT.value}"]
    lines += [f"    {start.value} --> {step.target.value} : {event.value}" for (start, event), step in table.items()]
    return fenced("mermaid", [*lines, f"    {VisitState.LEFT.value} --> [*]"])


def transitions(table: Table) -> str:
    rows = [
        (start.value, event.value, step.target.value, ", ".join(step.actions) or "-")
        for (start, event), step in table.items()
    ]
    return _table(("state", "event", "then", "actions"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


@cache
def searched(specimen: Specimen) -> Exploration:
    return explore(specimen.build, specimen.stations, specimen.homes, specimen.bounds, specimen.options)


def trace(specimen: Specimen) -> str:
    found = searched(specimen)
    system = specimen.build(specimen.stations, specimen.homes, specimen.options)
    lines = listing(system, specimen.homes, specimen.bounds, found.schedule)
    return fenced("text", [f"({_configuration(specimen)}; {found.states:,} states)", *lines])


def replay(name: str) -> str:
    specimen = FAR[name]
    known = "replayed" if name in BEYOND else "replayed, and as short as can be"
    return fenced("text", [f"({_configuration(specimen)}; {known})", *specimen.script.lines()])


def execution(name: str) -> str:
    specimen = SPECIMENS[name]
    steps, how = specimen.known, "replayed, and as short as can be"
    if not steps:
        found = shortest(specimen.broken, specimen.sends)
        steps, how = found.execution, f"{found.tried:,} executions"
    return fenced("text", [f"({_sends(specimen.sends)}; {how})", *transcript(specimen.broken, steps)])


def _sends(sends: Sends) -> str:
    channels = ", channels that keep order" if sends.fifo else ""
    most = f", at most {sends.most} messages" if sends.most else ""
    return f"{sends.size} processes{channels}{most}"


def harmless() -> str:
    rows = []
    for name, specimen in HARMLESS.items():
        found = searched(specimen)
        rows.append((name, _configuration(specimen), f"{found.states:,}", found.ending.value))
    return _table(("variant", "configuration", "states", "search"), rows)


def repeated() -> str:
    rows = []
    for name, specimen in REPEATED.items():
        found = searched(specimen)
        system = specimen.build(specimen.stations, specimen.homes, specimen.options)
        *_, fault = listing(system, specimen.homes, specimen.bounds, found.schedule)
        rows.append((name, _configuration(specimen), f"{found.states:,}", f"{found.depth}", fault[len("fault: ") :]))
    return _table(("left out", "configuration", "states", "steps", "what goes wrong"), rows)


def _configuration(specimen: Specimen) -> str:
    bounds = specimen.bounds
    wide = f" to {bounds.destinations} hosts each" if bounds.destinations > 1 else ""
    counts = ((specimen.stations, "station"), (len(specimen.homes), "host"), (bounds.messages, "message"))
    words = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts]
    return f"{', '.join(words)}{wide}, {bounds.moves} move{'' if bounds.moves == 1 else 's'}"


BLOCKS: Final[Mapping[str, Callable[[], str]]] = {
    **{f"diagram-{name}": partial(diagram, table) for name, table in TABLES.items()},
    **{f"table-{name}": partial(transitions, table) for name, table in TABLES.items()},
    **{name: partial(story, play) for name, play in STORIES.items()},
    **{name: partial(execution, name) for name in SPECIMENS},
    "harmless": harmless,
    "repeated": repeated,
}
SEARCHED: Final = frozenset({"harmless", "repeated"})
PAGES: Final = ("hand-off.md", "errata.md", "errata-algorithms-2-3.md", "errata-flood.md", "errata-orderings.md")


def generated(name: str) -> str:
    if name in BLOCKS:
        return BLOCKS[name]()
    return trace(BROKEN[name]) if name in BROKEN else replay(name)


def renewed(text: str) -> str:
    return BLOCK.sub(lambda block: f"{block[1]}{generated(block['name'])}{block['end']}", text)


def blocks(text: str) -> dict[str, str]:
    """What stands in a page now, by name."""
    return {block["name"]: block["body"] for block in BLOCK.finditer(text)}


def shown(name: str) -> str:
    """Wherever it stands."""
    (body,) = [found[name] for page in PAGES if name in (found := blocks((DOCS / page).read_text(encoding="utf-8")))]
    return body


if __name__ == "__main__":
    for page in PAGES:
        path = DOCS / page
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
