"""The tables of a sweep's summary: those of every point one below the other, and what only a sweep has."""

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
Placed = tuple[int | None, Settings, Row]

POINTS: Final = "points"
"""Where a summary of one scenario has `protocols`."""

PREFIX: Final = "vary."
"""Before a key, which may be called like any other column."""

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
    """Each row begins with the number of its point, and with what is varied there."""
    places = [(number, point, summary) for number, (point, summary) in enumerate(points)]
    made = [(number, point, tidy.rows(summary)) for number, point, summary in places]
    found = {
        _name(name): _table(
            keys, tuple(schema), ((number, point, row) for number, point, rows in made for row in rows[name])
        )
        for name, schema in SUMMARY.items()
    }
    apart = [row for place in places for row in _differences(keys, *place)]
    found["differences"] = _table(keys, _differing(keys), [*apart, *_from_base(keys, points)])
    found["tradeoff"] = _table(keys, TRADE_OFF, (row for place in places for row in _trade_offs(*place)))
    numbers = {point: number for number, point, _ in places}
    found["failures"] = _table(keys, FAILURES, (_failure(numbers, each) for each in failures))
    return found


def schemas(keys: Sequence[str]) -> dict[str, pa.Schema]:
    """Of every table."""
    own = {"differences": _differing(keys), "tradeoff": TRADE_OFF, "failures": FAILURES}
    shared = {_name(name): tuple(schema) for name, schema in SUMMARY.items()}
    return {name: pa.schema([*_about(keys), *fields]) for name, fields in (shared | own).items()}


def _name(table: str) -> str:
    return POINTS if table == "protocols" else table


def _about(keys: Sequence[str]) -> list[pa.Field]:
    """A point at which nothing was ever complete has no number."""
    names = [pa.field(f"{PREFIX}{key}", pa.string(), nullable=False) for key in keys]
    return [pa.field("point", pa.int64()), *names]


def _table(keys: Sequence[str], fields: Sequence[pa.Field], rows: Iterable[Placed]) -> pa.Table:
    schema = pa.schema([*_about(keys), *fields])
    names = [f"{PREFIX}{key}" for key in keys]
    full = [{"point": number, **dict(zip(names, point, strict=True)), **row} for number, point, row in rows]
    return checked(pa.Table.from_pylist(full, schema), schema)


def _differing(keys: Sequence[str]) -> tuple[pa.Field, ...]:
    """Of variants it has to be said whose `right` is."""
    return (AGAINST, *DIFFERENCES) if VARIANT in keys else DIFFERENCES


def _differences(keys: Sequence[str], number: int, point: Settings, summary: Summary) -> Iterator[Placed]:
    against = {"against": point[list(keys).index(VARIANT)]} if VARIANT in keys else {}
    for pair in pairs(summary.protocols):
        yield number, point, {**against, **_difference(pair)}


def _from_base(keys: Sequence[str], points: Sequence[tuple[Settings, Summary]]) -> Iterator[Placed]:
    numbers = {point: number for number, (point, _) in enumerate(points)}
    for each in comparisons(keys, points):
        for pair in between(each.left, each.right):
            yield numbers[each.point], each.point, {"against": BASE, **_difference(pair)}


def _difference(pair: Pair) -> Row:
    row: Row = {"left": pair.left, "right": pair.right, "metric": pair.metric, "pairs": pair.difference.pairs}
    for end in ("mean", "low", "high"):
        row[f"difference_{end}"] = getattr(pair.difference, end)
        row[f"ratio_{end}"] = None if pair.ratio is None else getattr(pair.ratio, end)
    return row


def _trade_offs(number: int, point: Settings, summary: Summary) -> Iterator[Placed]:
    beaten = dominated_by(summary.protocols)
    for protocol in summary.protocols:
        by = ", ".join(beaten[protocol.name])
        row: Row = {"protocol": protocol.name, "claims_causal": protocol.claims_causal, "dominated_by": by}
        for cost in COSTS:
            row |= {f"{cost}_{end}": getattr(protocol[cost], end) for end in ("mean", "low", "high")}
        yield number, point, row


def _failure(numbers: dict[Settings, int], failure: Failure) -> Placed:
    names = ("kind", "run", "protocol", "replication", "seed", "error")
    return numbers.get(failure.point), failure.point, {name: getattr(failure, name) for name in names}
