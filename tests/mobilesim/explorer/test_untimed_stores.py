"""Hosts that announce that they switch off, in the untimed world, while stations store their messages."""

from typing import Final

import pytest

from mobilesim.explorer.api import explore
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds
from mobilesim.protocols.catalogue import PLACEMENTS, ROWS, pair
from mobilesim.protocols.machine import StationOutbox
from mobilesim.protocols.packets import Copy
from mobilesim.protocols.placements.proxy import ProxyStation, ProxyVisit
from tests.support.mutants.builders import ProxyBuilder
from tests.support.protocols.live_worlds import live_world

HOMES: Final = (0, 1)
OFF: Final = Action(InputKind.SWITCH_OFF_STORING, 1)
ONE_MOVE: Final = Bounds(1, 1, stores=True)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_no_schedule_with_an_announcement_and_a_departure_has_a_fault(placement: str) -> None:
    build = pair(placement, "rst").build
    plain, announced = (explore(build, 2, HOMES, Bounds(1, 1, stores=stores)) for stores in (False, True))
    assert (plain.ending, announced.ending) == (Ending.EXHAUSTED, Ending.EXHAUSTED)
    assert announced.states > plain.states


@pytest.mark.full
@pytest.mark.parametrize("name", ("av1", "rst", "unordered", "ab"))
def test_no_schedule_with_several_moves_has_a_fault(name: str) -> None:
    assert explore(ROWS[name].build, 2, HOMES, Bounds(1, 2, stores=True)).ending is Ending.EXHAUSTED


def test_a_host_that_has_announced_leaves_even_if_it_has_no_move_left() -> None:
    world = live_world(ROWS["av1"].build(2, HOMES), HOMES, ONE_MOVE)
    world.apply(OFF)
    world.apply(Action(InputKind.UP, 1))
    assert not world.quiet
    assert list(world.movements()) == [Action(InputKind.LEAVE, 1)]


def test_an_announcement_is_printed() -> None:
    steps = listing(ROWS["av1"].build(2, HOMES), HOMES, ONE_MOVE, (OFF, Action(InputKind.UP, 1)))
    assert steps[0].startswith("  1  h1 switches off, messages are stored")
    assert "SwitchOff(" in steps[1]


class ForgetsFrames(ProxyStation):
    """A station that does not store a message for a host that has announced that it switches off."""

    __slots__ = ()

    def send_down(self, visit: ProxyVisit, copy: Copy, out: StationOutbox) -> None:
        if visit.host not in self.off:
            super().send_down(visit, copy, out)


def test_the_explorer_finds_a_message_that_is_not_stored() -> None:
    build = ProxyBuilder(ForgetsFrames).build
    assert explore(build, 2, HOMES, Bounds(1, 1)).ending is Ending.EXHAUSTED
    found = explore(build, 2, HOMES, ONE_MOVE)
    assert found.ending is Ending.FAULT
    last = listing(build(2, HOMES, {}), HOMES, ONE_MOVE, found.schedule)[-1]
    assert last == "fault: no packet is in transit, and m0 was not delivered to host 1"
