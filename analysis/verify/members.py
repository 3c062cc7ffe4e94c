"""Check in a run in which hosts join and leave that only members sent and delivered messages."""

from collections.abc import Callable
from typing import Final

import numpy as np

from mobilesim.analysis.verify.checks import TIMELINES, Column, Columns, Mask, RunChecks
from mobilesim.analysis.verify.columns import outside, read_columns
from mobilesim.analysis.verify.deliveries import Deliveries
from mobilesim.analysis.verify.messages import Messages

_NEVER: Final = np.int64(1 << 62)


def check_members(checks: RunChecks, messages: Messages, deliveries: Deliveries) -> None:
    """`joined` is null for all hosts of a run in which hosts neither join nor leave."""
    table = read_columns(checks.run, "hosts", "host", "joined", "left", "view_packets", "view_bytes")
    host, joined, left, packets = (table[name] for name in ("host", "joined", "left", "view_packets"))
    rules = (
        ((left >= 0) & ((joined < 0) | (left < joined)), "left before it joined"),
        ((packets < 0) | (table["view_bytes"] < 0), "a number is negative"),
        ((packets == 0) != (table["view_bytes"] == 0), "view_packets contradicts view_bytes"),
    )
    checks.count(TIMELINES, len(host))
    checks.rules(TIMELINES, lambda row: f"hosts, host {host[row]}", rules)
    if (joined >= 0).any() and not outside(host, messages.network.hosts).any():
        _check_events(checks, messages, deliveries, _by_host(table, messages.network.hosts))


def _by_host(table: Columns, hosts: int) -> tuple[Column, Column]:
    """Return the begin and the end of each host's membership; an end after all times for a host that stayed."""
    since, until = np.full(hosts, _NEVER), np.full(hosts, _NEVER)
    since[table["host"]] = np.where(table["joined"] < 0, _NEVER, table["joined"])
    until[table["host"]] = np.where(table["left"] < 0, _NEVER, table["left"])
    return since, until


def _check_events(checks: RunChecks, messages: Messages, deliveries: Deliveries, stays: tuple[Column, Column]) -> None:
    known = np.flatnonzero(deliveries.copy >= 0)
    at = messages.keys[deliveries.copy[known]] % messages.network.hosts
    _check(checks, stays, at, deliveries.delivered[known], lambda row: _delivery(messages, deliveries, known[row]))
    source = messages.source
    _check(checks, stays, source, messages.submitted, lambda rank: f"message {messages.number[rank]}: submitted")


def _delivery(messages: Messages, deliveries: Deliveries, row: int) -> str:
    return f"{messages.described(deliveries.copy[row])}: delivered"


def _check(
    checks: RunChecks, stays: tuple[Column, Column], host: Column, moment: Column, name: Callable[[int], str]
) -> None:
    since, until = stays
    wrong: Mask = (moment < since[host]) | (moment > until[host])
    checks.count(TIMELINES, len(wrong))
    checks.faults(TIMELINES, wrong, lambda row: f"{name(row)} when host {host[row]} was no member")
