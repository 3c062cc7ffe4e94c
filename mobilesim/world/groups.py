"""The multicast groups of one replication, as tuples of hosts."""

from mobilesim.errors import UserError
from mobilesim.geometry.graphml import read_graph
from mobilesim.geometry.named_graphs import KINDS
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections import groups
from mobilesim.world.random_streams import Streams
from protocols.ordering import Groups


def build_groups(scenario: Scenario, streams: Streams) -> Groups:
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
    graph = read_graph(links.graph, "groups.graph")
    if graph.size != hosts:
        raise UserError(f"groups.graph: {links.graph} has {graph.size} nodes for {hosts} hosts; write as many of both")
    if not graph.pairs:
        raise UserError(f"groups.graph: {links.graph} has no links, and a group needs two hosts")
    if len(graph.pairs) > groups.MOST_GROUPS:
        message = f"{len(graph.pairs)} links are too many; the most is {groups.MOST_GROUPS}"
        raise UserError(f"groups.graph: {links.graph}: {message}")
    return tuple(graph.pairs)
