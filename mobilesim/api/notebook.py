"""HTML for notebooks."""

from collections.abc import Sequence
from html import escape

from mobilesim.errors import counted


def html_table(columns: Sequence[str], rows: Sequence[Sequence[object]], total: int) -> str:
    """Return a table of the rows, with the total number of rows if it is larger."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    more = f"<p>{len(rows):,} of {counted(total, 'row')}</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{more}"


def paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)
