"""Bytes: what links carried is the sum of what it was for, and hosts sent and got what went over their links."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from analysis.summary.results_reader import Run
from analysis.verify.columns import Columns, Numbers, numbers, pieces, whole
from analysis.verify.deliveries import headers
from analysis.verify.findings import BYTES, Findings, Mask
from analysis.verify.messages import Messages
from mobilesim.results.schema import PURPOSES

_BY_PURPOSE: Final = tuple(f"{purpose}_bytes" for purpose in PURPOSES)
_OTHERS: Final = ("source", "target", "queue_peak", "packets", "bytes", "lost_packets", "lost_bytes", "busy")
_HOW_MANY: Final = 1001
"""So many headers tell how long an integer is: what most of them say."""


def integer(run: Run) -> int:
    """The bytes of an integer, which is in no table, as headers have it; 0 where nothing has a header."""
    for table in ("messages", "deliveries"):
        for piece in pieces(run, table, "header_integers", "header_bytes"):
            at = numbers(piece)
            some = np.flatnonzero(at["header_integers"] > 0)[:_HOW_MANY]
            if len(some):
                return int(np.median(at["header_bytes"][some] // at["header_integers"][some]))
    return 0


def traffic(findings: Findings, run: Run, row: Mapping[str, Any], sent: Messages, size: int) -> None:
    for piece in pieces(run, "messages", "message", "header_integers", "header_bytes"):
        at = numbers(piece)
        headers(findings, at, size, lambda place, at=at: f"message {at['message'][place]}")  # type: ignore[misc]
    links = whole(run, "links", *_OTHERS, *_BY_PURPOSE)
    kind = run.read("links", "kind")["kind"].to_pylist()
    links["kind"] = np.array(kind, np.str_)
    _of_links(findings, links, row["stations"] or row["hosts"])
    names = [f"{way}_{name}" for way in ("sent", "received") for name in _BY_PURPOSE]
    hosts = whole(run, "hosts", "host", "transmitting", *names)
    if row["stations"]:
        _in_cells(findings, links, hosts)
        _handed_off(findings, run, row, links)
    else:
        _in_mesh(findings, links, hosts)
        _payload(findings, row, sent, links)


def _of_links(findings: Findings, links: Columns, ends_of: int) -> None:
    def told(what: str) -> Callable[[int], str]:
        return lambda place: f"links, {_named(links, place)}: {what}"

    findings.looked(BYTES, len(links["bytes"]))
    total = np.sum([links[name] for name in _BY_PURPOSE], axis=0)
    findings.faults(BYTES, links["bytes"] != total, told("its bytes are not the sum of those by purpose"))
    lost = (links["lost_bytes"] > links["bytes"]) | (links["lost_packets"] > links["packets"])
    findings.faults(BYTES, lost, told("more is lost than was sent"))
    negative = np.logical_or.reduce([links[name] < 0 for name in (*_OTHERS[2:], *_BY_PURPOSE)])
    findings.faults(BYTES, negative, told("a number is negative"))
    header = _header(links)
    framing = links["framing_bytes"] != header * links["packets"]
    findings.faults(BYTES, framing, told(f"its framing is not {header} bytes for each packet"))
    ends = np.stack([np.unique(links["kind"], return_inverse=True)[1], links["source"], links["target"]])
    again = np.ones(len(links["bytes"]), np.bool_)
    again[np.unique(ends, axis=1, return_index=True)[1]] = False
    findings.faults(BYTES, again, told("is there twice"))
    findings.faults(BYTES, _nowhere(links, ends_of), told("has an end where there is nobody"))


def _nowhere(links: Columns, ends_of: int) -> Mask:
    """A wired link has two ends; hosts are the other end of the air, all together."""
    place = (links["source"], links["target"])
    inside = [(end >= 0) & (end < ends_of) for end in place]
    everybody = [end == -1 for end in place]
    right = {
        "wired": inside[0] & inside[1],
        "uplink": everybody[0] & inside[1],
        "downlink": inside[0] & everybody[1],
    }
    found: Mask = np.ones(len(links["kind"]), np.bool_)
    for kind, mask in right.items():
        found &= ~((links["kind"] == kind) & mask)
    return found


def _header(links: Columns) -> int:
    """The bytes of a fixed header, as most links have it."""
    used = links["packets"] > 0
    return int(np.median(links["framing_bytes"][used] // links["packets"][used])) if used.any() else 0


def _named(links: Columns, place: int) -> str:
    return f"{links['kind'][place]} {links['source'][place]} to {links['target'][place]}"


def _in_cells(findings: Findings, links: Columns, hosts: Columns) -> None:
    """What all hosts sent is on the up-links; what they got is on the down-links, but for what was lost there."""
    up, down = links["kind"] == "uplink", links["kind"] == "downlink"
    for name in _BY_PURPOSE:
        _same(findings, f"up-links: {name}", int(links[name][up].sum()), int(hosts[f"sent_{name}"].sum()))
    _same(findings, "up-links: busy", int(links["busy"][up].sum()), int(hosts["transmitting"].sum()))
    got = sum(int(hosts[f"received_{name}"].sum()) for name in _BY_PURPOSE)
    carried = int(links["bytes"][down].sum() - links["lost_bytes"][down].sum())
    _same(findings, "down-links: bytes that were not lost", carried, got)


def _handed_off(findings: Findings, run: Run, row: Mapping[str, Any], links: Columns) -> None:
    """Every packet of a hand-off crosses a link, or several; where a run was cut short, some have not come to one."""
    if row["status"] != "complete":
        return
    made = whole(run, "handoffs", "control_messages", "control_bytes")
    least = int(made["control_bytes"].sum()) - _header(links) * int(made["control_messages"].sum())
    carried = int(links["handoff_bytes"][links["kind"] == "wired"].sum())
    findings.looked(BYTES, 1)
    if carried < least:
        findings.fault(BYTES, f"wired links: handoff_bytes: {carried:,} on links, {least:,} in hand-offs")


def _in_mesh(findings: Findings, links: Columns, hosts: Columns) -> None:
    """Every link has one host at either end."""
    for way, end in (("sent", "source"), ("received", "target")):
        for name in _BY_PURPOSE:
            carried = np.zeros(len(hosts["host"]), np.int64)
            inside = (links[end] >= 0) & (links[end] < len(carried))
            np.add.at(carried, links[end][inside], links[name][inside])
            _each(findings, f"{way}_{name}", hosts, carried)


def _each(findings: Findings, name: str, hosts: Columns, carried: Numbers) -> None:
    host = hosts["host"]
    findings.looked(BYTES, len(host))
    if np.array_equal(np.sort(host), np.arange(len(host))):
        findings.faults(
            BYTES,
            hosts[name] != carried[host],
            lambda place: f"host {host[place]}: {name}: {hosts[name][place]:,} said, {carried[host[place]]:,} on links",
        )


def _payload(findings: Findings, row: Mapping[str, Any], sent: Messages, links: Columns) -> None:
    """A packet for every copy, once it has left: of a run that is complete and in the tables as a whole."""
    if row["status"] == "complete" and not sent.network.windowed:
        copies = np.bincount(sent.keys // sent.network.hosts, minlength=len(sent))
        _same(findings, "links: payload_bytes", int(links["payload_bytes"].sum()), int((copies * sent.payload).sum()))


def _same(findings: Findings, what: str, carried: int, wanted: int) -> None:
    findings.looked(BYTES, 1)
    if carried != wanted:
        findings.fault(BYTES, f"{what}: {carried:,} on links, {wanted:,} in the other tables")
