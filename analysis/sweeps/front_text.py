"""The Pareto front in sentences: which protocols are on it, what they trade, and by which protocols the others are
dominated.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from mobilesim.analysis.statistics.estimate import difference
from mobilesim.analysis.summary.formatting import listing, number, share
from mobilesim.analysis.summary.metrics import Metric
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.sweeps.metrics import Points, protocol_names
from mobilesim.analysis.sweeps.ranking import Rank, ranks
from mobilesim.errors import counted

_MOST: Final = 4
"""The maximum number of sentences on pairs of protocols."""
_DOUBLE: Final = 1.0
"""The relative difference from which a cost is given as a multiple."""


def front_sentences(points: Points, costs: Sequence[Metric]) -> list[str]:
    nonzero = [cost for cost in costs if any(cost.value(each).mean for _, at in points for each in at.protocols)]
    by_point = [ranks(summary.protocols, nonzero) for _, summary in points]
    names = listing([cost.label for cost in nonzero])
    if len(by_point) == 1:
        return list(_at_one_point(by_point[0], nonzero, names))
    counts = {
        name: sum(rank.on_front for several in by_point for rank in several if rank.protocol.name == name)
        for name in protocol_names(points)
    }
    total = counted(len(points), "point")
    where = {name: "all" if count == len(points) else f"{count} of" for name, count in counts.items() if count}
    texts = [f"{name} at {count} {total}" for name, count in where.items()]
    return [f"Pareto-optimal in {names}: {listing(texts)}."] if texts else []


def _at_one_point(several: Sequence[Rank], costs: Sequence[Metric], names: str) -> Iterator[str]:
    front = [rank.protocol for rank in several if rank.on_front]
    compared = [rank for rank in several if not rank.excluded]
    if not compared:
        yield "No protocol keeps causal order, so that none is compared."
        return
    left_out = [rank.protocol.name for rank in several if rank.excluded]
    without = f" (not compared: {listing(left_out)})" if left_out else ""
    yield f"Pareto-optimal in {names}: {listing([each.name for each in front]) or 'none for certain'}{without}."
    for rank in [rank for rank in compared if rank.undecided][:_MOST]:
        yield f"{rank.protocol.name} is {rank.text}."
    for one, other in list(combinations(front, 2))[:_MOST]:
        if text := _trade(one, other, costs):
            yield text
    off = [rank for rank in compared if not rank.possibly_on_front]
    for rank in off[:_MOST]:
        best = next(each.protocol for each in several if each.protocol.name == rank.dominated_by[0])
        more = listing(_more(rank.protocol, best, costs))
        why = f": it has {more}" if more else ""
        yield f"{rank.protocol.name} is dominated by {best.name}{why}."


def _trade(one: ProtocolSummary, other: ProtocolSummary, costs: Sequence[Metric]) -> str:
    """Return what the first protocol saves and costs, compared with the second; '' without a trade-off."""
    saved, paid = _more(other, one, costs), _more(one, other, costs)
    if not saved or not paid:
        return ""
    return f"{other.name} has {listing(saved)} than {one.name}, and {one.name} has {listing(paid)} than {other.name}."


def _more(worse: ProtocolSummary, better: ProtocolSummary, costs: Sequence[Metric]) -> list[str]:
    """Return the costs in which a protocol is significantly higher than another one."""
    texts = []
    for cost in costs:
        high, low = cost.value(worse), cost.value(better)
        gap = difference(high, low)
        if gap is not None and gap.above_zero:
            relative = gap.mean / low.mean if low.mean else None
            if relative is not None and relative < _DOUBLE:
                texts.append(f"{share(relative)} more {cost.label}")
            else:
                unit = cost.scale.unit(gap.mean)
                texts.append(f"{number(gap.mean / unit.size)} {unit.name} more {cost.label}".replace("  ", " "))
    return texts
