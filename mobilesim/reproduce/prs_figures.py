"""Figures 4 and 7 of Prakash, Raynal and Singhal, in a static network, and in both modes of the barrier.

The printed numbers do not follow from the printed algorithm: its barriers have about a quarter fewer tuples. They come
out if a send adds its tuple to what a destination's barrier has (`barrier: union`), if nothing is dropped because it is
known to be delivered (`collect: false`), and if the time on a link is one of service, packet after packet.
"""

from typing import Final

from mobilesim.reproduce.checks import Lies, Prints
from mobilesim.reproduce.figure import Axis, Figure, Metric, Panel, Quick, Series, Statement

_PRS: Final = "Prakash, Raynal & Singhal 1997"
_LITERAL: Final = Panel("as the algorithm is printed", {"protocols": "{placement: resident, ordering: prs}"})
_UNION: Final = Panel(
    "barrier: union, collect: false",
    {"protocols": "{placement: resident, ordering: prs, barrier: union, collect: false}"},
)
_BARRIER: Final = Metric("header_units", "tuples in a barrier", "N^2", 400)
_SYMBOLS: Final = {
    "N": "hosts, each linked with every other one",
    "t_p": "mean time that a link takes for a message, in thousandths of a time unit",
    "t_g": "mean time between two messages of a host, in time units",
}
_FOURTH_FOUND: Final = (
    "The algorithm as it is printed carries about half of what the figure shows where links are slow. With the union "
    "of barriers and nothing collected a tenth part is missing or less, but for N = 30. Where a link takes three time "
    "units it gets more than it can carry: queues grow as long as one looks, and what is measured with them."
)
_SEVENTH_FOUND: Final = (
    "The algorithm as it is printed carries a quarter to a third less than the figure shows. With the union of "
    "barriers and nothing collected two of the three numbers come out within 2%, and the third is 10% too small."
)
_SHORT: Final = {"warm_up.deliveries": "1000", "deliveries": "2000"}
_SIZES: Final = (10, 20, 30)


def _processes(count: int) -> Series:
    return Series(f"N = {count}", {"hosts": str(count)}, count * count)


def _among(least: int, most: int) -> Series:
    return Series(f"{least} to {most} hosts", {"workload.destinations": f"{least}..{most}"})


_FOURTH: Final = Figure(
    name="prs-figure-4",
    paper=f"{_PRS}, figure 4",
    title="The size of causal barriers, against the time that a link takes",
    scenario="papers/prs-figure-4",
    x=Axis("links.delay", "t_p", "propagation time t_p", (83, 250, 500, 1000, 2000, 3000), "exponential {} ms"),
    metric=_BARRIER,
    parts=(),
    series=tuple(_processes(count) for count in _SIZES),
    panels=(_LITERAL, _UNION),
    statements=(
        *(
            Statement(
                f"a barrier has 0.2 to 0.4 N^2 where a link takes a twelfth of a time unit (N = {count})",
                Lies(f"N = {count}", 0.2, 0.4, (83,)),
            )
            for count in _SIZES
        ),
        Statement(
            "it has about 0.9 N^2 where a link takes three time units",
            Prints({f"N = {count}": 0.9 for count in _SIZES}, 3000, "t_p", 0.1),
        ),
    ),
    finding=_FOURTH_FOUND,
    replications=5,
    quick=Quick(panels=2, values=(83, 3000), replications=2, settings=_SHORT),
    symbols=_SYMBOLS,
)

_SEVENTH: Final = Figure(
    name="prs-figure-7",
    paper=f"{_PRS}, figure 7",
    title="The size of causal barriers, by the number of destinations, against the time between messages",
    scenario="papers/prs-figure-7",
    x=Axis("workload.interval", "t_g", "generation time t_g", (1, 2, 4, 6, 8, 10), "exponential {} s"),
    metric=_BARRIER,
    parts=(),
    series=(_among(1, 9), _among(6, 14), _among(11, 19)),
    panels=(_LITERAL, _UNION),
    statements=(
        Statement(
            "a barrier has 0.62, 0.36 and 0.20 N^2 where a host sends every ten time units",
            Prints(
                {"1 to 9 hosts": 0.62, "6 to 14 hosts": 0.36, "11 to 19 hosts": 0.2},
                10,
                "t_g",
                0.1,
            ),
        ),
    ),
    finding=_SEVENTH_FOUND,
    replications=5,
    quick=Quick(panels=2, values=(1, 10), replications=2, settings=_SHORT),
    symbols=_SYMBOLS,
)

FIGURES: Final = (_FOURTH, _SEVENTH)
