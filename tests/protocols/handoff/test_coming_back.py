"""Hosts that return to a cell or leave one before a hand-off is complete, and the messages that wait meanwhile."""

import re

import pytest

from mobilesim.protocols.catalogue import PLACEMENTS, pair
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.machine import Phase
from mobilesim.protocols.placements.flood_packets import EpochFrame
from tests.support.protocols.script import Script

ALL = [pair(name, "rst") for name in PLACEMENTS]
DROPPING = [pair(name, "rst") for name, place in PLACEMENTS.items() if place.drops]
FLUSHED = [pair(name, "rst") for name in ("station", "logical")]
ORDERED_AT_STATIONS = [row for row in ALL if row.placement != "resident"]


@pytest.mark.parametrize("row", DROPPING, ids=lambda row: row.name)
def test_a_host_that_has_registered_again_is_treated_as_connected(row: ProtocolRow) -> None:
    """The host switched off in its first visit and is now in its third. The request for its second visit is in transit
    to the station, which has records of the first and the third visit.
    """
    script = Script(row.build, 3, (0, 2)).switch_off(0).up(0).submit(1, 0).up(1)
    script.move(0, 1).up(0).down(0).move(0, 0).up(0).down(0).drain()
    assert script.deliveries() == ["h0 delivers m0"]
    assert not re.search("drops", "\n".join(script.lines()))


@pytest.mark.parametrize("row", DROPPING, ids=lambda row: row.name)
def test_a_station_stores_no_message_in_an_older_record_of_a_host_that_is_off(row: ProtocolRow) -> None:
    script = Script(row.build, 3, (0, 2)).submit(1, 0).up(1)
    script.move(0, 1).up(0).down(0).move(0, 0).up(0).down(0).switch_off(0).up(0).leave(0)
    script.wires(0, 2)
    script.drain().enter(0, 0).drain()
    assert script.deliveries() == []
    assert script.world.faults == []


def test_a_flood_retransmits_lost_messages_before_it_transmits_released_messages() -> None:
    """The host has received m0, lost m1, and registered again. Its registration releases m2, which waited for m0."""
    script = Script(pair("flood", "unordered").build, 2, (0, 0, 1))
    script.submit(1, 0).up(1).down(0).submit(2, 0).up(2).wire("Flooded", 0).submit(1, 0).up(1)
    script.leave(0).enter(0, 0).up(0)
    frames = [frame for frame in script.world.down[0] if isinstance(frame, EpochFrame)]
    assert [frame.number for frame in frames] == [1, 2]


def buffered(script: Script) -> int:
    return sum(milestone.buffered for milestone in script.driver.milestones)


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.name)
def test_uplink_messages_wait_until_the_state_of_their_host_arrives(row: ProtocolRow) -> None:
    script = Script(row.build, 2, (0, 0)).move(0, 1).up(0).down(0)
    script.submit(0, 1).submit(0, 1).submit(0, 1).up(0, 0, 0).drain()
    assert buffered(script) == 3


def test_messages_that_the_host_has_received_do_not_count_as_buffered_in_a_flood() -> None:
    script = Script(pair("flood", "unordered").build, 2, (0, 0, 1)).leave(2)
    for _ in range(5):
        script.submit(1, 0, 2).up(1).down(0).up(0)
    script.wires(1).move(0, 1).up(0).wires(0).wires(1)
    assert buffered(script) == 0


def test_retransmitted_messages_do_not_count_as_buffered_in_a_flood() -> None:
    script = Script(pair("flood", "unordered").build, 2, (0, 0, 1)).submit(1, 0).up(1).wires(1)
    script.move(0, 1).up(0).wires(0).wires(1)
    assert buffered(script) == 0
    assert sum(milestone.retransmitted for milestone in script.driver.milestones) == 1


@pytest.mark.parametrize("row", FLUSHED, ids=lambda row: row.name)
def test_a_hand_off_whose_state_was_used_completes_after_the_host_has_left(row: ProtocolRow) -> None:
    script = Script(row.build, 3, (0, 1)).move(0, 1).up(0).down(0).wire("HandoffBegin", 0).wire("Enable", 1)
    script.move(0, 2).up(0).drain()
    phases = {milestone.visit: milestone.phase for milestone in script.driver.milestones}
    assert phases == {1: Phase.COMPLETE, 2: Phase.COMPLETE}


@pytest.mark.parametrize("row", ORDERED_AT_STATIONS, ids=lambda row: row.name)
def test_a_retransmitted_uplink_message_waits_only_once(row: ProtocolRow) -> None:
    script = Script(row.build, 2, (0, 0)).move(0, 1).up(0).down(0).submit(0, 1).up(0)
    script.leave(0).enter(0, 1).up(0).down(0).up(0)
    station = script.driver.machines[3]
    assert [frame.number for frame in station.newest[0].queue] == [0]  # type: ignore[union-attr]
