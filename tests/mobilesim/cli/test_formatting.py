"""Text tables on terminals of any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.api.text_tables import aligned, terminal_width
from mobilesim.errors import counted

ROWS = [["name", "count", "what"], ["a", "1,000", "words"], ["longer", "7", "more words"]]


def test_text_is_left_aligned_and_numbers_are_right_aligned() -> None:
    assert aligned(ROWS, numbers=[1]) == [
        "name    count  what",
        "a       1,000  words",
        "longer      7  more words",
    ]


def test_a_wide_table_is_folded_and_each_part_repeats_the_first_column() -> None:
    assert aligned(ROWS, numbers=[1], width=20) == [
        "name    count",
        "a       1,000",
        "longer      7",
        "",
        "name    what",
        "a       words",
        "longer  more words",
    ]


@pytest.mark.parametrize("width", (25, 26, 80))
def test_a_table_that_fits_is_not_folded(width: int) -> None:
    assert aligned(ROWS, width=width) == aligned(ROWS)


def test_without_a_terminal_lines_are_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "66")
    assert terminal_width() is None
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert terminal_width() == 66


@given(
    st.lists(st.lists(st.text("xyz", min_size=1, max_size=9), min_size=5, max_size=5), min_size=1, max_size=4),
    st.integers(1, 60),
)
def test_folding_keeps_every_cell_and_limits_the_width(rows: list[list[str]], width: int) -> None:
    lines = aligned(rows, width=width)
    parts = [part.split("\n") for part in "\n".join(lines).split("\n\n")]
    found = [[cell for part in parts for cell in part[place].split()[1:]] for place in range(len(rows))]
    assert found == [row[1:] for row in rows]
    assert all(len(line) <= width or len(line.split()) == 2 for line in lines)


@pytest.mark.parametrize(
    ("noun", "several"),
    (
        ("run", "2,000 runs"),
        ("delivery", "2,000 deliveries"),
        ("causal violation", "2,000 causal violations"),
        ("process", "2,000 processes"),
        ("key", "2,000 keys"),
    ),
)
def test_a_count_has_its_noun_in_the_singular_or_the_plural(noun: str, several: str) -> None:
    assert (counted(1, noun), counted(2_000, noun)) == (f"1 {noun}", several)
