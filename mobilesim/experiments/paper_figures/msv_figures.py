"""What the clocks of Meldal, Sankar and Vera save on the networks of their section 5, and whether they are right there.

The paper computes the sets; here a run carries them, and the oracle knows which answers are wrong.
"""

from typing import Final

from mobilesim.experiments.paper_figures.figure import Axis, Figure, Metric, Panel, Quick, Series, Statement
from mobilesim.experiments.paper_figures.statements import Check, Follows, Grows, Lies

_STAR: Final = "star"
_TRIANGLE: Final = "hierarchical triangle"
_RING: Final = "ring, both ways"

_SPACE: Final = "allocation_5_space_factor"
_WRONG: Final = "allocation_5_wrong_percent"

_FOUND: Final = (
    "Section 5 is borne out. In a star a message carries one integer, the centre's, where a vector has N, and each "
    "process keeps one. In triangles of four a message carries 4 and a process keeps 4 or 7, however many there are. A "
    "ring both ways saves nothing. With messages in causal order no answer is wrong. In any order up to 1.9% are in a "
    "star, and up to 0.3% in triangles: a message that was overtaken seems concurrent with what it has led to."
)

_EACH: Final = {"on a message": "", "in a process": _SPACE}


def _linked(label: str, graph: str) -> Series:
    return Series(label, {"groups.graph": graph})


def _on_both(words: str, check: Check) -> tuple[Statement, ...]:
    return tuple(Statement(words.format(where), check, of) for where, of in _EACH.items())


_TOPOLOGIES: Final = Figure(
    name="msv-topologies",
    paper="Meldal, Sankar & Vera 1991, section 5",
    title="What clocks that know the links save, against the number of processes",
    scenario="papers/msv-topologies",
    x=Axis("hosts", "N", "processes N", (4, 7, 10, 13, 16, 19, 25, 31, 40)),
    metric=Metric("allocation_5_factor", "integers of a vector for each one of allocation 5, on a message", "", 1),
    parts=(),
    besides=(_SPACE, _WRONG),
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
        *_on_both("{}, a star of a centre and n others saves a factor of n + 1", Follows(_STAR, "N", 1, 0)),
        *_on_both("{}, a hierarchical triangle saves a factor that grows as N does", Grows(_TRIANGLE, "N", 1, 0.1, 40)),
        *_on_both("{}, a ring saves nothing", Lies(_RING, 1, 1)),
        *(
            Statement(f"no answer is wrong, 0% of them ({label})", Lies(label, 0, 0), _WRONG)
            for label in (_STAR, _TRIANGLE, _RING)
        ),
    ),
    finding=_FOUND,
    replications=3,
    quick=Quick(panels=2, values=(4, 10, 19, 40), replications=2, settings={"messages": "300"}),
    symbols={
        "N": "processes, and so the integers of a vector; a triangle has one at its apex and three at its base",
        "allocation 5 space factor": "the same of what a process keeps, over all processes",
        "allocation 5 wrong percent": (
            "answers that the oracle knows to be wrong; each is of two messages that came to one process"
        ),
    },
)

FIGURES: Final = (_TOPOLOGIES,)
