"""The figures that can be reproduced."""

from typing import Final

from mobilesim.experiments.paper_figures import header_figures, mr_figures, msv_figures, prs_figures
from mobilesim.experiments.paper_figures.figure import (
    Metric,
    Panel,
    PaperFigure,
    QuickVersion,
    Series,
    Statement,
    XAxis,
)
from mobilesim.experiments.paper_figures.statements import Crosses, FallsThenRises, GrowsAsPower

_AV: Final = "Alagar & Venkatesan 1994"
_DELAY: Final = Metric("delay", "mean delay of a message", "ms", 1e6)
_ONE: Final = "algorithm 1"
_TWO: Final = "algorithm 2"
_THREE: Final = "algorithm 3"


_SYMBOLS: Final = {
    "n_h": "number of mobile hosts",
    "n_s": "number of stations, 10",
    "t_s": "mean time between two messages of a host",
    "t_h": "mean dwell time of a host in a cell",
}

_LOW_MOBILITY: Final = (5, 10, 15, 20, 40, 60)
_HIGH_MOBILITY: Final = (5, 20, 30, 40, 60, 80)


def _rates(send: str, move: str, integer: str = "250 ns", messages: int | None = None) -> Panel:
    """`send` and `move`: the means t_s and t_h of appendix A. With `messages`: fewer and shorter runs."""
    settings = {
        "workload.interval": f"exponential {send}",
        "mobility.dwell": f"exponential {move}",
        "processing.per_integer": integer,
    }
    label = f"t_s = {send}, t_h = {move}, {integer} per integer"
    if messages is None:
        return Panel(label, settings)
    return Panel(label, {**settings, "messages": str(messages)}, _HIGH_MOBILITY if move == "0.1 s" else _LOW_MOBILITY)


def _jittered(jitter: str, move: str = "10 s", hosts: int = 40, values: tuple[int, ...] = ()) -> Panel:
    label = "no jitter" if jitter == "0 s" else f"{jitter} of jitter"
    settings = {"backbone.jitter": jitter, "mobility.dwell": f"exponential {move}", "hosts": str(hosts)}
    return Panel(f"{hosts} hosts, t_s = 0.1 s, t_h = {move}, wired links of 7 ms, {label}", settings, values)


_FIRST: Final = PaperFigure(
    name="av-figure-1",
    paper=f"{_AV}, figure 1",
    title="Algorithms 1 and 2, against the number of hosts",
    scenario="papers/av-figure-1",
    x=XAxis("hosts", "n_h", "mobile hosts n_h", (5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 100)),
    metric=_DELAY,
    parts=("processing", "inhibition"),
    series=(Series(_ONE, {"protocols": "av1"}), Series(_TWO, {"protocols": "av2"})),
    panels=(
        *(_rates("0.1 s", "0.1 s", integer) for integer in ("200 ns", "250 ns", "300 ns")),
        _rates("0.1 s", "1 s", messages=2000),
        _rates("0.1 s", "10 s", messages=2000),
        _rates("1 s", "0.1 s", messages=500),
        _rates("1 s", "1 s", messages=1000),
        _rates("1 s", "10 s", messages=1000),
        _rates("10 s", "0.1 s", messages=100),
        _rates("10 s", "1 s", messages=500),
        _rates("10 s", "10 s", messages=1000),
    ),
    statements=(
        Statement(
            "below about 30 hosts algorithm 2 is the slower one, above them algorithm 1 is",
            Crosses(_ONE, _TWO, "n_h", between=(25, 35)),
        ),
        Statement(
            "the header of algorithm 1 has n_h^2 integers, and its delay grows with them",
            GrowsAsPower(_ONE, "n_h", power=2, tolerance=0.5, to=60),
        ),
    ),
    conclusion=(
        "Algorithm 2 adds delay at hand-offs: a host that has just moved waits for its state and for messages in "
        "transit to its old station. So the crossing depends on how often hosts move, and hardly on how often they "
        "send. A crossing at about 30 needs hosts that move every 0.1 s. Where hosts rarely move, the curves cross at "
        "n_h = n_s, where both headers have the same size."
    ),
    replications=10,
    quick=QuickVersion(panels=1, values=(10, 30, 60), replications=3, settings={"messages": "300"}),
    symbols=_SYMBOLS,
)

_SECOND: Final = PaperFigure(
    name="av-figure-2",
    paper=f"{_AV}, figure 2",
    title="Algorithm 3, against the number of logical stations in each station",
    scenario="papers/av-figure-2",
    x=XAxis("protocols", "k", "logical stations k in each station", tuple(range(1, 7)), "{{name: av3, k: {}}}"),
    metric=_DELAY,
    parts=("processing", "inhibition"),
    series=(Series(_THREE),),
    panels=(
        _jittered("0 s"),
        _jittered("exponential 10 ms"),
        _jittered("exponential 20 ms"),
        _jittered("exponential 30 ms"),
        _jittered("exponential 10 ms", hosts=100, values=(1, 2, 3, 4)),
        _jittered("exponential 30 ms", "1 s", values=(1, 2, 3, 4)),
    ),
    statements=(
        Statement("the delay falls at first as k grows, and rises again when k is large", FallsThenRises(_THREE, "k")),
    ),
    conclusion=(
        "A message waits only if it overtakes another one. On wired links of a constant 7 ms hardly any does: there is "
        "no inhibition for k to reduce, and the overhead of k shows from the start. With enough jitter the delay "
        "falls, as printed, until headers of (k n_s)^2 integers cost more than they save."
    ),
    replications=20,
    quick=QuickVersion(panels=3, values=(1, 2, 5), replications=3, settings={"messages": "300"}),
    symbols={**_SYMBOLS, "k": "logical stations in each station"},
)

FIGURES: Final = {
    figure.name: figure
    for figure in (
        _FIRST,
        _SECOND,
        *prs_figures.FIGURES,
        *header_figures.FIGURES,
        *mr_figures.FIGURES,
        *msv_figures.FIGURES,
    )
}
