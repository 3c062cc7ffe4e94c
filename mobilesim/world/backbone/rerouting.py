"""Routes over the links that work. Every station knows at once which those are."""

from typing import Final

from mobilesim.geometry.graph_shapes import Pair
from mobilesim.world.backbone.shortest_paths import Adjacency, Route, shortest_route
from mobilesim.world.backbone.topology import Topology, adjacency

_NEVER: Final = float("inf")


class Rerouting:
    """Packets take the usual route as long as it works."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.down: set[Pair] = set()
        self._adjacency: Adjacency | None = None
        self._cache: dict[Pair, Route | None] = {}
        """Cleared by repairs only: a failure makes no route shorter, and none possible."""

    def fail(self, pair: Pair) -> None:
        self.down.add(pair)

    def repair(self, pair: Pair) -> None:
        self.down.discard(pair)
        self._cache.clear()

    def works(self, here: int, route: Route) -> bool:
        if self.down:
            for station in route:
                if ((here, station) if here < station else (station, here)) in self.down:
                    return False
                here = station
        return True

    def route(self, here: int, target: int) -> Route | None:
        """Return the shortest working route, None if there is none now."""
        routes = self.topology.routes
        usual = (target,) if routes is None else routes[here][target]
        if self.works(here, usual):
            return usual
        ends = (here, target)
        if ends in self._cache:
            route = self._cache[ends]
            if route is None or self.works(here, route):
                return route
        route = (routes is None and self._around_one_link(here, target)) or self._around_several(here, target)
        self._cache[ends] = route
        return route

    def _around_one_link(self, here: int, target: int) -> Route | None:
        """Return the shortest route of two hops in a complete graph."""
        delays = {via: self._delay(here, via, target) for via in range(self.topology.stations)}
        best = min(delays, key=delays.__getitem__)
        return None if delays[best] == _NEVER else (best, target)

    def _delay(self, here: int, via: int, target: int) -> float:
        if via in {here, target} or not self.works(here, (via, target)):
            return _NEVER
        return self.topology.wire(here, via).mean_delay + self.topology.wire(via, target).mean_delay

    def _around_several(self, here: int, target: int) -> Route | None:
        if self._adjacency is None:
            self._adjacency = adjacency(self.topology)
        routes = self.topology.routes
        distances = None if routes is None else routes[target].distances
        return shortest_route(self._adjacency, here, target, self.down, distances)
