"""Check exactly-once delivery: the tables must give a reason for each copy that was not delivered.

A copy is a message at one of its destinations (`analysis.verify.messages`).
"""

import numpy as np

from mobilesim.analysis.verify.checks import ONCE, Column, Mask, RunChecks
from mobilesim.analysis.verify.columns import read_columns, sums
from mobilesim.analysis.verify.deliveries import Deliveries
from mobilesim.analysis.verify.messages import Messages
from mobilesim.errors import counted
from mobilesim.results.statuses import RunStatus


def check_exactly_once(checks: RunChecks, messages: Messages, deliveries: Deliveries) -> Mask:
    """Check undelivered copies; return the awaited copies, which count as overtaken if they were never delivered.

    If copies for a host were dropped, no copy for this host is awaited: the tables do not show which were dropped.
    """
    row, hosts = checks.row, messages.network.hosts
    undelivered = deliveries.row < 0
    count = int(undelivered.sum())
    checks.count(ONCE, len(undelivered))
    if row["duplicates"]:
        checks.fault(ONCE, f"runs: {row['duplicates']:,} duplicate deliveries", int(row["duplicates"]))
    if messages.network.windowed:
        _check_window(checks, count)
        return _submitted_after_opening(messages, dropped=row["dropped"])
    table = read_columns(checks.run, "disconnections", "host", "dropped")
    dropped = sums(table["host"], table["dropped"], hosts)
    if row["status"] == RunStatus.COMPLETE:
        _check_complete(checks, messages, np.flatnonzero(undelivered), dropped)
    elif count:
        checks.note(ONCE, f"the run is {row['status']}; still in transit: {counted(count - row['dropped'], 'copy')}")
    awaited: Mask = dropped[messages.keys % hosts] == 0
    return awaited


def _check_complete(checks: RunChecks, messages: Messages, copies: Column, dropped: Column) -> None:
    """Check a complete run. An undelivered copy was dropped, is undeliverable because of an empty battery, because its
    host left the network, or because a host stayed away at the end, or is lost.

    The tables have only the number of dropped copies for each host. Of the remaining undelivered copies, as many as
    possible count as undeliverable.
    """
    row, hosts = checks.row, messages.network.hosts
    left = _marked(checks, "left", hosts)[messages.keys[copies] % hosts]
    checks.compare("runs: left", row["left"], int(left.sum()))
    copies = copies[~left]
    host = messages.keys[copies] % hosts
    dead = _from_or_to(messages, copies, _marked(checks, "died", hosts))
    undeliverable = dead | _from_or_to(messages, copies, _marked(checks, "away_since", hosts))
    by_host = np.bincount(host, minlength=hosts)
    not_dropped = by_host - dropped
    stranded = np.clip(not_dropped, 0, np.bincount(host[dead], minlength=hosts))
    checks.compare("runs: stranded", row["stranded"], int(stranded.sum()))
    away = np.clip(not_dropped - stranded, 0, np.bincount(host[undeliverable & ~dead], minlength=hosts))
    checks.compare("runs: away_at_end", row["away_at_end"], int(away.sum()))
    excess = not_dropped - stranded - away
    for one in np.flatnonzero(excess > 0).tolist():
        allowed = f"only {dropped[one]:,}" if dropped[one] else "none"
        for copy in copies[(host == one) & ~undeliverable][:3].tolist():
            checks.fault(ONCE, f"{messages.described(copy)}: never delivered; dropped for this host: {allowed}", 0)
    lost = int(excess[excess > 0].sum())
    if lost or row["lost"]:
        text = f"runs: lost: {row['lost']:,} recorded, {f'{lost:,}' if lost else 'none'} missing"
        checks.fault(ONCE, text, lost or int(row["lost"]))
    if not row["duplicates"]:
        checks.faults(
            ONCE,
            excess < 0,
            lambda one: f"host {one}: {dropped[one]:,} messages were dropped for it, but {by_host[one]:,} are missing",
        )


def _marked(checks: RunChecks, column: str, hosts: int) -> Mask:
    """Mark the hosts with a time in a column of the table `hosts`."""
    table = read_columns(checks.run, "hosts", "host", column)
    marked: Mask = sums(table["host"], table[column] >= 0, hosts) > 0
    return marked


def _from_or_to(messages: Messages, copies: Column, gone: Mask) -> Mask:
    """Mark the copies from or to one of the hosts `gone`."""
    hosts = messages.network.hosts
    source = messages.source[messages.keys[copies] // hosts]
    found: Mask = gone[messages.keys[copies] % hosts]
    found[source < hosts] |= gone[source[source < hosts]]
    return found


def _check_window(checks: RunChecks, missing: int) -> None:
    """Check that the number of missing copies is at most the number of deliveries outside of the window, and of copies
    that were dropped or undeliverable.
    """
    row = checks.row
    outside, gone = (
        row["judged"] - row["deliveries"],
        row["stranded"] + row["away_at_end"] + row["dropped"] + row["left"],
    )
    checks.note(
        ONCE,
        f"only a window of the run was measured: {outside:,} of {row['judged']:,} deliveries are not in the tables; "
        f"these may include the {missing:,} missing copies",
    )
    if row["status"] == RunStatus.COMPLETE and missing > outside + gone + row["lost"]:
        text = f"runs: {outside:,} deliveries are outside of the window, but {missing:,} copies are missing"
        checks.fault(ONCE, text, missing)
    if row["lost"]:
        checks.fault(ONCE, f"runs: lost: {row['lost']:,} recorded", int(row["lost"]))


def _submitted_after_opening(messages: Messages, dropped: int) -> Mask:
    """Mark the copies submitted after the first message of the window: they were not delivered before the window. Mark
    none if copies were dropped: the tables do not show which.
    """
    if dropped or messages.early == len(messages):
        return np.zeros(len(messages.keys), np.bool_)
    rank = messages.keys // messages.network.hosts
    later: Mask = messages.submitted[rank] > messages.submitted[messages.early]
    return later
