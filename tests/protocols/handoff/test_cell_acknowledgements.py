"""One acknowledgement for all hosts of a cell: when a station sends it, and which deliveries it contains."""

from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.placements.flood_packets import Acknowledge
from tests.support.protocols.script import Script

CELL = {"acknowledge": "cell"}


def test_a_migrated_delivery_may_arrive_before_the_copy_of_its_message() -> None:
    """The new station has to acknowledge a message of which it has no copy yet."""
    script = Script(ROWS["ab"].build, 3, (0, 1, 2), CELL)
    script.submit(0, 1, 2).up(0).wire("Flooded", 1).down(1)
    script.move(1, 2).up(1).wire("HandoffBegin", 1).wire("Migration", 2)
    assert script.packets("Acknowledge") == []
    script.move(1, 0).up(1).wire("HandoffBegin", 2)
    script.drain()
    assert script.world.faults == []
    assert [machine.stored for machine in script.driver.machines[3:]] == [(0, 0)] * 3  # type: ignore[union-attr]


def test_hosts_of_one_cell_are_acknowledged_in_one_packet() -> None:
    script = Script(ROWS["ab"].build, 2, (0, 1, 1), CELL)
    script.submit(0, 1, 2).up(0).wire("Flooded", 1).down(1).up(1)
    assert script.packets("Acknowledge") == []
    script.down(2).up(2)
    assert script.packets("Acknowledge") == [Acknowledge(0, (1, 2))]


def test_a_host_that_left_does_not_delay_the_acknowledgements_of_other_hosts() -> None:
    script = Script(ROWS["ab"].build, 2, (0, 1, 1), CELL)
    script.submit(0, 1, 2).up(0).wire("Flooded", 1).down(1).up(1)
    script.move(2, 0).up(2).wire("HandoffBegin", 1)
    assert script.packets("Acknowledge") == [Acknowledge(0, (1,))]
