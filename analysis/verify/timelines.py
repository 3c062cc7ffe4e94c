"""A delivery's row against itself: its parts add up, none is negative, its moments come in order and agree with them.

A row does not have all moments that its parts are made of. What stood in an outlet is part of `inhibition`, and a
station's queue is part of `processing`: where a row has neither, its moments are pinned to the nanosecond.
"""

from collections.abc import Iterator

import numpy as np

from analysis.verify.columns import Columns, Numbers
from analysis.verify.findings import TIMELINES, Findings, Mask
from mobilesim.results.schema import PARTS

_WAY_UP = ("uplink_queue", "uplink_air", "source_hold", "processing", "wired", "detour")


class Timelines:
    """All pieces of one table, one after another."""

    def __init__(self, findings: Findings, *, at_hosts_only: bool) -> None:
        self._findings = findings
        self._at_host: bool | None = True if at_hosts_only else None
        self._latest = 0

    def judge(self, at: Columns) -> None:
        if not len(at["delay"]):
            return
        if self._at_host is None:
            self._at_host = bool(np.mean(at["released"] == at["delivered"]) > 0.5)
        checks = [*_sums(at), *self._order(at), *_moments(at), *(_at_host(at) if self._at_host else _at_station(at))]
        wrong = np.logical_or.reduce([mask for mask, _ in checks])
        self._findings.looked(TIMELINES, len(wrong))
        self._findings.faults(TIMELINES, wrong, lambda row: _described(at, row, checks))

    def _order(self, at: Columns) -> Iterator[tuple[Mask, str]]:
        """Rows are written as deliveries are made."""
        delivered = at["delivered"]
        latest = np.maximum.accumulate(np.concatenate(([self._latest], delivered)))
        self._latest = int(latest[-1])
        yield delivered < latest[:-1], "delivered before the delivery in the row above it"


def _described(at: Columns, row: int, checks: list[tuple[Mask, str]]) -> str:
    what = next(text for mask, text in checks if mask[row])
    return f"message {at['message'][row]} to host {at['destination'][row]}: {what}"


def _sums(at: Columns) -> Iterator[tuple[Mask, str]]:
    for part in PARTS:
        yield at[part] < 0, f"{part} is negative"
    yield sum(at[part] for part in PARTS) != at["delay"], "its parts do not add up to its delay"  # type: ignore[misc]
    yield at["delivered"] - at["submitted"] != at["delay"], "its delay is not delivered - submitted"


def _moments(at: Columns) -> Iterator[tuple[Mask, str]]:
    yield at["uplink_started"] < at["submitted"], "uplink_started before submitted"
    yield at["accepted"] - at["uplink_started"] != at["uplink_air"], "accepted - uplink_started is not uplink_air"
    yield at["sent"] < at["accepted"] + at["source_hold"], "sent before accepted and source_hold"
    read = at["arrived"] - at["sent"] - at["wired"] - at["detour"]
    yield (read < 0) | (read > at["processing"]), "arrived - sent is not wired and detour"
    held = at["arrived"] - at["submitted"] - sum(at[part] for part in _WAY_UP)
    yield (held < 0) | (held > at["inhibition"]), "arrived - submitted is not the sum of the parts until then"
    for name in ("stations_passed", "forwards", "retransmissions", "payload_bytes", "header_integers", "header_units"):
        yield at[name] < 0, f"{name} is negative"


def _at_host(at: Columns) -> Iterator[tuple[Mask, str]]:
    """Where hosts order, a message is released when it is delivered."""
    heard = at["downlink_started"] + at["downlink_air"]
    yield at["released"] != at["delivered"], "released is not delivered, though hosts order"
    yield at["downlink_started"] < at["arrived"], "downlink_started before arrived"
    yield from _wait(at, heard)


def _at_station(at: Columns) -> Iterator[tuple[Mask, str]]:
    heard = at["downlink_started"] + at["downlink_air"]
    yield at["downlink_started"] < at["released"], "downlink_started before released"
    yield heard != at["delivered"], "delivered - downlink_started is not downlink_air"
    yield from _wait(at, at["arrived"])


def _wait(at: Columns, since: Numbers) -> Iterator[tuple[Mask, str]]:
    yield (since > at["deliverable"]) | (at["deliverable"] > at["released"]), "deliverable is not before released"
    yield at["causal_wait"] > at["deliverable"] - since, "causal_wait is longer than until deliverable"
