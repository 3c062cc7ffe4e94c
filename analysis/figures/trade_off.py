"""The figure of two costs: a labelled marker for each protocol, and the front of the lowest means."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import plotly.graph_objects as go

from mobilesim.analysis.figures.figure import Figure, Plot, Row
from mobilesim.analysis.figures.style import (
    INK,
    axis_title,
    empty_plot,
    legend_of,
    protocol_line,
    protocol_mark,
    whiskers,
)
from mobilesim.analysis.summary.formatting import number
from mobilesim.errors import counted

_HEIGHT: Final = 300
_ROOM: Final = 1.18
"""The range of an axis, relative to the largest mean, so that markers and labels are whole."""
_SIZE: Final = 11
_NEAR: Final = 0.07
"""The distance up to which points have a common label, and the height of a label, as a share of the axis."""
_LETTER: Final = 0.033
"""The width of a letter in a narrow figure, as a share of the axis."""
_WHISKER: Final = {"thickness": 1.2, "width": 4}
_FAR: Final = 8.0
"""How many times farther than the farthest of three quarters of the points an outlier is."""
_MANY: Final = 8
"""The number of points from which on outliers are drawn at the edge."""

Interval = tuple[float | None, float, float | None]
"""The low end, the mean and the high end."""


@dataclass(frozen=True, slots=True)
class Place:
    """A protocol at a point. `label`: the point's value of the first axis, or ''.

    `optimal`: whether the protocol is on the Pareto front of all costs at this point.
    """

    x: Interval
    y: Interval
    compared: bool
    optimal: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class _Label:
    """A text beside a point, above or below it. Places are shares of the axes."""

    text: str
    x: float
    y: float
    above: bool

    @property
    def side(self) -> str:
        """The end of the text that is at the point."""
        return "right" if self.x > 0.5 else "left"

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The estimated ends of the text, from left to right and from bottom to top."""
        width = _LETTER * len(self.text)
        left = self.x - width if self.side == "right" else self.x
        return left, left + width, *((self.y, self.y + _NEAR) if self.above else (self.y - _NEAR, self.y))

    def overlaps(self, other: "_Label") -> bool:
        (left, right, low, high), (other_left, other_right, other_low, other_high) = self.box, other.box
        return left < other_right and other_left < right and low < other_high and other_low < high


def trade_off(
    key: str,
    titles: tuple[str, str, str],
    places: dict[str, list[Place]],
    palette: Sequence[str],
    *,
    joined: bool,
    fronts: bool,
) -> Figure:
    """Return the figure. `titles`: of the figure, of x and of y. `joined`: whether lines join a protocol's points.

    `fronts`: whether to draw the front, which needs all points to be alternatives of each other.
    """
    plot = empty_plot()
    title, x_title, y_title = titles
    across, up = _axes([place for several in places.values() for place in several])
    limits = _limit(across), _limit(up)
    outliers = sum(_is_outlier(place, limits) for several in places.values() for place in several)
    # The file of numbers has the true ones.
    rows = _rows(places, x_title, y_title) if outliers else ()
    places = {name: [_at_edge(place, limits) for place in several] for name, several in places.items()}
    drawn = [place for several in places.values() for place in several]
    right, top = (_ROOM * limit for limit in limits)
    title += f"; {counted(outliers, 'point')} off the scale at the edge" if outliers else ""
    if fronts and (front := _front([place for place in drawn if place.optimal])):
        plot.add_trace(_front_line(front, right, top))
    for index, (name, several) in enumerate(places.items()):
        line = protocol_line(index, palette)
        plot.add_trace(_trace(name, several, line, protocol_mark(index), joined=joined))
    for label in _labels({name: several[-1] for name, several in places.items() if several}, right, top):
        _write(plot, label, right, top)
    plot.update_xaxes(range=[0, right or 1], title_text=axis_title(x_title))
    # A number of ticks that depends on the height may change back and forth while Plotly adjusts margins.
    plot.update_yaxes(range=[0, top or 1], nticks=6)
    legend = legend_of(list(places), palette, lines=joined)
    return Figure(key, title, plot, _HEIGHT, legend, x=x_title, y=y_title, rows=rows)


def _rows(places: dict[str, list[Place]], x: str, y: str) -> tuple[Row, ...]:
    ends = [f"{name}, {end} end of the interval" for name in (x, y) for end in ("low", "high")]
    numbers = (
        (name, place.x[1], place.y[1], place.x[0], place.x[2], place.y[0], place.y[2])
        for name, several in places.items()
        for place in several
    )
    return ("series", x, y, *ends), *numbers


def _limit(ends: Sequence[Interval]) -> float:
    """Return the largest mean that is no outlier: outliers would press all other points together."""
    means = sorted(mean for _, mean, _ in ends)
    if not means:
        return 1.0
    usual = _FAR * means[3 * (len(means) - 1) // 4]
    return means[-1] if len(means) < _MANY or not usual else max(mean for mean in means if mean <= usual)


def _is_outlier(place: Place, limits: tuple[float, float]) -> bool:
    return place.x[1] > limits[0] or place.y[1] > limits[1]


def _at_edge(place: Place, limits: tuple[float, float]) -> Place:
    """Return the place, moved to the edge if it is an outlier. Its label then has its true coordinates."""
    if not _is_outlier(place, limits):
        return place
    across, up = _ROOM * limits[0], _ROOM * limits[1]
    x = (None, across, None) if place.x[1] > limits[0] else place.x
    y = (None, up, None) if place.y[1] > limits[1] else place.y
    label = f"{place.label} off the scale: {number(place.y[1])} at {number(place.x[1])}".lstrip()
    return replace(place, x=x, y=y, label=label)


def _axes(drawn: Sequence[Place]) -> tuple[list[Interval], list[Interval]]:
    return [place.x for place in drawn], [place.y for place in drawn]


def _front(optimal: Sequence[Place]) -> list[Place]:
    """Return the points with lower means than all points to the left of them, from the left."""
    front: list[Place] = []
    for place in sorted(optimal, key=lambda each: (each.x[1], each.y[1])):
        if not front or place.y[1] < front[-1].y[1]:
            front.append(place)
    return front


def _front_line(front: Sequence[Place], right: float, top: float) -> Plot:
    """Return the lower left border of the points that a point of the front is not worse than in both costs."""
    return go.Scatter(
        name="Pareto front",
        x=[front[0].x[1], *(place.x[1] for place in front), right],
        y=[top, *(place.y[1] for place in front), front[-1].y[1]],
        mode="lines",
        line={"color": INK, "dash": "dot", "width": 1.5, "shape": "hv"},
        hoverinfo="skip",
    )


def _trace(name: str, several: Sequence[Place], line: dict[str, Any], mark: str, *, joined: bool) -> Plot:
    symbols = [mark if place.compared else f"{mark}-open" for place in several]
    return go.Scatter(
        name=name if all(place.compared for place in several) else f"{name} (hollow: not compared)",
        x=[place.x[1] for place in several],
        y=[place.y[1] for place in several],
        mode="lines+markers" if joined else "markers",
        line=line,
        marker={"symbol": symbols, "size": _SIZE, "color": line["color"], "line": {"color": line["color"], "width": 2}},
        error_x={**whiskers([place.x for place in several]), **_WHISKER},
        error_y={**whiskers([place.y for place in several]), **_WHISKER},
        text=[place.label for place in several],
        hovertemplate=f"{name}: %{{y:.3f}} at %{{x:.3f}}<br>%{{text}}<extra></extra>",
        cliponaxis=False,
    )


def _labels(ends: dict[str, Place], right: float, top: float) -> list[_Label]:
    """Return the labels of points, beside the side with more room. Points that are close have a common label."""
    labels: list[_Label] = []
    for name, place in ends.items():
        x, y = place.x[1] / (right or 1), place.y[1] / (top or 1)
        close = next((each for each in labels if abs(each.x - x) < _NEAR and abs(each.y - y) < _NEAR), None)
        text = name if close is None else f"{close.text}, {name}"
        others = [each for each in labels if each is not close]
        above = _Label(text, x, y, above=True)
        below = replace(above, above=False)
        labels = [*others, below if any(map(above.overlaps, others)) else above]
    return labels


def _write(plot: Plot, label: _Label, right: float, top: float) -> None:
    plot.add_annotation(
        x=label.x * right,
        y=label.y * top,
        text=label.text,
        showarrow=False,
        xanchor=label.side,
        yanchor="bottom" if label.above else "top",
        xshift=8 if label.side == "left" else -8,
        yshift=3 if label.above else -3,
        font={"size": 13},
    )
