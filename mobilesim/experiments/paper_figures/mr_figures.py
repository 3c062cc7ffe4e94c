"""The cost of the short stamp of Mostefaoui and Raynal: resynchronisations, and messages that wait for them.

The paper has no measurements; sections 3.5 and 5 compare it in words with the protocol of ISIS (section 2.3).
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
from mobilesim.experiments.paper_figures.statements import InRange, RatioInRange

_AT_ONCE: Final = "mr, at once"
_ISIS: Final = "isis"
_FOUND: Final = (
    "The stamp of mr has 13 integers, that of isis 24 to 72. A resynchronisation has 3; including these, mr still "
    "sends fewer integers per delivery, 14 to 27. The cost is packets and time: 0.4 to 2.3 resynchronisations per "
    "delivery where hosts send every second, 0.9 to 4.7 where they send every 20, and delays of up to 2.1 times those "
    "of isis, longer with larger groups and with more messages. A timer trades delay for packets: a timer of a second "
    "saves 13 to 16% of all packets where hosts send every second, for up to 12% more delay, but 2% where they send "
    "every 20, for up to 19%. Where all hosts send in step, the short stamp costs nothing."
)


def _timer(milliseconds: int) -> dict[str, str]:
    return {"protocols": f"{{placement: resident, ordering: mr, resynch_delay: {milliseconds}}}"}


def _every(interval: str) -> Panel:
    settings = {"groups.rule": "ring", "workload.interval": f"exponential {interval}"}
    return Panel(f"each host in g groups of g, a message every {interval}", settings)


_IN_STEP: Final = Panel(
    "each host in one group of g, all send at the same times, every 5 s",
    {"groups.rule": "blocks", "workload.interval": "constant 5 s"},
)

_RINGS: Final = (_every("1 s"), _every("5 s"), _every("20 s"))

_RESYNCHRONISATION: Final = PaperFigure(
    name="mr-resynchronisation",
    paper="Mostefaoui & Raynal 1993, sections 3.5 and 5",
    title="The cost of a short stamp, against the size of groups",
    scenario="papers/mr-resynchronisation",
    x=XAxis("groups.size", "g", "size of a group g", (2, 3, 4, 6)),
    metric=Metric("delay", "mean delay of a message", "s", 1e9),
    parts=("inhibition",),
    other_metrics=("header_integers", "link_packets"),
    series=(
        Series(_AT_ONCE, _timer(0)),
        Series(_ISIS, {"protocols": "resident+isis"}),
        Series("mr, 1 s", _timer(1_000)),
        Series("mr, 10 s", _timer(10_000)),
    ),
    panels=(_IN_STEP, *_RINGS),
    statements=(
        Statement(
            "mr has an integer per group, isis one per member of each group (section 5.2)",
            RatioInRange(_AT_ONCE, _ISIS, 0, 1),
            "header_integers",
        ),
        Statement("isis has no inhibition (section 5.1)", InRange(_ISIS, 0, 0), "inhibition"),
        Statement(
            "mr needs no resynchronisation where all send in step (section 3.5)",
            InRange(_AT_ONCE, 0.98, 1.02),
            "link_packets",
            panels=(_IN_STEP.label,),
        ),
        Statement(
            "mr delivers as early as isis does where all send in step (section 5.1)",
            RatioInRange(_AT_ONCE, _ISIS, 0.99, 1.01),
            panels=(_IN_STEP.label,),
        ),
        Statement(
            "a timer saves some resynchronisations (section 3.5)",
            RatioInRange("mr, 1 s", _AT_ONCE, 0, 0.999),
            "link_packets",
            panels=tuple(panel.label for panel in _RINGS),
        ),
    ),
    conclusion=_FOUND,
    replications=5,
    quick=QuickVersion(
        panels=3, values=(2, 4), replications=2, settings={"warm_up.deliveries": "200", "deliveries": "500"}
    ),
    symbols={
        "g": "hosts in a group, of 12 hosts; a link takes a mean second for a message",
        "link packets": (
            "packets on all links per delivery: the excess over one are resynchronisations; isis, which has none, "
            "deviates by up to a fiftieth, as messages are in transit when the measurement begins or ends"
        ),
    },
)

FIGURES: Final = (_RESYNCHRONISATION,)
