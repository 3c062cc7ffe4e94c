"""Whether a link or a station was asked for more than it could do while hosts were sending.

All that a place is asked for is done in the end, since a run goes on until nothing is under way. Where that takes
longer than hosts were sending, what waits grows as long as they send, and so do delays: their means say how long the
run was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isinf
from typing import TYPE_CHECKING, Final, NamedTuple

from mobilesim.ledger import Links
from mobilesim.scenario.replay import messages

if TYPE_CHECKING:
    from mobilesim.simulation.cells import Cells
    from mobilesim.simulation.driver import Simulation
    from mobilesim.watch import Watch

_SECOND: Final = 1e9
_BURST: Final = 10
"""So many packets that are left for later say nothing yet."""


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
    def left(self) -> float:
        """How many packets, all of them alike, there was no time for."""
        return self.packets * (1 - self.time / self.asked) if self.asked > self.time else 0.0


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
    over = [place for place in places if place.left > _BURST]
    return Overload(max(over, key=lambda place: place.asked - place.time), len(over) - 1) if over else None


def sending(simulation: "Simulation") -> int:
    """How long hosts were: from the first message to the last, and an interval more, as each message has one."""
    workload, ended = simulation.place.scenario.workload, simulation.ended
    if workload.replay is not None and workload.replies is None:
        times = messages(workload.replay).times
        sent = min(simulation.sent, len(times))
        return min(ended, (times[sent - 1] - times[0]) * sent // (sent - 1)) if sent > 1 else ended
    interval = workload.interval.mean
    return ended if isinf(interval) else min(ended, ended - simulation.began + int(interval))


def workplaces(simulation: "Cells", watch: "Watch", time: int) -> Iterator[Workplace]:
    """Of a network of cells."""
    wires, ended = simulation.wires, simulation.ended
    sent = _packets(wires.tallies, 0)
    for station, (worked, load) in enumerate(zip(wires.worked, watch.loads, strict=True)):
        packets = load.packets + sent.get(station, (0, 0))[0]
        yield Workplace(f"station {station}", worked, time, packets, "make processing cheaper")
    yield from wired(
        wires.tallies, "station", "give more backbone.bandwidth", lambda ends: time - wires.failed(ends, ended)
    )
    hosts = len(simulation.hosts)
    away = [0] * simulation.place.stations if simulation.air.shared else watch.disconnections.away(hosts, ended)
    whose, end = ("cell", 1) if simulation.air.shared else ("host", 0)
    for name, direction in (("up-link", simulation.air.up), ("down-link", simulation.air.down)):
        carried, occupied = _packets(direction.links, end), direction.occupied()
        for number, (packets, waited) in sorted(carried.items()):
            could = max(0, time - away[number])
            said = f"the {name} of {whose} {number}"
            yield Workplace(said, occupied[number], could, packets, "give more wireless.bandwidth", waited)


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
