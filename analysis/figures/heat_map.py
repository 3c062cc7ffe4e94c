"""A heat map of differences, drawn with bars: each row of cells is a layer of stacked bars of height one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import plotly.graph_objects as go

from mobilesim.analysis.figures.figure import Figure, LegendEntry, Row
from mobilesim.analysis.figures.style import axis_title, empty_plot
from mobilesim.analysis.statistics.estimate import Difference
from mobilesim.analysis.summary.formatting import Unit, signed

LOWER: Final = "#2c7fb8"
HIGHER: Final = "#d95f0e"
ALIKE: Final = "#8f969f"
_ROW: Final = 32
_MARGINS: Final = 60
_PALEST: Final = 0.2
"""The opacity of the smallest significant difference. The largest has full opacity."""

Cells = Mapping[tuple[int, int], Difference | None]
"""The differences by row and column, from the bottom left."""
Scale = tuple[str, Sequence[str]]
"""The label of an axis and its values."""


def heat_map_legend(left: str, right: str) -> tuple[LegendEntry, ...]:
    entries = ((f"{left} lower than {right}", LOWER), (f"{left} higher", HIGHER), ("≈ not significant", ALIKE))
    return tuple(LegendEntry(name, colour) for name, colour in entries)


def heat_map(key: str, title: str, axes: tuple[Scale, Scale], cells: Cells, unit: Unit) -> Figure:
    """Return the figure. `axes`: the horizontal one and the vertical one."""
    plot = empty_plot()
    (across, columns), (up, rows) = axes
    largest = max((abs(gap.mean) for gap in cells.values() if gap is not None and gap.significant), default=1.0)
    for row, name in enumerate(rows):
        gaps = [cells.get((row, column)) for column in range(len(columns))]
        plot.add_trace(
            go.Bar(
                name=name,
                showlegend=False,
                x=list(columns),
                y=[1] * len(columns),
                base=row,
                width=0.98,
                marker={"color": [_colour(gap, largest) for gap in gaps], "line": {"width": 1, "color": "white"}},
                text=[_text(gap, unit) for gap in gaps],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                hovertemplate=f"{name}, %{{x}}: %{{text}} {unit.name}<extra></extra>",
            )
        )
    places = [row + 0.5 for row in range(len(rows))]
    plot.update_layout(barmode="overlay", bargap=0)
    plot.update_xaxes(
        type="category", rangemode="normal", autorangeoptions=None, showgrid=False, title_text=axis_title(across)
    )
    plot.update_yaxes(tickvals=places, ticktext=list(rows), range=[0, len(rows)], showgrid=False, title_text=up)
    height = _MARGINS + _ROW * len(rows)
    return Figure(key, title, plot, height, rows=tuple(_table(axes, cells, unit)))


def _colour(gap: Difference | None, largest: float) -> str:
    if gap is None:
        return "rgba(0, 0, 0, 0)"
    if not gap.significant:
        return _transparent(ALIKE, _PALEST)
    opacity = _PALEST + (1 - _PALEST) * abs(gap.mean) / largest
    return _transparent(HIGHER if gap.above_zero else LOWER, opacity)


def _transparent(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:.3f})"


def _text(gap: Difference | None, unit: Unit) -> str:
    if gap is None:
        return ""
    return signed(gap.mean / unit.size) if gap.significant else "≈"


def _table(axes: tuple[Scale, Scale], cells: Cells, unit: Unit) -> Iterator[Row]:
    (across, columns), (up, rows) = axes
    yield up, across, f"difference ({unit.name})", "low end of the interval", "high end of the interval"
    for (row, column), gap in sorted(cells.items()):
        if gap is not None:
            ends = (None if end is None else end / unit.size for end in (gap.mean, gap.low, gap.high))
            yield rows[row], columns[column], *ends
