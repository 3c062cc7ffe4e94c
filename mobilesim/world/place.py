"""The world of one replication: what all protocols of a scenario share, so that they are compared on equal ground."""

from dataclasses import dataclass, field

from mobilesim.errors import UserError
from mobilesim.scenario.model import Scenario
from mobilesim.streams import Streams
from mobilesim.world.backbone import Topology, lay
from mobilesim.world.cells import Neighbours, neighbours
from mobilesim.world.groups import formed
from mobilesim.world.movement import homes
from protocols.ordering import Groups


@dataclass(frozen=True, slots=True)
class Place:
    scenario: Scenario
    streams: Streams
    neighbours: Neighbours
    topology: Topology
    homes: tuple[int, ...]
    groups: Groups = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", formed(self.scenario, self.streams))

    @property
    def stations(self) -> int:
        return len(self.neighbours)


def place(scenario: Scenario, replication: int) -> Place:
    streams = Streams(scenario.seed, replication)
    cells = neighbours(scenario.cells)
    if len(cells) == 1 and scenario.mobility.model != "static":
        raise UserError("cells.file: a single cell leaves nowhere to go; write 'mobility: {model: static}'")
    starts = homes(scenario.mobility, scenario.hosts, len(cells), streams)
    return Place(scenario, streams, cells, lay(scenario.backbone, len(cells)), starts)
