"""The page on the tables says of every column that there is, and of no other, what it is."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import pyarrow as pa
import pytest

from mobilesim.results.quantities import DELAY_PARTS, HANDOFF_PACKETS
from mobilesim.results.schema import RUN, TABLES
from tests.house.tree import ROOT

PAGE: Final = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
SECTION: Final = re.compile(r"^### `(?P<table>\w+)`: (?P<rows>.*)\n\n(?P<block>(?:\|.*\n)+)", re.MULTILINE)
ROW: Final = re.compile(r"\| `(?P<name>\w+)` \| (?P<kind>[^|]+?) \| (?P<unit>\w*) ?\| (?P<words>[^|]+?) \|")
HEAD: Final = ["| column | type | unit | what |", "|---|---|---|---|"]
SIMPLE: Final = {pa.int32(): "int32", pa.int64(): "int64", pa.float64(): "float64", pa.bool_(): "bool"}


class Column(NamedTuple):
    name: str
    kind: str
    unit: str
    words: str


def blocks(page: str) -> dict[str, list[str]]:
    return {found["table"]: found["block"].splitlines() for found in SECTION.finditer(page)}


def columns(lines: list[str]) -> Iterator[Column]:
    for line in lines:
        found = ROW.fullmatch(line)
        assert found is not None, line
        yield Column(*found.groups())


def described(table: str) -> list[Column]:
    return list(columns(blocks(PAGE)[table][len(HEAD) :]))


def kind(field: pa.Field) -> str:
    if pa.types.is_dictionary(field.type):
        said = "name"
    elif pa.types.is_list(field.type):
        said = f"list of {SIMPLE[field.type.value_type]}"
    else:
        said = SIMPLE[field.type]
    return f"{said} or null" if field.nullable else said


def unit(name: str) -> str | None:
    """What follows from a name alone."""
    if name == "bytes" or name.endswith("_bytes"):
        return "B"
    if name.startswith("energy_"):
        return "J"
    counted = name.endswith(("_messages", "_integers", "_units", "_peak", "_mean", "_most", "_packets", "_station"))
    return (
        ""
        if counted
        else "ns"
        if name in {*DELAY_PARTS, "delay", "submitted", "delivered", "left", "complete"}
        else None
    )


def test_every_table_has_its_block_and_a_word_about_its_rows() -> None:
    found = {match["table"]: match["rows"] for match in SECTION.finditer(PAGE)}
    assert list(found) == list(TABLES)
    assert all(rows.startswith("one row per ") for rows in found.values())
    assert all(lines[: len(HEAD)] == HEAD for lines in blocks(PAGE).values())


@pytest.mark.parametrize("table", TABLES)
def test_a_block_has_the_columns_of_its_table_in_their_order_and_with_their_types(table: str) -> None:
    own = list(TABLES[table])[len(RUN) :]
    assert [(column.name, column.kind) for column in described(table)] == [(field.name, kind(field)) for field in own]


@pytest.mark.parametrize("table", TABLES)
def test_a_column_has_the_unit_that_its_name_tells(table: str) -> None:
    for column in described(table):
        expected = unit(column.name)
        counts = table == "hosts" and column.name in {"submitted", "delivered"}
        assert column.unit == ("" if counts else column.unit if expected is None else expected), column
        assert column.unit in {"", "ns", "s", "B", "J"}


def test_moments_and_only_they_may_be_null_where_hand_offs_are_described() -> None:
    moments = [column for column in described("handoffs") if column.unit == "ns"]
    assert {column.name for column in moments if column.kind.endswith("or null")} == {
        field.name for field in TABLES["handoffs"] if field.nullable
    }
    assert len(moments) == len(TABLES["handoffs"]) - len(RUN) - 4 - 2 * (len(HANDOFF_PACKETS) + 1) - 7


@pytest.mark.parametrize(
    "line", ("| `host` | int32 | | |", "| `host` | | | that moved |", "| host | int32 |  | that moved |")
)
def test_a_line_that_leaves_something_out_is_found(line: str) -> None:
    with pytest.raises(AssertionError):
        list(columns([line]))
