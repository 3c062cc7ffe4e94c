"""The size of headers in integers: its growth with the number of hosts, for all causal orderings on the same runs.

The papers state sizes in their text, without a figure. A header is counted as the paper's algorithm would send it, even
if the simulator sends a different representation.
"""

from typing import Final

from mobilesim.experiments.paper_figures.figure import (
    Metric,
    Panel,
    PaperFigure,
    QuickVersion,
    Series,
    Statement,
    XAxis,
)
from mobilesim.experiments.paper_figures.statements import GrowsAsPower, RatioInRange

_MOST: Final = 50
_RST: Final = "rst"
_TUPLES: Final = "prs"
_BITMAP: Final = "prs, bit map"
_KS: Final = "ks"
_SES: Final = "ses"
_FOUND: Final = (
    "rst always has N^2 integers, and ses soon a few more. A barrier of prs has 0.15 to 0.28 N^2 tuples where messages "
    "go to half of the other hosts and hosts send every ten seconds, 0.4 to 0.44 where they send every second, and "
    "more with few destinations, which remove few tuples: 0.82 with 3 of 50 hosts. A tuple is two integers, so prs "
    "takes up to 1.7 times as many integers as rst; with a bit map it takes at most 0.85. ks has 2 to 15% of N^2 "
    "units; from 20 hosts on it sends the fewest integers, which grow with N to the power 1.1 to 1.4. With five hosts "
    "its clock and lists are most of its header, and prs with a bit map sends less."
)


def _panel(to: str, every: str) -> Panel:
    label = "1 to N - 1 destinations" if to == "1..all" else f"{to} destinations"
    settings = {"workload.destinations": to, "workload.interval": f"exponential {every}"}
    return Panel(f"{label}, a host sends every {every}", settings)


_HEADERS: Final = PaperFigure(
    name="ordering-headers",
    paper="Prakash, Raynal & Singhal 1997, section 7.1; Kshemkalyani & Singhal 1998, section 6.2",
    title="The headers of five causal orderings, against the number of hosts",
    scenario="static/ordering-headers",
    x=XAxis("hosts", "N", "hosts N", (5, 10, 20, 30, 40, _MOST)),
    metric=Metric("header_integers", "integers in a header", "", 1),
    parts=(),
    other_metrics=("header_units",),
    series=(
        Series(_RST, {"protocols": "rst"}),
        Series(_TUPLES, {"protocols": "resident+prs"}),
        Series(_BITMAP, {"protocols": "{placement: resident, ordering: prs, encoding: bitmap}"}),
        Series(_KS, {"protocols": "resident+ks"}),
        Series(_SES, {"protocols": "resident+ses"}),
    ),
    panels=(_panel("1..all", "10 s"), _panel("1..all", "1 s"), _panel("3", "10 s")),
    statements=(
        Statement("rst sends N^2 integers with every message", GrowsAsPower(_RST, "N", 2, 0.02, _MOST)),
        Statement(
            "ses sends about as many as rst, N - 1 vectors of N (PRS, section 8.1)", RatioInRange(_SES, _RST, 0.8, 1.2)
        ),
        Statement(
            "prs sends fewer than rst, if a barrier is a map of N^2 bits and a number per tuple",
            RatioInRange(_BITMAP, _RST, 0, 1),
        ),
        Statement("integers of a barrier with a bit map grow with N^2", GrowsAsPower(_BITMAP, "N", 2, 0.25, _MOST)),
        Statement(
            "ks has N^2 units at worst, and much less on average (at most half)",
            RatioInRange(_KS, _RST, 0, 0.5),
            "header_units",
        ),
        Statement("ks grows with N^2 at worst", GrowsAsPower(_KS, "N", 1, 1, _MOST)),
        Statement("ks has the fewest units: no more than prs", RatioInRange(_KS, _TUPLES, 0, 1), "header_units"),
    ),
    conclusion=_FOUND,
    replications=5,
    quick=QuickVersion(
        panels=3, values=(5, 20), replications=2, settings={"warm_up.deliveries": "500", "deliveries": "500"}
    ),
    symbols={
        "N": "number of hosts, fully connected; a link takes a mean second for a message",
        "header units": "what each paper counts: integers of a matrix or of vectors, tuples of prs, units of ks",
    },
)

FIGURES: Final = (_HEADERS,)
