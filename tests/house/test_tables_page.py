"""The pages on tables and measurements agree with the registries of columns, quantities and metrics."""

import re

import pytest

from mobilesim.analysis.summary.metrics import METRICS
from mobilesim.results.quantities import DELAY_PARTS, HANDOFF_PACKETS, HANDOFF_STAGES
from mobilesim.results.schema import COLUMNS, RUN, TABLES
from tests.house.tables_page import PATH, SECTION, block
from tests.house.tree import ROOT

PAGE = PATH.read_text(encoding="utf-8")
MEASUREMENTS = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")


def test_every_table_has_a_block_and_a_description_of_its_rows() -> None:
    found = {match["table"]: match["rows"] for match in SECTION.finditer(PAGE)}
    assert list(found) == list(TABLES)
    assert all(rows.startswith("one row per ") for rows in found.values())


@pytest.mark.parametrize("table", TABLES)
def test_a_block_agrees_with_the_schema(table: str) -> None:
    """After a change of the schema, `python -m tests.house.tables_page` writes the blocks again."""
    found = {match["table"]: match["block"] for match in SECTION.finditer(PAGE)}
    assert found[table] == block(table)


@pytest.mark.parametrize("table", TABLES)
def test_every_column_has_a_description_and_a_known_unit(table: str) -> None:
    for column in COLUMNS[table]:
        assert column.description
        assert column.unit in {"", "ns", "s", "B", "J"}
        assert (column.unit == "B") == (column.name == "bytes" or column.name.endswith("_bytes"))
        assert (column.unit == "J") == (column.name == "battery" or column.name.startswith("energy_"))


def test_in_the_table_of_hand_offs_only_times_may_be_null() -> None:
    times = [column for column in COLUMNS["handoffs"] if column.unit == "ns"]
    assert {column.name for column in times if column.nullable} == {
        field.name for field in TABLES["handoffs"] if field.nullable
    }
    assert len(times) == len(TABLES["handoffs"]) - len(RUN) - 4 - 2 * (len(HANDOFF_PACKETS) + 1) - 7


def test_the_page_on_measurements_has_a_row_for_every_delay_part_in_order() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \|$", MEASUREMENTS, re.MULTILINE)
    assert [name for name in dict.fromkeys(rows) if name in DELAY_PARTS] == list(DELAY_PARTS)


@pytest.mark.parametrize("table", COLUMNS)
def test_the_page_on_measurements_mentions_every_column(table: str) -> None:
    generated = {f"{name}_{what}" for name in HANDOFF_PACKETS for what in ("messages", "bytes")}
    own = {column.name for column in COLUMNS[table]} - generated
    if table == "hosts":
        own -= {name for name in own if name.startswith(("sent_", "received_", "energy_"))} | {"host"}
    if table == "stations":
        own -= {"station"}
    missing = {name for name in own if f"`{name}`" not in MEASUREMENTS}
    assert missing == set()


def test_the_page_on_measurements_names_every_stage_of_a_hand_off() -> None:
    assert all(f"`{stage}`" in MEASUREMENTS for stage in HANDOFF_STAGES)


def test_every_metric_has_a_label_and_no_two_metrics_have_the_same_column() -> None:
    assert all(metric.label for metric in METRICS.values())
    columns = [metric.column for metric in METRICS.values() if metric.column]
    assert len(columns) == len(set(columns))
