"""Hosts that switch off, dropped messages, and messages that stay stored forever, in the untimed world."""

from collections.abc import Mapping
from random import Random
from typing import Final

import pytest

from mobilesim.conformance.random_schedules import random_schedule
from mobilesim.explorer.api import explore
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import InputKind, LiveDriver
from mobilesim.explorer.untimed_world import Action, Bounds, UntimedWorld
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import ROWS, pair
from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.machine import StationOutbox, System
from mobilesim.protocols.packets import Copy, Message
from mobilesim.protocols.placements.proxy import ProxyStation, ProxyVisit
from tests.support.mutants.builders import ProxyBuilder
from tests.support.protocols.live_worlds import live_world
from tests.support.protocols.script import FREE

HOMES: Final = (0, 1)
SCOPE: Final = Bounds(2, 4, drops=True)
SUBMIT: Final = Action(InputKind.SUBMIT, 0, (1,))
OFF: Final = Action(InputKind.SWITCH_OFF, 1)
LEAVE: Final = Action(InputKind.LEAVE, 1)
BACK: Final = Action(InputKind.ENTER, 1, (1,))
UP: Final = (Action(InputKind.UP, 0), Action(InputKind.UP, 1))


def av1(stations: int = 2, homes: tuple[int, ...] = HOMES) -> System:
    return ROWS["av1"].build(stations, homes, FREE)


def world_after(*choices: Action, bounds: Bounds = SCOPE) -> UntimedWorld:
    """Apply these actions in order, and then deliver every packet in transit."""
    world = live_world(av1(), HOMES, bounds)
    for action in choices:
        world.apply(action)
    while arrival := next(world.deliveries(), None):
        world.apply(arrival)
    return world


def dropped(world: UntimedWorld) -> int:
    assert isinstance(world.driver, LiveDriver)
    return world.driver.oracle.dropped_copies


def test_messages_after_the_notification_of_switching_off_are_dropped() -> None:
    world = world_after(OFF, UP[1], LEAVE, SUBMIT, UP[0], Action(InputKind.WIRED, 0), BACK)
    assert (world.faults, dropped(world)) == ([], 1)


def test_without_the_notification_of_switching_off_messages_are_stored() -> None:
    world = world_after(OFF, LEAVE, SUBMIT, UP[0], Action(InputKind.WIRED, 0), BACK)
    assert (world.faults, dropped(world)) == ([], 0)


def test_packets_in_transit_at_a_new_registration_are_not_dropped() -> None:
    world = world_after(SUBMIT, UP[0], OFF, UP[1], LEAVE, BACK, UP[1])
    assert (world.faults, dropped(world)) == ([], 0)


def test_a_dropped_message_is_lost_if_the_bounds_do_not_allow_drops() -> None:
    world = world_after(OFF, UP[1], LEAVE, SUBMIT, UP[0], Action(InputKind.WIRED, 0), BACK, bounds=Bounds(2, 4))
    assert [fault.kind for fault in world.faults] == [FaultKind.LOST]


def test_a_drop_is_printed() -> None:
    schedule = (OFF, UP[1], LEAVE, SUBMIT, UP[0], Action(InputKind.WIRED, 0))
    assert listing(av1(), HOMES, SCOPE, schedule) == [
        "  1  h1 switches off                        h1 ~> s1 SwitchOff(e0)",
        "  2  s1 receives from h1: SwitchOff(e0)",
        "  3  h1 leaves s1",
        "  4  h0 submits m0 to h1                    h0 ~> s0 Data(#0 m0)",
        "  5  s0 receives from h0: Data(#0 m0)       s0 -> s1 RoutedPacket(m0); s0 ~> h0 Ack(#0)",
        "  6  s1 receives from s0: RoutedPacket(m0)  s1 drops m0 for h1",
    ]


@pytest.mark.full
@pytest.mark.parametrize("name", ("av1", "unordered", "ab"))
def test_no_schedule_with_switching_off_has_a_fault(name: str) -> None:
    plain, dropping = (explore(ROWS[name].build, 2, HOMES, Bounds(1, 2, drops=drops)) for drops in (False, True))
    assert (plain.ending, dropping.ending) == (Ending.EXHAUSTED, Ending.EXHAUSTED)
    assert dropping.states > plain.states


class DropsAndTransmits(ProxyStation):
    """A station that drops a message for a host that is off, but transmits it too."""

    __slots__ = ()

    def send_down(self, visit: ProxyVisit, copy: Copy, out: StationOutbox) -> None:
        super().send_down(visit, copy, out)
        if visit.host in self.discarding:
            out.transmit(visit.host, visit.sender.enqueue((copy,), 0))


class DropsTwice(ProxyStation):
    """A station that drops each message twice."""

    __slots__ = ()

    def send_down(self, visit: ProxyVisit, copy: Copy, out: StationOutbox) -> None:
        super().send_down(visit, copy, out)
        if visit.host in self.discarding:
            out.drop(copy.message, visit.host)


class KeepsCopies(ProxyStation):
    """A station that keeps a copy of every transmitted message."""

    __slots__ = ("copies",)

    def __init__(self, *of: object) -> None:
        super().__init__(*of)  # type: ignore[arg-type]
        self.copies: list[Message] = []

    def send_down(self, visit: ProxyVisit, copy: Copy, out: StationOutbox) -> None:
        super().send_down(visit, copy, out)
        self.copies.append(copy.message)

    @property
    def stored(self) -> tuple[int, int]:
        return len(self.copies), 0


NOT_DUE = "although m0 was already delivered to host 1, was dropped, or is for other hosts"


def last_line(builder: ProxyBuilder, bounds: Bounds, options: Mapping[str, OptionValue] | None = None) -> str:
    found = explore(builder.build, 2, HOMES, bounds, options)
    assert found.ending is Ending.FAULT
    return listing(builder.build(2, HOMES, {}), HOMES, bounds, found.schedule)[-1]


def test_the_explorer_finds_a_message_that_was_dropped_and_delivered() -> None:
    expected = f"fault: host 1 delivers m0, {NOT_DUE}"
    assert last_line(ProxyBuilder(DropsAndTransmits), Bounds(1, 2, drops=True)) == expected


def test_the_explorer_finds_a_message_that_is_dropped_twice() -> None:
    expected = f"fault: a station drops m0 for host 1, {NOT_DUE}"
    assert last_line(ProxyBuilder(DropsTwice), Bounds(1, 2, drops=True)) == expected


def test_the_explorer_finds_a_message_stored_forever() -> None:
    expected = "fault: no packet is in transit, and station 1 has 1 stored"
    assert last_line(ProxyBuilder(KeepsCopies), Bounds(1, 0)) == expected


def test_random_schedules_find_a_message_stored_forever() -> None:
    faults = random_schedule(ProxyBuilder(KeepsCopies).build, Random(1)).world.faults
    assert {fault.kind for fault in faults} == {FaultKind.KEPT}


def test_a_message_of_a_station_is_checked_like_other_messages() -> None:
    build = pair("flood", "rst").build
    world = live_world(build(2, HOMES), HOMES, Bounds(1, 0))
    world.apply(Action(InputKind.SUBMIT, 3, (0, 1)))
    while action := next(world.deliveries(), None):
        world.apply(action)
    assert isinstance(world.driver, LiveDriver)
    assert (world.faults, world.driver.oracle.delivered_copies) == ([], 2)
    output = listing(build(2, HOMES), HOMES, Bounds(1, 0), [Action(InputKind.SUBMIT, 3, (0, 1))])
    assert output[0].startswith("  1  s1 submits m0 to h0 h1")


def test_a_submission_at_a_station_that_cannot_send_is_a_failure() -> None:
    world = live_world(av1(), HOMES, SCOPE)
    world.apply(Action(InputKind.SUBMIT, 2, (0,)))
    assert [fault.kind for fault in world.faults] == [FaultKind.FAILED]
