"""Check bytes: the purposes of each link add up, and the bytes of hosts equal the bytes of their links."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.verify.checks import BYTES, Columns, Mask, Rule, RunChecks
from mobilesim.analysis.verify.columns import numeric_columns, outside, read_columns, repeated, sums
from mobilesim.analysis.verify.deliveries import check_headers
from mobilesim.analysis.verify.messages import Messages
from mobilesim.results.quantities import BYTE_PURPOSES
from mobilesim.results.statuses import RunStatus

_BY_PURPOSE: Final = tuple(f"{purpose}_bytes" for purpose in BYTE_PURPOSES)
_ENDS: Final = ("source", "target")
_AMOUNTS: Final = ("queue_peak", "packets", "bytes", "lost_packets", "lost_bytes", "shared_bytes", "busy")
_SAMPLE: Final = 1001
"""The number of headers from which the size of an integer is inferred."""


def integer_size(run: Run) -> int:
    """Return the size of an integer in bytes, inferred from headers because no table has it; 0 without headers."""
    for name in ("messages", "deliveries"):
        for batch in run.batches(name, "header_integers", "header_bytes"):
            table = numeric_columns(batch)
            some = np.flatnonzero(table["header_integers"] > 0)[:_SAMPLE]
            if len(some):
                return int(np.median(table["header_bytes"][some] // table["header_integers"][some]))
    return 0


def check_traffic(checks: RunChecks, messages: Messages, size: int) -> None:
    """Check the bytes of headers, links and hosts. `size`: bytes of an integer in a header."""
    run, row = checks.run, checks.row
    for batch in run.batches("messages", "message", "header_integers", "header_bytes"):
        table = numeric_columns(batch)
        check_headers(checks, table, size, lambda index, table=table: f"message {table['message'][index]}")  # type: ignore[misc]
    links = read_columns(run, "links", *_ENDS, *_AMOUNTS, *_BY_PURPOSE)
    links["kind"] = np.array(run.read("links", "kind")["kind"].to_pylist(), np.str_)
    _check_links(checks, links, row["stations"] or row["hosts"])
    names = [f"{way}_{name}" for way in ("sent", "received") for name in _BY_PURPOSE]
    hosts = read_columns(run, "hosts", "host", "transmitting", *names)
    if row["stations"]:
        _check_cells(checks, links, hosts)
        if not messages.network.windowed:  # packets of a hand-off may cross their links after the window
            _check_handoff_bytes(checks, links)
    else:
        bus = bool(np.any(links["kind"] == "bus"))
        _check_host_links(checks, links, hosts, bus=bus)
        _check_payload(checks, messages, hosts)


def _check_links(checks: RunChecks, links: Columns, nodes: int) -> None:
    """Check each link. `nodes`: the number of stations, or of hosts in a network without stations."""
    checks.count(BYTES, len(links["bytes"]))
    kind, source, target = (links[name] for name in ("kind", *_ENDS))
    checks.rules(BYTES, lambda row: f"links, {kind[row]} {source[row]} to {target[row]}", _link_rules(links, nodes))


def _link_rules(links: Columns, nodes: int) -> Iterator[Rule]:
    total = np.sum([links[name] for name in _BY_PURPOSE], axis=0)
    yield links["bytes"] != total, "its bytes are not the sum over the purposes"
    lost = (links["lost_bytes"] > links["bytes"]) | (links["lost_packets"] > links["packets"])
    yield lost, "more was lost than sent"
    yield (links["lost_packets"] == 0) != (links["lost_bytes"] == 0), "lost_packets contradicts lost_bytes"
    yield (links["kind"] == "wired") & (links["source"] == links["target"]), "is from a node to itself"
    negative = np.logical_or.reduce([links[name] < 0 for name in (*_AMOUNTS[1:], *_BY_PURPOSE)])
    yield negative, "a number is negative"
    header = _header_size(links)
    framing = links["framing_bytes"] != header * links["packets"]
    yield framing, f"its framing is not {header} bytes for each packet"
    ends = np.stack([np.unique(links["kind"], return_inverse=True)[1], links["source"], links["target"]])
    yield repeated(ends), "is in the table twice"
    yield _unknown_ends(links, nodes), "has an end that does not exist"


def _unknown_ends(links: Columns, nodes: int) -> Mask:
    """Mark links with a wrong end. A wired link ends at two nodes; other links have -1 in place of all hosts."""
    source, target, kind = links["source"], links["target"], links["kind"]
    wrong_source = np.where(kind == "uplink", source != -1, outside(source, nodes))
    wrong_target = np.where(np.isin(kind, ("downlink", "beacon", "bus")), target != -1, outside(target, nodes))
    unknown: Mask = wrong_source | wrong_target | ~np.isin(kind, ("wired", "uplink", "downlink", "beacon", "bus"))
    return unknown


def _header_size(links: Columns) -> int:
    """Return the bytes of a fixed header: the median over the links."""
    used = links["packets"] > 0
    return int(np.median(links["framing_bytes"][used] // links["packets"][used])) if used.any() else 0


def _check_cells(checks: RunChecks, links: Columns, hosts: Columns) -> None:
    """Compare uplinks with the bytes sent by hosts, and downlinks, without lost frames, with the received bytes."""
    up, down = links["kind"] == "uplink", links["kind"] == "downlink"
    for name in _BY_PURPOSE:
        _compare(checks, f"uplinks: {name}", int(links[name][up].sum()), int(hosts[f"sent_{name}"].sum()))
    _compare(checks, "uplinks: busy", int(links["busy"][up].sum()), int(hosts["transmitting"].sum()))
    received = sum(int(hosts[f"received_{name}"].sum()) for name in _BY_PURPOSE)
    shared = int(links["shared_bytes"][down].sum())
    carried = int(links["bytes"][down].sum() - links["lost_bytes"][down].sum()) + shared
    _compare(checks, "downlinks: bytes that were not lost, for all their receivers", carried, received)


def _check_handoff_bytes(checks: RunChecks, links: Columns) -> None:
    """Check in a complete run that wired links carried at least the bytes of all packets of hand-offs."""
    if checks.row["status"] != RunStatus.COMPLETE:
        return
    handoffs = read_columns(checks.run, "handoffs", "control_messages", "control_bytes")
    least = int(handoffs["control_bytes"].sum()) - _header_size(links) * int(handoffs["control_messages"].sum())
    carried = int(links["handoff_bytes"][links["kind"] == "wired"].sum())
    checks.count(BYTES, 1)
    if carried < least:
        checks.fault(BYTES, f"wired links: handoff_bytes: {carried:,} on links, {least:,} in hand-offs")


def _check_host_links(checks: RunChecks, links: Columns, hosts: Columns, *, bus: bool) -> None:
    """Check the bytes of hosts in a network without stations. A link joins two hosts, or is the way of a host to a bus,
    from which several hosts receive the same bytes.
    """
    host = hosts["host"]
    ends = [("sent", "source")] if bus else [("sent", "source"), ("received", "target")]
    checks.count(BYTES, len(ends) * len(_BY_PURPOSE) * len(host))
    if not np.array_equal(np.sort(host), np.arange(len(host))):
        return
    for way, end in ends:
        for purpose in _BY_PURPOSE:
            carried = sums(links[end], links[purpose], len(host))
            checks.each_host(BYTES, f"{way}_{purpose}", hosts, carried, "on links")


def _check_payload(checks: RunChecks, messages: Messages, hosts: Columns) -> None:
    """Check in a complete run without a window that hosts received the payload of every copy once."""
    if checks.row["status"] == RunStatus.COMPLETE and not messages.network.windowed:
        copies = np.bincount(messages.keys // messages.network.hosts, minlength=len(messages))
        payload = int((copies * messages.payload).sum())
        _compare(checks, "hosts: received_payload_bytes", int(hosts["received_payload_bytes"].sum()), payload)


def _compare(checks: RunChecks, what: str, carried: int, expected: int) -> None:
    checks.count(BYTES, 1)
    if carried != expected:
        checks.fault(BYTES, f"{what}: {carried:,} on links, {expected:,} in the other tables")
