"""How hosts move: one file for each model, and what the emulation is told of it."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from mobilesim.scenario.model import Mobility, Scenario
from mobilesim.world.mobility.actions import Departure, Rest, Step
from mobilesim.world.mobility.cell_detection import Lookout, Map, Sighting, departures, sightings
from mobilesim.world.mobility.models.cell_jump import jumps
from mobilesim.world.mobility.models.track import Seen, seen, stray, tracks
from mobilesim.world.mobility.models.trips import Network, journeys
from mobilesim.world.mobility.plane_models import path
from mobilesim.world.mobility.segments import Leg
from mobilesim.world.plane_cells import Ground
from mobilesim.world.random_streams import Streams

if TYPE_CHECKING:
    from mobilesim.world.replication import World

__all__ = ["Departure", "Leg", "Rest", "Step", "legs", "notes", "starting_cells", "walkers", "ways"]


def walkers(world: "World") -> list[Iterator[Step]]:
    """What each host does, from time 0 on; none of them does anything if the list is empty."""
    scenario, streams, cells = world.scenario, world.streams, world.neighbours
    mobility, hosts = scenario.mobility, range(scenario.hosts)
    match mobility.model:
        case "static":
            return []
        case "cell-jump":
            return [jumps(mobility, cells, streams, host, world.starting_cells[host]) for host in hosts]
        case "trips":
            network = Network(cells, mobility.walk)
            return [journeys(mobility, network, streams, host, world.starting_cells[host]) for host in hosts]
        case "track":
            views = [(each.home, iter(each.sightings)) for each in _nodes(scenario)]
        case _:
            assert world.ground is not None
            chart = Map(world.ground)
            views = [_view(mobility, chart, streams, host) for host in hosts]
    return [
        departures(seen, home, mobility, streams.stream("crossing", host)) for host, (home, seen) in enumerate(views)
    ]


def starting_cells(
    scenario: Scenario, stations: int, streams: Streams, ground: Ground | None = None
) -> tuple[int, ...]:
    """Where each host starts; the start of one does not depend on how many others there are. On a plane it is the cell
    of the nearest station.
    """
    mobility, hosts = scenario.mobility, range(scenario.hosts)
    if mobility.model == "track":
        return tuple(each.home for each in _nodes(scenario))
    if ground is not None:
        firsts = (next(path(mobility, ground, streams, host)) for host in hosts)
        return tuple(ground.nearest(leg.x, leg.y) for leg in firsts)
    if mobility.start == "spread":
        return tuple(host % stations for host in hosts)
    return tuple(int(streams.stream("home", host).random() * stations) for host in hosts)


def notes(world: "World") -> list[str]:
    """What to say of a way that may not be meant so."""
    if world.ground is None or world.scenario.mobility.model != "track":
        return []
    return [said] if (said := stray(world.scenario.mobility.walk, world.ground, _nodes(world.scenario))) else []


def legs(world: "World", host: int) -> Iterator[Leg]:
    """The way of a host on a plane, for who wants to see it."""
    return next(ways(world, (host,)))


def ways(world: "World", hosts: Iterable[int]) -> Iterator[Iterator[Leg]]:
    """Those of some hosts, likewise; a file of them is read once."""
    ground, mobility = world.ground, world.scenario.mobility
    assert ground is not None
    if mobility.model == "track":
        nodes = _nodes(world.scenario)
        return iter(tracks(mobility.walk, ground, [nodes[host].node for host in hosts]))
    return (path(mobility, ground, world.streams, host) for host in hosts)


def _view(mobility: Mobility, chart: Map, streams: Streams, host: int) -> tuple[int, Iterator[Sighting]]:
    """The first cell, and what follows."""
    ways = path(mobility, chart.ground, streams, host)
    first = next(ways)
    phase = streams.stream("phase", host).randrange(mobility.looks.check)
    lookout = Lookout(chart, mobility.looks, phase, (first.x, first.y))
    return lookout.home, sightings(chain((first,), ways), lookout)


def _nodes(scenario: Scenario) -> list[Seen]:
    mobility = scenario.mobility
    return seen(mobility.walk, mobility.looks, scenario.cells, scenario.hosts, scenario.duration)
