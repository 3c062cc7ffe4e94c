"""Savings and errors of the clocks of Meldal, Sankar and Vera on the networks of their section 5.

The paper computes the sizes of clocks. Here they are measured, and the oracle detects wrong answers.
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
from mobilesim.experiments.paper_figures.statements import Check, GrowsAsPower, InRange, ProportionalToX

_STAR: Final = "star"
_TRIANGLE: Final = "hierarchical triangle"
_RING: Final = "bidirectional ring"

_SPACE: Final = "allocation_5_space_factor"
_WRONG: Final = "allocation_5_wrong_percent"

_FOUND: Final = (
    "Section 5 is confirmed. In a star a message carries one integer, the centre's, instead of N, and each process "
    "keeps one. In triangles of four a message carries 4 and a process keeps 4 or 7, whatever N is. A bidirectional "
    "ring saves nothing. With causally ordered messages no answer is wrong. With unordered messages up to 1.9% are "
    "wrong in a star, and up to 0.3% in triangles: an overtaken message seems concurrent with its own consequences."
)

_EACH: Final = {"on a message": "", "in a process": _SPACE}


def _linked(label: str, graph: str) -> Series:
    return Series(label, {"groups.graph": graph})


def _on_both(words: str, check: Check) -> tuple[Statement, ...]:
    return tuple(Statement(words.format(where), check, of) for where, of in _EACH.items())


_TOPOLOGIES: Final = PaperFigure(
    name="msv-topologies",
    paper="Meldal, Sankar & Vera 1991, section 5",
    title="Savings of clocks that know the links, against the number of processes",
    scenario="papers/msv-topologies",
    x=XAxis("hosts", "N", "processes N", (4, 7, 10, 13, 16, 19, 25, 31, 40)),
    metric=Metric("allocation_5_factor", "integers of a vector per integer of allocation 5, on a message", "", 1),
    parts=(),
    other_metrics=(_SPACE, _WRONG),
    series=(
        _linked(_STAR, "star"),
        _linked(_TRIANGLE, "hierarchical-triangle"),
        _linked(_RING, "bidirectional-ring"),
    ),
    panels=(
        Panel("messages arrive in causal order", {"protocols": "rst"}),
        Panel("messages arrive in any order", {"protocols": "resident+unordered"}),
    ),
    statements=(
        *_on_both("{}, a star of a centre and n others saves a factor of n + 1", ProportionalToX(_STAR, "N", 1, 0)),
        *_on_both("{}, a hierarchical triangle saves a factor linear in N", GrowsAsPower(_TRIANGLE, "N", 1, 0.1, 40)),
        *_on_both("{}, a ring saves nothing", InRange(_RING, 1, 1)),
        *(
            Statement(f"no answer is wrong ({label})", InRange(label, 0, 0), _WRONG)
            for label in (_STAR, _TRIANGLE, _RING)
        ),
    ),
    conclusion=_FOUND,
    replications=3,
    quick=QuickVersion(panels=2, values=(4, 10, 19, 40), replications=2, settings={"messages": "300"}),
    symbols={
        "N": "number of processes and of a vector's integers; a triangle has one at its apex and three at its base",
        "allocation 5 space factor": "the same ratio for what a process keeps, over all processes",
        "allocation 5 wrong percent": (
            "answers that the oracle knows to be wrong; each compares two messages that one process received"
        ),
    },
)

FIGURES: Final = (_TOPOLOGIES,)
