"""Tables of text: columns as wide as what is in them, folded where a terminal is narrower."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Final

Rows = Sequence[Sequence[str]]

_GAP: Final = "  "


def aligned(rows: Rows, numbers: Sequence[int] = (), width: int | None = None) -> list[str]:
    """Columns of `numbers` stand to the right, words to the left.

    What is wider than `width` becomes several tables, one below the other, each with the first column beside it.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    folds = [list(range(len(widths)))] if width is None else _folds(widths, width)
    lines: list[str] = []
    for places in folds:
        shapes = [f"{'>' if place in numbers else '<'}{widths[place]}" for place in places]
        lines += ["", *(_line([row[place] for place in places], shapes) for row in rows)]
    return lines[1:]


def terminal_width() -> int | None:
    """None where no terminal reads: programs want whole lines."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _folds(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """As many columns as fit, and one at least, beside the first."""
    places, used = [0], widths[0]
    for place, needed in enumerate(widths[1:], 1):
        if len(places) > 1 and used + len(_GAP) + needed > width:
            yield places
            places, used = [0], widths[0]
        places.append(place)
        used += len(_GAP) + needed
    yield places


def _line(cells: Sequence[str], shapes: Sequence[str]) -> str:
    return _GAP.join(f"{cell:{shape}}" for cell, shape in zip(cells, shapes, strict=True)).rstrip()
