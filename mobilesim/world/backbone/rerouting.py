"""Ways over the links that have not failed. Every station knows at once which those are."""

from typing import Final

from mobilesim.geometry.graph_shapes import Pair
from mobilesim.world.backbone.shortest_paths import Around, Way, shortest
from mobilesim.world.backbone.topology import Topology, around

_NEVER: Final = float("inf")


class Detours:
    """As long as the usual way holds, packets take that one."""

    __slots__ = ("_around", "_found", "down", "topology")

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.down: set[Pair] = set()
        self._around: Around | None = None
        self._found: dict[Pair, Way | None] = {}
        """Nothing comes to be shorter, or possible, by a failure."""

    def fail(self, pair: Pair) -> None:
        self.down.add(pair)

    def mend(self, pair: Pair) -> None:
        self.down.discard(pair)
        self._found.clear()

    def holds(self, here: int, way: Way) -> bool:
        """Whether all of its links work."""
        if self.down:
            for station in way:
                if ((here, station) if here < station else (station, here)) in self.down:
                    return False
                here = station
        return True

    def way(self, here: int, target: int) -> Way | None:
        """None where nothing leads there now."""
        routes = self.topology.routes
        usual = (target,) if routes is None else routes[here][target]
        if self.holds(here, usual):
            return usual
        ends = (here, target)
        if ends in self._found:
            way = self._found[ends]
            if way is None or self.holds(here, way):
                return way
        way = self._found[ends] = (routes is None and self._past_one(here, target)) or self._past_several(here, target)
        return way

    def _past_one(self, here: int, target: int) -> Way | None:
        """In a mesh, around a failed link: by way of the station by which it is shortest."""
        delays = {via: self._delay(here, via, target) for via in range(self.topology.stations)}
        best = min(delays, key=delays.__getitem__)
        return None if delays[best] == _NEVER else (best, target)

    def _delay(self, here: int, via: int, target: int) -> float:
        if via in {here, target} or not self.holds(here, (via, target)):
            return _NEVER
        return self.topology.wire(here, via).mean_delay + self.topology.wire(via, target).mean_delay

    def _past_several(self, here: int, target: int) -> Way | None:
        if self._around is None:
            self._around = around(self.topology)
        routes = self.topology.routes
        return shortest(self._around, here, target, self.down, None if routes is None else routes[target].far)
