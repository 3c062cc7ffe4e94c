"""What stamps cost, in integers: how the headers of causal orderings grow with the number of hosts, on the same runs.

No paper has this figure; what they say of sizes is in their text. A header is counted as each paper's own algorithm
would send it, whatever the emulator sends in its place.
"""

from typing import Final

from mobilesim.experiments.paper_figures.figure import Axis, Figure, Metric, Panel, Quick, Series, Statement
from mobilesim.experiments.paper_figures.statements import Compares, Grows

_MOST: Final = 50
_RST: Final = "rst"
_TUPLES: Final = "prs"
_BITMAP: Final = "prs, bit map"
_KS: Final = "ks"
_SES: Final = "ses"
_FOUND: Final = (
    "rst has N^2 integers whatever happens, and ses soon a few more. A barrier of prs has 0.15 to 0.28 N^2 tuples "
    "where messages go to half of the others and hosts send every ten seconds, 0.4 to 0.44 where they send every "
    "second, and more where few destinations wipe out little: 0.82 with 3 of 50 hosts. A tuple is two integers, so "
    "there tuples take up to 1.7 times what rst takes; with a map of bits they never take more than 0.85. ks names 2 "
    "to 15% of N^2 units; from 20 hosts on it sends the fewest integers, and they grow with N to the power 1.1 to 1.4 "
    "only. Among five hosts its clock and its lists are most of what it sends, and prs with bits sends less."
)


def _sent(to: str, every: str) -> Panel:
    label = "1 to N - 1 destinations" if to == "1..all" else f"{to} destinations"
    settings = {"workload.destinations": to, "workload.interval": f"exponential {every}"}
    return Panel(f"{label}, a host sends every {every}", settings)


_HEADERS: Final = Figure(
    name="ordering-headers",
    paper="Prakash, Raynal & Singhal 1997, section 7.1; Kshemkalyani & Singhal 1998, section 6.2",
    title="The headers of five causal orderings, against the number of hosts",
    scenario="static/ordering-headers",
    x=Axis("hosts", "N", "hosts N", (5, 10, 20, 30, 40, _MOST)),
    metric=Metric("header_integers", "integers in a header", "", 1),
    parts=(),
    besides=("header_units",),
    series=(
        Series(_RST, {"protocols": "rst"}),
        Series(_TUPLES, {"protocols": "resident+prs"}),
        Series(_BITMAP, {"protocols": "{placement: resident, ordering: prs, encoding: bitmap}"}),
        Series(_KS, {"protocols": "resident+ks"}),
        Series(_SES, {"protocols": "resident+ses"}),
    ),
    panels=(_sent("1..all", "10 s"), _sent("1..all", "1 s"), _sent("3", "10 s")),
    statements=(
        Statement("rst sends N^2 integers with every message", Grows(_RST, "N", 2, 0.02, _MOST)),
        Statement(
            "ses sends about as many as rst, N - 1 vectors of N (PRS, section 8.1)", Compares(_SES, _RST, 0.8, 1.2)
        ),
        Statement(
            "prs sends fewer than rst, if a barrier is a map of N^2 bits and a number a tuple",
            Compares(_BITMAP, _RST, 0, 1),
        ),
        Statement("integers of a barrier that is a map of bits grow with N^2", Grows(_BITMAP, "N", 2, 0.25, _MOST)),
        Statement(
            "ks has N^2 units to send at worst, and much less on the average (half of it, say)",
            Compares(_KS, _RST, 0, 0.5),
            "header_units",
        ),
        Statement("ks grows with N^2 at worst", Grows(_KS, "N", 1, 1, _MOST)),
        Statement("ks says the least of all: no more units than prs", Compares(_KS, _TUPLES, 0, 1), "header_units"),
    ),
    finding=_FOUND,
    replications=5,
    quick=Quick(panels=3, values=(5, 20), replications=2, settings={"warm_up.deliveries": "500", "deliveries": "500"}),
    symbols={
        "N": "hosts, each linked with every other one; a link takes a second for a message, on average",
        "header units": "what each paper counts: integers of a matrix or of vectors, tuples of prs, units of ks",
    },
)

FIGURES: Final = (_HEADERS,)
