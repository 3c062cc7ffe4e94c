"""A design in text: the range of each metric over its points, and the Sobol indices."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from mobilesim.analysis.statistics.estimate import difference
from mobilesim.analysis.summary.formatting import number
from mobilesim.analysis.summary.metrics import METRICS
from mobilesim.analysis.sweeps.crossings import COMPARED, point_counts
from mobilesim.analysis.sweeps.designs.indices import ORDERS, cell, meaning, sentences
from mobilesim.analysis.sweeps.metrics import nonzero_metrics, of_protocol, protocol_names
from mobilesim.results.sweeps.design_record import SOBOL_INDICES

if TYPE_CHECKING:
    from mobilesim.analysis.sweeps.model import SweepSummary
    from mobilesim.analysis.sweeps.text import TextTable


def results(summary: "SweepSummary") -> list[str]:
    """Return at how many points protocols differ, and which factors decide it."""
    first, *others = protocol_names(summary.points)
    counts = [point_counts(metric, summary.points, (other, first)) for metric in COMPARED for other in others]
    of_factors = []
    if summary.design is not None and summary.design.kind == SOBOL_INDICES:
        of_factors = sentences(summary.indices, COMPARED)
    return [*filter(None, counts), *of_factors]


def lines(summary: "SweepSummary", table: "TextTable") -> Iterator[str]:
    yield from ("", "over the points of the design", *table([("", "protocol", *ENDS), *ranges(summary)], (2, 3, 4)))
    if summary.indices:
        yield from ("", f"Sobol indices [95 % interval]; {meaning(summary.indices)}")
        rows = [
            (each.metric.label, each.name, factor, cell(first), cell(total))
            for each in summary.indices
            if each.metric in COMPARED
            for factor, first, total in each.by_factor
        ]
        yield from table([("", "protocol", "factor", *ORDERS), *rows], (3, 4))


ENDS = ("lowest", "mean", "highest")


def ranges(summary: "SweepSummary") -> Iterator[Sequence[str]]:
    """Yield a row for each metric and protocol, and for the paired differences in delay."""
    for metric in nonzero_metrics(summary.protocols):
        unit = metric.unit(summary.protocols)
        for name in protocol_names(summary.points):
            means = [metric.value(each).mean for _, each in of_protocol(summary.points, name)]
            if known := [mean for mean in means if mean is not None]:
                yield metric.heading(unit), name, *_ends([mean / unit.size for mean in known])
    first, *others = protocol_names(summary.points)
    delay = METRICS["delay"]
    unit = delay.unit(summary.protocols)
    base = dict(of_protocol(summary.points, first))
    for name in others:
        both = [(each, base[point]) for point, each in of_protocol(summary.points, name) if point in base]
        gaps = [difference(delay.value(one), delay.value(other)) for one, other in both]
        if known := [gap.mean / unit.size for gap in gaps if gap is not None]:
            yield delay.heading(unit), f"{name} - {first}", *_ends(known)


def _ends(values: Sequence[float]) -> tuple[str, str, str]:
    return number(min(values)), number(fmean(values)), number(max(values))
