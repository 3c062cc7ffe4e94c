"""Random direction: a host goes straight in a random direction to the edge of the plane, pauses, and turns.

Unlike with random waypoints, hosts are not denser in the middle of the plane. A host starts at a uniform position.
"""

from collections.abc import Iterator
from math import cos, inf, pi, sin

from mobilesim.contract.models import MobilityRow, Path, Pausing, PlaneCells, Segment, Streams, declares, sampler


class RandomDirection(Pausing):
    """The settings: `min_speed`, `max_speed` and `pause`."""


ROW = MobilityRow(RandomDirection, "hosts go straight to the edge of the plane, in random directions")


@declares(ROW, contract=1)
def segments(settings: RandomDirection, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    stream = streams.stream("movement", host)
    pause = sampler(settings.pause, stream)
    path = Path(stream.random() * plane.width, stream.random() * plane.height)
    while True:
        x, y = edge_point(path.x, path.y, 2 * pi * stream.random(), plane)
        speed = settings.min_speed + stream.random() * (settings.max_speed - settings.min_speed)
        yield path.to(x, y, speed)
        yield from path.stay(pause())


def edge_point(x: float, y: float, angle: float, plane: PlaneCells) -> tuple[float, float]:
    """Return the point of the edge in this direction. At the edge, directions to the outside are mirrored."""
    east, north = cos(angle), sin(angle)
    if (x <= 0 and east < 0) or (x >= plane.width and east > 0):
        east = -east
    if (y <= 0 and north < 0) or (y >= plane.height and north > 0):
        north = -north
    far = min(_distance(x, east, plane.width), _distance(y, north, plane.height))
    return min(max(x + far * east, 0.0), plane.width), min(max(y + far * north, 0.0), plane.height)


def _distance(at: float, step: float, most: float) -> float:
    if abs(step) < 1e-12:
        return inf
    return (most - at) / step if step > 0 else -at / step
