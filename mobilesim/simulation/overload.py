"""Whether a link or a station was asked for more than it could do while hosts were sending.

All that a place is asked for is done in the end, since a run goes on until nothing is under way. Where that takes
longer than hosts were sending, what waits grows as long as they send, and so do delays: their means say how long the
run was.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from mobilesim.ledger import Links, Tally

if TYPE_CHECKING:
    from mobilesim.simulation.cells import Cells

_SECOND: Final = 1e9
_BURST: Final = 10
"""So many packets that are left for later say nothing yet."""


class Place(NamedTuple):
    name: str
    asked: int
    """How long it was busy, or would have been, in nanoseconds."""
    packets: int
    cure: str
    """What helps."""
    waited: int | None = None
    """The most packets that did at a time, where that is known."""

    def left(self, time: int) -> float:
        """How many packets, all of them alike, there was no time for."""
        return self.packets * (1 - time / self.asked) if self.asked > time else 0.0


class Overload(NamedTuple):
    worst: Place
    others: int
    """How many more places were asked for too much."""
    time: int
    """How long hosts were sending."""

    def __str__(self) -> str:
        worst, others = self.worst, f", and {self.others:,} more had too much" if self.others else ""
        waited = "" if worst.waited is None else f" (up to {worst.waited:,} packets waited)"
        had = f"{worst.asked / _SECOND:,.1f} s of work in {self.time / _SECOND:,.1f} s{waited}"
        return f"{worst.name} had {had}{others}: delays grow with the duration; send less, or {worst.cure}"


def overload(places: Iterable[Place], time: int) -> Overload | None:
    """None if nothing was asked for more than there was time for."""
    over = [place for place in places if place.left(time) > _BURST]
    return Overload(max(over, key=lambda place: place.asked), len(over) - 1, time) if over else None


def places(simulation: "Cells") -> Iterator[Place]:
    """Whatever does one thing at a time."""
    watch, air = simulation.watch, simulation.air
    assert watch is not None
    links = simulation.wires.tallies
    sent = _added(links, 0, missed=True)
    for station, (worked, load) in enumerate(zip(simulation.wires.worked, watch.loads, strict=True)):
        packets = load.packets + (sent[station].packets if station in sent else 0)
        yield Place(f"station {station}", worked, packets, "make processing cheaper")
    yield from wired(links, "station", "give more backbone.bandwidth")
    for name, direction in (("up-link", air.up), ("down-link", air.down)):
        if air.shared:
            yield from _on_air(f"the {name} of cell", _added(direction.links, 1, missed=True))
        else:
            yield from _on_air(f"the {name} of host", _added(direction.links, 0, missed=False))


def wired(links: Links, kind: str, cure: str) -> Iterator[Place]:
    """`kind` of what is at their ends."""
    for (source, target), tally in links.items():
        name = f"the link from {kind} {source} to {target}"
        yield Place(name, tally.busy, tally.packets, cure, tally.queue_peak)


def _on_air(name: str, added: Mapping[int, Tally]) -> Iterator[Place]:
    for number, tally in sorted(added.items()):
        yield Place(f"{name} {number}", tally.busy, tally.packets, "give more wireless.bandwidth", tally.queue_peak)


def _added(links: Links, end: int, *, missed: bool) -> dict[int, Tally]:
    """Of each host, or cell. What a station sends to a host that has left keeps nobody's own link busy."""
    added: dict[int, Tally] = {}
    for pair, tally in links.items():
        sums = added.setdefault(pair[end], Tally())
        sums.busy += tally.busy if missed else tally.received
        sums.packets += tally.packets
        sums.queue_peak = max(sums.queue_peak, tally.queue_peak)
    return added
