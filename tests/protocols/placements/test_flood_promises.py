"""The claims of Prakash, Raynal and Singhal (1997, section 9) about the flood of Acharya and Badrinath (1993), and
mobilesim's additions: one test for each testable sentence.
"""

from collections.abc import Callable

import pytest

from mobilesim.explorer.machine_driver import StationRecorder
from mobilesim.protocols.catalogue import pair
from mobilesim.protocols.handoff.visits import VisitState
from mobilesim.protocols.machine import NO_TELEMETRY, Phase, ProtocolError, Station
from mobilesim.protocols.packets import CONTROL_MESSAGE
from mobilesim.protocols.placements.flood_packets import Acknowledge, Delete, Flooded, Migration
from tests.support.protocols.parts import flood_visit, flooded, headers_on_the_air, host, wired
from tests.support.protocols.script import Script

Start = Callable[..., Script]
ROW = pair("flood", "rst")


@pytest.fixture
def flood() -> Start:
    return lambda stations, *homes: Script(ROW.build, stations, homes)


@pytest.fixture
def batched() -> Start:
    return lambda stations, *homes: Script(ROW.build, stations, homes, {"acknowledge": "cell"})


def stored(script: Script) -> list[tuple[int, int]]:
    return [flooded(script, index).stored for index in range(script.stations)]


# Section 9: every message at every station


def test_a_message_is_sent_once_to_every_station(flood: Start) -> None:
    script = flood(4, 0, 0, 1, 1).submit(0, 1, 2, 3).up(0)
    assert wired(script) == ["s0 -> s1 Flooded", "s0 -> s2 Flooded", "s0 -> s3 Flooded"]
    assert stored(script) == [(1, 0), (0, 0), (0, 0), (0, 0)]


def test_a_disconnected_host_receives_all_messages_in_its_next_cell(flood: Start) -> None:
    script = flood(3, 0, 1).leave(1).submit(0, 1).submit(0, 1).drain()
    assert script.deliveries() == []
    assert script.enter(1, 2).drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def test_a_host_receives_only_one_copy_of_a_message(flood: Start) -> None:
    script = flood(2, 0, 1).submit(0, 1).up(0).wire("Flooded", 1).down(1).up(1).move(1, 0).drain()
    assert script.deliveries() == ["h1 delivers m0"]


def test_a_message_of_a_station_is_delivered_in_causal_order(flood: Start) -> None:
    """Station s2 sends m0 to h0, and then m1 to h1. After h1 has received m1, it sends m2 to h0."""
    script = flood(3, 0, 1).originate(2, 0).originate(2, 1).wires(1).air().submit(1, 0).up(1).wires(0, source=1).air()
    assert script.deliveries() == ["h1 delivers m1"]
    assert script.drain().deliveries() == ["h1 delivers m1", "h0 delivers m0", "h0 delivers m2"]


@pytest.mark.parametrize("name", ("proxy", "resident", "station", "logical"))
def test_stations_of_other_placements_send_no_messages(name: str) -> None:
    station = Script(pair(name, "rst").build, 2, (0, 1)).driver.machines[2]
    assert isinstance(station, Station)
    with pytest.raises(ProtocolError, match="sends no messages of its own"):
        station.submit(CONTROL_MESSAGE, StationRecorder(NO_TELEMETRY))


# Section 9.1: numbers, conditions, acknowledgements


def test_the_first_message_of_a_station_has_number_zero_and_the_next_number_one(flood: Start) -> None:
    script = flood(2, 0, 0, 1).submit(0, 2).submit(1, 2).up(0, 1).submit(2, 0).up(2)
    numbers = [(packet.origin, packet.number) for packet in script.packets("Flooded") if isinstance(packet, Flooded)]
    assert numbers == [(0, 0), (0, 1), (1, 0)]


def test_messages_of_one_origin_are_transmitted_in_the_order_of_their_numbers(flood: Start) -> None:
    script = flood(2, 0, 1, 0).submit(0, 1).up(0).submit(2, 1).up(2).wire("Flooded", 1, place=1)
    assert (script.world.down[1], flooded(script, 1).pending) == ((), 1)
    script.wire("Flooded", 1)
    assert (len(script.world.down[1]), flooded(script, 1).pending) == (1, 1)
    script.down(1).up(1)
    assert (len(script.world.down[1]), flooded(script, 1).pending) == (1, 0)
    assert script.drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def test_messages_of_several_origins_are_transmitted_in_the_order_of_arrival(flood: Start) -> None:
    script = flood(3, 0, 1, 2).submit(0, 2).submit(1, 2).up(0, 1).wire("Flooded", 2, source=1).wire("Flooded", 2)
    assert len(script.world.down[2]) == 2


def test_a_message_waits_while_the_ordering_forbids_its_delivery(flood: Start) -> None:
    script = flood(3, 0, 1, 2).submit(0, 1, 2).up(0).wire("Flooded", 1).air().submit(1, 2).up(1)
    script.wire("Flooded", 2, source=1)
    assert (script.world.down[2], flooded(script, 2).pending) == ((), 1)
    assert script.drain().deliveries()[1:] == ["h2 delivers m0", "h2 delivers m1"]


def test_a_delivery_counts_when_the_host_acknowledges_it(flood: Start) -> None:
    script = flood(2, 0, 1).submit(0, 1).up(0).wire("Flooded", 1).down(1)
    visit = flood_visit(script, 1, 1)
    assert visit.received == [0, 0]
    script.up(1)
    assert visit.received == [1, 0]
    (acknowledgement,) = script.packets("Acknowledge")
    assert acknowledgement == Acknowledge(0, (1,))


def test_messages_for_other_hosts_are_skipped(flood: Start) -> None:
    """The first three of four messages of s0 are not for h1."""
    script = flood(2, 0, 1, 0).submit(0, 2).submit(0, 2).submit(0, 2).submit(0, 1).up(0, 0, 0, 0)
    for _ in range(4):
        script.wire("Flooded", 1)
    assert flood_visit(script, 1, 1).received == [3, 0]
    assert len(script.world.down[1]) == 1


@pytest.mark.parametrize("deleted", (False, True))
def test_a_message_waits_until_the_previous_message_arrives_or_is_deleted(flood: Start, deleted: bool) -> None:  # noqa: FBT001
    script = flood(2, 0, 1, 0).submit(0, 2).submit(0, 1).up(0, 0).air().wire("Flooded", 1, place=1)
    assert script.world.down[1] == ()
    script.wire("Delete" if deleted else "Flooded", 1)
    assert len(script.world.down[1]) == 1


def test_the_origin_requests_deletion_when_all_destinations_have_acknowledged(flood: Start) -> None:
    script = flood(3, 0, 1, 2).submit(0, 1, 2).up(0).wire("Flooded", 1).wire("Flooded", 2).air()
    script.wire("Acknowledge", 0)
    assert (script.packets("Delete"), stored(script)) == ([], [(1, 0), (1, 0), (1, 0)])
    script.wire("Acknowledge", 0)
    assert script.packets("Delete") == [Delete(0, 0)] * 2
    script.drain()
    assert stored(script) == [(0, 0), (0, 0), (0, 0)]


def test_a_copy_that_arrives_after_its_deletion_is_discarded(flood: Start) -> None:
    script = flood(2, 0, 0).submit(0, 1).up(0).air().wire("Delete", 1).wire("Flooded", 1)
    assert stored(script) == [(0, 0), (0, 0)]


def test_consecutive_tombstones_are_stored_as_one_number(flood: Start) -> None:
    script = flood(2, 0, 0).submit(0, 1).submit(0, 1).submit(0, 1).up(0, 0, 0).air()
    script.wire("Delete", 1, place=2).wire("Delete", 1, place=1)
    assert (stored(script)[1], flooded(script, 1).store.origins[0].floor) == ((0, 2), 0)
    script.wire("Delete", 1)
    assert (stored(script)[1], flooded(script, 1).store.origins[0].floor) == ((0, 0), 3)
    script.drain()
    assert stored(script) == [(0, 0), (0, 0)]


# Section 9.2: hand-offs


def test_a_hand_off_takes_two_messages(flood: Start) -> None:
    script = flood(5, 0, 1, 2).move(0, 3).drain()
    assert wired(script) == ["s3 -> s0 HandoffBegin", "s0 -> s3 Migration"]
    assert flood_visit(script, 0, 3).state is VisitState.SERVING


def test_the_delivery_record_of_a_host_migrates_with_its_process(flood: Start) -> None:
    script = flood(2, 0, 1).submit(0, 1).submit(1, 0).drain()
    before = flood_visit(script, 1, 1)
    process, received = before.process, before.received
    script.move(1, 0).up(1).wire("HandoffBegin", 1)
    (migration,) = script.packets("Migration")
    assert isinstance(migration, Migration)
    assert (migration.process is process, migration.received) == (True, received)
    assert not hasattr(before, "received")
    assert script.drain().submit(0, 1).drain().deliveries()[2:] == ["h1 delivers m2"]


def test_the_migrated_state_has_the_documented_length(flood: Start) -> None:
    """The state has four integers of the packet, h_RECD, the matrix and the vector of RST, and one frame.

    RST has a process for each of two hosts and two stations. The frame has three integers and the matrix of its stamp.
    """
    script = flood(2, 0, 1).submit(0, 1).up(0).wire("Flooded", 1).move(1, 0).up(1).wire("HandoffBegin", 1)
    (migration,) = script.packets("Migration")
    matrix = (2 + 2) ** 2
    assert migration.control == 4 + 2 + (matrix + 4) + (3 + matrix)
    assert migration.payload == 0


def test_a_migration_does_not_wait_for_acknowledgements(flood: Start) -> None:
    script = flood(2, 0, 1).submit(0, 1).up(0).wire("Flooded", 1).move(1, 0).up(1).wire("HandoffBegin", 1)
    assert flood_visit(script, 1, 0).state is VisitState.AWAITING
    assert len(script.packets("Migration")) == 1


def test_the_new_station_counts_frames_that_the_host_has_received_as_delivered(flood: Start) -> None:
    script = flood(2, 0, 1).submit(0, 1).up(0).wire("Flooded", 1).down(1).move(1, 0).up(1).down(1)
    script.wire("HandoffBegin", 1).wire("Migration", 0)
    visit = flood_visit(script, 1, 0)
    assert (visit.received, visit.sender.next, len(visit.sender.unacknowledged)) == ([1, 0], 1, 0)
    assert script.drain().deliveries() == ["h1 delivers m0"]
    assert stored(script) == [(0, 0), (0, 0)]


def test_a_frame_that_was_not_received_is_sent_again_in_the_new_registration(flood: Start) -> None:
    script = flood(2, 0, 1).submit(0, 1).up(0).wire("Flooded", 1).move(1, 0).up(1).down(1)
    script.wire("HandoffBegin", 1).wire("Migration", 0)
    (frame,) = script.world.down[1]
    assert (frame.number, frame.registration) == (0, 1)  # type: ignore[attr-defined]
    assert script.driver.milestones[-1].phase is Phase.COMPLETE


def test_a_host_ignores_frames_of_another_registration(flood: Start) -> None:
    script = flood(2, 0, 1).submit(0, 1).up(0).move(1, 1).wire("Flooded", 1)
    (frame,) = script.world.down[1]
    assert not host(script, 1).expects(frame)  # type: ignore[arg-type]
    assert script.down(1).deliveries() == []
    assert script.drain().deliveries() == ["h1 delivers m0"]


def test_a_released_frame_is_transmitted_once_in_a_registration(flood: Start) -> None:
    """The host has received m0 and registers again in the same cell. The registration releases m1."""
    script = flood(2, 0, 1).submit(0, 1).submit(0, 1).up(0, 0).wire("Flooded", 1).wire("Flooded", 1).down(1)
    script.move(1, 1).up(1).down(1)
    assert [frame.number for frame in script.world.down[1]] == [1]  # type: ignore[attr-defined]


def test_waiting_messages_are_removed_when_their_host_has_left(flood: Start) -> None:
    script = flood(3, 0, 1, 2).submit(0, 1, 2).up(0).wire("Flooded", 1).air().submit(1, 2).up(1)
    script.wire("Flooded", 2, source=1).move(2, 0).up(2).wire("HandoffBegin", 2)
    assert flooded(script, 2).pending == 0
    assert script.drain().deliveries()[1:] == ["h2 delivers m0", "h2 delivers m1"]


def test_the_new_station_transmits_its_copies_when_the_state_arrives(flood: Start) -> None:
    script = flood(3, 0, 1).submit(0, 1).up(0).move(1, 2).up(1).down(1).wire("Flooded", 2)
    assert script.world.down[1] == ()
    script.wire("HandoffBegin", 1).wire("Migration", 2)
    assert len(script.world.down[1]) == 1


def test_a_state_that_is_passed_on_leaves_no_data_at_the_station(flood: Start) -> None:
    script = flood(3, 0, 0).submit(1, 0).move(0, 1).up(0).move(0, 2).up(0).drain()
    assert flooded(script, 1).served == {}
    assert stored(script) == [(0, 0)] * 3
    assert script.deliveries() == ["h0 delivers m0"]


# Section 9.3: overheads


def test_a_message_costs_two_packets_per_station_and_one_per_remote_destination(flood: Start) -> None:
    script = flood(4, 0, 0, 1, 1, 2).submit(0, 1, 2, 3, 4).drain()
    assert len(wired(script, "Flooded")) == len(wired(script, "Delete")) == 3
    assert len(wired(script, "Acknowledge")) == 3


def test_a_station_can_acknowledge_for_its_whole_cell_in_one_packet(batched: Start) -> None:
    script = batched(4, 0, 0, 1, 1, 2).submit(0, 1, 2, 3, 4).drain()
    assert sorted(wired(script, "Acknowledge")) == ["s1 -> s0 Acknowledge", "s2 -> s0 Acknowledge"]
    assert stored(script) == [(0, 0)] * 4


def test_a_host_that_left_does_not_delay_the_acknowledgements_of_its_old_cell(batched: Start) -> None:
    script = batched(2, 0, 1, 1).submit(0, 1, 2).up(0).wire("Flooded", 1).down(1).up(1)
    assert script.packets("Acknowledge") == []
    script.move(2, 0).up(2).wire("HandoffBegin", 1)
    assert script.packets("Acknowledge") == [Acknowledge(0, (1,))]
    assert script.drain().deliveries() == ["h1 delivers m0", "h2 delivers m0"]


def test_frames_between_hosts_and_stations_carry_no_header(flood: Start) -> None:
    assert headers_on_the_air(flood(2, 0, 1), "Flooded") == [0, 0]


def test_messages_that_are_released_together_are_transmitted_in_the_order_of_their_arrival() -> None:
    """m1 and m2 arrive at h2's station before m0, which both wait for. m1 and m2 are concurrent."""
    script = Script(pair("flood", "prs").build, 3, (0, 1, 2))
    script.submit(0, 1, 2).up(0).wire("Flooded", 1).down(1)
    script.submit(1, 2).up(1, 1).submit(0, 2).up(0)
    script.wire("Flooded", 2, 1).wire("Flooded", 2, 0, place=1).wire("Flooded", 2, 0)
    assert [line for line in script.drain().deliveries() if line.startswith("h2")] == [
        "h2 delivers m0",
        "h2 delivers m1",
        "h2 delivers m2",
    ]
