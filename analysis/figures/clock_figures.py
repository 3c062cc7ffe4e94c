"""Figures of passive clocks: the share of wrong answers against the size of timestamps."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from mobilesim.analysis.figures.figure import Figure
from mobilesim.analysis.figures.style import PROTOCOLS
from mobilesim.analysis.figures.trade_off import Place, trade_off
from mobilesim.analysis.summary.formatting import listing
from mobilesim.analysis.summary.model import ClockResult, ProtocolSummary, clock_results

_LARGEST: Final = 2.5
"""The size of the largest clock in a figure, relative to a vector clock. Larger ones would hide the others."""

_X: Final = "integers on a message"
_Y: Final = "wrong answers (%)"


def wrong_answers(protocols: Sequence[ProtocolSummary]) -> tuple[Figure, ...]:
    """Draw a figure for each protocol with several passive clocks. A dotted line joins the best clocks."""
    return tuple(_figures(protocols))


def _figures(protocols: Sequence[ProtocolSummary]) -> Iterator[Figure]:
    for index, protocol in enumerate(protocols):
        results = clock_results(protocol)
        places = {clock.name: [_place(clock)] for clock in results if _is_drawn(clock)}
        if len(places) > 1:
            omitted = [clock.name for clock in results if clock.name not in places]
            without = f" (without {listing(omitted)}: over {_LARGEST} vector clocks)" if omitted else ""
            titles = (f"{_Y} against {_X}, {protocol.name}{without}", _X, _Y)
            figure = trade_off(f"clocks-{index}", titles, places, PROTOCOLS, joined=False, fronts=True)
            yield replace(figure, legend=())


def _is_drawn(clock: ClockResult) -> bool:
    share = clock.share_of_vector
    return share is not None and share <= _LARGEST and clock["wrong"].mean is not None


def _place(clock: ClockResult) -> Place:
    size, wrong = clock["integers"], clock["wrong"]
    low, high = (None if end is None else 100 * end for end in (wrong.low, wrong.high))
    ends = (size.low, size.mean or 0, size.high), (low, 100 * (wrong.mean or 0), high)
    return Place(*ends, compared=True, optimal=True)
