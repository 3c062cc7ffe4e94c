"""The models on a plane: the way of one host, whichever it follows."""

from collections.abc import Iterator
from typing import assert_never

from mobilesim.scenario.model import Mobility
from mobilesim.scenario.sections.mobility_models import (
    Commuter,
    GaussMarkov,
    Group,
    Hotspot,
    Levy,
    Manhattan,
    Stampede,
    Walk,
    Waypoint,
)
from mobilesim.world.mobility.models.commuter import commuter
from mobilesim.world.mobility.models.gauss_markov import gauss_markov
from mobilesim.world.mobility.models.group import group
from mobilesim.world.mobility.models.hotspot import hotspot
from mobilesim.world.mobility.models.levy import levy
from mobilesim.world.mobility.models.manhattan import manhattan
from mobilesim.world.mobility.models.stampede import stampede
from mobilesim.world.mobility.models.waypoint import waypoint
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams


def path(mobility: Mobility, plane: PlaneCells, streams: Streams, host: int) -> Iterator[Segment]:
    """Without an end; it depends on nothing that other hosts do."""
    walk: Walk = mobility.walk
    match walk:
        case Waypoint():
            return waypoint(walk, plane, streams, host)
        case GaussMarkov():
            return gauss_markov(walk, plane, streams, host)
        case Levy():
            return levy(walk, plane, streams, host)
        case Manhattan():
            return manhattan(walk, plane, streams, host)
        case Group():
            return group(walk, plane, streams, host)
        case Commuter():
            return commuter(walk, plane, streams, host)
        case Hotspot():
            return hotspot(walk, plane, streams, host)
        case Stampede():
            return stampede(walk, plane, streams, host)
        case other:
            assert_never(other)
