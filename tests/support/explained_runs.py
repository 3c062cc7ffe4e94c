"""Explanations of the deliveries of real runs, and the rule that every level of an explanation adds up."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from mobilesim.analysis.sweeps.one_run import find_run
from mobilesim.causes.cause import Cause
from mobilesim.causes.delay_causes import DelayCauses
from mobilesim.causes.explanation import Explanation
from mobilesim.causes.tables import RunTables
from mobilesim.results.quantities import DELAY_PARTS
from tests.support.simulations import Row


def tables_of(directory: Path, protocol: str | None = None) -> RunTables:
    found = find_run(directory, protocol, 0)
    return RunTables(found, found.row)


def explanations(tables: RunTables, count: int | None = None) -> Iterator[tuple[Row, Explanation]]:
    """Yield the rows with the longest delays, or all rows, each with its explanation."""
    causes = DelayCauses(tables)
    rows = find_rows(tables)
    for row in tables.latest(len(rows) if count is None else count):
        yield rows[row], causes.explain(row)


def find_rows(tables: RunTables) -> list[Row]:
    """Return the rows of `deliveries` as they are in the file."""
    rows: list[Row] = tables.reader.read("deliveries").to_pylist()
    return rows


def require_sums(row: Row, explanation: Explanation) -> None:
    """Require that the causes of each level fill the time of the level above without gaps or overlaps, and that the
    first level has the parts of the row.
    """
    require_no_gap(explanation.causes, row["submitted"], row["delivered"])
    assert explanation.parts == {part: row[part] for part in DELAY_PARTS if row[part]}, row


def require_no_gap(causes: Sequence[Cause], begin: int, end: int) -> None:
    for cause in causes:
        assert cause.begin == begin < cause.end, cause
        begin = cause.end
        if cause.causes:
            require_no_gap(cause.causes, cause.begin, cause.end)
    assert begin == end


def every(causes: Sequence[Cause]) -> Iterator[Cause]:
    """Yield all causes of some trees."""
    for cause in causes:
        yield cause
        yield from every(cause.causes)
