"""The paths of a scenario's hosts as positions of a track, for other tools or for the model `track`."""

from collections.abc import Iterable, Iterator

from mobilesim.tracks.position import Position
from mobilesim.world.mobility import host_paths
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.replication import World


def host_positions(world: World, hosts: int, until: int) -> Iterator[Position]:
    """Yield the positions of the first hosts up to `until`, host by host. A node's name is its host's number.

    Coordinates are those of the sites' file, if there is one.
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
