"""The slices of a sweep with more than two axes: a slice has one setting of each axis after the second.

A page shows one slice at a time. The reader chooses it in any section, for all sections.
"""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from typing import Final

from mobilesim.analysis.sweeps.axes import Axis, Settings

_NONE: Final = '<p class="soft">There is nothing to show for these settings.</p>\n'


def choices(axes: Sequence[Axis]) -> str:
    """Return a list box for each of these axes; "" without axes."""
    boxes = "".join(
        f'<label>{escape(axis.quantity)} <select data-axis="{place}">{_options(axis)}</select></label>\n'
        for place, axis in enumerate(axes)
    )
    return f'<div class="choices" role="group" aria-label="Settings of the figures">\n{boxes}</div>\n' if axes else ""


def _options(axis: Axis) -> str:
    """Return the values. The first is chosen, also if the browser reloads the page."""
    texts = (escape(", ".join(value)) for value in axis.values)
    return "".join(
        f'<option value="{index}"{"" if index else " selected"}>{text}</option>' for index, text in enumerate(texts)
    )


def sliced(axes: Sequence[Axis], bodies: Mapping[Settings, str]) -> str:
    """Return the HTML of each slice, of which all but the first are hidden. Without axes, there is one slice."""
    if not axes:
        return "".join(bodies.values())
    pieces = []
    for places in product(*(range(len(axis.values)) for axis in axes)):
        settings = tuple(value for axis, place in zip(axes, places, strict=True) for value in axis.values[place])
        hidden = " hidden" if any(places) else ""
        name = "-".join(map(str, places))
        pieces.append(f'<div data-slice="{name}"{hidden}>{bodies.get(settings) or _NONE}</div>\n')
    return "".join(pieces)
