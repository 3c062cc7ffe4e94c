"""The typed sections of a scenario. A mobility model may stand for the whole section `mobility`."""

from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.scenario.sections.cells import Cells
from mobilesim.scenario.sections.energy_and_costs import Energy, Processing, Sizes
from mobilesim.scenario.sections.measurement import Measure
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.mobility_models import (
    Commuter,
    GaussMarkov,
    Group,
    Hotspot,
    Levy,
    Manhattan,
    Stampede,
    Track,
    Trips,
    Waypoint,
)
from mobilesim.scenario.sections.wireless import Wireless
from mobilesim.scenario.sections.workload import Workload

__all__ = [
    "Backbone",
    "Cells",
    "Commuter",
    "Energy",
    "GaussMarkov",
    "Group",
    "Hotspot",
    "Levy",
    "Manhattan",
    "Measure",
    "Mobility",
    "Processing",
    "Sizes",
    "Stampede",
    "Track",
    "Trips",
    "Waypoint",
    "Wireless",
    "Workload",
]

MobilityModel = Commuter | GaussMarkov | Group | Hotspot | Levy | Manhattan | Stampede | Track | Trips | Waypoint
