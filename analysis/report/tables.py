"""The tables of the report on a run. Each has a column for each protocol: names of rows are longer than numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mobilesim.analysis.report.elements import table
from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.formatting import (
    ENERGY,
    NONE,
    SIZE,
    TIME,
    Scale,
    is_constant,
    number,
    share,
    show_number,
    show_time,
    size,
)
from mobilesim.analysis.summary.metrics import CLOCK_ERRORS, METRICS, Metric, bytes_on_links, key_metrics
from mobilesim.analysis.summary.model import ClockResult, ProtocolSummary, Summary, clock_results
from mobilesim.analysis.summary.verdict_text import claim_rows
from mobilesim.analysis.sweeps.metrics import used_purposes, without_unit
from mobilesim.results.quantities import (
    BYTE_PURPOSES,
    DELAY_PARTS,
    ENERGY_USES,
    HANDOFF_PACKETS,
    HANDOFF_STAGES,
)

Protocols = Sequence[ProtocolSummary]
Estimates = Sequence[Estimate]
Cells = Callable[[ProtocolSummary], dict[str, str]]
"""A function that returns the cells of a protocol by label."""

_PERCENTILES: Final = {50: "p50 delay, the median", 95: "p95 delay", 99: "p99 delay", 100: "maximum delay"}
SAME_IN_EVERY_RUN: Final = "\nthe same in every run"
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


def claim_table(protocols: Protocols) -> str:
    """Return what the oracle found about each claim."""
    return table(("claim", *(each.name for each in protocols)), claim_rows([[each] for each in protocols]))


def key_table(summary: Summary) -> str:
    """Return the key figures. Each row has one unit, and reports if its value is the same in every run."""
    protocols = summary.protocols
    metrics = key_metrics(has_handoffs=summary.has_handoffs, has_energy=summary.has_energy)
    rows = [["deliveries", *(f"{protocol.deliveries:,}" for protocol in protocols)]]
    for metric in metrics:
        if metric is METRICS["delay.p95"]:
            continue
        rows.append(_metric_row(metric, protocols))
        if metric is METRICS["delay"]:
            rows += _percentile_rows(protocols)
    names = ["\n".join(filter(None, (each.name, each.incomplete_runs))) for each in protocols]
    return table(("", *names), rows)


def _metric_row(metric: Metric, protocols: Protocols) -> list[str]:
    unit = metric.unit(protocols)
    estimates = [metric.value(protocol) for protocol in protocols]
    constant = [is_constant(estimate) for estimate in estimates]
    every = constant and all(constant)
    cells = [
        f"{without_unit(estimate, unit)}{SAME_IN_EVERY_RUN if same and estimate.mean and not every else ''}"
        for estimate, same in zip(estimates, constant, strict=True)
    ]
    return [f"{metric.heading(unit)}{SAME_IN_EVERY_RUN if every else ''}", *cells]


def _percentile_rows(protocols: Protocols) -> Iterator[list[str]]:
    delays = [protocol["delay"] for protocol in protocols]
    for percent, name in _PERCENTILES.items():
        values = [delay.percentile(percent) for delay in delays]
        unit = TIME.unit(max((value or 0 for value in values), default=0))
        cells = (NONE if value is None else number(value / unit.size) for value in values)
        yield [f"{name} ({unit.name})", *cells]


def parts_table(summary: Summary) -> str:
    """Return the mean of each part, and its share of the delay."""
    protocols = summary.protocols
    parts = {DELAY_PARTS[part].label: [protocol[part] for protocol in protocols] for part in summary.parts}
    return _amounts("mean per delivery", protocols, TIME, {"delay": [each["delay"] for each in protocols]}, parts)


def _amounts(
    corner: str, protocols: Protocols, scale: Scale, total: Mapping[str, Estimates], parts: Mapping[str, Estimates]
) -> str:
    """Return a table of a total and its parts, each with its share of the total. Each row has one unit."""
    ((label, wholes),) = total.items()
    rows = [_amount_row(label, scale, wholes)]
    for name, estimates in parts.items():
        label, *cells = _amount_row(name, scale, estimates)
        pairs = zip(cells, estimates, wholes, strict=True)
        rows.append([label, *(f"{cell}\n{_share(part, whole)}".rstrip() for cell, part, whole in pairs)])
    return table((corner, *(protocol.name for protocol in protocols)), rows)


def _amount_row(label: str, scale: Scale, estimates: Estimates) -> list[str]:
    unit = scale.unit(max((estimate.mean or 0 for estimate in estimates), default=0))
    return [f"{label} ({unit.name})", *(without_unit(estimate, unit) for estimate in estimates)]


def _share(part: Estimate, whole: Estimate) -> str:
    return share(part.mean / whole.mean) if part.mean and whole.mean else ""


def distribution_table(protocols: Protocols) -> str:
    return table(("", *(protocol.name for protocol in protocols)), _percentile_rows(protocols))


def traffic_table(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["wired.total"].mean is not None]
    if not seen:
        return ""
    used = used_purposes(seen)
    parts = {BYTE_PURPOSES[name].label: [bytes_on_links(protocol, name) for protocol in seen] for name in used}
    return _amounts("bytes per delivery", seen, SIZE, {"total": [bytes_on_links(each) for each in seen]}, parts)


def energy_table(protocols: Protocols) -> str:
    seen = [protocol for protocol in protocols if protocol["host.energy"].mean]
    used = [name for name in ENERGY_USES if any(protocol[f"energy.{name}"].mean for protocol in seen)]
    uses = {ENERGY_USES[name].label: [protocol[f"energy.{name}"] for protocol in seen] for name in used}
    return _amounts("energy per delivery", seen, ENERGY, {"total": [each["host.energy"] for each in seen]}, uses)


def battery_table(protocols: Protocols) -> str:
    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        return {
            "hosts out of energy": show_number(protocol["host.died"]),
            "first after": show_time(protocol["host.first_death"]),
            "battery lifetime": show_time(protocol["host.life"]),
        }

    return _by_column("protocol", [protocol for protocol in protocols if protocol["host.life"].mean is not None], cells)


def inhibition_table(protocols: Protocols) -> str:
    def cells(protocol: ProtocolSummary) -> dict[str, str]:
        inhibition, inhibited = protocol["inhibition"], protocol["inhibited"].mean
        return {METRICS["inhibited"].label: share(inhibited), METRICS["inhibition"].label: show_time(inhibition)}

    return _by_column("mean per delivery", protocols, cells)


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

    return _by_column("protocol", [protocol for protocol in protocols if protocol["station.copies_peak"].mean], cells)


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

    return _by_column("protocol", [each for each in protocols if each["disconnection.waiting"].count], cells)


def clock_table(protocols: Protocols) -> str:
    """Return the sizes and the wrong answers of clocks.

    The sizes are those under the first protocol: they follow from the links, which are the same under all protocols.
    """
    seen = [protocol for protocol in protocols if clock_results(protocol)]
    wrong = {each.name: {clock.name: _wrong_answers(clock) for clock in clock_results(each)} for each in seen}
    sizes = [_clock_sizes(clock) for clock in clock_results(seen[0])]
    rows = zip(sizes, zip(*(answers.values() for answers in wrong.values()), strict=True), strict=True)
    head = (*_CLOCKS, *(f"wrong answers under {name}" for name in wrong))
    return table(head, ([*cells, *answers] for cells, answers in rows))


def _clock_sizes(clock: ClockResult) -> list[str]:
    name = clock.name if clock.exact_sets else f"{clock.name}\nsafe superset"
    kept = f"{show_number(clock['kept'])}\nmax. {clock.maximum('kept_max'):,}"
    return [name, kept, show_number(clock["integers"]), share(clock.share_of_vector)]


def _wrong_answers(clock: ClockResult) -> str:
    if not clock.mistakes:
        return f"0\nof {clock.compared:,}"
    kinds = ", ".join(f"{clock[kind].count:,} {_WRONG.get(kind, kind)}" for kind in CLOCK_ERRORS if clock[kind].count)
    return f"{clock.mistakes:,} ({share(clock.mistakes / clock.compared)})\nof {clock.compared:,}: {kinds}"


def _by_column(corner: str, protocols: Protocols, cells: Cells) -> str:
    columns = [(protocol.name, *cells(protocol).values()) for protocol in protocols]
    head, *rows = zip((corner, *cells(protocols[0])), *columns, strict=True)
    return table(head, rows)
