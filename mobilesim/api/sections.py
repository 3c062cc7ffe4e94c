"""The typed sections of a scenario. A mobility model may stand for the whole section `mobility`."""

from typing import Any, Final

from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.cells import Cells
from mobilesim.scenario.sections.energy_and_costs import Energy, Processing, Sizes
from mobilesim.scenario.sections.measurement import Measure
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.mobility_models import (
    MODELS,
    SECTIONS,
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

_MODELS: Final = {row.section: name for name, row in MODELS.items() if row.section is not None}


def whole_section(key: str, value: object) -> Any:  # noqa: ANN401 - any YAML value, or sections
    """Return the value of a scenario's key: for a mobility model, the section `mobility` with this model."""
    if key == "mobility" and isinstance(value, Section) and type(value) in _MODELS:
        name = _MODELS[type(value)]
        return {"model": name, SECTIONS[name]: value}
    return value
