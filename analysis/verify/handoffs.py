"""Check the rows of hand-offs, disconnections and passive clocks, some of them against the previous row of the host."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from mobilesim.analysis.verify.checks import COUNTERS, HANDOFFS, Column, Columns, Mask, Rule, RunChecks
from mobilesim.analysis.verify.columns import outside, read_columns
from mobilesim.analysis.verify.deliveries import Deliveries
from mobilesim.analysis.verify.messages import Messages, Network
from mobilesim.results.quantities import HANDOFF_PACKETS, HANDOFF_STAGES
from mobilesim.results.schema import COLUMNS
from mobilesim.results.statuses import RunStatus

_MOMENTS: Final = ("left", "entered", *(stage.phase for stage in HANDOFF_STAGES.values()))
_PLACE: Final = ("host", "visit", "from_station", "to_station", "superseded", "inferred")
_COUNTS: Final = ("control_messages", "control_bytes", "buffered", "forwarded", "retransmitted", "backlog")
_KINDS: Final = tuple(f"{kind}_{what}" for kind in HANDOFF_PACKETS for what in ("messages", "bytes"))
_DISCONNECTIONS: Final = ("host", "from_station", "left", "returned", "drained", "to_station", "waiting", "dropped")


_PEAKS: Final = {
    "state_peak": ("state_mean",),
    "copies_peak": ("copies_end",),
    "tombstones_peak": ("tombstones_end",),
}
"""The columns of `stations` that are not larger than a peak."""


def check_handoffs(checks: RunChecks, network: Network, deliveries: Deliveries) -> None:
    table = _sorted(read_columns(checks.run, "handoffs", *_PLACE, *_MOMENTS, *_COUNTS, *_KINDS), "visit")
    checks.count(HANDOFFS, len(table["host"]))
    rules = (*_places(table, network), *_phases(table), *_sums(table), *_visits(table, network))
    checks.rules(HANDOFFS, lambda row: f"host {table['host'][row]}, visit {table['visit'][row]}", rules)
    forwards, forwarded = int(deliveries.forwards[0]), int(table["forwarded"].sum())
    if forwards > forwarded and not network.windowed:
        checks.fault(HANDOFFS, f"deliveries have {forwards:,} forwards, but stations forwarded {forwarded:,} messages")


def check_disconnections(checks: RunChecks, network: Network) -> None:
    table = _sorted(read_columns(checks.run, "disconnections", *_DISCONNECTIONS), "left")
    host, left, returned, drained = (table[name] for name in ("host", "left", "returned", "drained"))
    same = np.diff(host, prepend=-1) == 0
    back = returned >= 0
    before = np.roll(returned, 1) if len(host) else returned
    rules = [
        (outside(host, network.hosts), "there is no such host"),
        (back & (returned < left), "the host returned before it left"),
        ((drained >= 0) & (~back | (drained < returned)), "drained before the host returned"),
        (back != (table["to_station"] >= 0), "to_station contradicts returned"),
        (same & ((before < 0) | (left < before)), "left before the previous return"),
        ((table["waiting"] < 0) | (table["dropped"] < 0), "a number is negative"),
    ]
    checks.count(HANDOFFS, len(host))
    checks.rules(HANDOFFS, lambda row: f"disconnection of host {host[row]} at {left[row]}", rules)


def check_clocks(checks: RunChecks, messages: Messages) -> None:
    """Check each passive clock: its wrong answers, its integers, and that all clocks observe the same messages."""
    names = [column.name for column in COLUMNS["clocks"] if column.name != "clock"]
    table = read_columns(checks.run, "clocks", *names)
    checks.count(COUNTERS, len(table["wrong"]))
    checks.rules(COUNTERS, lambda row: f"clocks, row {row}", _clock_rules(table, messages, checks))


def _clock_rules(table: Columns, messages: Messages, checks: RunChecks) -> Iterator[Rule]:
    kinds = table["missed"] + table["reversed"] + table["spurious"]
    yield (table["wrong"] != kinds) | (table["wrong"] > table["compared"]), "wrong is not the sum of its kinds"
    yield table["integers_of_vectors"] != table["copies"] * table["processes"], "not copies x processes"
    yield table["processes"] != messages.network.hosts, "processes is not the number of hosts"
    if not messages.network.windowed and checks.row["status"] == RunStatus.COMPLETE:
        yield table["copies"] != len(messages.keys), "copies is not the number of copies of messages"
    for name in ("links", "compared"):
        yield table[name] != table[name][:1], f"{name} differs from that of the first clock"
    yield table["integers"] > table["copies"] * table["integers_max"], "integers is larger than copies x integers_max"
    yield table["integers"] < table["integers_max"], "integers is less than integers_max"
    yield (table["gateways"] == 0) != (table["arrivals"] == 0), "gateways contradicts arrivals"
    yield (table["obs_set_mean"] < 0) != (table["obs_set_max"] < 0), "obs_set_mean contradicts obs_set_max"
    yield table["kept_mean"] > table["kept_max"], "kept_mean is larger than kept_max"
    yield table["obs_set_mean"] > table["obs_set_max"], "obs_set_mean is larger than obs_set_max"


def check_stations(checks: RunChecks) -> None:
    """Check that no number of a station is negative, and that means and last values are not above their peaks."""
    names = [column.name for column in COLUMNS["stations"]]
    table = read_columns(checks.run, "stations", *names)
    rules: list[Rule] = [(table[name] < 0, f"{name} is negative") for name in names]
    for peak, others in _PEAKS.items():
        rules += [(table[name] > table[peak], f"{name} is larger than {peak}") for name in others]
    checks.count(COUNTERS, len(table["station"]))
    checks.rules(COUNTERS, lambda row: f"station {table['station'][row]}", rules)


def _sorted(table: Columns, within: str) -> Columns:
    """Sort the rows by host and, for each host, by the column `within`."""
    order = np.lexsort((table[within], table["host"]))
    return {name: column[order] for name, column in table.items()}


def _places(table: Columns, network: Network) -> Iterator[Rule]:
    start, end = table["from_station"], table["to_station"]
    yield outside(table["host"], network.hosts), "there is no such host"
    yield outside(start, network.stations) | outside(end, network.stations), "there is no such station"
    yield start == end, "from_station and to_station are the same"


def _phases(table: Columns) -> Iterator[Rule]:
    """Yield the rules for the order of phases. A phase that was not reached is -1."""
    late = [(f"{name} before the host left", name, "left") for name in _MOMENTS[3:]]
    late += [("entered before it left", "entered", "left"), ("registered before it entered", "registered", "entered")]
    late += [("complete before the old station received the request", "complete", "request")]
    late += [(f"{name} before registered", name, "registered") for name in ("request", "enabled", "flush_ack")]
    late += [(f"complete before {name}", "complete", name) for name in ("enabled", "flush_ack")]
    for text, phase, since in late:
        yield (table[phase] >= 0) & (table[phase] < table[since]), text


def _sums(table: Columns) -> Iterator[Rule]:
    for what in ("messages", "bytes"):
        total = np.sum([table[f"{kind}_{what}"] for kind in HANDOFF_PACKETS], axis=0)
        yield table[f"control_{what}"] != total, f"control_{what} is not the sum over the kinds"
    for name in (*_COUNTS, *_KINDS):
        yield table[name] < 0, f"{name} is negative"


def _visits(table: Columns, network: Network) -> Iterator[Rule]:
    """Yield rules for visits. The visits of a host are numbered from 1; each begins where the previous one ended. If
    only a window was measured, it may begin with any visit, and the next visit of a host may be outside of it.
    """
    if not len(table["host"]):
        return
    same = np.diff(table["host"], prepend=-1) == 0
    before = {name: np.roll(column, 1) for name, column in table.items()}
    superseded = np.append(same[1:], False) & (
        (table["complete"] < 0) | (np.roll(table["left"], -1) < table["complete"])
    )
    first = table["visit"] if network.windowed else 1
    yield table["visit"] != np.where(same, before["visit"] + 1, first), "the number of the visit is not consecutive"
    yield same & (table["from_station"] != before["to_station"]), "does not begin where the previous visit ended"
    yield same & (table["left"] < before["entered"]), "the host left a cell before it entered this cell"
    lost = np.append(same[1:], False) & (np.roll(table["request"], -1) >= 0) & (table["registered"] < 0)
    yield (
        table["inferred"].astype(np.bool_) != lost,
        "inferred contradicts registered and the next request",
    )
    if not network.windowed:
        fewest, most = _unfinished(table, same)
        wrong = (table["backlog"] < fewest) | (table["backlog"] > most)
        yield wrong, "backlog is not the number of earlier hand-offs that were not complete"
    known = np.append(same[1:], False) | (not network.windowed)
    yield known & (table["superseded"].astype(np.bool_) != superseded), "superseded contradicts the times of the phases"


def _unfinished(table: Columns, same: Mask) -> tuple[Column, Column]:
    """Return for each row the least and the greatest number of earlier hand-offs of the host that were not complete
    when it noticed the new cell, between `entered` and `registered`. It is unknown when a hand-off ended that never
    became complete.
    """
    row = np.arange(len(same))
    earlier = row - np.maximum.accumulate(np.where(same, 0, row))
    never = table["complete"] < 0
    passed: Column = np.cumsum(never) - never
    unknown = passed - passed[row - earlier]
    span = int(max(table["complete"].max(), table["entered"].max(), table["registered"].max())) + 2
    ends = np.where(never, span - 1, table["complete"])
    ends = np.sort(table["host"].astype(np.int64) * span + ends)
    base = table["host"].astype(np.int64) * span
    noticed = np.where(table["registered"] < 0, span - 1, table["registered"])
    begin = np.searchsorted(ends, base)
    before = np.searchsorted(ends, base + table["entered"], "left") - begin
    until = np.minimum(np.searchsorted(ends, base + noticed, "right") - begin, earlier)
    return earlier - until - unknown, earlier - before
