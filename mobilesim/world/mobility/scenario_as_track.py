"""The ways of a scenario's hosts as fixes, so that they can be walked elsewhere, or here once more as a track."""

from collections.abc import Iterable, Iterator

from mobilesim.tracks.position import Fix
from mobilesim.world.mobility import Leg, ways
from mobilesim.world.replication import World


def walked(world: World, hosts: int, until: int) -> Iterator[Fix]:
    """Of the first so many hosts, up to a moment; one after the other, each called by its number. Places are counted
    from where those in a file of sites are.
    """
    assert world.ground is not None
    east, north = world.ground.origin
    for host, way in enumerate(ways(world, range(hosts))):
        for fix in fixes(str(host), way, until):
            yield fix._replace(x=fix.x + east, y=fix.y + north)


def fixes(node: str, way: Iterable[Leg], until: int) -> Iterator[Fix]:
    """Whoever is under way at that moment is cut off there."""
    last: Leg | None = None
    for leg in way:
        if leg.start >= until:
            break
        if last is not None and (last.end, last.to_x, last.to_y) != (leg.start, leg.x, leg.y):
            yield Fix(node, last.end, last.to_x, last.to_y, False)
        yield Fix(node, leg.start, leg.x, leg.y, True)
        last = leg
    if last is not None:
        end = min(last.end, until)
        yield Fix(node, end, *last.at(end), end == until)
