"""Text tables with aligned columns, split to fit the width of the terminal, and JSON documents."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Final

Rows = Sequence[Sequence[str]]

_GAP: Final = "  "


def as_json(document: object) -> str:
    import json

    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def aligned(rows: Rows, numbers: Sequence[int] = (), width: int | None = None) -> list[str]:
    """Return the lines of a table. The columns `numbers` are aligned to the right, all others to the left.

    A table wider than `width` is split into several tables, one below the other. Each has the first column.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    folds = [list(range(len(widths)))] if width is None else _folds(widths, width)
    lines: list[str] = []
    for places in folds:
        shapes = {place: f"{'>' if place in numbers else '<'}{widths[place]}" for place in places}
        lines += ["", *(_GAP.join(f"{row[place]:{shapes[place]}}" for place in places).rstrip() for row in rows)]
    return lines[1:]


def indented(rows: Rows, numbers: Sequence[int] = (), width: int | None = None) -> list[str]:
    lines = aligned(rows, numbers, None if width is None else width - len(_GAP))
    return [f"{_GAP}{line}".rstrip() for line in lines]


def terminal_width() -> int | None:
    """Return the width of the terminal; None if the output goes to a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _folds(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the columns of each part: the first column, and as many others as fit, but at least one."""
    places, used = [0], widths[0]
    for place, needed in enumerate(widths[1:], 1):
        if len(places) > 1 and used + len(_GAP) + needed > width:
            yield places
            places, used = [0], widths[0]
        places.append(place)
        used += len(_GAP) + needed
    yield places
