"""BonnMotion's own format: a line for each node, `t1 x1 y1 t2 x2 y2 ...`. In a pause, the coordinates are repeated."""

from collections.abc import Iterator
from typing import Final

from mobilesim.tracks.number_parsing import Unreadable, metres, quoted, seconds
from mobilesim.tracks.position import Position
from mobilesim.tracks.text_source import Source
from mobilesim.tracks.trajectory import TrajectoryFilter

_LONGEST: Final = 100
_IN_SPACE: Final = b"#3D"


def read(source: Source) -> Iterator[Position]:
    """Read a file in pieces, because a single line may be as long as the file."""
    trajectory, words, node = TrajectoryFilter(), _Words(), 0
    for number, piece, goes_on in source.pieces():
        if not words.begun and piece.startswith(b"#"):
            words.comment = True
            if piece.strip() == _IN_SPACE:
                raise source.fault(number, "traces in three dimensions are not supported; write two dimensions (-J 2D)")
        try:
            text = "" if words.comment else source.text(piece, number)
            for time, x, y in words.triplets(text, goes_on=goes_on):
                yield from trajectory.add(Position(str(node), seconds(time), metres(x), metres(y), True))
        except Unreadable as fault:
            raise source.fault(number, str(fault)) from None
        if not goes_on:
            node += not words.comment
            words = _Words()


class _Words:
    """Splits a line, which is read in pieces, into words."""

    def __init__(self) -> None:
        self.begun = self.comment = False
        self._cut = ""
        self._left: list[str] = []

    def triplets(self, text: str, *, goes_on: bool) -> Iterator[tuple[str, str, str]]:
        self.begun = True
        text = self._cut + text
        words = text.split()
        # The last word may continue in the next piece.
        self._cut = words.pop() if goes_on and words and not text[-1].isspace() else ""
        if len(self._cut) > _LONGEST:
            raise Unreadable(f"{quoted(self._cut)} is not a number")
        words = self._left + words
        whole = len(words) - len(words) % 3
        yield from zip(words[0:whole:3], words[1:whole:3], words[2:whole:3], strict=True)
        self._left = words[whole:]
        if self._left and not goes_on:
            raise Unreadable(
                f"{quoted(' '.join(self._left))} is left at the end of the line; write `time x y` for each waypoint "
                "(traces in three dimensions are not supported)"
            )
