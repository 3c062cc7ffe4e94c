"""Control messages of processes between moving hosts."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pytest

from mobilesim.explorer.untimed_world import SystemBuilder
from mobilesim.protocols.catalogue import pair
from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.handoff.wireless_hop import ControlFrame
from mobilesim.protocols.machine import Phase, System
from mobilesim.protocols.ordering import NO_KEYS, Addressed, Key
from mobilesim.protocols.orderings.mr import Resynch
from mobilesim.protocols.orderings.synchronised.transport import Acknowledgement, Plain, Transport, TransportProcess
from mobilesim.protocols.packets import ControlPacket, Purpose, Stamp
from mobilesim.protocols.placements import proxy, resident
from tests.support.protocols.parts import host, station, visit, wired
from tests.support.protocols.script import FREE, Script


@pytest.fixture
def transport() -> Script:
    """A script with host 0 in cell 0 and host 1 in cell 1. The stations send the control messages."""
    return Script(pair("proxy", "transport").build, 3, (0, 1), FREE)


def test_an_acknowledgement_is_sent_to_the_station_of_the_sender(transport: Script) -> None:
    transport.submit(0, 1).up(0).wire("RoutedPacket", 1)
    (packet,) = transport.packets("ControlPacket")
    assert isinstance(packet, ControlPacket)
    assert isinstance(packet.copy.stamp, Acknowledgement)
    assert (packet.purpose, packet.payload, packet.header) == (Purpose.ORDERING, 0, 0)
    assert wired(transport) == ["s0 -> s1 RoutedPacket", "s1 -> s0 ControlPacket"]


def test_a_message_in_the_send_queue_of_its_process_waits_at_the_station(transport: Script) -> None:
    transport.submit(0, 1).submit(0, 1).up(0, 0)
    assert len(transport.packets("RoutedPacket")) == station(transport, 0).pending == 1
    transport.wire("RoutedPacket", 1).wire("ControlPacket", 0)
    assert (len(transport.packets("RoutedPacket")), station(transport, 0).pending) == (1, 0)
    assert transport.drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def test_a_message_in_the_send_queue_migrates_with_its_host(transport: Script) -> None:
    transport.submit(0, 1).submit(0, 1).up(0, 0).down(0, 0).move(0, 2).up(0)
    transport.wire("HandoffBegin", 0)
    assert station(transport, 0).pending == 0
    (handover,) = transport.packets("Handover")
    assert handover.payload == 1
    # Four integers of the packet, one integer of the process, and one destination of the waiting message.
    assert handover.control == 4 + 1 + 1
    transport.wire("Handover", 2)
    assert (station(transport, 2).pending, len(visit(transport, 0, 2).mailbox.held)) == (1, 1)
    assert transport.drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def test_a_forwarded_acknowledgement_does_not_count_as_a_forwarded_message(transport: Script) -> None:
    transport.submit(0, 1).submit(0, 1).up(0, 0).wire("RoutedPacket", 1).move(0, 2).up(0)
    transport.wire("HandoffBegin", 0).wire("ControlPacket", 0)
    assert wired(transport, "ControlPacket") == ["s1 -> s0 ControlPacket", "s0 -> s2 ControlPacket"]
    assert "FORWARDED" not in {milestone.phase.name for milestone in transport.driver.milestones}
    assert transport.drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def test_an_acknowledgement_waits_for_the_state_of_its_host(transport: Script) -> None:
    transport.submit(0, 1).submit(0, 1).up(0, 0).wire("RoutedPacket", 1).move(0, 2).up(0)
    transport.wire("HandoffBegin", 0).wire("ControlPacket", 0).wire("ControlPacket", 2)
    assert (station(transport, 2).pending, transport.packets("RoutedPacket")) == (1, [])
    transport.wire("Handover", 2)
    assert (station(transport, 2).pending, len(transport.packets("RoutedPacket"))) == (0, 1)
    # Only an acknowledgement waited for the hand-off, and no message.
    assert [milestone.buffered for milestone in transport.driver.milestones if milestone.phase is Phase.COMPLETE] == [0]


def test_control_messages_between_resident_processes_are_numbered_frames() -> None:
    script = (
        Script(pair("resident", "transport").build, 2, (0, 1), FREE).submit(0, 1).up(0).wire("RoutedPacket", 1).down(1)
    )
    frames = script.world.up[1]
    assert [type(frame).__name__ for frame in frames] == ["ControlFrame", "Ack"]
    assert isinstance(frames[0], ControlFrame)
    assert (frames[0].purpose, frames[0].payload, frames[0].number) == (Purpose.ORDERING, 0, 0)


def test_a_lost_control_frame_is_retransmitted_in_the_next_cell() -> None:
    script = Script(pair("resident", "transport").build, 2, (0, 1), FREE).submit(0, 1).submit(0, 1)
    script.up(0).wire("RoutedPacket", 1).down(1).leave(1)
    assert len(host(script, 1).sender.unacknowledged) == 1
    assert script.enter(1, 0).drain().deliveries() == ["h1 delivers m0", "h1 delivers m1"]


def pairs_of_groups(placement: str) -> SystemBuilder:
    return partial(pair(placement, "mr").build, groups=((0, 1), (1, 2)))


@pytest.mark.parametrize("placement", ("proxy", "resident"))
def test_a_control_packet_has_the_integers_of_its_stamp(placement: str) -> None:
    script = Script(pairs_of_groups(placement), 2, (0, 1, 1), FREE).submit(0, 1, group=0).up(0).wire("RoutedPacket", 1)
    if placement == "resident":
        script.down(1).up(1)
    (packet,) = script.packets("ControlPacket")
    assert isinstance(packet, ControlPacket)
    assert isinstance(packet.copy.stamp, Resynch)
    assert (packet.header, packet.control) == (3, 1 + 1)


class DelayedControlProcess(TransportProcess):
    """A process that sends a control message after each of its messages, possibly with a delay."""

    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        self.owed += destinations
        return ((destinations, Plain(self.index)),)

    def observe(self, stamp: Stamp) -> Sequence[Key]:
        return NO_KEYS

    @property
    def max_delay(self) -> int:
        return 5 * len(self.owed)


class DelayedControl(Transport):
    __slots__ = ()

    def process(self, index: int) -> TransportProcess:
        return DelayedControlProcess(index)


def test_a_station_sets_a_timer_for_control_messages_after_it_has_sent_a_message() -> None:
    script = Script(partial(_under, proxy.build), 2, (0, 1), FREE).submit(0, 1).up(0)
    assert wired(script) == ["s0 -> s1 RoutedPacket", "s0 -> s1 ControlPacket"]


def test_a_host_sets_a_timer_for_control_messages_after_it_has_sent_a_message() -> None:
    script = Script(partial(_under, resident.build), 2, (0, 1), FREE).submit(0, 1)
    assert [type(frame).__name__ for frame in script.world.up[0]] == ["Data", "ControlFrame"]


def _under(
    build: Callable[..., System], stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue]
) -> System:
    return build(stations, homes, DelayedControl, **options)
