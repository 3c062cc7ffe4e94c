"""A figure: a plot with its title, its legend and its numbers as CSV."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isnan
from typing import Any, Final, TypeAlias

Plot: TypeAlias = Any
"""A Plotly figure or trace; the library has no types."""

Row: TypeAlias = Sequence[object]

_VALUES: Final = 3
"""The first columns of a CSV file: the series, x and y. The other columns are ends of intervals."""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of a legend in HTML: a line (`dash`), a marker (`mark`), or a bar if it has neither."""

    name: str
    colour: str
    dash: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """`title`: what is drawn, with the unit. `x` and `y`: the headings of these values in the CSV file.

    `rows`: the head and the rows of the CSV file, if x and y of the traces are not the data.
    """

    key: str
    title: str
    plot: Plot
    height: int
    legend: tuple[LegendEntry, ...] = ()
    x: str = "x"
    y: str = "y"
    rows: tuple[Row, ...] = ()
    caption: str = ""
    """The title on the page, if the page shows a part of it elsewhere."""

    def csv(self) -> str:
        """Return the numbers of the figure as CSV: a row for each drawn value, with its interval."""
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.rows or self._traced())
        return text.getvalue()

    def _traced(self) -> list[Row]:
        """Return the values of all traces. Columns without any value are left out."""
        ends = [f"{name}, {end} end of the interval" for name in (self.x, self.y) for end in ("low", "high")]
        rows = [row for trace in self.plot.data for row in _rows(trace)]
        used = [place for place, _ in enumerate(ends, _VALUES) if any(row[place] is not None for row in rows)]
        columns = [*range(_VALUES), *used]
        return [[row[column] for column in columns] for row in (("series", self.x, self.y, *ends), *rows)]


def _rows(trace: Plot) -> Iterator[Row]:
    """Yield the rows of a trace. Its arrays are read once, because Plotly looks up each attribute by its path."""
    across, up = list(trace.x), list(trace.y)
    pairs = zip(_ends(trace.error_x, across), _ends(trace.error_y, up), strict=True)
    for x, y, (of_x, of_y) in zip(across, up, pairs, strict=True):
        yield trace.name, x, y, *of_x, *of_y


def _ends(bar: Plot, values: Sequence[float]) -> Sequence[tuple[float | None, float | None]]:
    """Return the ends of the intervals. A bar of length NaN is not drawn: the interval is missing, or has no width."""
    above, below = bar.array, bar.arrayminus
    if above is None:
        return [(None, None)] * len(values)
    return [
        (None, None) if isnan(high) else (value - low, value + high)
        for value, low, high in zip(values, below, above, strict=True)
    ]
