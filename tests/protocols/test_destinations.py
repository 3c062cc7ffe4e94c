"""A message with wrong destinations is refused in one line, under every ordering and placement."""

import pytest

from mobilesim.explorer.machine_driver import InputKind, MachineFailure, Transmitted, drive
from mobilesim.protocols.catalogue import pair, pairs
from mobilesim.protocols.machine import ProtocolError, System
from mobilesim.protocols.mailbox import mailbox_for
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.orderings.synchronised.transport import Transport
from mobilesim.protocols.packets import Message

HOSTS, STATIONS = 4, 2
HOMES = (0, 1, 0, 1)
WRONG = ((1, 0), (0,), (2, 1, 2), (1, HOSTS), (1, -1))
"""Destinations of a message of host 0: itself, a host twice, and hosts that do not exist."""
FOR_ALL = [f"{row.placement}+{row.ordering}" for row in pairs() if row.serves == "all"]


def submitted(system: System, message: Message) -> None:
    """Let a host submit a message, and let the frames of the host arrive at its station."""
    source = message.source
    for effect in drive(source, system.hosts[source], InputKind.SUBMIT, message):
        assert isinstance(effect, Transmitted)
        drive(HOMES[source], system.stations[HOMES[source]], InputKind.UP, (source, effect.frame))


@pytest.mark.parametrize("protocol", FOR_ALL)
def test_a_message_of_a_host_with_wrong_destinations_is_refused(protocol: str) -> None:
    row = pair(*protocol.split("+"))
    submitted(row.build(STATIONS, HOMES), Message(0, 0, (3, 1), 1))
    for destinations in WRONG:
        with pytest.raises(MachineFailure) as refusal:
            submitted(row.build(STATIONS, HOMES), Message(0, 0, destinations, 1))
        expected = "expected different processes from 0 to 3 other than 0"
        assert str(refusal.value) == f"m0 of process 0 is for {destinations}; {expected}"


@pytest.mark.parametrize("destinations", ((1, 1), (HOSTS,)))
def test_a_message_of_a_station_with_wrong_destinations_is_refused(destinations: tuple[int, ...]) -> None:
    station = pair("flood", "prs").build(STATIONS, HOMES).stations[1]
    with pytest.raises(MachineFailure, match=r"^m0 of process 5 is for \(.*\); expected different processes from 0"):
        drive(1, station, InputKind.SUBMIT, Message(0, HOSTS + 1, destinations, 1))


def test_a_mailbox_refuses_a_message_before_it_waits_in_the_send_queue() -> None:
    mailbox = mailbox_for(Transport(2).process(0), 2)
    mailbox.send(Message(0, 0, (1,), 1))
    with pytest.raises(ProtocolError, match=r"^m1 of process 0 is for "):
        mailbox.send(Message(1, 0, (2,), 1))
    assert [held.id for held in mailbox.held] == []


def test_without_the_number_of_processes_a_mailbox_refuses_own_and_repeated_destinations() -> None:
    mailbox = mailbox_for(Rst(3).process(0))
    for destinations in ((0, 1), (1, 1), (-1,)):
        with pytest.raises(ProtocolError, match=r"other than 0$"):
            mailbox.send(Message(0, 0, destinations, 1))
