"""The blocks of `docs/tables.md`, one per trace table, made from the schema; and the unchecked columns on another page.

`python -m tests.house.tables_page` writes them into the pages.
"""

import re
from typing import Final

import pyarrow as pa

from mobilesim.analysis.verify.unchecked import unchecked_table
from mobilesim.results.schema import COLUMNS, Column
from tests.house.tree import ROOT
from tests.support.generated_blocks import renewed

PATH: Final = ROOT / "docs" / "tables.md"
VERIFICATION: Final = ROOT / "docs" / "verify.md"
SECTION: Final = re.compile(r"^### `(?P<table>\w+)`: (?P<rows>.*)\n\n(?P<block>(?:\|.*\n)+)", re.MULTILINE)
HEAD: Final = "| column | type | unit | what |\n|---|---|---|---|\n"


def block(table: str) -> str:
    return HEAD + "".join(map(_line, COLUMNS[table]))


def page(text: str) -> str:
    """Return the page with all blocks generated again."""
    return SECTION.sub(lambda found: found[0].replace(found["block"], block(found["table"])), text)


def _line(column: Column) -> str:
    return f"| `{column.name}` | {_type(column)} | {column.unit} | {column.description} |\n"


def _type(column: Column) -> str:
    if pa.types.is_dictionary(column.type):
        name = "name"
    elif pa.types.is_list(column.type):
        name = f"list of {column.type.value_type}"
    else:
        name = {pa.bool_(): "bool", pa.float64(): "float64"}.get(column.type, str(column.type))
    return f"{name} or null" if column.nullable else name


if __name__ == "__main__":
    PATH.write_text(page(PATH.read_text(encoding="utf-8")), encoding="utf-8")
    text = VERIFICATION.read_text(encoding="utf-8")
    VERIFICATION.write_text(renewed(text, lambda _: unchecked_table()), encoding="utf-8")
