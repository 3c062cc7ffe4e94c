"""The environment of one replication, which all protocols of a scenario share."""

from dataclasses import dataclass

from mobilesim.errors import UserError
from mobilesim.geometry.graphml import read_graph
from mobilesim.geometry.named_graphs import KINDS
from mobilesim.geometry.voronoi import Neighbours, Site
from mobilesim.protocols.ordering import Groups
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections import groups
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.scenario.sections.cells import Cells
from mobilesim.world.backbone.topology import Topology, build_backbone
from mobilesim.world.cells import neighbours, plane_cells
from mobilesim.world.mobility import starting_cells
from mobilesim.world.plane_cells import PlaneCells
from mobilesim.world.random_streams import Streams
from mobilesim.world.stays import Stay, draw_stays


@dataclass(frozen=True, slots=True)
class World:
    scenario: Scenario
    streams: Streams
    neighbours: Neighbours
    topology: Topology
    starting_cells: tuple[int, ...]
    plane: PlaneCells | None = None
    """The cells with their coordinates if hosts move on a plane; else None."""
    groups: Groups = ()
    stays: tuple[Stay, ...] = ()
    """By number of a host, its times as a member if hosts join and leave; else ()."""

    @property
    def stations(self) -> int:
        return len(self.neighbours)


def build_world(scenario: Scenario, replication: int) -> World:
    streams = Streams(scenario.seed, replication)
    cells = neighbours(scenario.cells)
    plane = plane_cells(scenario.cells) if scenario.mobility.on_plane else None
    if len(cells) == 1 and plane is None and (reason := scenario.mobility.single_cell_fault) is not None:
        raise UserError(f"cells.file: {reason}")
    starts = starting_cells(scenario, len(cells), streams, plane)
    topology = build_backbone(scenario.backbone, len(cells), streams, lambda: _sites(scenario.cells))
    return World(scenario, streams, cells, topology, starts, plane, _build_groups(scenario, streams))


def single_cell_world(scenario: Scenario, replication: int) -> World:
    """Return the world of a static network: a single cell that no host leaves."""
    streams = Streams(scenario.seed, replication)
    stays = draw_stays(scenario, streams)
    topology, starts = build_backbone(Backbone(), 1, streams), (0,) * (len(stays) or scenario.hosts)
    return World(scenario, streams, [()], topology, starts, groups=_build_groups(scenario, streams), stays=stays)


def _sites(cells: Cells) -> tuple[Site, ...] | None:
    return None if cells.shape == "graph" else plane_cells(cells).sites


def _build_groups(scenario: Scenario, streams: Streams) -> Groups:
    """Return the groups, () if the scenario has no groups. Random groups are different in each replication."""
    hosts = scenario.hosts
    match scenario.groups:
        case None:
            return ()
        case groups.ListedGroups(root=members):
            return members
        case groups.RandomGroups(number=number, size=size):
            stream = streams.stream("groups")
            return tuple(tuple(sorted(stream.sample(range(hosts), size))) for _ in range(number))
        case groups.RingGroups(size=size):
            return tuple(tuple(sorted((host + step) % hosts for step in range(size))) for host in range(hosts))
        case groups.StarGroups():
            return tuple((0, host) for host in range(1, hosts))
        case groups.BlockGroups() as blocks:
            return tuple(map(tuple, blocks.ranges(hosts)))
        case groups.LinkGroups() as links:
            return _linked(links, hosts)


def _linked(links: groups.LinkGroups, hosts: int) -> Groups:
    if isinstance(links.graph, str):
        pairs = KINDS[links.graph](hosts, links.branching)
        return tuple(sorted({(min(pair), max(pair)) for pair in pairs}))
    graph, where = read_graph(links.graph, "groups.graph"), f"groups.graph: {links.graph}"
    if graph.size != hosts:
        raise UserError(f"{where} has {graph.size} nodes for {hosts} hosts; write the same number of both")
    if not graph.pairs:
        raise UserError(f"{where} has no links, and a group needs two hosts")
    if len(graph.pairs) > groups.MOST_GROUPS:
        raise UserError(f"{where}: {len(graph.pairs)} links are too many; the maximum is {groups.MOST_GROUPS}")
    return tuple(graph.pairs)
