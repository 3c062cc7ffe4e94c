"""The two tables of the report."""

from collections.abc import Iterable, Sequence
from html import escape

from analysis.figures.style import words
from analysis.model import Protocol
from analysis.pool import Estimate
from analysis.schemas import DELAY_PARTS
from analysis.tidy import percentile
from analysis.units import duration, number, share, size_unit, spread, time_unit

_COLUMNS = ("protocol", "deliveries", "mean delay", "95 % within", "inhibition", "ordering header", "hand-off", "messages per hand-off")


def key_table(protocols: Sequence[Protocol]) -> str:
    return _table(_COLUMNS, (_key_row(protocol) for protocol in protocols))


def parts_table(protocols: Sequence[Protocol]) -> str:
    rows = ([words(part), *(_part(protocol, part) for protocol in protocols)] for part in DELAY_PARTS)
    total = ["delay", *(time(protocol["delay"]) for protocol in protocols)]
    return "<h3>The same in numbers</h3>" + _table(("mean per delivery", *(protocol.name for protocol in protocols)), [*rows, total])


def time(estimate: Estimate) -> str:
    return spread(estimate.mean, estimate.low, estimate.high, time_unit(estimate.mean or 0))


def bytes_of(estimate: Estimate) -> str:
    return spread(estimate.mean, estimate.low, estimate.high, size_unit(estimate.mean or 0))


def _key_row(protocol: Protocol) -> list[str]:
    messages = protocol["move.control_messages"].mean
    return [
        f"{protocol.name} ({protocol.placement} × {protocol.ordering})",
        f"{protocol.deliveries:,}",
        time(protocol["delay"]),
        duration(percentile(protocol["delay"], 95)),
        time(protocol["inhibition"]),
        bytes_of(protocol["header_bytes"]),
        time(protocol["move.time"]),
        "–" if messages is None else number(messages),
    ]


def _part(protocol: Protocol, part: str) -> str:
    return f"{time(protocol[part])} ({share(protocol.share(part))})"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
