"""The tables of a sweep's summary: the tables of its points concatenated, and those that only a sweep has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from analysis.statistics.estimate import Estimate
from analysis.statistics.paired_differences import Difference, Ratio, difference, ratio
from analysis.summary import tables as tidy
from analysis.summary.metrics import MEANS
from analysis.summary.model import ProtocolSummary, Summary
from analysis.summary.tables import SUMMARY, as_table, fields, interval
from analysis.sweeps.axes import Settings
from analysis.sweeps.ranking import ORDERING_COSTS, dominated_by
from analysis.sweeps.reader import Failure
from mobilesim.results.layout import BASE, VARIANT
from mobilesim.results.quantities import DELAY_PARTS

if TYPE_CHECKING:
    from analysis.sweeps.model import SweepSummary

Row = dict[str, Any]
RowAtPoint = tuple[int | None, Settings, Row]

POINTS: Final = "points"
"""The name of the table that is `protocols` in the summary of one scenario."""

COMPARED: Final = {**MEANS, **{part: part for part in DELAY_PARTS}}
"""The column of each mean, and its metric. Inhibition is a delay part and a mean of its own."""

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
    keys, differing = summary.keys, (AGAINST, *DIFFERENCES) if VARIANT in summary.keys else DIFFERENCES
    numbered = [(number, point, at_point) for number, (point, at_point) in enumerate(summary.points)]
    rows: dict[str, list[RowAtPoint]] = {name: [] for name in SUMMARY}
    for number, point, at_point in numbered:
        for name, several in tidy.rows(at_point).items():
            rows[name] += [(number, point, row) for row in several]
    numbers = {point: number for number, point, _ in numbered}
    return {
        **{
            POINTS if name == "protocols" else name: _table(keys, tuple(schema), rows[name])
            for name, schema in SUMMARY.items()
        },
        # With variants, `against` names the variant of `right`.
        "differences": _table(keys, differing, [*_differences(keys, numbered), *_from_base(summary, numbers)]),
        "tradeoff": _table(keys, TRADE_OFF, (row for entry in numbered for row in _trade_offs(*entry))),
        "failures": _table(keys, FAILURES, (_failure(numbers, failure) for failure in summary.failures)),
    }


def _table(keys: Sequence[str], fields: Sequence[pa.Field], rows: Iterable[RowAtPoint]) -> pa.Table:
    """`point` is null if no run of the point is complete."""
    names = [f"{PREFIX}{key}" for key in keys]
    varied = [pa.field(name, pa.string(), nullable=False) for name in names]
    schema = pa.schema([pa.field("point", pa.int64()), *varied, *fields])
    full = [{"point": number, **dict(zip(names, point, strict=True)), **row} for number, point, row in rows]
    return as_table(full, schema)


def _differences(keys: Sequence[str], numbered: Iterable[tuple[int, Settings, Summary]]) -> Iterator[RowAtPoint]:
    """Compare each protocol with each earlier one in the list."""
    for number, point, summary in numbered:
        against = {"against": point[keys.index(VARIANT)]} if VARIANT in keys else {}
        for right, left in combinations(summary.protocols, 2):
            yield from ((number, point, {**against, **row}) for row in _compared(left, right))


def _from_base(summary: "SweepSummary", numbers: Mapping[Settings, int]) -> Iterator[RowAtPoint]:
    for each in summary.comparisons:
        for row in _compared(each.left, each.right):
            yield numbers[each.point], each.point, {"against": BASE, **row}


def _compared(left: ProtocolSummary, right: ProtocolSummary) -> Iterator[Row]:
    """Compare two protocols, also of different points: a replication has the same random numbers at all points."""
    for name, metric in COMPARED.items():
        gap = difference(left[metric], right[metric])
        if gap is not None:
            ends = {**_ends("difference", gap), **_ends("ratio", ratio(left[metric], right[metric]))}
            yield {"left": left.name, "right": right.name, "metric": name, "pairs": gap.pairs, **ends}


def _ends(name: str, value: Estimate | Difference | Ratio | None) -> Row:
    return {f"{name}_{end}": getattr(value, end, None) for end in ("mean", "low", "high")}


def _trade_offs(number: int, point: Settings, summary: Summary) -> Iterator[RowAtPoint]:
    dominating = dominated_by(summary.protocols)
    for protocol in summary.protocols:
        row: Row = {"protocol": protocol.name, "claims_causal": protocol.claims_causal}
        for cost in ORDERING_COSTS:
            row |= _ends(cost.name, cost.value(protocol))
        yield number, point, {**row, "dominated_by": ", ".join(dominating[protocol.name])}


def _failure(numbers: Mapping[Settings, int], failure: Failure) -> RowAtPoint:
    names = ("kind", "run", "protocol", "replication", "seed", "error")
    return numbers.get(failure.point), failure.point, {name: getattr(failure, name) for name in names}
