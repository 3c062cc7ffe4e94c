"""The contract of mobility models and workloads: the world, random streams, and the sections of settings."""

from mobilesim.errors import UserError
from mobilesim.extensions.declarations import CONTRACT_VERSION, declares
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.mobility_models import MobilityRow, Paced, Pausing
from mobilesim.scenario.sections.workload import WorkloadRow
from mobilesim.scenario.values.fields import (
    Chance,
    Count,
    Flag,
    Length,
    Payloads,
    Speed,
    Time,
    Times,
    Whole,
    optional,
    setting,
)
from mobilesim.scenario.values.validation_error import Fault
from mobilesim.world.mobility.actions import Action, Departure
from mobilesim.world.mobility.segments import FOR_EVER, SECOND, Path, Segment
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Sampler, Streams, sampler
from mobilesim.world.replication import World
from mobilesim.world.traffic.messages import Address, TrafficSource, all_others

__all__ = [
    "CONTRACT_VERSION",
    "FOR_EVER",
    "SECOND",
    "Action",
    "Address",
    "Chance",
    "Count",
    "Departure",
    "Fault",
    "Flag",
    "Length",
    "MobilityRow",
    "Paced",
    "Path",
    "Pausing",
    "Payloads",
    "PlaneCells",
    "Sampler",
    "Section",
    "Segment",
    "Speed",
    "Streams",
    "Time",
    "Times",
    "TrafficSource",
    "UserError",
    "Whole",
    "WorkloadRow",
    "World",
    "all_others",
    "declares",
    "optional",
    "sampler",
    "setting",
]
