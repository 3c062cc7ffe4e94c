"""The tables of a sweep's summary: the concatenated tables of its points, and tables that only a sweep has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from mobilesim.analysis.statistics.estimate import difference, ratio
from mobilesim.analysis.summary import tables as tidy
from mobilesim.analysis.summary.metrics import MEANS
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.summary.tables import SUMMARY, fields, interval
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.designs.indices import indices_table
from mobilesim.analysis.sweeps.designs.refined_crossings import crossings_table
from mobilesim.analysis.sweeps.ranking import ORDERING_COSTS, dominated_by
from mobilesim.results.layout import BASE, VARIANT
from mobilesim.results.quantities import DELAY_PARTS

if TYPE_CHECKING:
    from mobilesim.analysis.sweeps.model import SweepSummary

Row = dict[str, Any]
RowAtPoint = tuple[Settings, Row]

POINTS: Final = "points"
"""The table of a sweep that corresponds to the table `protocols` of one scenario."""

COMPARED: Final = {**MEANS, **{part: part for part in DELAY_PARTS}}
"""The compared metrics by column: all means of the table `protocols`, and all delay parts."""

PREFIX: Final = "vary."
"""The prefix of columns with varied keys: it keeps their names distinct from the other columns."""

DIFFERENCES: Final = (
    *fields(pa.string(), "left", "right", "metric"),
    *fields(pa.int64(), "pairs"),
    *interval("difference", "ratio"),
)
AGAINST: Final = pa.field("against", pa.string(), nullable=False)
TRADE_OFF: Final = (
    *fields(pa.string(), "protocol"),
    *fields(pa.bool_(), "claims_causal"),
    *interval(*(cost.name for cost in ORDERING_COSTS)),
    *fields(pa.string(), "dominated_by"),
)
FAILURES: Final = (
    *fields(pa.string(), "kind", "run", "protocol"),
    *fields(pa.int64(), "replication", "seed"),
    *fields(pa.string(), "error"),
)


def tables(summary: "SweepSummary") -> dict[str, pa.Table]:
    """Return all tables. Each row begins with the index of its point and the values of the varied keys."""
    made = [(point, tidy.rows(at_point)) for point, at_point in summary.points]
    shared = {name: [(point, row) for point, rows in made for row in rows[name]] for name in SUMMARY}
    differing = (AGAINST, *DIFFERENCES) if VARIANT in summary.keys else DIFFERENCES
    return {
        **{
            POINTS if name == "protocols" else name: _table(summary, tuple(schema), shared[name])
            for name, schema in SUMMARY.items()
        },
        # With variants, `against` names the variant of `right`.
        "differences": _table(summary, differing, [*_differences(summary), *_from_base(summary)]),
        "tradeoff": _table(summary, TRADE_OFF, _trade_offs(summary)),
        **({"crossings": crossings_table(summary.crossings)} if summary.refine else {}),
        **({"indices": indices_table(summary.indices)} if summary.indices else {}),
        "failures": _table(summary, FAILURES, ((each.point, asdict(each)) for each in summary.failures)),
    }


def _table(summary: "SweepSummary", fields: Sequence[pa.Field], rows: Iterable[RowAtPoint]) -> pa.Table:
    """Return a table of rows, with their points. `point` is null if no run of the point is complete."""
    numbers = {point: number for number, (point, _) in enumerate(summary.points)}
    names = [f"{PREFIX}{key}" for key in summary.keys]
    varied = [pa.field(name, pa.string(), nullable=False) for name in names]
    schema = pa.schema([pa.field("point", pa.int64()), *varied, *fields])
    full = [{**row, "point": numbers.get(point), **dict(zip(names, point, strict=True))} for point, row in rows]
    return pa.Table.from_pylist(full, schema)


def _differences(summary: "SweepSummary") -> Iterator[RowAtPoint]:
    """Yield the differences between each protocol and each earlier protocol in the list."""
    for point, at_point in summary.points:
        against = {"against": point[summary.keys.index(VARIANT)]} if VARIANT in summary.keys else {}
        for right, left in combinations(at_point.protocols, 2):
            yield from ((point, {**against, **row}) for row in _compared(left, right))


def _from_base(summary: "SweepSummary") -> Iterator[RowAtPoint]:
    for each in summary.comparisons:
        yield from ((each.point, {"against": BASE, **row}) for row in _compared(each.left, each.right))


def _compared(left: ProtocolSummary, right: ProtocolSummary) -> Iterator[Row]:
    """Yield the differences of two protocols, also at different points: all points use the same random numbers."""
    for name, metric in COMPARED.items():
        gap = difference(left[metric], right[metric])
        if gap is not None:
            intervals = tidy.means({"difference": gap, "ratio": ratio(left[metric], right[metric])})
            yield {"left": left.name, "right": right.name, "metric": name, "pairs": gap.pairs, **intervals}


def _trade_offs(summary: "SweepSummary") -> Iterator[RowAtPoint]:
    for point, at_point in summary.points:
        dominating = dominated_by(at_point.protocols)
        for protocol in at_point.protocols:
            costs = tidy.means({cost.name: cost.value(protocol) for cost in ORDERING_COSTS})
            row = {"protocol": protocol.name, "claims_causal": protocol.claims_causal, **costs}
            yield point, {**row, "dominated_by": ", ".join(dominating[protocol.name])}
