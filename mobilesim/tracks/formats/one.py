"""External movement of the ONE simulator: a line of minima and maxima, then lines `time id x y` in order of time."""

from collections.abc import Iterator
from typing import Final

from mobilesim.errors import counted
from mobilesim.tracks.number_parsing import Unreadable, metres, quoted, seconds
from mobilesim.tracks.position import Position
from mobilesim.tracks.text_source import Parser, Source
from mobilesim.tracks.trajectory import TrajectoryFilter

_HEADER: Final = "minTime maxTime minX maxX minY maxY"
_OFFSETS: Final = (6, 8)
_ROW: Final = (4, 5)  # a height is optional


def read(source: Source) -> Iterator[Position]:
    """Read a file. As in the ONE, the minima in the first line are subtracted from times and coordinates."""
    return source.parsed(_rows(source), _read_header)


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    for number, line in source.lines():
        words = line.split()
        if words and not words[0].startswith("#"):
            yield number, words


def _read_header(words: list[str]) -> Parser[list[str]]:
    if len(words) not in _OFFSETS:
        raise Unreadable(f"the first line has {counted(len(words), 'word')}; write `{_HEADER}`, as numbers")
    for word in words[6:]:
        metres(word)
    first, last = map(seconds, words[:2])
    left, right, low, high = map(metres, words[2:6])
    if first > last or left > right or low > high:
        raise Unreadable(f"a minimum is above its maximum; the first line must be `{_HEADER}`")
    trajectory = TrajectoryFilter()
    return lambda row: trajectory.add(_position(row, first, left, low))


def _position(words: list[str], first: int, left: float, low: float) -> Position:
    if len(words) not in _ROW:
        raise Unreadable(f"this line has {counted(len(words), 'word')}; write `time id x y`")
    time = seconds(words[0]) - first
    if time < 0:
        raise Unreadable(f"the time {quoted(words[0])} is before the minTime of the first line")
    return Position(words[1], time, metres(words[2]) - left, metres(words[3]) - low, True)
