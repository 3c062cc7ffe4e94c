"""What the short stamp of Mostefaoui and Raynal costs: resynchronisations, and messages that wait for them.

The paper has no measurements; sections 3.5 and 5 say what to expect, beside the protocol of ISIS (section 2.3).
"""

from typing import Final

from mobilesim.experiments.paper_figures.figure import Axis, Figure, Metric, Panel, Quick, Series, Statement
from mobilesim.experiments.paper_figures.statements import Compares, Lies

_AT_ONCE: Final = "mr, at once"
_ISIS: Final = "isis"
_FOUND: Final = (
    "The stamp of mr has 13 integers where that of isis has 24 to 72. A resynchronisation has 3; with all of them, mr "
    "still sends fewer integers for a delivery, 14 to 27. What it costs is packets and time: 0.4 to 2.3 "
    "resynchronisations for each delivery where hosts send every second, 0.9 to 4.7 where they send every 20, and "
    "delays of up to 2.1 times those of isis, the longer the larger groups are and the more often hosts send. Patience "
    "buys packets with time: a second of it takes off 13 to 16% of all packets where hosts send every second, for up "
    "to 12% of delay, but 2% where they send every 20, for up to 19%. Where all send in step, the short stamp costs "
    "nothing."
)


def _patient(milliseconds: int) -> dict[str, str]:
    return {"protocols": f"{{placement: resident, ordering: mr, resynch_delay: {milliseconds}}}"}


def _every(interval: str) -> Panel:
    settings = {"groups.rule": "ring", "workload.interval": f"exponential {interval}"}
    return Panel(f"each host in g groups of g, a message every {interval}", settings)


_IN_STEP: Final = Panel(
    "each host in one group of g, all send at the same moments, every 5 s",
    {"groups.rule": "blocks", "workload.interval": "constant 5 s"},
)

_RINGS: Final = (_every("1 s"), _every("5 s"), _every("20 s"))

_RESYNCHRONISATION: Final = Figure(
    name="mr-resynchronisation",
    paper="Mostefaoui & Raynal 1993, sections 3.5 and 5",
    title="The price of a short stamp, against the size of groups",
    scenario="papers/mr-resynchronisation",
    x=Axis("groups.size", "g", "size of a group g", (2, 3, 4, 6)),
    metric=Metric("delay", "mean delay of a message", "s", 1e9),
    parts=("inhibition",),
    besides=("header_integers", "link_packets"),
    series=(
        Series(_AT_ONCE, _patient(0)),
        Series(_ISIS, {"protocols": "resident+isis"}),
        Series("mr, 1 s", _patient(1_000)),
        Series("mr, 10 s", _patient(10_000)),
    ),
    panels=(_IN_STEP, *_RINGS),
    statements=(
        Statement(
            "mr has an integer for each group, isis one for each member of each (section 5.2)",
            Compares(_AT_ONCE, _ISIS, 0, 1),
            "header_integers",
        ),
        Statement("isis holds nothing back without need (section 5.1)", Lies(_ISIS, 0, 0), "inhibition"),
        Statement(
            "mr needs no resynchronisation where all send in step (section 3.5)",
            Lies(_AT_ONCE, 0.98, 1.02),
            "link_packets",
            panels=(_IN_STEP.label,),
        ),
        Statement(
            "mr delivers as early as isis does where all send in step (section 5.1)",
            Compares(_AT_ONCE, _ISIS, 0.99, 1.01),
            panels=(_IN_STEP.label,),
        ),
        Statement(
            "a timer takes some resynchronisations off (section 3.5)",
            Compares("mr, 1 s", _AT_ONCE, 0, 0.999),
            "link_packets",
            panels=tuple(panel.label for panel in _RINGS),
        ),
    ),
    finding=_FOUND,
    replications=5,
    quick=Quick(panels=3, values=(2, 4), replications=2, settings={"warm_up.deliveries": "200", "deliveries": "500"}),
    symbols={
        "g": "hosts in a group, 12 in all; a link takes a second for a message, on average",
        "link packets": (
            "packets on all links, for each delivery: what is above one are resynchronisations; isis, which has none, "
            "is off by up to a fiftieth, for some messages are under way when measuring begins or ends"
        ),
    },
)

FIGURES: Final = (_RESYNCHRONISATION,)
