"""Check the times at which waiting messages became deliverable, and at which an ideal order would have released them.

A message is deliverable after the last release, at its destination, of a message that happened before it. In an ideal
order, it is released after the last ideal release of such a message, and not before its destination can be reached.
Only the releases between the arrival and the release of a message decide both times. So pairs of a waiting message and
such a release are formed, and the happened-before relation is replayed for them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mobilesim.analysis.verify.checks import TIMELINES, Column, Columns, RunChecks
from mobilesim.analysis.verify.deliveries import WAIT, Deliveries
from mobilesim.analysis.verify.messages import Messages
from mobilesim.analysis.verify.order_checks.happened_before import History, Replay, groups
from mobilesim.analysis.verify.order_checks.order import histories


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a waiting message and a release at its destination: `wait`, the index of the wait, and `row`, the row of
    the other message. By pair, the ranks of both messages.
    """

    wait: Column
    row: Column
    waiting: Column
    released: Column


def check_waits(checks: RunChecks, messages: Messages, deliveries: Deliveries) -> None:
    """Check the columns `deliverable` and `ideal`. Tables of a window, and of runs with dropped or repeated deliveries,
    lack some of the releases.
    """
    row = checks.row
    if messages.network.windowed or row["dropped"] or row["duplicates"] or not deliveries.waits:
        return
    waits = {name: np.concatenate([part[name] for part in deliveries.waits]) for name in WAIT}
    known = deliveries.copy[waits["row"]] >= 0
    waits = {name: column[known] for name, column in waits.items()}
    if not len(waits["row"]):
        return
    pairs = _pairs(messages, deliveries, waits)
    ideal = deliveries.released.copy()
    ideal[waits["row"]] = waits["ideal"]
    readings = [
        _expected(history, pairs, waits, deliveries.released, ideal) for history in histories(messages, deliveries)
    ]
    for place, fault in _faults(waits, readings):
        checks.fault(TIMELINES, f"{messages.described(int(deliveries.copy[waits['row'][place]]))}: {fault}")


def _pairs(messages: Messages, deliveries: Deliveries, waits: Columns) -> Pairs:
    hosts = messages.network.hosts
    rows = np.flatnonzero(deliveries.copy >= 0)
    rank, host = np.divmod(messages.keys[deliveries.copy[rows]], hosts)
    order = np.lexsort((deliveries.released[rows], host))
    rows, rank, host = rows[order], rank[order], host[order]
    ranks = np.zeros(len(deliveries), np.int64)
    ranks[rows] = rank
    starts = np.searchsorted(host, np.arange(hosts + 1))
    of_wait = messages.keys[deliveries.copy[waits["row"]]] % hosts
    firsts, ends = np.zeros(len(of_wait), np.int64), np.zeros(len(of_wait), np.int64)
    by_host = np.argsort(of_wait, kind="stable")
    bounds = np.searchsorted(of_wait[by_host], np.arange(hosts + 1))
    for number in np.unique(of_wait).tolist():
        some = by_host[bounds[number] : bounds[number + 1]]
        begin = starts[number]
        released = deliveries.released[rows[begin : starts[number + 1]]]
        firsts[some] = begin + np.searchsorted(released, waits["since"][some], "right")
        ends[some] = begin + np.searchsorted(released, deliveries.released[waits["row"][some]], "right")
    counts = ends - firsts
    wait = np.repeat(np.arange(len(counts)), counts)
    row = rows[np.arange(len(wait)) - np.repeat(np.cumsum(counts) - counts - firsts, counts)]
    waiting, other = ranks[waits["row"][wait]], ranks[row]
    # A message that happened before another one was sent before it, and delivered to the same host before it.
    possible = (other < waiting) & (row < waits["row"][wait])
    return Pairs(wait[possible], row[possible], waiting[possible], other[possible])


def _expected(history: History, pairs: Pairs, waits: Columns, released: Column, ideal: Column) -> tuple[Column, Column]:
    """Return when waiting messages became deliverable, and when an ideal order could release them."""
    deliverable, ready = waits["since"].copy(), waits["since"].copy()
    precedes = _precedes(history, pairs)
    np.maximum.at(deliverable, pairs.wait[precedes], released[pairs.row[precedes]])
    np.maximum.at(ready, pairs.wait[precedes], ideal[pairs.row[precedes]])
    return deliverable, ready


def _precedes(history: History, pairs: Pairs) -> Column:
    """Return for each pair whether the released message happened before the waiting one."""
    order = np.lexsort((pairs.waiting, pairs.released))
    ranks, waiting = pairs.released[order], pairs.waiting[order]
    ends = np.flatnonzero(np.diff(ranks, append=-1))
    result = np.zeros(len(order), np.bool_)
    for tracked in groups(ranks[ends], waiting[ends]):
        members = np.isin(ranks, tracked.ranks)
        requested = frozenset(waiting[members].tolist())
        pasts = Replay(history, tracked, requested).causal_pasts()
        pairs_here = zip(ranks[members].tolist(), waiting[members].tolist(), strict=True)
        result[order[members]] = [bool(pasts.get(later, 0) & tracked.bits[earlier]) for earlier, later in pairs_here]
    return result


def _faults(waits: Columns, readings: list[tuple[Column, Column]]) -> Iterator[tuple[int, str]]:
    """Yield wrong times. A time is right if it is that of one of the readings of the order of events."""
    wrong = np.logical_and.reduce([waits["deliverable"] != deliverable for deliverable, _ in readings])
    for place in np.flatnonzero(wrong).tolist():
        yield place, f"deliverable is {waits['deliverable'][place]}, but {readings[0][0][place]} by the releases"
    beyond = [waits["ideal"] - ready for _, ready in readings]
    wrong = np.logical_and.reduce([(some < 0) | (some > waits["unreachable"]) for some in beyond])
    for place in np.flatnonzero(wrong).tolist():
        yield place, f"ideal is {waits['ideal'][place]}, but {readings[0][1][place]} by the ideal releases"
