"""The generated parts of the documentation; `python -m tests.support.protocols.error_pages` updates them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

from mobilesim.drawing.space_time import space_time
from mobilesim.explorer.api import explore
from mobilesim.explorer.counterexample_tape import counterexample_tape
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Exploration
from mobilesim.protocols.handoff.flush_handoff import FLUSH_TABLE
from mobilesim.protocols.handoff.visits import DIRECT_TABLE, HandoffEvent, Transition, VisitState
from mobilesim.protocols.placements.flood import FLOOD_TABLE
from tests.support.generated_blocks import blocks, renewed
from tests.support.mutants.catalogue import BEYOND, BROKEN, FAR, HARMLESS, REPEATED, Mutant
from tests.support.orderings.broken_orderings import BROKEN_ORDERINGS
from tests.support.orderings.shortest import Found, Sends, shortest, transcript
from tests.support.protocols.example_schedules import SCHEDULES, fenced, schedule_listing
from tests.support.protocols.script import SCOPE

Table = Mapping[tuple[VisitState, HandoffEvent], Transition]

TABLES: Final[Mapping[str, Table]] = {"proxy": DIRECT_TABLE, "logical": FLUSH_TABLE, "flood": FLOOD_TABLE}

DOCS: Final = Path(__file__).resolve().parents[3] / "docs"


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
def searched(mutant: Mutant) -> Exploration:
    return explore(mutant.build, mutant.stations, mutant.homes, mutant.bounds, mutant.options)


def trace(mutant: Mutant) -> str:
    found = searched(mutant)
    system = mutant.build(mutant.stations, mutant.homes, mutant.options)
    lines = listing(system, mutant.homes, mutant.bounds, found.schedule)
    return fenced("text", [f"({_configuration(mutant)}; {found.states:,} states)", *lines])


def replay(name: str) -> str:
    mutant = FAR[name]
    known = "replayed" if name in BEYOND else "replayed; a shortest schedule"
    return fenced("text", [f"({_configuration(mutant)}; {known})", *mutant.script.lines()])


def picture(name: str) -> str:
    """Return the space-time diagram of the counter-example of a broken variant."""
    mutant = BROKEN.get(name) or FAR[name]
    schedule = searched(mutant).schedule if name in BROKEN else tuple(mutant.script.schedule)
    bounds = mutant.bounds if name in BROKEN else SCOPE
    system = mutant.build(mutant.stations, mutant.homes, mutant.options)
    return space_time(counterexample_tape(system, mutant.homes, bounds, schedule, name), name)


def picture_file(name: str) -> Path:
    return DOCS / "counter-examples" / f"{name}.svg"


def _with_picture(name: str, block: str) -> str:
    where = picture_file(name).relative_to(DOCS)
    return f"{block}\n[![The same steps as a space-time diagram]({where})]({where})\n"


@cache
def broken(name: str) -> Found:
    """Return the stored execution of a broken ordering, or the shortest one."""
    mutant = BROKEN_ORDERINGS[name]
    return Found(mutant.known, 0) if mutant.known else shortest(mutant.broken, mutant.sends)


def execution(name: str) -> str:
    mutant, found = BROKEN_ORDERINGS[name], broken(name)
    how = f"{found.tried:,} executions" if found.tried else "replayed; a shortest schedule"
    return fenced("text", [f"({_sends(mutant.sends)}; {how})", *transcript(mutant.broken, found.execution)])


def _sends(sends: Sends) -> str:
    channels = ", FIFO channels" if sends.fifo else ""
    most = f", at most {sends.most} messages" if sends.most else ""
    return f"{sends.size} processes{channels}{most}"


def harmless() -> str:
    rows = []
    for name, mutant in HARMLESS.items():
        found = searched(mutant)
        rows.append((name, _configuration(mutant), f"{found.states:,}", found.ending.value))
    return _table(("variant", "configuration", "states", "search"), rows)


def repeated() -> str:
    rows = []
    for name, mutant in REPEATED.items():
        found = searched(mutant)
        system = mutant.build(mutant.stations, mutant.homes, mutant.options)
        *_, fault = listing(system, mutant.homes, mutant.bounds, found.schedule)
        rows.append((name, _configuration(mutant), f"{found.states:,}", f"{found.depth}", fault[len("fault: ") :]))
    return _table(("omitted rule", "configuration", "states", "steps", "fault"), rows)


def _configuration(mutant: Mutant) -> str:
    bounds = mutant.bounds
    wide = f" to {bounds.destinations} hosts each" if bounds.destinations > 1 else ""
    counts = ((mutant.stations, "station"), (len(mutant.homes), "host"), (bounds.messages, "message"))
    arguments = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts]
    return f"{', '.join(arguments)}{wide}, {bounds.moves} move{'' if bounds.moves == 1 else 's'}"


BLOCKS: Final[Mapping[str, Callable[[], str]]] = {
    **{f"diagram-{name}": partial(diagram, table) for name, table in TABLES.items()},
    **{f"table-{name}": partial(transitions, table) for name, table in TABLES.items()},
    **{name: partial(schedule_listing, make) for name, make in SCHEDULES.items()},
    **{name: partial(execution, name) for name in BROKEN_ORDERINGS},
    "harmless": harmless,
    "repeated": repeated,
}
SEARCHED: Final = frozenset({"harmless", "repeated"})
PAGES: Final = ("hand-off.md", "errata.md", "errata-algorithms-2-3.md", "errata-flood.md", "errata-orderings.md")


def generated(name: str) -> str:
    if name in BLOCKS:
        return BLOCKS[name]()
    return _with_picture(name, trace(BROKEN[name]) if name in BROKEN else replay(name))


def shown(name: str) -> str:
    """Return the generated block with this name."""
    (body,) = [found[name] for page in PAGES if name in (found := blocks((DOCS / page).read_text(encoding="utf-8")))]
    return body


if __name__ == "__main__":
    for page in PAGES:
        path = DOCS / page
        path.write_text(renewed(path.read_text(encoding="utf-8"), generated), encoding="utf-8")
    for variant in (*BROKEN, *FAR):
        picture_file(variant).write_text(picture(variant), encoding="utf-8")
