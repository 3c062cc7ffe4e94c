"""Detect overload: while hosts were sending, a link or a station got more work than it could do in this time.

A run goes on until no message is in transit, so all work is done in the end. With overload, queues and delays grow
while hosts send, and mean delays depend on the duration of the run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isinf, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mobilesim.errors import counted
from mobilesim.recording.link_counters import Links
from mobilesim.recording.recorder import RunRecorder

if TYPE_CHECKING:
    from mobilesim.simulation.cells import CellularSimulation
    from mobilesim.simulation.simulation import Simulation

_SECOND: Final = 1e9
_BURST: Final = 10
_DEVIATIONS: Final = 3.0
"""A backlog, in packets, is significant if it is more than `_BURST`, and more than `_DEVIATIONS` times the square root
of the number of packets.
"""


class Span(NamedTuple):
    since: int
    until: int


class Server(NamedTuple):
    """A link or a station, which serves one packet at a time."""

    name: str
    work: int
    """The busy time that the packets require, in nanoseconds."""
    time: int
    """The time for which the server was available while hosts were sending."""
    packets: int
    remedy: str
    waited: int | None = None
    """The longest queue in packets; None if this number is unknown."""

    @property
    def over(self) -> bool:
        """Return whether the work exceeds the time, the backlog is significant, and the queue was long, if known."""
        if not 0 < self.time < self.work:
            return False
        by_chance = max(_BURST, _DEVIATIONS * sqrt(self.packets))
        backlog = self.packets * (1 - self.time / self.work)
        return backlog > by_chance and (self.waited is None or self.waited > _BURST)


class Overload(NamedTuple):
    worst: Server
    others: int
    """The number of other overloaded servers."""

    def __str__(self) -> str:
        worst, others = self.worst, f", and {self.others:,} more were overloaded" if self.others else ""
        waited = "" if worst.waited is None else f" (up to {counted(worst.waited, 'packet')} waited)"
        had = f"{worst.work / _SECOND:,.1f} s of work in {worst.time / _SECOND:,.1f} s{waited}"
        return f"{worst.name} had {had}{others}: delays grow with the duration; send less, or {worst.remedy}"


def overload(candidates: Iterable[Server]) -> Overload | None:
    over = [server for server in candidates if server.over]
    return Overload(max(over, key=lambda server: server.work - server.time), len(over) - 1) if over else None


def sending_span(simulation: "Simulation") -> Span:
    """Return the span in which hosts were sending. If the last message ends the scenario, add the mean time in which
    the next message would have followed.
    """
    workload, ended = simulation.world.scenario.workload, simulation.ended
    if ended == simulation.world.scenario.duration or workload.replay is not None:
        return Span(simulation.began, ended)
    means = [] if workload.senders == 0 else [workload.interval.mean]
    means += [] if workload.stations is None else [workload.stations.interval.mean]
    interval = max(means, default=0.0) + (0.0 if workload.bursts is None else workload.bursts.silence.mean)
    return Span(simulation.began, ended + (0 if isinf(interval) else int(interval)))


def measured_span(simulation: "Simulation") -> Span:
    """Return the part of the sending span that belongs to the measurement window."""
    sending, window = sending_span(simulation), simulation.window
    until = min(sending.until, window.until) if window.until <= simulation.ended else sending.until
    return Span(max(sending.since, window.since), until)


def servers(simulation: "CellularSimulation", recorder: RunRecorder, during: Span) -> Iterator[Server]:
    """Return the stations and links of a network of cells."""
    wired, span, counted = simulation.wired, during.until - during.since, simulation.window_counters
    links = counted.links["wired"]
    sent = _packets(links, 0)
    for station, (worked, load) in enumerate(zip(counted.worked, recorder.measured_loads, strict=True)):
        packets = load.packets + sent.get(station, (0, 0))[0]
        yield Server(f"station {station}", worked, span, packets, "reduce the processing time")
    yield from link_servers(
        links, "station", "increase backbone.bandwidth", lambda ends: span - wired.failed(ends, *during)
    )
    shared, hosts = simulation.air.shared, len(simulation.hosts)
    away = [0] * simulation.world.stations if shared else _absent_time(recorder, hosts, during)
    if simulation.air.processors is not None:
        gone = _absent_time(recorder, hosts, during)
        for host, (_, given, frames) in enumerate(counted.computing):
            remedy = "reduce processing.hosts"
            yield Server(f"the processor of host {host}", given, span - gone[host], frames, remedy)
    kind, end = ("cell", 1) if shared else ("host", 0)
    for name, occupied in counted.demanded.items():
        carried = _packets(counted.links[name], end)
        for number, (packets, waited) in sorted(carried.items()):
            there = span - away[number]
            remedy = "increase wireless.bandwidth"
            remedy = remedy if there > away[number] else f"shorten absences of hosts, or {remedy}"
            yield Server(f"the {name} of {kind} {number}", occupied.get(number, 0), there, packets, remedy, waited)


def _absent_time(recorder: RunRecorder, hosts: int, during: Span) -> list[int]:
    """Return the time for which each host was in no cell: between two cells, disconnected, or without energy."""
    moves = recorder.handoffs.columns()
    between = ~moves["reconnection"].astype(bool) & (moves["entered"] >= 0)
    gaps = np.minimum(moves["entered"], during.until) - np.maximum(moves["left"], during.since)
    crossing = np.bincount(moves["host"][between], np.maximum(gaps[between], 0), hosts)
    away = recorder.disconnections.away(hosts, during.until, during.since)
    return [disconnected + int(gap) for disconnected, gap in zip(away, crossing, strict=True)]


def link_servers(links: Links, kind: str, remedy: str, time: Callable[[tuple[int, int]], int]) -> Iterator[Server]:
    """Return the links with too much work. `kind`: 'host' or 'station', the nodes that the links connect. `time`
    returns how long a link was available.
    """
    for ends, counter in links.items():
        available = max(0, time(ends))
        if counter.busy > available:
            name = f"the link from {kind} {ends[0]} to {ends[1]}"
            yield Server(name, counter.busy, available, counter.packets, remedy, counter.queue_peak)


def bus_servers(links: Links, available: int) -> Iterator[Server]:
    """Return the bus if it has too much work."""
    busy = sum(counter.busy for counter in links.values())
    if busy > (available := max(0, available)):
        packets = sum(counter.packets for counter in links.values())
        longest = max(counter.queue_peak for counter in links.values())
        yield Server("the bus", busy, available, packets, "reduce links.delay", longest)


def _packets(links: Links, end: int) -> Mapping[int, tuple[int, int]]:
    """Return for each host or station the number of packets and the longest queue. `end`: as in `final_tables`."""
    found: dict[int, tuple[int, int]] = {}
    for ends, counter in links.items():
        packets, waited = found.get(ends[end], (0, 0))
        found[ends[end]] = packets + counter.packets, max(waited, counter.queue_peak)
    return found
