"""Counter-examples of the explorer as tapes and files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.api.tapes.recorded_tape import RecordedTape
from mobilesim.drawing.space_time import space_time
from mobilesim.errors import UserError
from mobilesim.explorer.counterexample_tape import counterexample_tape
from mobilesim.explorer.untimed_world import Action
from mobilesim.files.atomic_write import save_text

if TYPE_CHECKING:
    from mobilesim.api.exploring import ExplorationResult, Question


def tape_of(question: "Question", schedule: Sequence[Action]) -> RecordedTape:
    """Return the tape of a schedule."""
    row, bounds = question.row, question.bounds
    if bounds.changes:
        raise UserError("tape: there are no tapes of static networks in which hosts join and leave")
    return RecordedTape(counterexample_tape(question.new_system, question.homes, bounds, schedule, row.name))


def save(found: "ExplorationResult", folder: Path) -> list[Path]:
    """Write the counter-example of an exploration to a folder: its listing, a picture, a page and a tape. Return the
    paths. If hosts join and leave, there is only a listing.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from None
    text, picture = folder / "counter-example.txt", folder / "counter-example.svg"
    save_text(text, f"{found}\n")
    if found.question.bounds.changes:
        return [text]
    tape = found.tape
    assert tape is not None
    save_text(picture, space_time(tape.tape, f"{found.question.row.name}: {found.fault}"))
    shown = tape.view().save(folder / "counter-example.html")
    return [text, picture, shown, tape.save(folder / "counter-example.tape")]
