"""What a host has heard when it registers counts before what it says then, also where its state only passes through."""

from collections.abc import Iterator

import pytest

from mobilesim.explorer.machine_driver import Act
from mobilesim.explorer.untimed_world import Choice, Scope, Wire, World, live
from protocols.catalogue import PLACEMENTS, ProtocolRow, pair
from protocols.machine import DataPacket

HOMES = (0, 0, 1)
ROWS = [pair(row.name, "rst") for row in PLACEMENTS.values() if row.orders_at == "station"]


def passed(row: ProtocolRow) -> World:
    """Host 1 has heard m0, its acknowledgement is lost; it has sent m1 from station 1 and is back with station 0."""
    world = live(row.build(2, HOMES), HOMES, Scope(2, 2))
    world.apply(Choice(Act.SUBMIT, 0, (1, 2)))
    world.apply(Choice(Act.UP, 0))
    if not world.down[1]:
        own = next(place for place, wire in enumerate(world.wired) if wire.target == 0)
        world.apply(Choice(Act.WIRED, own))
    world.apply(Choice(Act.DOWN, 1))
    for choice in (Choice(Act.LEAVE, 1), Choice(Act.ENTER, 1, (1,)), Choice(Act.UP, 1), Choice(Act.DOWN, 1)):
        world.apply(choice)
    for choice in (Choice(Act.SUBMIT, 1, (2,)), Choice(Act.UP, 1)):
        world.apply(choice)
    for choice in (Choice(Act.LEAVE, 1), Choice(Act.ENTER, 1, (0,)), Choice(Act.UP, 1)):
        world.apply(choice)
    return world


def but_for(late: list[Wire], world: World) -> Iterator[Choice]:
    for choice in world.deliveries():
        if choice.act is not Act.WIRED or world.wired[choice.who] not in late:
            yield choice


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_message_of_a_visit_that_was_only_passed_depends_on_what_its_host_had_heard(row: ProtocolRow) -> None:
    """Whatever of m0 is still under way to station 1 comes there last."""
    world = passed(row)
    late = [wire for wire in world.wired if wire.target == 1 and isinstance(wire.packet, DataPacket)]
    assert late
    for held in (late, []):
        while choice := next(but_for(held, world), None):
            world.apply(choice)
            assert world.faults == []
