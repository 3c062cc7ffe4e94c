"""The parts of the documentation that are generated: `python -m tests.protocols.pages` writes them anew."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from mobilesim.explore import explore
from mobilesim.listing import LEGEND, listing
from protocols.catalogue import ROWS
from protocols.handoff import TABLE, State
from tests.protocols.script import Script
from tests.protocols.zoo.specimens import BROKEN, HARMLESS, Specimen

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
BLOCK: Final = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def diagram() -> str:
    lines = ["stateDiagram-v2", f"    [*] --> {State.ABSENT.value}"]
    lines += [f"    {start.value} --> {step.target.value} : {event.value}" for (start, event), step in TABLE.items()]
    return _fenced("mermaid", [*lines, f"    {State.LEFT.value} --> [*]"])


def table() -> str:
    rows = [
        (start.value, event.value, step.target.value, ", ".join(step.actions) or "-")
        for (start, event), step in TABLE.items()
    ]
    return _table(("state", "event", "then", "actions"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def ping_pong() -> str:
    """Host 0 goes s0, s1, s0 faster than its hand-offs, while a message for it is on its way."""
    script = Script(ROWS["av1"].build, 2, (0, 1)).submit(1, 0).up(1).down(1)
    script.move(0, 1).up(0).down(0).move(0, 0).up(0).wire("Parcel", 0)
    script.wire("HandoffBegin", 1).wire("HandoffBegin", 0)
    return _story(script.drain())


def lost_register() -> str:
    """Host 0 is in the cell of s1 too shortly to be heard, and has a message to send."""
    script = Script(ROWS["av1"].build, 3, (0, 2)).submit(0, 1).move(0, 1).move(0, 2).up(0).down(0).up(0)
    return _story(script.drain())


def false_dependency() -> str:
    """The message of host 1 was on its way up when its station transmitted another one down."""
    script = Script(ROWS["av1"].build, 2, (0, 1, 0)).submit(0, 1, 2).up(0).down(0).submit(1, 2)
    return _story(script.wire("Parcel", 1).up(1).wire("Parcel", 0, source=1).drain())


def _story(script: Script) -> str:
    assert not script.world.faults
    start = " ".join(f"h{host}@s{home}" for host, home in enumerate(script.homes))
    return _fenced("text", [f"({LEGEND}; start: {start})", *script.lines()])


def trace(specimen: Specimen) -> str:
    found = explore(specimen.build, specimen.stations, specimen.homes, specimen.scope, specimen.options)
    system = specimen.build(specimen.stations, specimen.homes, specimen.options)
    lines = listing(system, specimen.homes, specimen.scope, found.schedule)
    return _fenced("text", [f"({_configuration(specimen)}; {found.states:,} states)", *lines])


def harmless() -> str:
    rows = []
    for name, specimen in HARMLESS.items():
        found = explore(specimen.build, specimen.stations, specimen.homes, specimen.scope, specimen.options)
        rows.append((name, _configuration(specimen), f"{found.states:,}", found.ending.value))
    return _table(("variant", "configuration", "states", "search"), rows)


def _configuration(specimen: Specimen) -> str:
    scope = specimen.scope
    wide = f" to {scope.destinations} hosts each" if scope.destinations > 1 else ""
    counts = ((specimen.stations, "station"), (specimen.hosts, "host"), (scope.messages, "message"))
    words = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts]
    return f"{', '.join(words)}{wide}, {scope.moves} move{'' if scope.moves == 1 else 's'}"


def _fenced(kind: str, lines: list[str]) -> str:
    return "\n".join([f"```{kind}", *lines, "```", ""])


BLOCKS: Final[Mapping[str, Callable[[], str]]] = {
    "diagram": diagram,
    "table": table,
    "ping-pong": ping_pong,
    "lost-register": lost_register,
    "false-dependency": false_dependency,
    "harmless": harmless,
}
PAGES: Final = ("hand-off.md", "errata.md")


def generated(name: str) -> str:
    return BLOCKS[name]() if name in BLOCKS else trace(BROKEN[name])


def renewed(text: str) -> str:
    return BLOCK.sub(lambda block: f"{block[1]}{generated(block['name'])}{block[3]}", text)


def blocks(text: str) -> list[str]:
    return [block["name"] for block in BLOCK.finditer(text)]


if __name__ == "__main__":
    for page in PAGES:
        path = DOCS / page
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
