"""The tables of the report."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from analysis.figures.style import words
from analysis.summary.clock_results import ClockResult, clock_results
from analysis.summary.formatting import NONE, duration, number, share, show_energy, show_number, show_time, size
from analysis.summary.key_figures import key_numbers
from analysis.summary.metrics import CLOCK_ERRORS
from analysis.summary.model import ProtocolSummary, Summary
from mobilesim.results.quantities import BYTE_PURPOSES, ENERGY_USES, HANDOFF_PACKETS, HANDOFF_STAGES, MEDIA

_COLUMNS = ("protocol", "deliveries", "mean delay", "95 % within", "inhibition", "ordering header", "all bytes")
_OF_HANDOFFS = ("hand-off", "messages per hand-off")
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
FEW = 3
"""Protocols that can stand beside each other, and have a sentence each."""
_WIDTH = 104
_GAP = 3
_WITHIN = {50: "half within", 90: "90 of 100 within", 99: "99 of 100 within", 100: "the last after"}
_CLOCKS = ("clocks", "kept by a process", "on a message", "of FM")
_COUNTS = {
    "buffered": "messages that waited at the new station",
    "forwarded": "messages sent on by the old one",
    "retransmitted": "frames sent again",
    "backlog": "earlier hand-offs still under way",
}
_BATTERIES = ("protocol", "hosts that died", "the first after", "a battery lasted")
_STORED = {
    "copies_peak": "most copies",
    "copies_end": "copies in the end",
    "tombstones_peak": "most marks",
    "tombstones_end": "marks in the end",
}


def key_table(summary: Summary) -> str:
    columns = (*_COLUMNS, *(_OF_HANDOFFS if summary.has_handoffs else ()))
    return table(columns, (_key_row(protocol, has_handoffs=summary.has_handoffs) for protocol in summary.protocols))


def parts_table(summary: Summary) -> str:
    protocols = summary.protocols
    rows = ([words(part), *(_part(protocol, part) for protocol in protocols)] for part in summary.parts)
    total = ["delay", *(show_time(protocol["delay"]) for protocol in protocols)]
    return "<h3>The same in numbers</h3>" + _beside("mean per delivery", protocols, [total, *rows])


def distribution_table(protocols: Sequence[ProtocolSummary]) -> str:
    """Only where sentences would be too many."""
    seen = [protocol for protocol in protocols if protocol["delay"].percentiles]
    rows = ([each.name, *(duration(each["delay"].percentile(percent)) for percent in _WITHIN)] for each in seen)
    return table(("protocol", *_WITHIN.values()), rows) if len(seen) > FEW else ""


def traffic_table(protocols: Sequence[ProtocolSummary]) -> str:
    """Only where sentences would be too many."""
    seen = [protocol for protocol in protocols if protocol["wired.total"].mean is not None]
    columns = ("bytes per delivery", *map(words, BYTE_PURPOSES), "in all")
    return table(columns, map(_carried, seen)) if len(seen) > FEW else ""


def energy_table(protocols: Sequence[ProtocolSummary]) -> str:
    """What joules were for, which are too few beside idling to be seen. Nothing where there are none."""
    seen = [protocol for protocol in protocols if protocol["host.energy"].mean]
    parts = [part for part in ENERGY_USES if any(protocol[f"energy.{part}"].mean for protocol in seen)]
    rows = ([words(part), *(_energy(protocol, f"energy.{part}") for protocol in seen)] for part in parts)
    total = ["in all", *(show_energy(protocol["host.energy"]) for protocol in seen)]
    return "<h3>The same in numbers</h3>" + _beside("energy per delivery", seen, [total, *rows]) if seen else ""


def _energy(protocol: ProtocolSummary, metric: str) -> str:
    spent, whole = protocol[metric], protocol["host.energy"].mean
    return f"{show_energy(spent)}\n{share(spent.mean / whole)}" if spent.mean and whole else NONE


def battery_table(protocols: Sequence[ProtocolSummary]) -> str:
    """Means over runs."""
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


def _carried(protocol: ProtocolSummary) -> list[str]:
    amounts = [
        sum(protocol[f"{medium}.{purpose}"].mean or 0 for medium in MEDIA) for purpose in (*BYTE_PURPOSES, "total")
    ]
    return [protocol.name, *(size(amount) if amount else NONE for amount in amounts)]


def handoff_table(protocols: Sequence[ProtocolSummary]) -> str:
    """Its stages, its packets, and what became of messages meanwhile. Nothing where no host changed its cell."""
    seen = [protocol for protocol in protocols if protocol["move.control_messages"].mean is not None]
    if not seen:
        return ""
    stages = ([stage.label, *(_stage(each, stage.name) for each in seen)] for stage in HANDOFF_STAGES.values())
    total = ["from leaving to the end", *(show_time(each["move.time"]) for each in seen)]
    packets = (
        [f"{kind.label}: messages, bytes", *(_packets(each, kind.name) for each in seen)]
        for kind in HANDOFF_PACKETS.values()
    )
    packets_in_all = ["all: messages, bytes", *(_packets(each, "control") for each in seen)]
    counts = ([told, *(_mean(each, f"move.{name}") for each in seen)] for name, told in _COUNTS.items())
    late = ["left before the end", *(share(each["move.superseded"].mean) for each in seen)]
    rows = [*stages, total, *packets, packets_in_all, *counts, late]
    return "<h3>The same in numbers</h3>" + _beside("mean per hand-off", seen, rows)


def storage_table(protocols: Sequence[ProtocolSummary]) -> str:
    rows = (
        [protocol.name, *(_mean(protocol, f"station.{name}") for name in _STORED)]
        for protocol in protocols
        if protocol["station.copies_peak"].mean
    )
    return table(("protocol", *_STORED.values()), rows)


def disconnection_table(protocols: Sequence[ProtocolSummary]) -> str:
    """Nothing where no host ever switched off."""
    rows = [_disconnections(protocol) for protocol in protocols if protocol["disconnection.waiting"].count]
    return table(_DISCONNECTIONS, rows) if rows else ""


def clock_table(protocols: Sequence[ProtocolSummary]) -> str:
    """Sizes are those under the first protocol: the links are the same under all. Nothing where none looked on."""
    seen = [protocol for protocol in protocols if clock_results(protocol)]
    if not seen:
        return ""
    clocks = list(zip(*map(clock_results, seen), strict=True))
    if len(seen) > FEW:
        wrong = ([each[0].name, *map(_mistakes, each)] for each in clocks)
        return table(_CLOCKS, (_sizes(each[0]) for each in clocks)) + _beside("wrong under", seen, wrong)
    rows = ([*_sizes(each[0]), *map(_mistakes, each)] for each in clocks)
    return table((*_CLOCKS, *(f"wrong under {protocol.name}" for protocol in seen)), rows)


def _sizes(clock: ClockResult) -> list[str]:
    name = clock.name if clock.exact else f"{clock.name}\na safe superset"
    kept = f"{show_number(clock['clock_set'])}\nat most {clock.maximum('clock_set_most'):,}"
    return [name, kept, show_number(clock["integers"]), share(clock.share_of_vector)]


def _mistakes(clock: ClockResult) -> str:
    if not clock.mistakes:
        return f"0\nof {clock.compared:,}"
    kinds = ", ".join(f"{clock[kind].count:,} {kind}" for kind in CLOCK_ERRORS if clock[kind].count)
    return f"{clock.mistakes:,} ({share(clock.mistakes / clock.compared)})\nof {clock.compared:,}: {kinds}"


def _disconnections(protocol: ProtocolSummary) -> list[str]:
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


def _stage(protocol: ProtocolSummary, stage: str) -> str:
    """A hand-off of this protocol may have no such stage."""
    estimate = protocol[f"move.{stage}"]
    return show_time(estimate) if estimate.mean else NONE


def _packets(protocol: ProtocolSummary, kind: str) -> str:
    """A hand-off of this protocol may have none of that kind."""
    messages = protocol[f"move.{kind}_messages"].mean
    return f"{number(messages)}, {size(protocol[f'move.{kind}_bytes'].mean)}" if messages else NONE


def _mean(protocol: ProtocolSummary, metric: str) -> str:
    mean = protocol[metric].mean
    return NONE if mean is None else number(mean)


def _key_row(protocol: ProtocolSummary, *, has_handoffs: bool) -> list[str]:
    marks = f"\n{protocol.incomplete_runs}" if protocol.incomplete_runs else ""
    name = f"{protocol.name}\n{protocol.placement} + {protocol.ordering}{marks}"
    return [name, *key_numbers(protocol, has_handoffs=has_handoffs)]


def _part(protocol: ProtocolSummary, part: str) -> str:
    return f"{show_time(protocol[part])}\n{share(protocol.share(part))}"


def _beside(corner: str, protocols: Sequence[ProtocolSummary], rows: Iterable[Sequence[str]]) -> str:
    """A column for each protocol; where they are many, a row, and as many tables as it takes for what stood in rows."""
    names = [protocol.name for protocol in protocols]
    if len(names) <= FEW:
        return table((corner, *names), rows)
    first = max(map(len, names))
    return "".join(_turned((corner, *names), block) for block in _blocks(rows, first))


def _turned(first: Sequence[str], block: Iterable[Sequence[str]]) -> str:
    head, *rows = zip(first, *block, strict=True)
    return table(head, rows)


def _blocks(rows: Iterable[Sequence[str]], first: int) -> Iterator[list[Sequence[str]]]:
    """As many rows as fit in the width of the page, side by side."""
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


def _breadth(row: Sequence[str]) -> int:
    """In characters: a heading may break between words, a line of a cell may not."""
    label, *cells = row
    return max(map(len, (*label.split(), *(line for cell in cells for line in cell.split("\n")))))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    """A second line is small print."""
    first, *rest = escape(text).split("\n")
    return first + "".join(f"<br><small>{line}</small>" for line in rest)
