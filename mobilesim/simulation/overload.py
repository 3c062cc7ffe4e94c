"""Whether a link or a station was asked for more than it could do while hosts were sending.

All that a place is asked for is done in the end, since a run goes on until nothing is under way. Where that takes
longer than hosts were sending, what waits grows as long as they send, and so do delays: their means say how long the
run was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isinf, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mobilesim.recording.link_counters import Links
from mobilesim.scenario.sections.workload import Workload

if TYPE_CHECKING:
    from mobilesim.recording.recorder import Watch
    from mobilesim.simulation.cells import Cells
    from mobilesim.simulation.links.wired import Wires
    from mobilesim.simulation.simulation import Simulation

_SECOND: Final = 1e9
_BURST: Final = 10
_ROUGHLY: Final = 3.0
"""So many packets that are left for later say nothing yet; of many packets, so many roots of their number."""


class Span(NamedTuple):
    since: int
    until: int


class Workplace(NamedTuple):
    name: str
    asked: int
    """How long it was busy, or would have been, in nanoseconds."""
    time: int
    """How long it could be, while hosts were sending."""
    packets: int
    cure: str
    """What helps."""
    waited: int | None = None
    """The most packets that did at a time, where that is known."""

    @property
    def over(self) -> bool:
        """More packets than come by chance had to wait, and there was no time for as many, all of them alike."""
        if not 0 < self.time < self.asked:
            return False
        chance = max(_BURST, _ROUGHLY * sqrt(self.packets))
        left = self.packets * (1 - self.time / self.asked)
        return left > chance and (self.waited is None or self.waited > _BURST)


class Overload(NamedTuple):
    worst: Workplace
    others: int
    """How many more places were asked for too much."""

    def __str__(self) -> str:
        worst, others = self.worst, f", and {self.others:,} more had too much" if self.others else ""
        waited = "" if worst.waited is None else f" (up to {worst.waited:,} packets waited)"
        had = f"{worst.asked / _SECOND:,.1f} s of work in {worst.time / _SECOND:,.1f} s{waited}"
        return f"{worst.name} had {had}{others}: delays grow with the duration; send less, or {worst.cure}"


def overload(places: Iterable[Workplace]) -> Overload | None:
    """None if nothing was asked for more than there was time for."""
    over = [place for place in places if place.over]
    return Overload(max(over, key=lambda place: place.asked - place.time), len(over) - 1) if over else None


def sending(simulation: "Simulation") -> Span:
    """From the first message on. Where the scenario ends with a message, that one has its interval, too."""
    scenario, ended = simulation.world.scenario, simulation.ended
    more = 0.0 if ended == scenario.duration else _between(scenario.workload)
    return Span(simulation.began, ended + (0 if isinf(more) else int(more)))


def _between(workload: Workload) -> float:
    """Two messages of whoever sends."""
    if workload.replay is not None:
        return 0.0
    own = [] if workload.senders == 0 else [workload.interval.mean]
    silent = 0.0 if workload.bursts is None else workload.bursts.silence.mean
    return max([*own, *([] if workload.stations is None else [workload.stations.interval.mean])], default=0.0) + silent


def workplaces(simulation: "Cells", watch: "Watch", during: Span) -> Iterator[Workplace]:
    """Of a network of cells."""
    wires, (since, until) = simulation.wires, during
    sent = _packets(wires.tallies, 0)
    for station, (worked, load) in enumerate(zip(wires.worked, watch.loads, strict=True)):
        packets = load.packets + sent.get(station, (0, 0))[0]
        yield Workplace(f"station {station}", worked, until - since, packets, "make processing cheaper")
    could = partial(_up, wires, during)
    yield from wired(wires.tallies, "station", "give more backbone.bandwidth", could)
    shared, hosts = simulation.air.shared, len(simulation.hosts)
    away = [0] * simulation.world.stations if shared else _absent(watch, hosts, during)
    whose, end = ("cell", 1) if shared else ("host", 0)
    for name, direction in (("up-link", simulation.air.up), ("down-link", simulation.air.down)):
        carried, occupied = _packets(direction.links, end), direction.occupied()
        for number, (packets, waited) in sorted(carried.items()):
            there = until - since - away[number]
            cure = "give more wireless.bandwidth"
            cure = cure if there > away[number] else f"let hosts be away for less, or {cure}"
            yield Workplace(f"the {name} of {whose} {number}", occupied[number], there, packets, cure, waited)


def _up(wires: "Wires", during: Span, ends: tuple[int, int]) -> int:
    return during.until - during.since - wires.failed(ends, *during)


def _absent(watch: "Watch", hosts: int, during: Span) -> list[int]:
    """How long each host was in no cell: between two of them, disconnected, or dead."""
    moves = watch.handoffs.columns()
    between = ~moves["reconnection"].astype(bool) & (moves["entered"] >= 0)
    gaps = np.minimum(moves["entered"], during.until) - np.maximum(moves["left"], during.since)
    crossing = np.bincount(moves["host"][between], np.maximum(gaps[between], 0), hosts)
    away = watch.disconnections.away(hosts, during.until, during.since)
    return [gone + int(gap) for gone, gap in zip(away, crossing, strict=True)]


def wired(links: Links, kind: str, cure: str, time: Callable[[tuple[int, int]], int]) -> Iterator[Workplace]:
    """`kind` of what is at their ends."""
    for ends, tally in links.items():
        name = f"the link from {kind} {ends[0]} to {ends[1]}"
        yield Workplace(name, tally.busy, max(0, time(ends)), tally.packets, cure, tally.queue_peak)


def _packets(links: Links, end: int) -> Mapping[int, tuple[int, int]]:
    """Of each host, or station: how many there were, and the most that waited."""
    added: dict[int, tuple[int, int]] = {}
    for pair, tally in links.items():
        packets, waited = added.get(pair[end], (0, 0))
        added[pair[end]] = packets + tally.packets, max(waited, tally.queue_peak)
    return added
