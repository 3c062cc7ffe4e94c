"""Section 2 of Alagar and Venkatesan (1994): messages for a disconnected host may be stored or dropped.
A host notifies its station before it leaves. Until the host registers again, the station transmits nothing to it. It
stores the messages, or drops and reports its released messages, and no other message waits for a dropped message.
"""

import re

import pytest

from mobilesim.protocols.catalogue import PLACEMENTS, pair
from mobilesim.protocols.handoff.visits import VisitState
from tests.support.protocols.parts import logical_visit
from tests.support.protocols.script import Script
from tests.support.protocols.variants import Variant, variants

DROPPING = [variant for name, row in PLACEMENTS.items() if row.drops for variant in variants(pair(name, "rst"))]
each = pytest.mark.parametrize("variant", DROPPING, ids=lambda variant: variant.name)
ALL = [variant for name in PLACEMENTS for variant in variants(pair(name, "rst"))]
everywhere = pytest.mark.parametrize("variant", ALL, ids=lambda variant: variant.name)


def start(variant: Variant, stations: int, *homes: int) -> Script:
    return Script(variant.row.build, stations, homes, variant.options)


def drops(script: Script) -> list[str]:
    return re.findall(r"s\d+ drops m\d+ for h\d+", "\n".join(script.lines()))


@each
def test_messages_for_a_host_that_is_off_are_dropped_and_reported(variant: Variant) -> None:
    script = start(variant, 2, 0, 1).switch_off(1).up(1).leave(1).submit(0, 1).submit(0, 1).drain()
    assert drops(script) == ["s1 drops m0 for h1", "s1 drops m1 for h1"]
    script.enter(1, 0).drain().submit(0, 1).drain()
    assert script.deliveries() == ["h1 delivers m2"]
    assert script.world.faults == []


@each
def test_messages_for_other_hosts_are_not_dropped(variant: Variant) -> None:
    script = start(variant, 2, 0, 1, 1).switch_off(1).up(1).leave(1).submit(0, 1, 2).drain()
    assert (drops(script), script.deliveries()) == (["s1 drops m0 for h1"], ["h2 delivers m0"])
    assert script.enter(1, 1).drain().world.faults == []


@each
def test_an_answer_does_not_wait_for_a_dropped_message(variant: Variant) -> None:
    script = start(variant, 3, 0, 1, 2).switch_off(1).up(1).leave(1).submit(0, 1, 2).drain()
    script.enter(1, 1).drain().submit(2, 1).drain()
    assert script.deliveries() == ["h2 delivers m0", "h1 delivers m1"]
    assert script.world.faults == []


@each
def test_a_transmitted_message_is_not_dropped(variant: Variant) -> None:
    script = start(variant, 2, 0, 1).submit(0, 1).up(0)
    for station in (1, 0, 1):  # a query, its answer, and the message; without a search, the message is first
        if not script.world.down[1]:
            script.wires(station)
    assert len(script.world.down[1]) == 1
    script.switch_off(1).up(1).leave(1).drain().enter(1, 0).drain()
    assert (drops(script), script.deliveries()) == ([], ["h1 delivers m0"])


@each
def test_messages_are_stored_if_the_notification_is_lost(variant: Variant) -> None:
    script = start(variant, 2, 0, 1).switch_off(1).leave(1).submit(0, 1).drain()
    assert drops(script) == []
    assert script.enter(1, 1).drain().deliveries() == ["h1 delivers m0"]


@each
def test_after_a_registration_in_the_same_cell_no_message_is_dropped(variant: Variant) -> None:
    script = start(variant, 2, 0, 1).switch_off(1).up(1).move(1, 1).drain().submit(0, 1).drain()
    assert (drops(script), script.deliveries()) == ([], ["h1 delivers m0"])


@each
def test_a_host_can_switch_off_before_its_state_arrives(variant: Variant) -> None:
    script = start(variant, 2, 0, 0).move(1, 1).up(1).down(1).switch_off(1).up(1).leave(1).submit(0, 1).drain()
    assert drops(script) == ["s1 drops m0 for h1"]
    assert script.enter(1, 0).drain().submit(0, 1).drain().deliveries() == ["h1 delivers m1"]
    assert script.world.faults == []


@pytest.mark.parametrize("k", (1, 2))
def test_forwarded_messages_are_dropped_during_the_hand_off_and_held_messages_at_its_end(k: int) -> None:
    script = Script(pair("logical", "rst").build, 3, (0, 1), {"k": k}).submit(0, 1).up(0).move(1, 2).up(1).down(1)
    script.wires(0).submit(0, 1).up(0).wire("VisitPacket", 2).wire("HandoffBegin", 1).wire("Enable", 2)
    script.switch_off(1).up(1).leave(1).wire("VisitPacket", 1).wire("ForwardedPacket", 2)
    assert logical_visit(script, 1, 2).state is VisitState.ENABLED
    assert drops(script) == ["s2 drops m0 for h1"]
    assert drops(script.drain()) == ["s2 drops m0 for h1", "s2 drops m1 for h1"]
    assert script.enter(1, 2).drain().deliveries() == []
    assert script.world.faults == []


def test_a_flood_acknowledges_a_dropped_message_at_once() -> None:
    script = Script(pair("flood", "rst").build, 2, (0, 1)).switch_off(1).up(1).leave(1).submit(0, 1).up(0)
    script.wire("Flooded", 1)
    assert len(script.packets("Acknowledge")) == 1
    assert drops(script.drain()) == ["s1 drops m0 for h1"]


def frames_to(script: Script, host: int) -> list[str]:
    """Return the frames that stations have transmitted to a host, also into an empty cell."""
    return re.findall(rf"~> h{host} (\w+)", "\n".join(script.lines()))


@everywhere
@pytest.mark.parametrize("back", (1, 0), ids=("same cell", "other cell"))
def test_nothing_is_transmitted_to_a_host_that_is_off_and_its_messages_are_stored(variant: Variant, back: int) -> None:
    script = start(variant, 2, 0, 1).switch_off(1, stores=True).up(1).leave(1).submit(0, 1).submit(0, 1).drain()
    assert frames_to(script, 1) == []
    script.enter(1, back).drain()
    assert script.deliveries() == ["h1 delivers m0", "h1 delivers m1"]
    assert script.world.faults == []


@everywhere
def test_a_host_that_is_cut_off_announces_nothing_and_frames_are_transmitted_to_it(variant: Variant) -> None:
    script = start(variant, 2, 0, 1).leave(1).submit(0, 1).drain()
    assert len(frames_to(script, 1)) == 1
    assert script.enter(1, 1).drain().deliveries() == ["h1 delivers m0"]


@everywhere
def test_nothing_is_transmitted_if_the_state_arrives_after_the_announcement(variant: Variant) -> None:
    script = start(variant, 2, 0, 0).submit(0, 1).up(0).move(1, 1).up(1).down(1)
    script.switch_off(1, stores=True).up(1).leave(1).drain().submit(0, 1).drain()
    assert re.findall(r"s1 ~> h1 (\w+)", "\n".join(script.lines())) == ["Registered"]
    script.enter(1, 1).drain()
    assert script.deliveries() == ["h1 delivers m0", "h1 delivers m1"]
    assert script.world.faults == []


@everywhere
def test_a_host_that_has_announced_sends_its_messages_after_its_return(variant: Variant) -> None:
    script = start(variant, 2, 0, 1).switch_off(1, stores=True).submit(1, 0).up(1).leave(1).drain()
    assert script.deliveries() == []
    assert script.enter(1, 0).drain().deliveries() == ["h0 delivers m0"]
    assert script.world.faults == []


@everywhere
def test_a_host_that_has_not_yet_returned_moves_on_with_its_stored_messages(variant: Variant) -> None:
    """The host's registration in the next cell is lost, so the cell after it requests the state for it."""
    script = start(variant, 3, 0, 1).switch_off(1, stores=True).up(1).leave(1).submit(0, 1).drain()
    script.enter(1, 2).leave(1).enter(1, 0).drain()
    assert script.deliveries() == ["h1 delivers m0"]
    assert script.world.faults == []
