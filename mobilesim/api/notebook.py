"""HTML for notebooks."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any


def html_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], total: int) -> str:
    """Return a table of the rows, with the total number of rows if it is larger."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(str(row[name]))}</td>' for name in columns)}</tr>" for row in rows)
    more = f"<p>{len(rows):,} of {total:,} rows</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{more}"
