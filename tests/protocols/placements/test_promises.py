"""The claims of Alagar and Venkatesan (1994) in sections 2 to 4: one test for each testable sentence."""

from collections.abc import Callable

import pytest

from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.handoff.visits import VisitState
from mobilesim.protocols.ordering import Ordering
from mobilesim.protocols.orderings.rst import Rst
from tests.support.protocols.dense_rst import Dense, Printed
from tests.support.protocols.parts import headers_on_the_air, host, station, visit
from tests.support.protocols.script import FREE, Script

Start = Callable[..., Script]


@pytest.fixture
def av1() -> Start:
    return lambda stations, *homes: Script(ROWS["av1"].build, stations, homes, FREE)


# Section 2


def test_messages_for_a_disconnected_host_are_stored_and_delivered_when_it_reconnects(av1: Start) -> None:
    script = av1(2, 0, 1).leave(1).submit(0, 1).submit(0, 1).drain()
    assert script.deliveries() == []
    assert script.enter(1, 0).drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


# Section 3: the RST algorithm


def test_a_message_is_stamped_with_the_matrix_from_before_its_own_send() -> None:
    sender = Dense(3).process(0)
    first, second = (sender.send((1,), -1)[0][1] for _ in range(2))
    assert isinstance(first, Printed)
    assert isinstance(second, Printed)
    assert first.sent.sum() == 0
    assert second.sent.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("ordering", (Rst, Dense))
def test_a_message_is_queued_until_all_messages_of_its_matrix_are_delivered(ordering: type[Ordering]) -> None:
    processes = ordering(2)
    sender, receiver = processes.process(0), processes.process(1)
    stamps = [sender.send((1,), -1)[0][1] for _ in range(3)]
    assert [receiver.missing(stamp) is None for stamp in stamps] == [True, False, False]
    receiver.deliver(stamps[0])
    assert [receiver.missing(stamp) is None for stamp in stamps[1:]] == [True, False]
    receiver.deliver(stamps[1])
    assert receiver.missing(stamps[2]) is None


# Section 4.1: the static module


def test_the_state_of_the_ordering_is_kept_only_at_stations(av1: Start) -> None:
    script = av1(2, 0, 1).submit(0, 1).drain()
    assert visit(script, 0, 0).mailbox.process.integers == visit(script, 1, 1).mailbox.process.integers == 2 * 2 + 2
    assert not any(hasattr(host(script, index), "process") for index in (0, 1))


@pytest.mark.parametrize(("protocol", "integers"), (("av1", 0), ("rst", 16)))
def test_frames_on_the_wireless_hop_carry_no_header_if_stations_order_messages(protocol: str, integers: int) -> None:
    assert headers_on_the_air(Script(ROWS[protocol].build, 2, (0, 1, 0, 1), FREE), "RoutedPacket") == [integers] * 2


def test_a_message_is_kept_until_its_host_has_acknowledged_it(av1: Start) -> None:
    script = av1(2, 0, 1).submit(0, 1).up(0).wire("RoutedPacket", 1)
    assert len(visit(script, 1, 1).sender.unacknowledged) == 1
    script.down(1)
    assert len(visit(script, 1, 1).sender.unacknowledged) == 1
    script.up(1)
    assert len(visit(script, 1, 1).sender.unacknowledged) == 0


def test_an_undeliverable_message_waits_at_the_station(av1: Start) -> None:
    script = av1(2, 0, 1).submit(0, 1).submit(0, 1).up(0, 0)
    second, first = script.world.wired[1], script.world.wired[0]
    script.world.wired[:] = [second, first]
    script.wire("RoutedPacket", 1)
    assert station(script, 1).pending == 1
    assert script.world.down[1] == ()
    script.wire("RoutedPacket", 1)
    assert station(script, 1).pending == 0
    assert len(script.world.down[1]) == 2


# Section 4.2: the hand-off module


def test_a_registration_causes_a_request_to_the_old_station(av1: Start) -> None:
    script = av1(3, 0, 1).move(0, 2).up(0)
    (begin,) = script.packets("HandoffBegin")
    assert [(wire.source, wire.target) for wire in script.world.wired] == [(2, 0)]
    assert begin.control == 4


def test_the_old_station_hands_over_arrays_waiting_messages_and_unacknowledged_messages(av1: Start) -> None:
    script = av1(2, 0, 1).submit(1, 0).submit(1, 0).submit(1, 0).up(1, 1, 1)
    script.world.wired[1:] = script.world.wired[:0:-1]
    script.wire("RoutedPacket", 0).wire("RoutedPacket", 0).leave(0)
    before = visit(script, 0, 0).mailbox
    script.enter(0, 1).up(0).wire("HandoffBegin", 0).wire("Handover", 1)
    after = visit(script, 0, 1)
    assert after.mailbox is before
    assert after.mailbox.size == 1
    assert len(after.sender.unacknowledged) == 1
    assert not hasattr(visit(script, 0, 0), "inbox")
    assert script.drain().deliveries() == ["h0 delivers m0", "h0 delivers m1", "h0 delivers m2"]


def test_a_host_retransmits_unacknowledged_messages_to_its_new_station(av1: Start) -> None:
    script = av1(2, 0, 1).submit(0, 1).submit(0, 1).up(0).move(0, 1).up(0).down(0)
    assert len(script.world.up[0]) == 2
    assert script.drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def test_the_new_station_transmits_unacknowledged_messages_first(av1: Start) -> None:
    script = av1(2, 0, 1).submit(1, 0).submit(1, 0).up(1, 1).wire("RoutedPacket", 0).move(0, 1).up(0).down(0)
    script.wire("HandoffBegin", 0).wire("Handover", 1)
    assert [frame.number for frame in script.world.down[0]] == [0]  # type: ignore[attr-defined]


def test_the_hand_offs_of_a_fast_host_are_executed_one_after_another(av1: Start) -> None:
    script = av1(4, 0, 0).move(0, 1).up(0).move(0, 2).up(0).move(0, 3).up(0)
    script.wire("HandoffBegin", 2).wire("HandoffBegin", 1)
    assert [visit(script, 0, index).state for index in (1, 2, 3)] == [
        VisitState.PASSING,
        VisitState.PASSING,
        VisitState.AWAITING,
    ]
    assert script.packets("Handover") == []
    script.wire("HandoffBegin", 0).wire("Handover", 1).wire("Handover", 2).wire("Handover", 3)
    assert [visit(script, 0, index).state for index in range(4)] == [
        VisitState.LEFT,
        VisitState.LEFT,
        VisitState.LEFT,
        VisitState.SERVING,
    ]


# Section 4.3: the analysis


@pytest.mark.parametrize("hosts", (2, 5, 9))
@pytest.mark.parametrize("stations", (2, 6))
def test_the_header_is_the_square_of_the_number_of_hosts_for_any_number_of_stations(
    av1: Start, stations: int, hosts: int
) -> None:
    script = av1(stations, *(index % stations for index in range(hosts))).submit(0, 1).up(0)
    assert [packet.header for packet in script.packets("RoutedPacket")] == [hosts**2]


@pytest.mark.parametrize("hosts", (2, 9))
@pytest.mark.parametrize("stations", (2, 12))
def test_a_hand_off_takes_two_messages_for_any_number_of_hosts_and_stations(
    av1: Start, stations: int, hosts: int
) -> None:
    script = av1(stations, *(0 for _ in range(hosts))).move(0, 1).drain()
    assert sum(line.count(" -> ") for line in script.lines()) == 2
    assert visit(script, 0, 1).state is VisitState.SERVING


@pytest.mark.parametrize("hosts", (2, 9))
def test_the_size_of_a_handed_over_state_grows_with_the_square_of_the_number_of_hosts(av1: Start, hosts: int) -> None:
    script = av1(2, *(0 for _ in range(hosts))).move(0, 1).up(0).wire("HandoffBegin", 0)
    assert [packet.control for packet in script.packets("Handover")] == [4 + hosts**2 + hosts]


def test_a_message_without_dependencies_is_not_inhibited(av1: Start) -> None:
    script = av1(3, 0, 1, 2).submit(0, 2).up(0).submit(1, 2).up(1)
    script.wire("RoutedPacket", 2, source=1).air()
    assert script.deliveries() == ["h2 delivers m1"]
