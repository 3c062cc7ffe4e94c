"""`mobilesim verify-results` finds a small change in every column that it does not list as unchecked."""

from pathlib import Path

import pytest

from mobilesim.analysis.verify.unchecked import UNCHECKED, unchecked_table
from mobilesim.results.schema import TABLES
from tests.house.tree import ROOT
from tests.support.generated_blocks import blocks
from tests.support.planted_changes import KINDS, PlantedRuns, write_kind

LISTED = {(table, column) for table, columns in UNCHECKED.items() for column in columns}
COLUMNS = [(table, column) for table, schema in TABLES.items() for column in schema.names]


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_found_in_every_column_that_is_not_listed(kind: str, tmp_path: Path) -> None:
    """A new column needs a check in `analysis/verify`. If there cannot be one, it is listed with the reason in
    `analysis/verify/unchecked.py`.
    """
    planted = PlantedRuns(write_kind(tmp_path, kind))
    missed = [text for each in COLUMNS if each not in LISTED for text in planted.unnoticed(*each)]
    assert missed == [], "these changes are not found; add a check, or list the columns as unchecked"


@pytest.mark.full
def test_every_listed_column_has_a_change_that_is_not_found(tmp_path: Path) -> None:
    """A column in which every change is found is removed from `analysis/verify/unchecked.py`."""
    always_found = set(LISTED)
    for kind in KINDS:
        planted = PlantedRuns(write_kind(tmp_path, kind))
        always_found -= {each for each in always_found if next(planted.unnoticed(*each), None)}
    assert always_found == set()


def test_the_list_has_columns_of_the_tables_only() -> None:
    for table, columns in UNCHECKED.items():
        assert columns.keys() <= set(TABLES[table].names)


def test_the_page_on_verification_has_the_list() -> None:
    """`python -m tests.house.tables_page` writes the list again."""
    page = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
    assert blocks(page)["unchecked"] == unchecked_table()
