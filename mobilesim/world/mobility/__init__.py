"""How hosts move: one file for each model, and what the emulation is told of it."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from mobilesim.scenario.model import Mobility, Scenario
from mobilesim.world.mobility.actions import Action, Departure, Idle
from mobilesim.world.mobility.cell_detection import CellBorders, CellChange, CellDetector, actions, cell_changes
from mobilesim.world.mobility.models.cell_jump import jumps
from mobilesim.world.mobility.models.track import Seen, seen, stray, tracks
from mobilesim.world.mobility.models.trips import Network, journeys
from mobilesim.world.mobility.plane_models import path
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams

if TYPE_CHECKING:
    from mobilesim.world.replication import World

__all__ = ["Action", "Departure", "Idle", "Segment", "notes", "segments", "starting_cells", "walkers", "ways"]


def walkers(world: "World") -> list[Iterator[Action]]:
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
            assert world.plane is not None
            chart = CellBorders(world.plane)
            views = [_view(mobility, chart, streams, host) for host in hosts]
    return [actions(seen, home, mobility, streams.stream("crossing", host)) for host, (home, seen) in enumerate(views)]


def starting_cells(
    scenario: Scenario, stations: int, streams: Streams, plane: PlaneCells | None = None
) -> tuple[int, ...]:
    """Where each host starts; the start of one does not depend on how many others there are. On a plane it is the cell
    of the nearest station.
    """
    mobility, hosts = scenario.mobility, range(scenario.hosts)
    if mobility.model == "track":
        return tuple(each.home for each in _nodes(scenario))
    if plane is not None:
        firsts = (next(path(mobility, plane, streams, host)) for host in hosts)
        return tuple(plane.nearest(segment.x, segment.y) for segment in firsts)
    if mobility.start == "spread":
        return tuple(host % stations for host in hosts)
    return tuple(int(streams.stream("home", host).random() * stations) for host in hosts)


def notes(world: "World") -> list[str]:
    """What to say of a way that may not be meant so."""
    if world.plane is None or world.scenario.mobility.model != "track":
        return []
    return [said] if (said := stray(world.scenario.mobility.walk, world.plane, _nodes(world.scenario))) else []


def segments(world: "World", host: int) -> Iterator[Segment]:
    """The way of a host on a plane, for who wants to see it."""
    return next(ways(world, (host,)))


def ways(world: "World", hosts: Iterable[int]) -> Iterator[Iterator[Segment]]:
    """Those of some hosts, likewise; a file of them is read once."""
    plane, mobility = world.plane, world.scenario.mobility
    assert plane is not None
    if mobility.model == "track":
        nodes = _nodes(world.scenario)
        return iter(tracks(mobility.walk, plane, [nodes[host].node for host in hosts]))
    return (path(mobility, plane, world.streams, host) for host in hosts)


def _view(mobility: Mobility, chart: CellBorders, streams: Streams, host: int) -> tuple[int, Iterator[CellChange]]:
    """The first cell, and what follows."""
    ways = path(mobility, chart.plane, streams, host)
    first = next(ways)
    phase = streams.stream("phase", host).randrange(mobility.looks.check)
    lookout = CellDetector(chart, mobility.looks, phase, (first.x, first.y))
    return lookout.home, cell_changes(chain((first,), ways), lookout)


def _nodes(scenario: Scenario) -> list[Seen]:
    mobility = scenario.mobility
    return seen(mobility.walk, mobility.looks, scenario.cells, scenario.hosts, scenario.duration)
