"""The formats in which a tape is exported, and the limit of their size."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError, counted
from mobilesim.files.atomic_write import save_text
from mobilesim.tape.events import Tape
from mobilesim.tape.exports.comma_separated import comma_separated
from mobilesim.tape.exports.graphml import graphml
from mobilesim.tape.exports.perfetto import perfetto
from mobilesim.tape.exports.shiviz import shiviz


@dataclass(frozen=True, slots=True)
class Format:
    """`about`: what it is for. `suffix`: of its files. `limit`: the number of events that its program can show."""

    about: str
    suffix: str
    limit: int
    text: Callable[[Tape], str]


FORMATS: Final = {
    "shiviz": Format("space-time diagram of ShiViz, with vector clocks", ".shiviz.txt", 20_000, shiviz),
    "perfetto": Format("timeline of Perfetto or chrome://tracing", ".perfetto.json", 500_000, perfetto),
    "csv": Format("a row for each event", ".csv", 20_000_000, comma_separated),
    "graphml": Format("the graph of what happened before what", ".graphml", 200_000, graphml),
}


def export(tape: Tape, name: str, target: Path) -> None:
    """Write a tape in one of `FORMATS`. A tape that its program cannot show is refused."""
    chosen = FORMATS[name]
    if len(tape) > chosen.limit:
        raise UserError(
            f"{counted(len(tape), 'event')}: {name} can show {chosen.limit:,}; choose a shorter part of the run"
        )
    save_text(target, chosen.text(tape))
