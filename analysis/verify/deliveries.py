"""One pass over the deliveries: every row judged by itself, and of each what order and counting need later."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.summary.results_reader import Run
from analysis.verify.columns import Columns, Numbers, numbers, pieces
from analysis.verify.findings import BYTES, ONCE, REFERENCES, Findings
from analysis.verify.messages import Messages
from analysis.verify.timelines import Timelines
from mobilesim.results.schema import DELIVERIES, RUN

_NUMBERS = tuple(name for name in DELIVERIES.names if name not in {field.name for field in RUN})


@dataclass(frozen=True, slots=True)
class Deliveries:
    """By row, as they were made: `copy` is which one, -1 of what is none or came a second time. By copy: its `row`,
    or -1.

    `overtook` has the rows that say that they overtook a message, and which.
    """

    copy: Numbers
    delivered: Numbers
    row: Numbers
    overtook: dict[int, int]
    by_host: Numbers

    def __len__(self) -> int:
        return len(self.copy)


def deliveries(findings: Findings, run: Run, sent: Messages, integer: int) -> Deliveries:
    """`integer`: how many bytes it has, 0 where there is none to ask."""
    rows = run.length("deliveries")
    network = sent.network
    found = Deliveries(
        copy=np.full(rows, -1, np.int32),
        delivered=np.zeros(rows, np.int64),
        row=np.full(len(sent.keys), -1, np.int32),
        overtook={},
        by_host=np.zeros(network.hosts, np.int64),
    )
    timelines = Timelines(findings, at_hosts_only=not network.stations)
    start = 0
    for piece in pieces(run, "deliveries", *_NUMBERS):
        at = numbers(piece)
        _note(findings, sent, found, at, start)
        timelines.judge(at)
        headers(findings, at, integer, lambda row, at=at: _named(at, row))  # type: ignore[misc]
        start += piece.num_rows
    return found


def headers(findings: Findings, at: Columns, integer: int, name: Callable[[int], str]) -> None:
    """The bytes of a header are those of its integers."""
    wrong = at["header_bytes"] != at["header_integers"] * integer
    findings.looked(BYTES, len(wrong))
    findings.faults(
        BYTES,
        wrong,
        lambda row: (
            f"{name(row)}: {at['header_bytes'][row]} bytes of header for {at['header_integers'][row]} integers "
            f"of {integer}"
        ),
    )


def _named(at: Columns, row: int) -> str:
    return f"message {at['message'][row]} to host {at['destination'][row]}"


def _note(findings: Findings, sent: Messages, found: Deliveries, at: Columns, start: int) -> None:
    rank = sent.rank(at["message"])
    host = at["destination"]
    copy = sent.copy(rank, host)
    copy[(host < 0) | (host >= sent.network.hosts)] = -1
    rows = np.arange(start, start + len(copy))
    again = _again(found, copy)
    findings.looked(REFERENCES, len(copy))
    findings.faults(REFERENCES, rank < 0, lambda row: f"{_named(at, row)}: nobody sent this message")
    strange = (rank >= 0) & (copy < 0)
    findings.faults(REFERENCES, strange, lambda row: f"{_named(at, row)}: it was not sent to this host")
    findings.faults(ONCE, again, lambda row: f"{_named(at, row)}: delivered twice")
    _as_sent(findings, sent, at, rank)
    _places(findings, sent, at)
    found.copy[start : start + len(copy)] = np.where(again, -1, copy)
    found.delivered[start : start + len(copy)] = at["delivered"]
    first = (copy >= 0) & ~again
    found.row[copy[first]] = rows[first]
    said = np.flatnonzero(at["overtaken"] >= 0)
    found.overtook.update(zip(rows[said].tolist(), at["overtaken"][said].tolist(), strict=True))
    inside = host[(host >= 0) & (host < sent.network.hosts)]
    found.by_host[:] += np.bincount(inside, minlength=sent.network.hosts)


def _again(found: Deliveries, copy: Numbers) -> Numbers:
    """Which of these have been delivered before, in an earlier piece or in this one."""
    again = np.ones(len(copy), np.bool_)
    again[np.unique(copy, return_index=True)[1]] = False
    again[copy >= 0] |= found.row[copy[copy >= 0]] >= 0
    return again & (copy >= 0)


def _as_sent(findings: Findings, sent: Messages, at: Columns, rank: Numbers) -> None:
    known = rank >= 0
    for name, column in (("source", sent.source), ("submitted", sent.submitted), ("payload_bytes", sent.payload)):
        wrong = np.zeros(len(rank), np.bool_)
        wrong[known] = at[name][known] != column[rank[known]]
        findings.faults(
            REFERENCES,
            wrong,
            lambda row, name=name, column=column: (  # type: ignore[misc]
                f"{_named(at, row)}: {name} is {at[name][row]}, of its message {column[rank[row]]}"
            ),
        )
    larger = np.zeros(len(rank), np.bool_)
    larger[known] = at["header_integers"][known] > sent.header[rank[known]]
    findings.faults(REFERENCES, larger, lambda row: f"{_named(at, row)}: a header above the largest of its message")


def _places(findings: Findings, sent: Messages, at: Columns) -> None:
    """Stations there are, or none where there are none."""
    lowest, highest = (0, sent.network.stations - 1) if sent.network.stations else (-1, -1)
    for name in ("source_station", "station"):
        wrong = (at[name] < lowest) | (at[name] > highest)
        findings.faults(REFERENCES, wrong, lambda row, name=name: f"{_named(at, row)}: {name} is {at[name][row]}")  # type: ignore[misc]
