"""Check disconnections against the cells of hosts, hand-offs, batteries and the deliveries of stored messages."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from mobilesim.analysis.verify.checks import HANDOFFS, Column, Columns, Rule, RunChecks
from mobilesim.analysis.verify.columns import outside, read_columns, sums
from mobilesim.analysis.verify.cross_checks.cells import Cells
from mobilesim.analysis.verify.deliveries import Deliveries
from mobilesim.analysis.verify.messages import Messages

_NAMES: Final = ("host", "from_station", "to_station", "left", "returned", "drained", "waiting", "dropped")
_NEVER: Final = 1 << 62


def check_absences(checks: RunChecks, messages: Messages, deliveries: Deliveries, cells: Cells) -> None:
    table = read_columns(checks.run, "disconnections", *_NAMES)
    if outside(table["host"], messages.network.hosts).any():
        return
    rules = [*_places(table, cells)]
    if not messages.network.windowed:
        rules += _stored(messages, deliveries, table)
        _check_reconnections(checks, table)
        _check_hosts(checks, deliveries, messages, table)
    checks.rules(HANDOFFS, lambda row: f"disconnection of host {table['host'][row]} at {table['left'][row]}", rules)


def _places(table: Columns, cells: Cells) -> Iterator[Rule]:
    host, back = table["host"], table["returned"] >= 0
    wrong = cells.elsewhere(host, table["left"], table["from_station"], also_left=True)
    yield wrong, "the host was not in the cell of from_station"
    wrong = np.zeros(len(host), np.bool_)
    wrong[back] = cells.elsewhere(host[back], table["returned"][back], table["to_station"][back])
    yield wrong, "the host did not return to the cell of to_station"


def _check_reconnections(checks: RunChecks, table: Columns) -> None:
    """Check that a hand-off is a reconnection if, and only if, the host returned from a disconnection at this time."""
    handoffs = read_columns(checks.run, "handoffs", "host", "visit", "entered", "reconnection")
    known = set(zip(table["host"].tolist(), table["returned"].tolist(), strict=True))
    events = zip(handoffs["host"].tolist(), handoffs["entered"].tolist(), strict=True)
    found = np.array([event in known for event in events], np.bool_)
    checks.rules(
        HANDOFFS,
        lambda row: f"host {handoffs['host'][row]}, visit {handoffs['visit'][row]}",
        [(handoffs["reconnection"].astype(np.bool_) != found, "reconnection contradicts the disconnections")],
    )


def _check_hosts(checks: RunChecks, deliveries: Deliveries, messages: Messages, table: Columns) -> None:
    """Check that a host with an empty battery, or one that stayed away, disconnected then and did not return."""
    hosts = read_columns(checks.run, "hosts", "host", "died", "away_since")
    open_since = dict(
        zip(table["host"][table["returned"] < 0].tolist(), table["left"][table["returned"] < 0].tolist(), strict=True)
    )
    last = np.array([open_since.get(host, -1) for host in hosts["host"].tolist()], np.int64)
    died, away = hosts["died"], hosts["away_since"]
    latest = np.full(messages.network.hosts, -1, np.int64)
    known = np.flatnonzero(deliveries.copy >= 0)
    np.maximum.at(latest, messages.keys[deliveries.copy[known]] % messages.network.hosts, deliveries.delivered[known])
    received = latest[np.clip(hosts["host"], 0, len(latest) - 1)]
    rules: tuple[Rule, ...] = (
        ((died >= 0) & (died != last), "died is not the time of its last disconnection"),
        ((away >= 0) & (last >= 0) & (away != last), "away_since is not the time of its last disconnection"),
        ((away >= 0) & (received > away), "a message was delivered to it after away_since"),
    )
    checks.count(HANDOFFS, len(last))
    checks.rules(HANDOFFS, lambda row: f"hosts, host {hosts['host'][row]}", rules)


def _stored(messages: Messages, deliveries: Deliveries, table: Columns) -> Iterator[Rule]:
    """Yield the rules for messages that were submitted, but not delivered, when their host had returned. If messages
    for a host were dropped, the tables do not show which, so that its rows are not checked.
    """
    hosts = messages.network.hosts
    host = messages.keys % hosts
    complete = sums(table["host"], table["dropped"], hosts) == 0
    rows = np.flatnonzero((table["returned"] >= 0) & complete[table["host"]])
    fewer, late = (np.zeros(len(table["host"]), np.bool_) for _ in range(2))
    by_host = np.argsort(host, kind="stable")
    bounds = np.searchsorted(host[by_host], np.arange(hosts + 1))
    submitted, delivered = _times(messages, deliveries)
    for one in np.unique(table["host"][rows]).tolist():
        copies = by_host[bounds[one] : bounds[one + 1]]
        for row in rows[table["host"][rows] == one].tolist():
            returned, waiting = int(table["returned"][row]), int(table["waiting"][row])
            sent, least = _waiting(submitted[copies], delivered[copies], returned, waiting)
            drained = max(int(sent.max(initial=returned)), returned)
            fewer[row] = waiting < least or len(sent) < waiting
            late[row] = (drained if drained < _NEVER else -1) != table["drained"][row]
    yield fewer, lambda row: f"waiting is {table['waiting'][row]}, which contradicts the deliveries"
    yield late, "drained is not the time of the last delivery of the waiting messages"


def _times(messages: Messages, deliveries: Deliveries) -> tuple[Column, Column]:
    """Return when each copy was submitted and delivered. Copies are in the order of submission."""
    delivered = np.full(len(messages.keys), _NEVER, np.int64)
    known = deliveries.row >= 0
    delivered[known] = deliveries.delivered[deliveries.row[known]]
    return messages.submitted[messages.keys // messages.network.hosts], delivered


def _waiting(submitted: Column, delivered: Column, returned: int, count: int) -> tuple[Column, int]:
    """Return the times of delivery of the first `count` copies that were not delivered when the host returned, and the
    number of those that had been submitted until then. The host notices its return a little later.
    """
    begin = int(np.searchsorted(np.maximum.accumulate(delivered), returned, "right"))
    until = int(np.searchsorted(submitted, returned, "left"))
    late = delivered[begin : max(begin, until) + count] > returned
    least = int(np.count_nonzero(late[: max(until - begin, 0)]))
    return delivered[begin : begin + len(late)][late][:count], least
