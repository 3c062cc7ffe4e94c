"""The tables of the report on a run."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from analysis.summary.formatting import NONE, duration, number, share, show_energy, show_number, show_time, size
from analysis.summary.metrics import CLOCK_ERRORS, key_figures
from analysis.summary.model import ClockResult, ProtocolSummary, Summary, clock_results
from mobilesim.results.quantities import (
    BYTE_PURPOSES,
    DELAY_PARTS,
    ENERGY_USES,
    HANDOFF_PACKETS,
    HANDOFF_STAGES,
    MEDIA,
)

Protocols = Sequence[ProtocolSummary]

_PERCENTILES: Final = {50: "median", 90: "p90", 99: "p99", 100: "maximum"}
_HANDOFF_COUNTS: Final = {
    "buffered": "messages buffered at the new station",
    "forwarded": "messages forwarded by the old station",
    "retransmitted": "frames retransmitted",
    "backlog": "earlier hand-offs still in progress",
}
_DISCONNECTIONS: Final = (
    *("protocol", "disconnections", "reconnections", "time disconnected", "messages waiting on return"),
    *("time until they are delivered", "discarded per disconnection", "discarded in total"),
)
_BATTERIES: Final = ("protocol", "hosts out of energy", "first after", "battery lifetime")
_STORED: Final = {
    "copies_peak": "copies, maximum",
    "copies_end": "copies, at the end",
    "tombstones_peak": "tombstones, maximum",
    "tombstones_end": "tombstones, at the end",
}
_CLOCKS: Final = ("passive clock", "integers kept by a process", "integers on a message", "relative to FM")
_WRONG: Final = {"spurious": "false orderings"}

FEW: Final = 3
"""Up to so many protocols have a sentence each; with more, a table has those between the extremes."""
_WIDTH: Final = 112
"""Characters across a page."""
_GAP: Final = 3
_LABELS: Final = 20
"""Characters for a column of labels, which may break between words."""


def key_table(summary: Summary) -> str:
    figures = [key_figures(protocol, has_handoffs=summary.has_handoffs) for protocol in summary.protocols]
    names = (
        "\n".join(filter(None, (each.name, f"{each.placement} + {each.ordering}", each.incomplete_runs)))
        for each in summary.protocols
    )
    rows = [[name, *values.values()] for name, values in zip(names, figures, strict=True)]
    return table(("protocol", *figures[0]), rows)


def parts_table(summary: Summary) -> str:
    protocols = summary.protocols
    total = ["delay", *(show_time(protocol["delay"]) for protocol in protocols)]
    parts = (
        [DELAY_PARTS[part].label, *(f"{show_time(each[part])}\n{share(each.share(part))}" for each in protocols)]
        for part in summary.parts
    )
    return _by_protocol("mean per delivery", protocols, [total, *parts])


def distribution_table(protocols: Protocols) -> str:
    """Return '' if every protocol has a sentence."""
    seen = [protocol for protocol in protocols if protocol["delay"].percentiles]
    rows = ([each.name, *(duration(each["delay"].percentile(percent)) for percent in _PERCENTILES)] for each in seen)
    return table(("delay", *_PERCENTILES.values()), rows) if len(seen) > FEW else ""


def traffic_table(protocols: Protocols) -> str:
    """Return '' if every protocol has a sentence."""
    seen = [protocol for protocol in protocols if protocol["wired.total"].mean is not None]
    columns = ("bytes per delivery", *(purpose.label for purpose in BYTE_PURPOSES.values()), "total")
    return table(columns, map(_traffic_row, seen)) if len(seen) > FEW else ""


def _traffic_row(protocol: ProtocolSummary) -> list[str]:
    amounts = [
        sum(protocol[f"{medium}.{purpose}"].mean or 0 for medium in MEDIA) for purpose in (*BYTE_PURPOSES, "total")
    ]
    return [protocol.name, *(size(amount) if amount else NONE for amount in amounts)]


def energy_table(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["host.energy"].mean]
    used = [part for part in ENERGY_USES if any(protocol[f"energy.{part}"].mean for protocol in seen)]
    total = ["total", *(show_energy(protocol["host.energy"]) for protocol in seen)]
    parts = ([ENERGY_USES[part].label, *(_energy(protocol, f"energy.{part}") for protocol in seen)] for part in used)
    return _by_protocol("energy per delivery", seen, [total, *parts])


def _energy(protocol: ProtocolSummary, metric: str) -> str:
    energy, total = protocol[metric], protocol["host.energy"].mean
    return f"{show_energy(energy)}\n{share(energy.mean / total)}" if energy.mean and total else NONE


def battery_table(protocols: Protocols) -> str:
    rows = (
        [
            protocol.name,
            show_number(protocol["host.died"]),
            show_time(protocol["host.first_death"]),
            show_time(protocol["host.life"]),
        ]
        for protocol in protocols
        if protocol["host.life"].mean is not None
    )
    return table(_BATTERIES, rows)


def handoff_table(protocols: Protocols) -> str:
    """Return the stages of a hand-off, its packets by kind, and what happened to messages meanwhile."""
    seen = [protocol for protocol in protocols if protocol["move.control_messages"].mean is not None]
    stages = ([stage.label, *(_stage(each, name) for each in seen)] for name, stage in HANDOFF_STAGES.items())
    total = ["total, from leaving the cell", *(show_time(each["move.time"]) for each in seen)]
    packets = (
        [f"{kind.label}: packets, bytes", *(_packets(each, name) for each in seen)]
        for name, kind in HANDOFF_PACKETS.items()
    )
    all_packets = ["all: packets, bytes", *(_packets(each, "control") for each in seen)]
    counts = ([label, *(_mean(each, f"move.{name}") for each in seen)] for name, label in _HANDOFF_COUNTS.items())
    superseded = ["superseded by the next move", *(share(each["move.superseded"].mean) for each in seen)]
    rows = [*stages, total, *packets, all_packets, *counts, superseded]
    return _by_protocol("mean per hand-off", seen, rows) if seen else ""


def _stage(protocol: ProtocolSummary, stage: str) -> str:
    """Show a dash for a stage that the protocol's hand-off does not have."""
    estimate = protocol[f"move.{stage}"]
    return show_time(estimate) if estimate.mean else NONE


def _packets(protocol: ProtocolSummary, kind: str) -> str:
    """Show a dash for a kind of packet that the protocol's hand-off does not have."""
    packets = protocol[f"move.{kind}_messages"].mean
    return f"{number(packets)}, {size(protocol[f'move.{kind}_bytes'].mean)}" if packets else NONE


def storage_table(protocols: Protocols) -> str:
    rows = (
        [protocol.name, *(_mean(protocol, f"station.{name}") for name in _STORED)]
        for protocol in protocols
        if protocol["station.copies_peak"].mean
    )
    return table(("protocol", *_STORED.values()), rows)


def _mean(protocol: ProtocolSummary, metric: str) -> str:
    mean = protocol[metric].mean
    return NONE if mean is None else number(mean)


def disconnection_table(protocols: Protocols) -> str:
    return table(
        _DISCONNECTIONS,
        (_disconnection_row(protocol) for protocol in protocols if protocol["disconnection.waiting"].count),
    )


def _disconnection_row(protocol: ProtocolSummary) -> list[str]:
    time, dropped = protocol["disconnection.time"], protocol["disconnection.dropped"]
    return [
        protocol.name,
        f"{dropped.count:,}",
        f"{time.count:,}",
        show_time(time),
        show_number(protocol["disconnection.waiting"]),
        show_time(protocol["disconnection.draining"]),
        show_number(dropped),
        f"{protocol.counts['dropped']:,}",
    ]


def clock_table(protocols: Protocols) -> str:
    """Sizes are those under the first protocol: the links are the same under all."""
    seen = [protocol for protocol in protocols if clock_results(protocol)]
    clocks = list(zip(*map(clock_results, seen), strict=True))
    if len(seen) > FEW:
        wrong = ([each[0].name, *map(_wrong_answers, each)] for each in clocks)
        return table(_CLOCKS, (_clock_sizes(each[0]) for each in clocks)) + _by_protocol(
            "wrong answers under", seen, wrong
        )
    rows = ([*_clock_sizes(each[0]), *map(_wrong_answers, each)] for each in clocks)
    return table((*_CLOCKS, *(f"wrong answers under {protocol.name}" for protocol in seen)), rows)


def _clock_sizes(clock: ClockResult) -> list[str]:
    name = clock.name if clock.exact else f"{clock.name}\nsafe superset"
    kept = f"{show_number(clock['clock_set'])}\nmax. {clock.maximum('clock_set_max'):,}"
    return [name, kept, show_number(clock["integers"]), share(clock.share_of_vector)]


def _wrong_answers(clock: ClockResult) -> str:
    if not clock.mistakes:
        return f"0\nof {clock.compared:,}"
    kinds = ", ".join(f"{clock[kind].count:,} {_WRONG.get(kind, kind)}" for kind in CLOCK_ERRORS if clock[kind].count)
    return f"{clock.mistakes:,} ({share(clock.mistakes / clock.compared)})\nof {clock.compared:,}: {kinds}"


def _by_protocol(corner: str, protocols: Protocols, rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a column for each protocol; if that is too wide, tables with a row for each protocol."""
    head = (corner, *(protocol.name for protocol in protocols))
    several = list(rows)
    columns = list(zip(*(row[1:] for row in (head, *several)), strict=True))
    if _LABELS + sum(_GAP + _breadth(column) for column in columns) <= _WIDTH:
        return table(head, several)
    first = max(map(len, head[1:]))
    return "".join(_transposed(head, block) for block in _blocks(several, first))


def _transposed(first: Sequence[str], block: Iterable[Sequence[str]]) -> str:
    head, *rows = zip(first, *block, strict=True)
    return table(head, rows)


def _blocks(rows: Iterable[Sequence[str]], first: int) -> Iterator[list[Sequence[str]]]:
    """Group rows that fit across the page as columns, beside a first column of this width."""
    block: list[Sequence[str]] = []
    used = first
    for row in rows:
        needed = _GAP + _breadth(row)
        if block and used + needed > _WIDTH:
            yield block
            block, used = [], first
        block.append(row)
        used += needed
    yield block


def _breadth(column: Sequence[str]) -> int:
    """Return the width in characters: a heading may break between words, a line of a cell may not."""
    label, *cells = column
    return max(map(len, (*label.split(), *(line for cell in cells for line in cell.split("\n")))))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table; all text is escaped, and a second line of a cell is small print."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    first, *rest = escape(text).split("\n")
    return first + "".join(f"<br><small>{line}</small>" for line in rest)


def folded(title: str, content: str) -> str:
    """Return content that is shown on a click."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"
