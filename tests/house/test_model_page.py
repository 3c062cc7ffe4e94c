"""The page on assumptions agrees with their registry."""

from tests.house.model_page import PATH, table
from tests.support.generated_blocks import blocks


def test_the_table_of_assumptions_agrees_with_the_registry() -> None:
    """After a change of the registry, `python -m tests.house.model_page` writes the table again."""
    assert blocks(PATH.read_text(encoding="utf-8")) == {"assumptions": table()}
