"""The page of a tape, for notebooks and files."""

from pathlib import Path

from mobilesim.files.atomic_write import save_text
from mobilesim.tape.events import Tape
from mobilesim.viewing.page import frame, page, title


class TapeView:
    """The page of a tape. A notebook displays it as the value of a cell."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def save(self, path: str | Path) -> Path:
        """Write the page, one HTML file, and return its path."""
        save_text(Path(path), page(self._tape))
        return Path(path)

    def __repr__(self) -> str:
        return f"<page of {title(self._tape)}>"

    def _repr_html_(self) -> str:
        return frame(self._tape)
