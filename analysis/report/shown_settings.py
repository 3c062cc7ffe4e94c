"""The settings that a sweep's figures show: all, or evenly spaced ones if there would be too many figures."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from mobilesim.analysis.sweeps.axes import Axis, Settings
from mobilesim.analysis.sweeps.metrics import Points


class ShownSettings:
    """`axes`: those of the sweep, in which the second and further axes have only the values that figures show.

    `per_panel`, `per_slice`: the numbers of figures for each setting of all but the first axis, and for each setting of
    all but the first two. `most`: the maximum number of figures.
    """

    def __init__(self, axes: Sequence[Axis], per_panel: int, per_slice: int, most: int) -> None:
        self._whole = axes
        kept = [len(axis.values) for axis in axes]
        while _figures(kept, per_panel, per_slice) > most and max(kept[1:], default=2) > 2:
            widest = max(range(1, len(kept)), key=kept.__getitem__)
            kept[widest] = (kept[widest] + 1) // 2
        self.axes = tuple(_spread(axis, count) for axis, count in zip(axes, kept, strict=True))
        self._values = [frozenset(axis.values) for axis in self.axes]

    def __contains__(self, point: Settings) -> bool:
        start = 0
        for place, (axis, values) in enumerate(zip(self.axes, self._values, strict=True)):
            end = start + len(axis.keys)
            if place and point[start:end] not in values:
                return False
            start = end
        return True

    def of(self, points: Points) -> Points:
        return [(point, summary) for point, summary in points if point in self]

    @property
    def text(self) -> str:
        """Return which values figures show, as a sentence; '' if they show all."""
        pairs = [(whole, axis) for whole, axis in zip(self._whole, self.axes, strict=True) if whole != axis]
        parts = [f"{len(axis.values)} of {len(whole.values)} values of {axis.quantity}" for whole, axis in pairs]
        return f"The figures show {' and '.join(parts)}; the tables have all points." if parts else ""


def _figures(kept: Sequence[int], per_panel: int, per_slice: int) -> int:
    return per_panel * prod(kept[1:]) + per_slice * prod(kept[2:])


def _spread(axis: Axis, count: int) -> Axis:
    """Return the axis with evenly spaced values, among them the first and the last."""
    last = len(axis.values) - 1
    if count > last:
        return axis
    places = [round(place * last / max(1, count - 1)) for place in range(count)]
    numbers = None if axis.numbers is None else tuple(axis.numbers[place] for place in places)
    return replace(axis, values=tuple(axis.values[place] for place in places), numbers=numbers)
