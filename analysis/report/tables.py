"""The tables of the report."""

from collections.abc import Iterable, Sequence
from html import escape

from analysis.figures.style import STAGES, words
from analysis.headline import key_numbers
from analysis.model import Protocol
from analysis.units import NONE, number, share, show_number, show_time, size
from mobilesim.tables import KINDS, PARTS

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
_DISCONNECTIONS = (
    "protocol",
    "times off",
    "times back",
    "off for",
    "messages waiting on return",
    "until they are delivered",
    "messages dropped each time",
    "dropped in all",
)
_COUNTS = {
    "buffered": "messages that waited at the new station",
    "forwarded": "messages sent on by the old one",
    "retransmitted": "frames sent again",
    "backlog": "earlier hand-offs still under way",
}
_STORED = {
    "copies_peak": "most copies",
    "copies_end": "copies in the end",
    "tombstones_peak": "most marks",
    "tombstones_end": "marks in the end",
}


def key_table(protocols: Sequence[Protocol]) -> str:
    return _table(_COLUMNS, (_key_row(protocol) for protocol in protocols))


def parts_table(protocols: Sequence[Protocol]) -> str:
    rows = ([words(part), *(_part(protocol, part) for protocol in protocols)] for part in PARTS)
    total = ["delay", *(show_time(protocol["delay"]) for protocol in protocols)]
    return "<h3>The same in numbers</h3>" + _table(
        ("mean per delivery", *(protocol.name for protocol in protocols)), [*rows, total]
    )


def handoff_table(protocols: Sequence[Protocol]) -> str:
    """Its stages, its packets, and what became of messages meanwhile."""
    seen = [protocol for protocol in protocols if protocol["move.control_messages"].mean is not None]
    if not seen:
        return ""
    stages = ([name, *(_stage(each, stage) for each in seen)] for stage, (name, _) in STAGES.items())
    total = ["from leaving to the end", *(show_time(each["move.time"]) for each in seen)]
    packets = ([f"{kind}: messages, bytes", *(_packets(each, kind) for each in seen)] for kind in KINDS)
    packets_in_all = ["all: messages, bytes", *(_packets(each, "control") for each in seen)]
    counts = ([told, *(_mean(each, f"move.{name}") for each in seen)] for name, told in _COUNTS.items())
    late = ["left before the end", *(share(each["move.superseded"].mean) for each in seen)]
    columns = ("mean per hand-off", *(protocol.name for protocol in seen))
    return "<h3>The same in numbers</h3>" + _table(columns, [*stages, total, *packets, packets_in_all, *counts, late])


def storage_table(protocols: Sequence[Protocol]) -> str:
    rows = (
        [protocol.name, *(_mean(protocol, f"station.{name}") for name in _STORED)]
        for protocol in protocols
        if protocol["station.copies_peak"].mean
    )
    return _table(("protocol", *_STORED.values()), rows)


def disconnection_table(protocols: Sequence[Protocol]) -> str:
    """Nothing where no host ever switched off."""
    rows = [_disconnections(protocol) for protocol in protocols if protocol["disconnection.waiting"].count]
    return _table(_DISCONNECTIONS, rows) if rows else ""


def _disconnections(protocol: Protocol) -> list[str]:
    off, dropped = protocol["disconnection.time"], protocol["disconnection.dropped"]
    return [
        protocol.name,
        f"{dropped.count:,}",
        f"{off.count:,}",
        show_time(off),
        show_number(protocol["disconnection.waiting"]),
        show_time(protocol["disconnection.draining"]),
        show_number(dropped),
        f"{protocol.dropped:,}",
    ]


def _stage(protocol: Protocol, stage: str) -> str:
    """A hand-off of this protocol may have no such stage."""
    estimate = protocol[f"move.{stage}"]
    return show_time(estimate) if estimate.mean else NONE


def _packets(protocol: Protocol, kind: str) -> str:
    """A hand-off of this protocol may have none of that kind."""
    messages = protocol[f"move.{kind}_messages"].mean
    return f"{number(messages)}, {size(protocol[f'move.{kind}_bytes'].mean)}" if messages else NONE


def _mean(protocol: Protocol, metric: str) -> str:
    mean = protocol[metric].mean
    return NONE if mean is None else number(mean)


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
