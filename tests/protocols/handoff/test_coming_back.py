"""Hosts that return to a cell before its station has received their last registration, and their hand-offs."""

import re

import pytest

from protocols.catalogue import PLACEMENTS, pair
from protocols.catalogue_rows import ProtocolRow
from protocols.machine import Phase
from protocols.placements.flood_packets import EpochFrame
from tests.support.protocols.script import Script

ALL = [pair(name, "rst") for name in PLACEMENTS]
DROPPING = [pair(name, "rst") for name, place in PLACEMENTS.items() if place.drops]
FLUSHED = [pair(name, "rst") for name in ("station", "logical")]
AT_STATIONS = [row for row in ALL if row.placement != "resident"]


@pytest.mark.parametrize("row", DROPPING, ids=lambda row: row.name)
def test_a_host_that_has_registered_again_is_treated_as_connected(row: ProtocolRow) -> None:
    """The host was off when its second-last record was the newest; `HandoffBegin` for that visit is in transit."""
    script = Script(row.build, 3, (0, 2)).switch_off(0).up(0).submit(1, 0).up(1)
    script.move(0, 1).up(0).down(0).move(0, 0).up(0).down(0).drain()
    assert script.deliveries() == ["h0 delivers m0"]
    assert not re.search("drops", "\n".join(script.lines()))


@pytest.mark.parametrize("row", DROPPING, ids=lambda row: row.name)
def test_an_older_record_stores_no_message_for_a_host_that_is_off(row: ProtocolRow) -> None:
    script = Script(row.build, 3, (0, 2)).submit(1, 0).up(1)
    script.move(0, 1).up(0).down(0).move(0, 0).up(0).down(0).switch_off(0).up(0).leave(0)
    script.wires(0, 2)
    script.drain().enter(0, 0).drain()
    assert script.deliveries() == []
    assert script.world.faults == []


def test_a_flood_retransmits_lost_messages_before_it_sends_released_ones() -> None:
    """The host has received a message and returns; messages that waited for this delivery are sent once, and last."""
    script = Script(pair("flood", "unordered").build, 2, (0, 0, 1))
    script.submit(1, 0).up(1).down(0).submit(2, 0).up(2).wire("Flooded", 0).submit(1, 0).up(1)
    script.leave(0).enter(0, 0).up(0)
    frames = [frame for frame in script.world.down[0] if isinstance(frame, EpochFrame)]
    assert [frame.number for frame in frames] == [1, 2]


def buffered(script: Script) -> int:
    return sum(milestone.buffered for milestone in script.driver.milestones)


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.name)
def test_messages_of_a_host_are_buffered_until_its_state_arrives(row: ProtocolRow) -> None:
    script = Script(row.build, 2, (0, 0)).move(0, 1).up(0).down(0)
    script.submit(0, 1).submit(0, 1).submit(0, 1).up(0, 0, 0).drain()
    assert buffered(script) == 3


def test_a_flood_does_not_buffer_messages_that_the_host_has_received() -> None:
    script = Script(pair("flood", "unordered").build, 2, (0, 0, 1)).leave(2)
    for _ in range(5):
        script.submit(1, 0, 2).up(1).down(0).up(0)
    script.wires(1).move(0, 1).up(0).wires(0).wires(1)
    assert buffered(script) == 0


def test_a_flood_does_not_buffer_messages_that_it_retransmits() -> None:
    script = Script(pair("flood", "unordered").build, 2, (0, 0, 1)).submit(1, 0).up(1).wires(1)
    script.move(0, 1).up(0).wires(0).wires(1)
    assert buffered(script) == 0
    assert sum(milestone.retransmitted for milestone in script.driver.milestones) == 1


@pytest.mark.parametrize("row", FLUSHED, ids=lambda row: row.name)
def test_a_used_hand_off_completes_even_if_the_host_has_moved_on(row: ProtocolRow) -> None:
    script = Script(row.build, 3, (0, 1)).move(0, 1).up(0).down(0).wire("HandoffBegin", 0).wire("Enable", 1)
    script.move(0, 2).up(0).drain()
    phases = {milestone.visit: milestone.phase for milestone in script.driver.milestones}
    assert phases == {1: Phase.COMPLETE, 2: Phase.COMPLETE}


@pytest.mark.parametrize("row", AT_STATIONS, ids=lambda row: row.name)
def test_a_repeated_message_is_buffered_only_once(row: ProtocolRow) -> None:
    script = Script(row.build, 2, (0, 0)).move(0, 1).up(0).down(0).submit(0, 1).up(0)
    script.leave(0).enter(0, 1).up(0).down(0).up(0)
    station = script.driver.machines[3]
    assert [frame.number for frame in station.newest[0].queue] == [0]  # type: ignore[union-attr]
