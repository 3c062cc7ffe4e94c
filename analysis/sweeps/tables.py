"""The tables of a sweep's summary: the tables of its points concatenated, and those that only a sweep has."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

from analysis.summary import tables as tidy
from analysis.summary.model import Summary
from analysis.summary.tables import SUMMARY, checked, interval
from analysis.sweeps.axes import Settings
from analysis.sweeps.pairwise import COSTS, Pair, between, dominated_by, pairs
from analysis.sweeps.reader import Failure
from analysis.sweeps.variants import comparisons
from mobilesim.results.layout import BASE, VARIANT

Row = dict[str, Any]
RowAtPoint = tuple[int | None, Settings, Row]

POINTS: Final = "points"
"""The name of the table that is `protocols` in the summary of one scenario."""

PREFIX: Final = "vary."
"""The prefix of columns with varied keys: it keeps their names distinct from the other columns."""

DIFFERENCES: Final = (
    *(pa.field(name, pa.string(), nullable=False) for name in ("left", "right", "metric")),
    pa.field("pairs", pa.int64(), nullable=False),
    *interval("difference"),
    *interval("ratio"),
)
AGAINST: Final = pa.field("against", pa.string(), nullable=False)
TRADE_OFF: Final = (
    pa.field("protocol", pa.string(), nullable=False),
    pa.field("claims_causal", pa.bool_(), nullable=False),
    *(field for cost in COSTS for field in interval(cost)),
    pa.field("dominated_by", pa.string(), nullable=False),
)
FAILURES: Final = (
    *(pa.field(name, pa.string(), nullable=False) for name in ("kind", "run", "protocol")),
    *(pa.field(name, pa.int64(), nullable=False) for name in ("replication", "seed")),
    pa.field("error", pa.string(), nullable=False),
)


def tables(
    keys: Sequence[str], points: Sequence[tuple[Settings, Summary]], failures: Sequence[Failure]
) -> dict[str, pa.Table]:
    """Return all tables. Each row begins with the index of its point and the values of the varied keys."""
    numbered = [(number, point, summary) for number, (point, summary) in enumerate(points)]
    made = [(number, point, tidy.rows(summary)) for number, point, summary in numbered]
    result = {
        _name(name): _table(
            keys, tuple(schema), ((number, point, row) for number, point, rows in made for row in rows[name])
        )
        for name, schema in SUMMARY.items()
    }
    differing = [row for entry in numbered for row in _differences(keys, *entry)]
    result["differences"] = _table(keys, _differing(keys), [*differing, *_from_base(keys, points)])
    result["tradeoff"] = _table(keys, TRADE_OFF, (row for entry in numbered for row in _trade_offs(*entry)))
    numbers = {point: number for number, point, _ in numbered}
    result["failures"] = _table(keys, FAILURES, (_failure(numbers, failure) for failure in failures))
    return result


def schemas(keys: Sequence[str]) -> dict[str, pa.Schema]:
    """Return the schema of each table."""
    own = {"differences": _differing(keys), "tradeoff": TRADE_OFF, "failures": FAILURES}
    shared = {_name(name): tuple(schema) for name, schema in SUMMARY.items()}
    return {name: pa.schema([*_point_columns(keys), *fields]) for name, fields in (shared | own).items()}


def _name(table: str) -> str:
    return POINTS if table == "protocols" else table


def _point_columns(keys: Sequence[str]) -> list[pa.Field]:
    """Return the first columns. `point` is null if no run of the point is complete."""
    names = [pa.field(f"{PREFIX}{key}", pa.string(), nullable=False) for key in keys]
    return [pa.field("point", pa.int64()), *names]


def _table(keys: Sequence[str], fields: Sequence[pa.Field], rows: Iterable[RowAtPoint]) -> pa.Table:
    schema = pa.schema([*_point_columns(keys), *fields])
    names = [f"{PREFIX}{key}" for key in keys]
    full = [{"point": number, **dict(zip(names, point, strict=True)), **row} for number, point, row in rows]
    return checked(pa.Table.from_pylist(full, schema), schema)


def _differing(keys: Sequence[str]) -> tuple[pa.Field, ...]:
    """Return the columns of `differences`. With variants, `against` names the variant of `right`."""
    return (AGAINST, *DIFFERENCES) if VARIANT in keys else DIFFERENCES


def _differences(keys: Sequence[str], number: int, point: Settings, summary: Summary) -> Iterator[RowAtPoint]:
    against = {"against": point[list(keys).index(VARIANT)]} if VARIANT in keys else {}
    for pair in pairs(summary.protocols):
        yield number, point, {**against, **_difference(pair)}


def _from_base(keys: Sequence[str], points: Sequence[tuple[Settings, Summary]]) -> Iterator[RowAtPoint]:
    numbers = {point: number for number, (point, _) in enumerate(points)}
    for comparison in comparisons(keys, points):
        for pair in between(comparison.left, comparison.right):
            yield numbers[comparison.point], comparison.point, {"against": BASE, **_difference(pair)}


def _difference(pair: Pair) -> Row:
    row: Row = {"left": pair.left, "right": pair.right, "metric": pair.metric, "pairs": pair.difference.pairs}
    for end in ("mean", "low", "high"):
        row[f"difference_{end}"] = getattr(pair.difference, end)
        row[f"ratio_{end}"] = None if pair.ratio is None else getattr(pair.ratio, end)
    return row


def _trade_offs(number: int, point: Settings, summary: Summary) -> Iterator[RowAtPoint]:
    dominating = dominated_by(summary.protocols)
    for protocol in summary.protocols:
        by = ", ".join(dominating[protocol.name])
        row: Row = {"protocol": protocol.name, "claims_causal": protocol.claims_causal, "dominated_by": by}
        for cost in COSTS:
            row |= {f"{cost}_{end}": getattr(protocol[cost], end) for end in ("mean", "low", "high")}
        yield number, point, row


def _failure(numbers: dict[Settings, int], failure: Failure) -> RowAtPoint:
    names = ("kind", "run", "protocol", "replication", "seed", "error")
    return numbers.get(failure.point), failure.point, {name: getattr(failure, name) for name in names}
