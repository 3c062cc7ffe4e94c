"""The messages of a host depend on its earlier deliveries, even if the host leaves a cell before its state arrives."""

from collections.abc import Iterator

import pytest

from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds, InFlightPacket, UntimedWorld
from mobilesim.protocols.catalogue import PLACEMENTS, pair
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.packets import DataPacket
from tests.support.protocols.live_worlds import live_world
from tests.support.protocols.script import free_location

HOMES = (0, 0, 1)
ROWS = [pair(row.name, "rst") for row in PLACEMENTS.values() if row.orders_at == "station"]


def world_after_passing(row: ProtocolRow) -> UntimedWorld:
    """Return a world in which host 1 has received m0 in cell 0, has sent m1 in cell 1, and is back in cell 0. Its
    acknowledgement of m0 was lost.
    """
    world = live_world(row.build(2, HOMES, free_location(row)), HOMES, Bounds(2, 2))
    world.apply(Action(InputKind.SUBMIT, 0, (1, 2)))
    world.apply(Action(InputKind.UP, 0))
    if not world.down[1]:
        own = next(place for place, wire in enumerate(world.wired) if wire.target == 0)
        world.apply(Action(InputKind.WIRED, own))
    world.apply(Action(InputKind.DOWN, 1))
    for action in (
        Action(InputKind.LEAVE, 1),
        Action(InputKind.ENTER, 1, (1,)),
        Action(InputKind.UP, 1),
        Action(InputKind.DOWN, 1),
    ):
        world.apply(action)
    for action in (Action(InputKind.SUBMIT, 1, (2,)), Action(InputKind.UP, 1)):
        world.apply(action)
    for action in (Action(InputKind.LEAVE, 1), Action(InputKind.ENTER, 1, (0,)), Action(InputKind.UP, 1)):
        world.apply(action)
    return world


def deliveries_except(late: list[InFlightPacket], world: UntimedWorld) -> Iterator[Action]:
    for action in world.deliveries():
        if action.kind is not InputKind.WIRED or world.wired[action.index] not in late:
            yield action


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_message_from_a_cell_without_the_hosts_state_depends_on_the_hosts_deliveries(row: ProtocolRow) -> None:
    """The packets of m0 to station 1 arrive after all others."""
    world = world_after_passing(row)
    late = [wire for wire in world.wired if wire.target == 1 and isinstance(wire.packet, DataPacket)]
    assert late
    for held in (late, []):
        while action := next(deliveries_except(held, world), None):
            world.apply(action)
            assert world.faults == []
