"""The tables of the report on a run."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import Final

from mobilesim.analysis.report.resources import GLOSSARY
from mobilesim.analysis.summary.formatting import (
    NONE,
    duration,
    number,
    share,
    show_energy,
    show_number,
    show_time,
    size,
)
from mobilesim.analysis.summary.metrics import CLOCK_ERRORS, key_figures
from mobilesim.analysis.summary.model import ClockResult, ProtocolSummary, Summary, clock_results
from mobilesim.results.quantities import (
    BYTE_PURPOSES,
    DELAY_PARTS,
    ENERGY_USES,
    HANDOFF_PACKETS,
    HANDOFF_STAGES,
    MEDIA,
)

Protocols = Sequence[ProtocolSummary]
Cells = Callable[[ProtocolSummary], dict[str, str]]
"""A function that returns the cells of a protocol by label."""

_PERCENTILES: Final = {50: "median", 90: "p90", 99: "p99", 100: "maximum"}
_HANDOFF_COUNTS: Final = {
    "buffered": "messages buffered at the new station",
    "forwarded": "messages forwarded by the old station",
    "retransmitted": "frames retransmitted",
    "backlog": "earlier hand-offs still in progress",
}
_STORED: Final = {
    "copies_peak": "copies, maximum",
    "copies_end": "copies, at the end",
    "tombstones_peak": "tombstones, maximum",
    "tombstones_end": "tombstones, at the end",
}
_CLOCKS: Final = ("passive clock", "integers kept by a process", "integers on a message", "relative to FM")
_WRONG: Final = {"spurious": "false orderings"}

MAX_SENTENCES: Final = 3
"""With more protocols, the text describes only the lowest and the highest value, and a table lists all values."""
_WIDTH: Final = 112
"""Characters across a page."""
_GAP: Final = 3
_LABELS: Final = 20
"""The assumed width of a column of labels in characters. Its lines may break between words."""


def key_table(summary: Summary) -> str:
    figures = [key_figures(protocol, has_handoffs=summary.has_handoffs) for protocol in summary.protocols]
    names = (
        "\n".join(filter(None, (each.name, f"{each.placement} + {each.ordering}", each.incomplete_runs)))
        for each in summary.protocols
    )
    rows = [[name, *values.values()] for name, values in zip(names, figures, strict=True)]
    return table(("protocol", *figures[0]), rows)


def parts_table(summary: Summary) -> str:
    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        parts = {
            DELAY_PARTS[part].label: f"{show_time(protocol[part])}\n{share(protocol.share(part))}"
            for part in summary.parts
        }
        return {"delay": show_time(protocol["delay"]), **parts}

    return _by_column("mean per delivery", summary.protocols, cells)


def distribution_table(protocols: Protocols) -> str:
    """Return the percentiles of the delay; '' if the text has a sentence for every protocol."""

    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        return {name: duration(protocol["delay"].percentile(percent)) for percent, name in _PERCENTILES.items()}

    seen = [protocol for protocol in protocols if protocol["delay"].percentiles]
    return _by_row("delay", seen, cells) if len(seen) > MAX_SENTENCES else ""


def traffic_table(protocols: Protocols) -> str:
    """Return the bytes per delivery by purpose; '' if the text has a sentence for every protocol."""

    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        labels = {**{name: purpose.label for name, purpose in BYTE_PURPOSES.items()}, "total": "total"}
        sums = {name: sum(protocol[f"{medium}.{name}"].mean or 0 for medium in MEDIA) for name in labels}
        return {label: size(sums[name]) if sums[name] else NONE for name, label in labels.items()}

    seen = [protocol for protocol in protocols if protocol["wired.total"].mean is not None]
    return _by_row("bytes per delivery", seen, cells) if len(seen) > MAX_SENTENCES else ""


def energy_table(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["host.energy"].mean]
    used = [name for name in ENERGY_USES if any(protocol[f"energy.{name}"].mean for protocol in seen)]

    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        total = protocol["host.energy"]
        parts = {ENERGY_USES[name].label: protocol[f"energy.{name}"] for name in used}
        shown = {
            label: f"{show_energy(part)}\n{share(part.mean / total.mean)}" if part.mean and total.mean else NONE
            for label, part in parts.items()
        }
        return {"total": show_energy(total), **shown}

    return _by_column("energy per delivery", seen, cells)


def battery_table(protocols: Protocols) -> str:
    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        return {
            "hosts out of energy": show_number(protocol["host.died"]),
            "first after": show_time(protocol["host.first_death"]),
            "battery lifetime": show_time(protocol["host.life"]),
        }

    return _by_row("protocol", [protocol for protocol in protocols if protocol["host.life"].mean is not None], cells)


def handoff_table(protocols: Protocols) -> str:
    """Return the stages of a hand-off, its packets by kind, and the counts of messages."""
    seen = [protocol for protocol in protocols if protocol["move.control_messages"].mean is not None]
    return _by_column("mean per hand-off", seen, _handoff_cells) if seen else ""


def _handoff_cells(protocol: ProtocolSummary) -> dict[str, str]:
    stages = {stage.label: protocol[f"move.{name}"] for name, stage in HANDOFF_STAGES.items()}
    kinds = {**{name: kind.label for name, kind in HANDOFF_PACKETS.items()}, "control": "all"}
    return {
        **{label: show_time(stage) if stage.mean else NONE for label, stage in stages.items()},
        "total, from leaving the cell": show_time(protocol["move.time"]),
        **{f"{label}: packets, bytes": _packets(protocol, name) for name, label in kinds.items()},
        **{label: _mean(protocol, f"move.{name}") for name, label in _HANDOFF_COUNTS.items()},
        "left before completion": share(protocol["move.superseded"].mean),
    }


def _packets(protocol: ProtocolSummary, kind: str) -> str:
    """Return the numbers of packets and bytes; a dash if the protocol's hand-off does not have this kind of packet."""
    packets = protocol[f"move.{kind}_messages"].mean
    return f"{number(packets)}, {size(protocol[f'move.{kind}_bytes'].mean)}" if packets else NONE


def storage_table(protocols: Protocols) -> str:
    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        return {label: _mean(protocol, f"station.{name}") for name, label in _STORED.items()}

    return _by_row("protocol", [protocol for protocol in protocols if protocol["station.copies_peak"].mean], cells)


def _mean(protocol: ProtocolSummary, metric: str) -> str:
    mean = protocol[metric].mean
    return NONE if mean is None else number(mean)


def disconnection_table(protocols: Protocols) -> str:
    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        time, dropped = protocol["disconnection.time"], protocol["disconnection.dropped"]
        return {
            "disconnections": f"{dropped.count:,}",
            "reconnections": f"{time.count:,}",
            "time disconnected": show_time(time),
            "messages waiting on return": show_number(protocol["disconnection.waiting"]),
            "time until they are delivered": show_time(protocol["disconnection.draining"]),
            "discarded per disconnection": show_number(dropped),
            "discarded in total": f"{protocol.counts['dropped']:,}",
        }

    return _by_row("protocol", [each for each in protocols if each["disconnection.waiting"].count], cells)


def clock_table(protocols: Protocols) -> str:
    """Return the sizes and the wrong answers of clocks.

    The sizes are those under the first protocol: they follow from the links, which are the same under all protocols.
    """
    seen = [protocol for protocol in protocols if clock_results(protocol)]
    wrong = {each.name: {clock.name: _wrong_answers(clock) for clock in clock_results(each)} for each in seen}
    sizes = [_clock_sizes(clock) for clock in clock_results(seen[0])]
    if len(seen) > MAX_SENTENCES:
        return table(_CLOCKS, sizes) + _by_column("wrong answers under", seen, lambda each: wrong[each.name])
    rows = zip(sizes, zip(*(answers.values() for answers in wrong.values()), strict=True), strict=True)
    head = (*_CLOCKS, *(f"wrong answers under {name}" for name in wrong))
    return table(head, ([*cells, *answers] for cells, answers in rows))


def _clock_sizes(clock: ClockResult) -> list[str]:
    name = clock.name if clock.exact else f"{clock.name}\nsafe superset"
    kept = f"{show_number(clock['clock_set'])}\nmax. {clock.maximum('clock_set_max'):,}"
    return [name, kept, show_number(clock["integers"]), share(clock.share_of_vector)]


def _wrong_answers(clock: ClockResult) -> str:
    if not clock.mistakes:
        return f"0\nof {clock.compared:,}"
    kinds = ", ".join(f"{clock[kind].count:,} {_WRONG.get(kind, kind)}" for kind in CLOCK_ERRORS if clock[kind].count)
    return f"{clock.mistakes:,} ({share(clock.mistakes / clock.compared)})\nof {clock.compared:,}: {kinds}"


def _by_row(corner: str, protocols: Protocols, cells: Cells) -> str:
    rows = {protocol.name: cells(protocol) for protocol in protocols}
    return table((corner, *next(iter(rows.values()))), ([name, *row.values()] for name, row in rows.items()))


def _by_column(corner: str, protocols: Protocols, cells: Cells) -> str:
    """Return a table with a column for each protocol; if it would be too wide, tables with a row for each protocol."""
    columns = [(protocol.name, *cells(protocol).values()) for protocol in protocols]
    head, *rows = zip((corner, *cells(protocols[0])), *columns, strict=True)
    if _LABELS + sum(_GAP + _breadth(column) for column in columns) <= _WIDTH:
        return table(head, rows)
    blocks = _blocks(rows, max(map(len, head[1:])))
    return "".join(table(names, several) for names, *several in (zip(head, *block, strict=True) for block in blocks))


def _blocks(rows: Iterable[Sequence[str]], first: int) -> Iterator[list[Sequence[str]]]:
    """Yield groups of rows that fit on the page as columns. `first`: the width of the first column of the table."""
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
    """Return the width of a column in characters. Only its heading may break between words."""
    label, *cells = column
    return max(map(len, (*label.split(), *(line for cell in cells for line in cell.split("\n")))))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table. All text is escaped. The second and later lines of a cell are in small print."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    first, *rest = escape(text).split("\n")
    return first + "".join(f"<br><small>{line}</small>" for line in rest)


def folded(title: str, content: str) -> str:
    """Return content that is shown after a click on its title."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def definitions(rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a name and texts in each row. Names are HTML."""
    texts = ((name, "".join(f'<td class="words">{escape(text)}</td>' for text in several)) for name, *several in rows)
    body = "".join(f"<tr><td>{name}</td>{cells}</tr>" for name, cells in texts)
    return f'<div class="scroll"><table><tbody>{body}</tbody></table></div>'


def glossary() -> str:
    """Return a section with all terms of the glossary, by theme."""
    themes = (f"<h3>{theme}</h3>{definitions(terms.items())}" for theme, terms in GLOSSARY.items())
    return folded("Glossary", "".join(themes))
