"""Mobility: the first cells, actions and positions of hosts. The models are in `mobilesim.world.mobility.models`."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.mobility_models import mobility_row, outside_model
from mobilesim.tracks.position import Position
from mobilesim.world.mobility.actions import Action
from mobilesim.world.mobility.cell_detection import CellBorders, CellDetector, actions, cell_changes
from mobilesim.world.mobility.models import track
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams

if TYPE_CHECKING:
    from mobilesim.world.replication import World


_WARN_FROM: Final = 0.5
"""If at least this share of the plane is not covered by a station, there is a warning."""


def model_module(name: str) -> ModuleType:
    """Return the module of a shipped model. It has `segments` or `actions`, see `mobilesim.world.mobility.models`."""
    return import_module(f"mobilesim.world.mobility.models.{name.replace('-', '_')}")


@cache
def model_function(name: str) -> Callable[..., Any]:
    """Return the function of a model: `segments` if it is on a plane, otherwise `actions`."""
    outside, on_plane = outside_model(name), mobility_row(name).on_plane
    if outside is not None and on_plane:
        return outside.iterate
    if outside is not None:
        return lambda world: list(outside.load()(world))
    function: Callable[..., Any] = getattr(model_module(name), "segments" if on_plane else "actions")
    return function


def host_actions(world: "World") -> list[Iterator[Action]]:
    """Return for each host its actions from time 0 on; [] if hosts never move."""
    model = world.scenario.mobility.model
    if world.plane is None or model == "track":
        departures: list[Iterator[Action]] = (track.actions if model == "track" else model_function(model))(world)
        return departures
    borders = CellBorders(world.plane)
    return [_actions(world, borders, host) for host in range(world.scenario.hosts)]


def _actions(world: "World", borders: CellBorders, host: int) -> Iterator[Action]:
    mobility, streams = world.scenario.mobility, world.streams
    path = _path(mobility, borders.plane, streams, host)
    first = next(path)
    crossing = mobility.cell_crossing
    phase = streams.stream("phase", host).randrange(crossing.check)
    detector = CellDetector(borders, crossing, phase, (first.x, first.y))
    changes = cell_changes(chain((first,), path), detector)
    return actions(changes, detector.home, mobility, streams.stream("crossing", host))


def starting_cells(
    scenario: Scenario, stations: int, streams: Streams, plane: PlaneCells | None = None
) -> tuple[int, ...]:
    """Return the cell of each host at time 0; on a plane, this is the cell of the nearest station.

    A host's cell does not depend on the number of hosts.
    """
    mobility, hosts = scenario.mobility, range(scenario.hosts)
    if mobility.model == "track":
        return tuple(node.home for node in track.nodes(scenario))
    if plane is not None:
        first_segments = (next(_path(mobility, plane, streams, host)) for host in hosts)
        return tuple(plane.nearest(segment.x, segment.y) for segment in first_segments)
    if mobility.start == "spread":
        return tuple(host % stations for host in hosts)
    return tuple(int(streams.stream("home", host).random() * stations) for host in hosts)


def host_paths(world: "World", hosts: Iterable[int]) -> Iterator[Iterator[Segment]]:
    assert world.plane is not None
    if world.scenario.mobility.model == "track":
        return iter(track.paths(world, hosts))
    return (_path(world.scenario.mobility, world.plane, world.streams, host) for host in hosts)


def mobility_warnings(world: "World") -> list[str]:
    """Return warnings about settings of mobility that may be unintended."""
    if world.plane is None:
        return []
    if world.scenario.mobility.model == "track":
        return [warning] if (warning := track.off_plane_warning(world)) else []
    if (unreached := world.plane.unreached()) < _WARN_FROM:
        return []
    remedy = "write a larger radius" + (", or a smaller spacing" if world.scenario.cells.file is None else "")
    return [f"cells.radius: {unreached:.0%} of the plane is out of reach of every station; {remedy}"]


def _path(mobility: Mobility, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    path: Iterator[Segment] = model_function(mobility.model)(mobility.model_settings, plane, streams, host)
    return path


def host_positions(world: "World", hosts: int, until: int) -> Iterator[Position]:
    """Yield the positions of the first `hosts` hosts up to `until`, host by host. A node has its host's number as name.

    If there is a file of sites, positions have the coordinates of this file.
    """
    assert world.plane is not None
    east, north = world.plane.origin
    for host, path in enumerate(host_paths(world, range(hosts))):
        for position in positions(str(host), path, until):
            yield position._replace(x=position.x + east, y=position.y + north)


def positions(node: str, path: Iterable[Segment], until: int) -> Iterator[Position]:
    last: Segment | None = None
    for segment in path:
        if segment.start >= until:
            break
        if last is not None and (last.end, last.to_x, last.to_y) != (segment.start, segment.x, segment.y):
            yield Position(node, last.end, last.to_x, last.to_y, False)
        yield Position(node, segment.start, segment.x, segment.y, True)
        last = segment
    if last is not None:
        end = min(last.end, until)
        yield Position(node, end, *last.at(end), end == until)
