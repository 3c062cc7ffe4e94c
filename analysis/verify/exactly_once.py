"""Exactly once: what was sent and never delivered, and whether anything excuses it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.summary.results_reader import Run
from analysis.verify.columns import Numbers, whole
from analysis.verify.deliveries import Deliveries
from analysis.verify.findings import ONCE, Findings, Mask
from analysis.verify.messages import Messages


def missing(findings: Findings, run: Run, row: Mapping[str, Any], sent: Messages, made: Deliveries) -> Numbers:
    """Looks for them. By copy, whether what comes after it has to wait for it: not for what may have been dropped."""
    network = sent.network
    gone = made.row < 0
    findings.looked(ONCE, len(gone))
    dropped = _dropped(run, network.hosts)
    if row["duplicates"]:
        findings.fault(ONCE, f"runs: {row['duplicates']:,} deliveries were made twice", int(row["duplicates"]))
    if network.windowed:
        _in_window(findings, row, int(gone.sum()))
        return _after_the_first_moment(sent)
    if row["status"] != "complete":
        if gone.any():
            findings.note(ONCE, f"{row['status']}; {int(gone.sum()) - row['dropped']:,} copies were still under way")
    else:
        copies = np.flatnonzero(gone)
        _unexcused(findings, row, sent, copies, _with_the_dead(run, sent, copies), dropped)
    excused: Numbers = dropped[sent.keys % network.hosts] == 0
    return excused


def _with_the_dead(run: Run, sent: Messages, missing: Numbers) -> Mask:
    """What was from or to a host whose battery was empty: it is stranded, unless it was dropped."""
    hosts = sent.network.hosts
    at = whole(run, "hosts", "host", "died")
    dead = np.zeros(hosts, np.bool_)
    dead[at["host"][(at["died"] >= 0) & (at["host"] >= 0) & (at["host"] < hosts)]] = True
    source = sent.source[sent.keys[missing] // hosts]
    found: Mask = dead[sent.keys[missing] % hosts]
    found[source < hosts] |= dead[source[source < hosts]]
    return found


def _dropped(run: Run, hosts: int) -> Numbers:
    at = whole(run, "disconnections", "host", "dropped")
    inside = (at["host"] >= 0) & (at["host"] < hosts)
    counted: Numbers = np.zeros(hosts, np.int64)
    np.add.at(counted, at["host"][inside], at["dropped"][inside])
    return counted


def _unexcused(  # noqa: PLR0917 - all that there is to know of what is missing
    findings: Findings, row: Mapping[str, Any], sent: Messages, gone: Numbers, with_the_dead: Mask, dropped: Numbers
) -> None:
    """In a complete run what is missing was dropped, or stranded with the dead, or it is lost.

    Nothing tells which of a host's were dropped: what is missing beyond them is stranded as far as it can be.
    """
    host = sent.keys[gone] % sent.network.hosts
    by_host = np.bincount(host, minlength=sent.network.hosts)
    beyond = by_host - dropped
    stranded = np.clip(beyond, 0, np.bincount(host[with_the_dead], minlength=sent.network.hosts))
    findings.equal("runs: stranded", row["stranded"], int(stranded.sum()))
    excess = beyond - stranded
    lost = int(excess[excess > 0].sum())
    for one in np.flatnonzero(excess > 0).tolist():
        for copy in gone[(host == one) & ~with_the_dead][:3].tolist():
            findings.fault(ONCE, f"{sent.ends(copy)}: never delivered, and {_of(int(dropped[one]))} dropped there", 0)
    if lost:
        findings.fault(ONCE, f"runs: lost: {row['lost']:,} said, {lost:,} missing", lost)
    elif row["lost"]:
        findings.fault(ONCE, f"runs: lost: {row['lost']:,} said, none missing", int(row["lost"]))
    if not row["duplicates"]:
        short = excess < 0
        findings.faults(
            ONCE,
            short,
            lambda one: f"host {one}: {dropped[one]:,} messages were dropped for it, {by_host[one]:,} are missing",
        )


def _of(dropped: int) -> str:
    return f"only {dropped:,} were" if dropped else "none was"


def _in_window(findings: Findings, row: Mapping[str, Any], gone: int) -> None:
    """What is not there may have been delivered outside: no more than was, or is lost."""
    outside = row["judged"] - row["deliveries"]
    findings.note(
        ONCE,
        f"a part of the run was measured: {outside:,} of {row['judged']:,} deliveries are not in the tables; "
        f"{gone:,} copies that are missing here may be among them",
    )
    if gone > outside + row["lost"]:
        findings.fault(ONCE, f"runs: {outside:,} deliveries are outside the window, {gone:,} are missing in it", gone)
    if row["lost"]:
        findings.fault(ONCE, f"runs: lost: {row['lost']:,} said", int(row["lost"]))


def _after_the_first_moment(sent: Messages) -> Numbers:
    """A message of the window was delivered in it or later, or perhaps in the very moment in which it opened."""
    if sent.early == len(sent):
        return np.zeros(len(sent.keys), np.bool_)
    rank = sent.keys // sent.network.hosts
    later: Numbers = sent.submitted[rank] > sent.submitted[sent.early]
    return later
