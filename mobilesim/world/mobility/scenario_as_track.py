"""The ways of a scenario's hosts as positions, so that they can be walked elsewhere, or here once more as a track."""

from collections.abc import Iterable, Iterator

from mobilesim.tracks.position import Position
from mobilesim.world.mobility import Segment, ways
from mobilesim.world.replication import World


def walked(world: World, hosts: int, until: int) -> Iterator[Position]:
    """Of the first so many hosts, up to a moment; one after the other, each called by its number. Places are counted
    from where those in a file of sites are.
    """
    assert world.plane is not None
    east, north = world.plane.origin
    for host, way in enumerate(ways(world, range(hosts))):
        for position in positions(str(host), way, until):
            yield position._replace(x=position.x + east, y=position.y + north)


def positions(node: str, way: Iterable[Segment], until: int) -> Iterator[Position]:
    """Whoever is under way at that moment is cut off there."""
    last: Segment | None = None
    for segment in way:
        if segment.start >= until:
            break
        if last is not None and (last.end, last.to_x, last.to_y) != (segment.start, segment.x, segment.y):
            yield Position(node, last.end, last.to_x, last.to_y, False)
        yield Position(node, segment.start, segment.x, segment.y, True)
        last = segment
    if last is not None:
        end = min(last.end, until)
        yield Position(node, end, *last.at(end), end == until)
