"""The two tables of the report."""

from collections.abc import Iterable, Sequence
from html import escape

from analysis.figures.style import words
from analysis.headline import key_numbers
from analysis.model import Protocol
from analysis.units import share, show_time
from mobilesim.tables import PARTS

_COLUMNS = (
    "protocol",
    "deliveries",
    "mean delay",
    "95 % within",
    "inhibition",
    "ordering header",
    "hand-off",
    "messages per hand-off",
)


def key_table(protocols: Sequence[Protocol]) -> str:
    return _table(_COLUMNS, (_key_row(protocol) for protocol in protocols))


def parts_table(protocols: Sequence[Protocol]) -> str:
    rows = ([words(part), *(_part(protocol, part) for protocol in protocols)] for part in PARTS)
    total = ["delay", *(show_time(protocol["delay"]) for protocol in protocols)]
    return "<h3>The same in numbers</h3>" + _table(
        ("mean per delivery", *(protocol.name for protocol in protocols)), [*rows, total]
    )


def _key_row(protocol: Protocol) -> list[str]:
    marks = f"\n{protocol.marks}" if protocol.marks else ""
    return [f"{protocol.name}\n{protocol.placement} + {protocol.ordering}{marks}", *key_numbers(protocol)]


def _part(protocol: Protocol, part: str) -> str:
    return f"{show_time(protocol[part])} ({share(protocol.share(part))})"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    """A second line is small print."""
    first, *rest = escape(text).split("\n")
    return first + "".join(f"<br><small>{line}</small>" for line in rest)
