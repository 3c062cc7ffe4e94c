"""Hot spot: random waypoint, where many of the places that hosts go to are close to a single one."""

from collections.abc import Iterator
from math import hypot

from mobilesim.scenario.sections.mobility_models import Hotspot
from mobilesim.world.mobility.models.waypoint_legs import Habit, wander
from mobilesim.world.mobility.segments import Leg, anywhere, around, spot
from mobilesim.world.plane_cells import Ground
from mobilesim.world.random_streams import Streams


def hotspot(walk: Hotspot, ground: Ground, streams: Streams, host: int) -> Iterator[Leg]:
    stream = streams.stream("movement", host)
    elsewhere = anywhere(ground.width, ground.height, stream)
    there = around(ground, spot(ground, walk.place, "mobility.hotspot.place"), walk.radius, stream)

    def place() -> tuple[float, float]:
        return there() if stream.random() < walk.pull else elsewhere()

    longest = hypot(ground.width, ground.height) if walk.pull < 1 else 2 * walk.radius
    return wander(Habit(place, longest, walk), stream)
