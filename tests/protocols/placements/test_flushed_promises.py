"""The claims of Alagar and Venkatesan (1994) in sections 5 and 6, and mobilesim's additions: one test for each testable
sentence.
"""

from collections.abc import Callable

import pytest

from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.handoff.flush_handoff import Enable, Last, Notify, VisitPacket
from mobilesim.protocols.handoff.visits import VisitState
from mobilesim.protocols.machine import Phase
from tests.support.protocols.parts import headers_on_the_air, host, logical, logical_visit, wired
from tests.support.protocols.script import Script

Start = Callable[..., Script]


@pytest.fixture
def av2() -> Start:
    return lambda stations, *homes: Script(ROWS["av2"].build, stations, homes)


@pytest.fixture
def av3() -> Start:
    return lambda stations, *homes: Script(ROWS["av3"].build, stations, homes, {"k": 2})


# Section 5.1: the static module


@pytest.mark.parametrize("hosts", (2, 9))
@pytest.mark.parametrize("stations", (2, 6))
def test_the_header_is_the_square_of_the_number_of_stations_for_any_number_of_hosts(
    av2: Start, stations: int, hosts: int
) -> None:
    script = av2(stations, *(index % stations for index in range(hosts))).submit(0, 1).up(0)
    assert [packet.header for packet in script.packets("VisitPacket")] == [stations**2]


def test_the_arrays_are_stored_at_stations_and_not_at_hosts(av2: Start) -> None:
    script = av2(3, 0, 1, 2, 0, 1).submit(0, 1).drain()
    assert [logical(script, index).integers for index in range(3)] == [3 * 3 + 3] * 3
    assert not any(hasattr(host(script, index), "process") for index in range(5))


def test_frames_on_the_wireless_hop_carry_no_header(av2: Start) -> None:
    assert headers_on_the_air(av2(2, 0, 1), "VisitPacket") == [0, 0]


def test_every_station_knows_the_initial_cells_of_hosts(av2: Start) -> None:
    script = av2(4, 0, 1, 2, 3).submit(0, 1, 2, 3).drain()
    assert wired(script) == ["s0 -> s1 VisitPacket", "s0 -> s2 VisitPacket", "s0 -> s3 VisitPacket"]


def test_a_message_to_a_host_of_the_same_station_crosses_no_wired_link(av2: Start) -> None:
    script = av2(2, 0, 0).submit(0, 1).drain()
    assert script.sent() == []
    assert script.deliveries() == ["h1 delivers m0"]


def test_a_message_to_several_hosts_of_a_station_is_sent_to_it_once(av2: Start) -> None:
    script = av2(2, 0, 1, 1, 1).submit(0, 1, 2, 3).drain()
    assert wired(script) == ["s0 -> s1 VisitPacket"]
    assert sorted(script.deliveries()) == ["h1 delivers m0", "h2 delivers m0", "h3 delivers m0"]


def test_an_undeliverable_message_waits_at_the_station(av2: Start) -> None:
    script = av2(2, 0, 1).submit(0, 1).submit(0, 1).up(0, 0).wire("VisitPacket", 1, place=1)
    assert (logical(script, 1).pending, script.world.down[1]) == (1, ())
    script.wire("VisitPacket", 1)
    assert (logical(script, 1).pending, len(script.world.down[1])) == (0, 2)


def test_a_message_is_kept_until_its_host_has_acknowledged_it(av2: Start) -> None:
    script = av2(2, 0, 1).submit(0, 1).up(0).wire("VisitPacket", 1).down(1)
    assert len(logical_visit(script, 1, 1).sender.unacknowledged) == 1
    script.up(1)
    assert len(logical_visit(script, 1, 1).sender.unacknowledged) == 0


# Section 5.2: the hand-off module


def test_in_the_papers_example_a_message_waits_for_one_in_transit_to_the_old_station(av2: Start) -> None:
    """h2 sends m0 to h0, and m1 to h1. h0 moves to the cell of h1. After h1 has received m1, it sends m2 to h0."""
    script = av2(3, 0, 1, 2).submit(2, 0).submit(2, 1).up(2, 2).move(0, 1).up(0).down(0)
    script.wire("VisitPacket", 1).down(1).up(1).submit(1, 0).up(1)
    assert script.deliveries() == ["h1 delivers m1"]
    assert script.drain().deliveries() == ["h1 delivers m1", "h0 delivers m0", "h0 delivers m2"]


def test_a_registration_causes_a_request_and_notifications(av2: Start) -> None:
    script = av2(4, 0, 1).move(0, 2).up(0)
    assert sorted(wired(script)) == [
        "s2 -> s0 HandoffBegin",
        "s2 -> s0 Last",
        "s2 -> s0 Notify",
        "s2 -> s1 Notify",
        "s2 -> s3 Notify",
    ]


def test_notify_is_one_broadcast_with_one_stamp(av2: Start) -> None:
    notifies = av2(5, 0, 1).move(0, 2).up(0).packets("Notify")
    assert len(notifies) == 4
    (first, *others) = [packet.stamp for packet in notifies if isinstance(packet, Notify)]
    assert [stamp is first for stamp in others] == [True] * 3


def test_every_packet_of_the_hand_off_except_the_first_is_stamped(av2: Start) -> None:
    script = av2(2, 0, 1).move(0, 1).up(0)
    headers = {wire.packet.header for wire in script.world.wired if type(wire.packet).__name__ != "HandoffBegin"}
    assert headers == {4}
    assert [packet.header for packet in script.packets("HandoffBegin")] == [0]


def test_a_notified_station_sends_last_and_sends_later_messages_to_the_new_station(av2: Start) -> None:
    script = av2(4, 0, 1).move(0, 2).up(0).submit(1, 0).up(1)
    assert wired(script, "VisitPacket") == ["s1 -> s0 VisitPacket"]
    script.wire("Notify", 1).submit(1, 0).up(1)
    assert wired(script, "VisitPacket") == ["s1 -> s0 VisitPacket", "s1 -> s2 VisitPacket"]
    assert "s1 -> s0 Last" in wired(script)


def test_a_last_packet_is_delivered_after_all_earlier_messages_of_its_sender(av2: Start) -> None:
    script = av2(3, 0, 1).submit(1, 0).up(1).move(0, 2).up(0).wire("Notify", 1)
    script.wire("Notify", 0).wire("Last", 0, source=1)
    assert logical_visit(script, 0, 0).lasts == 1
    script.wire("VisitPacket", 0)
    assert logical_visit(script, 0, 0).lasts == 2


def test_the_old_station_hands_over_the_unacknowledged_messages(av2: Start) -> None:
    script = av2(2, 0, 1).submit(1, 0).submit(1, 0).up(1, 1).wire("VisitPacket", 0).wire("VisitPacket", 0)
    script.move(0, 1).up(0).wire("HandoffBegin", 0)
    (enable,) = script.packets("Enable")
    assert isinstance(enable, Enable)
    assert [frame.number for frame in enable.sender.unacknowledged] == [0, 1]
    assert enable.payload == 2


def test_messages_released_after_the_request_are_forwarded_as_old_messages(av2: Start) -> None:
    script = av2(3, 0, 1).submit(1, 0).up(1).move(0, 2).up(0).wire("HandoffBegin", 0).wire("VisitPacket", 0)
    (old,) = script.packets("ForwardedPacket")
    assert isinstance(old, VisitPacket)
    assert old.visits == (1,)
    assert script.driver.milestones[-1].phase is Phase.FORWARDED


def test_the_old_station_forwards_late_messages_in_order(av2: Start) -> None:
    script = av2(3, 0, 1).submit(1, 0).submit(1, 0).up(1, 1).move(0, 2).up(0).wire("HandoffBegin", 0)
    script.wire("VisitPacket", 0, place=1)
    assert script.packets("ForwardedPacket") == []
    script.wire("VisitPacket", 0)
    assert len(script.packets("ForwardedPacket")) == 2
    assert script.drain().deliveries() == ["h0 delivers m0", "h0 delivers m1"]


def test_messages_of_the_host_wait_only_for_enable(av2: Start) -> None:
    script = av2(3, 0, 1).move(0, 2).up(0).down(0).submit(0, 1).up(0)
    assert wired(script, "VisitPacket") == []
    script.wire("HandoffBegin", 0).wire("Enable", 2)
    assert logical_visit(script, 0, 2).state is VisitState.ENABLED
    assert wired(script, "VisitPacket") == ["s2 -> s1 VisitPacket"]


def test_after_enable_unacknowledged_messages_precede_old_messages(av2: Start) -> None:
    script = av2(3, 0, 1)
    for _ in range(4):
        script.submit(1, 0).up(1)
    script.wire("VisitPacket", 0).wire("VisitPacket", 0).move(0, 2).up(0).down(0).wire("HandoffBegin", 0).wire(
        "Enable", 2
    )
    assert [frame.number for frame in script.world.down[0]] == [0, 1]  # type: ignore[attr-defined]
    script.wire("VisitPacket", 0).wire("VisitPacket", 0).wire("ForwardedPacket", 2).wire("ForwardedPacket", 2)
    assert [frame.number for frame in script.world.down[0]] == [0, 1, 2, 3]  # type: ignore[attr-defined]


def test_a_new_message_is_delivered_to_the_process_and_held_for_the_host(av2: Start) -> None:
    script = av2(3, 0, 1).move(0, 2).up(0).down(0).wire("Notify", 1).submit(1, 0).up(1).wire("VisitPacket", 2)
    script.wire("HandoffBegin", 0).wire("Enable", 2)
    assert [inbox.size for inbox in logical(script, 2).inboxes] == [0]
    assert (len(logical_visit(script, 0, 2).held), logical(script, 2).pending) == (1, 1)
    assert script.world.down[0] == ()
    assert script.drain().deliveries() == ["h0 delivers m0"]
    assert logical(script, 2).pending == 0


@pytest.mark.parametrize("missing", range(3))
def test_the_old_station_waits_for_the_last_packet_of_every_station(av2: Start, missing: int) -> None:
    script = av2(3, 0, 0).move(0, 2).up(0).wire("HandoffBegin", 0)
    arrivals = [("Notify", 0, 2), ("Last", 0, 1), ("Last", 0, 2)]
    script.wire("Notify", 1)
    for kind, target, source in [arrival for place, arrival in enumerate(arrivals) if place != missing]:
        script.wire(kind, target, source)
    assert script.packets("Over") == []
    script.wire(*arrivals[missing])
    assert len(script.packets("Over")) == 1


def test_the_old_station_deletes_its_record_after_all_last_packets(av2: Start) -> None:
    script = av2(3, 0, 0).move(0, 2).up(0).drain()
    assert 0 not in logical(script, 0).newest
    assert logical(script, 0).older == {}
    assert logical_visit(script, 0, 2).state is VisitState.SERVING


def test_a_hand_off_has_its_milestones_in_order(av2: Start) -> None:
    script = av2(3, 0, 0).move(0, 2).up(0).wire("HandoffBegin", 0).wire("Enable", 2).drain()
    phases = [milestone.phase for milestone in script.driver.milestones]
    assert phases == [Phase.REGISTERED, Phase.REQUEST, Phase.ENABLED, Phase.FLUSH_ACK, Phase.COMPLETE]


def test_a_station_answers_a_request_only_when_its_own_hand_off_is_complete(av2: Start) -> None:
    script = av2(3, 0, 1).move(0, 1).up(0).move(0, 2).up(0).wire("HandoffBegin", 1)
    assert logical_visit(script, 0, 1).state is VisitState.PASSING
    script.wire("HandoffBegin", 0).wire("Enable", 1)
    assert logical_visit(script, 0, 1).state is VisitState.CROSSING
    assert script.packets("Enable") == []
    while not script.packets("Over"):
        script.apply(next(action for action in script.world.deliveries() if action.targets == ()))
    assert script.packets("Enable") == []
    script.drain()
    assert logical_visit(script, 0, 2).state is VisitState.SERVING


def test_old_messages_for_a_host_that_left_are_part_of_its_state(av2: Start) -> None:
    script = av2(3, 0, 1).submit(1, 0).up(1).move(0, 1).up(0).move(0, 2).up(0).wire("HandoffBegin", 1)
    script.wire("HandoffBegin", 0).wire("Enable", 1).wire("VisitPacket", 0).wire("ForwardedPacket", 1)
    assert len(logical_visit(script, 0, 1).sender.unacknowledged) == 1
    assert script.drain().deliveries() == ["h0 delivers m0"]


def test_a_message_has_the_number_of_its_visit(av2: Start) -> None:
    script = av2(2, 0, 1).submit(1, 0).up(1).move(0, 1).up(0).move(0, 0).up(0)
    (packet,) = script.packets("VisitPacket")
    assert isinstance(packet, VisitPacket)
    assert packet.visits == (0,)
    script.wire("VisitPacket", 0)
    first = logical(script, 0).find_visit(0, 0)
    assert first is not None
    assert (len(first.sender.unacknowledged), logical_visit(script, 0, 0).held) == (1, [])
    assert script.drain().deliveries() == ["h0 delivers m0"]


def test_the_newest_visit_is_the_location_of_a_host_in_any_order_of_notifications(av2: Start) -> None:
    script = av2(4, 0, 3).move(0, 1).up(0).move(0, 2).up(0).wire("Notify", 3, source=2)
    assert logical(script, 3).locations[0].find(0) == (2, 2)
    script.wire("Notify", 3, source=1)
    assert logical(script, 3).locations[0].find(0) == (2, 2)
    lasts = [(packet.visit, packet.to) for packet in script.packets("Last") if isinstance(packet, Last)]
    assert {(1, 0), (2, 1)} <= set(lasts)


# Section 5.3: the analysis


@pytest.mark.parametrize("hosts", (2, 9))
@pytest.mark.parametrize("stations", (2, 3, 8))
def test_a_hand_off_takes_two_packets_per_station_plus_one(av2: Start, stations: int, hosts: int) -> None:
    script = av2(stations, *(0 for _ in range(hosts))).move(0, 1).drain()
    assert len(wired(script)) == 2 * stations + 1


def test_each_old_message_costs_one_additional_packet(av2: Start) -> None:
    script = av2(3, 0, 1).submit(1, 0).submit(1, 0).up(1, 1).move(0, 2).up(0).wire("HandoffBegin", 0).drain()
    assert len(wired(script)) == 2 + (2 * 3 + 1) + 2


def test_a_host_receives_old_messages_before_its_hand_off_ends(av2: Start) -> None:
    script = av2(3, 0, 1).submit(1, 0).up(1).move(0, 2).up(0).down(0).wire("HandoffBegin", 0).wire("Enable", 2)
    script.wire("VisitPacket", 0).wire("ForwardedPacket", 2).down(0)
    assert logical_visit(script, 0, 2).state is VisitState.ENABLED
    assert script.deliveries() == ["h0 delivers m0"]


def test_a_message_is_inhibited_by_a_message_for_another_host_of_the_same_station(av2: Start) -> None:
    script = av2(2, 0, 1, 1).submit(0, 1).submit(0, 2).up(0, 0).wire("VisitPacket", 1, place=1)
    assert (script.world.down[2], logical(script, 1).pending) == ((), 1)


def test_a_return_to_the_same_cell_sends_no_wired_packet(av2: Start) -> None:
    script = av2(3, 0, 1).move(0, 0).drain()
    assert wired(script) == []
    assert script.driver.milestones[-1].phase is Phase.RESUMED


# Section 6: algorithm 3


def test_a_message_is_not_inhibited_by_a_message_for_another_logical_station(av3: Start) -> None:
    script = av3(2, 0, 1, 1).submit(0, 1).submit(0, 2).up(0, 0).wire("VisitPacket", 1, place=1)
    assert len(script.world.down[2]) == 1


@pytest.mark.parametrize("k", (1, 2, 3))
@pytest.mark.parametrize("stations", (2, 4))
def test_the_header_is_the_square_of_the_number_of_logical_stations(stations: int, k: int) -> None:
    script = Script(ROWS["av3"].build, stations, (0, 1), {"k": k}).submit(0, 1).up(0)
    assert [packet.header for packet in script.packets("VisitPacket")] == [(k * stations) ** 2]


@pytest.mark.parametrize("k", (1, 2, 3, 5))
@pytest.mark.parametrize("stations", (2, 4))
def test_a_hand_off_takes_two_packets_per_remote_logical_station_plus_three(stations: int, k: int) -> None:
    script = Script(ROWS["av3"].build, stations, (0, 1), {"k": k}).move(0, 1).drain()
    assert len(wired(script)) == 2 * k * (stations - 1) + 3


def test_at_the_start_each_host_is_assigned_to_the_first_logical_station_with_the_fewest_hosts() -> None:
    script = Script(ROWS["av3"].build, 2, (0, 0, 0, 0, 1), {"k": 3})
    assert [logical_visit(script, index, 0).process for index in range(4)] == [0, 1, 2, 0]
    assert logical_visit(script, 4, 1).process == 3
    assert logical(script, 0).loads == [2, 1, 1]


def test_an_entering_host_is_assigned_to_the_logical_station_with_the_fewest_hosts(av3: Start) -> None:
    script = av3(2, 0, 1, 1, 1).move(1, 0).drain()
    assert logical_visit(script, 1, 0).process == 1
    assert [logical(script, index).loads for index in range(2)] == [[1, 1], [1, 1]]
    script.move(0, 1).drain()
    assert logical_visit(script, 0, 1).process == 2
    assert [logical(script, index).loads for index in range(2)] == [[0, 1], [2, 1]]


def test_a_host_that_returns_to_its_cell_keeps_its_logical_station(av3: Start) -> None:
    script = av3(2, 0, 0, 0, 1).move(1, 1).drain()
    assert logical(script, 0).loads == [2, 0]
    script.move(2, 0).drain()
    assert (logical_visit(script, 2, 0).process, logical(script, 0).loads) == (0, [2, 0])


def test_a_station_answers_a_request_for_a_host_of_any_logical_station(av3: Start) -> None:
    script = av3(2, 0, 0, 1, 1).move(1, 1).drain()
    assert script.deliveries() == []
    assert logical_visit(script, 1, 1).state is VisitState.SERVING
    assert script.submit(0, 1).drain().deliveries() == ["h1 delivers m0"]


def test_logical_stations_of_one_cell_communicate_without_wired_links(av3: Start) -> None:
    script = av3(1, 0, 0).submit(0, 1).drain()
    assert script.sent() == []
    assert script.deliveries() == ["h1 delivers m0"]


def test_many_local_messages_do_not_exceed_the_recursion_limit(av3: Start) -> None:
    script = av3(2, 0, 1, 1).leave(0)
    for _ in range(400):
        script.submit(0, 1, 2)
    script.enter(0, 1).drain()
    assert len(script.deliveries()) == 800
