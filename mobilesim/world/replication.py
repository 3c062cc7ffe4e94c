"""The environment of one replication, which all protocols of a scenario share."""

from dataclasses import dataclass

from mobilesim.errors import UserError
from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.scenario.sections.cells import Cells
from mobilesim.world.backbone.random_topologies import Site
from mobilesim.world.backbone.topology import Topology, build_backbone
from mobilesim.world.cells import neighbours, plane_cells
from mobilesim.world.groups import build_groups
from mobilesim.world.mobility import starting_cells
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams
from protocols.ordering import Groups


@dataclass(frozen=True, slots=True)
class World:
    scenario: Scenario
    streams: Streams
    neighbours: Neighbours
    topology: Topology
    starting_cells: tuple[int, ...]
    plane: PlaneCells | None = None
    """The cells' coordinates, if hosts move on a plane."""
    groups: Groups = ()

    @property
    def stations(self) -> int:
        return len(self.neighbours)


def build_world(scenario: Scenario, replication: int) -> World:
    streams = Streams(scenario.seed, replication)
    cells = neighbours(scenario.cells)
    plane = plane_cells(scenario.cells) if scenario.mobility.on_plane else None
    if len(cells) == 1 and plane is None and scenario.mobility.model != "static":
        raise UserError("cells.file: a single cell leaves nowhere to go; write 'mobility: {model: static}'")
    starts = starting_cells(scenario, len(cells), streams, plane)
    topology = build_backbone(scenario.backbone, len(cells), streams, lambda: _sites(scenario.cells))
    return World(scenario, streams, cells, topology, starts, plane, build_groups(scenario, streams))


def single_cell_world(scenario: Scenario, replication: int) -> World:
    """Return the world of a static network: one cell, which no host leaves."""
    streams = Streams(scenario.seed, replication)
    topology, starts = build_backbone(Backbone(), 1, streams), (0,) * scenario.hosts
    return World(scenario, streams, [()], topology, starts, groups=build_groups(scenario, streams))


def _sites(cells: Cells) -> tuple[Site, ...] | None:
    return None if cells.shape == "graph" else plane_cells(cells).sites
