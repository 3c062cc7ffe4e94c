"""The explorer: exact numbers of states, the agreement with a naive search, and the endings of a search."""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from mobilesim.errors import UserError
from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exhaustive_search import PROGRESS_INTERVAL
from mobilesim.explorer.exploration import Ending, Exploration, Search
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds, UntimedWorld
from mobilesim.oracle.verdicts import FaultKind, tolerated_faults
from mobilesim.protocols import state
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.wireless_hop import Data, MobileHost
from mobilesim.protocols.machine import HostOutbox, ProtocolError
from mobilesim.protocols.packets import Packet
from tests.support.mutants.builders import ProxyBuilder
from tests.support.mutants.orderings import NumberedOnly
from tests.support.protocols.live_worlds import live_world

Configuration = tuple[str, str, int, int, int, int, int]


def search(name: str, location: str, stations: int, hosts: int, bounds: Bounds) -> Exploration:
    return explore(ROWS[name].build, stations, homes_of(stations, hosts), bounds, {"location": location})


def counts(found: Exploration) -> tuple[int, int, int]:
    return found.states, found.transitions, found.depth


# protocol, location, stations, hosts, messages, moves, destinations: states, transitions, depth
PINNED: dict[Configuration, tuple[int, int, int]] = {
    ("av1", "free", 2, 2, 2, 1, 1): (8_802, 23_410, 19),
    ("rst", "free", 2, 2, 2, 1, 1): (9_736, 25_770, 19),
    ("av1", "free", 2, 2, 1, 2, 1): (10_204, 27_190, 19),
    ("av1", "lazy", 3, 2, 1, 2, 1): (36_877, 102_998, 22),
    ("rst", "lazy", 3, 2, 2, 1, 1): (18_658, 52_572, 21),
    ("av1", "free", 2, 3, 2, 0, 2): (5_808, 18_408, 18),
    ("rst", "free", 2, 3, 2, 0, 2): (7_053, 22_956, 18),
}
PINNED_SLOWLY: dict[Configuration, tuple[int, int, int]] = {
    ("av1", "free", 2, 2, 2, 2, 1): (201_810, 643_186, 27),
    ("av1", "free", 2, 3, 3, 0, 1): (72_072, 218_820, 18),
    ("rst", "free", 2, 3, 3, 0, 1): (70_866, 216_612, 18),
    ("av1", "free", 1, 3, 3, 0, 2): (134_072, 465_030, 24),
    ("rst", "lazy", 2, 2, 2, 2, 1): (307_793, 1_047_138, 27),
    ("av1", "free", 2, 2, 1, 3, 1): (148_574, 472_106, 25),
    ("av1", "lazy", 2, 2, 1, 3, 1): (205_796, 678_814, 26),
    ("av1", "free", 2, 2, 3, 1, 1): (116_760, 367_196, 27),
    ("rst", "free", 2, 2, 3, 1, 1): (151_446, 468_668, 27),
    ("av1", "free", 2, 3, 2, 1, 2): (434_537, 1_623_303, 25),
    ("av1", "lazy", 2, 3, 2, 1, 2): (504_499, 1_959_563, 26),
    ("rst", "free", 2, 3, 2, 1, 2): (500_127, 1_886_430, 25),
    ("rst", "lazy", 2, 3, 2, 1, 2): (571_989, 2_230_234, 26),
}


def _pinned(configuration: Configuration) -> Exploration:
    name, location, stations, hosts, messages, moves, destinations = configuration
    return search(name, location, stations, hosts, Bounds(messages, moves, destinations))


@pytest.mark.full
@pytest.mark.parametrize("configuration", PINNED, ids=str)
def test_no_schedule_of_a_small_configuration_has_a_fault(configuration: Configuration) -> None:
    found = _pinned(configuration)
    assert found.ending is Ending.EXHAUSTED
    assert counts(found) == PINNED[configuration]


@pytest.mark.slow
@pytest.mark.parametrize("configuration", PINNED_SLOWLY, ids=str)
def test_no_schedule_of_a_larger_configuration_has_a_fault(configuration: Configuration) -> None:
    found = _pinned(configuration)
    assert found.ending is Ending.EXHAUSTED
    assert counts(found) == PINNED_SLOWLY[configuration]


COUNTING = """
from mobilesim.explorer.api import explore
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.catalogue import ROWS
rst = explore(ROWS["rst"].build, 2, (0, 1), Bounds(2, 1), {"location": "lazy"})
fifo = explore(ROWS["fifo"].build, 2, (0, 1, 0), Bounds(2, 0, 2), {"location": "free"})
print((rst.states, rst.transitions, rst.depth), fifo.schedule)
"""


@pytest.mark.full
def test_counts_and_counter_examples_do_not_depend_on_the_hash_seed() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", COUNTING],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1
    assert found.pop().startswith(str(counts(search("rst", "lazy", 2, 2, Bounds(2, 1)))))


def _naive(name: str, homes: tuple[int, ...], stations: int, bounds: Bounds) -> tuple[int, int]:
    """Return the number of states and the depth, found by a naive search that compares pickles of complete worlds."""
    world = live_world(ROWS[name].build(stations, homes), homes, bounds)
    seen, level, depth = {_name(world)}, [state.snapshot(world)], 0
    while level:
        found = []
        for child in (child for blob in level for child in _children(blob)):
            assert child.faults == []
            if (key := _name(child)) not in seen:
                seen.add(key)
                found.append(state.snapshot(child))
        depth, level = depth + bool(found), found
    return len(seen), depth


def _children(blob: bytes) -> Iterator[UntimedWorld]:
    for action in list(state.restore(blob).actions()):
        child = state.restore(blob)
        child.apply(action)
        yield child


def _name(world: UntimedWorld) -> bytes:
    wired = sorted(repr(state.freeze(wire if world.bounds.fifo else wire[:2], {})) for wire in world.wired)
    if world.bounds.fifo:
        channels = sorted({(wire.source, wire.target) for wire in world.wired})
        on_channel = [[state.key(w.packet) for w in world.wired if (w.source, w.target) == ch] for ch in channels]
        wired = [repr(channels), repr(on_channel)]
    driver: Any = world.driver
    return state.key(
        (driver.machines, driver.oracle, world.up, world.down, world.cells, world.sent, world.moves, wired)
    )


@pytest.mark.full
@pytest.mark.parametrize(("name", "fifo", "senders"), (("av1", False, (0, 1, 0)), ("rst", True, (0, 1))))
def test_a_naive_search_finds_the_same_states(name: str, fifo: bool, senders: tuple[int, ...]) -> None:  # noqa: FBT001
    for bounds, homes in (
        (Bounds(1, 1, 1, fifo), (0, 1)),
        (Bounds(1, 1, 1, fifo), (0, 0)),
        (Bounds(2, 0, 1, fifo), senders),
    ):
        found = explore(ROWS[name].build, 2, homes, bounds)
        assert (found.states, found.depth) == _naive(name, homes, 2, bounds)


class OrderSensitiveHost(MobileHost):
    """A host that records the sources of its messages in the order of arrival. If this order is `fatal`, the host fails
    when it leaves its cell.
    """

    __slots__ = ("sources",)
    fatal: ClassVar[tuple[int, ...]]

    def __init__(self, index: int, home: int) -> None:
        super().__init__(index, home)
        self.sources: dict[int, None] = {}

    def arrived(self, frame: Data, out: HostOutbox) -> None:
        super().arrived(frame, out)
        self.sources[frame.copies[0].message.source] = None

    def detach(self) -> None:
        if tuple(self.sources) == self.fatal:
            raise ProtocolError("a fatal order")
        super().detach()


class FailsAfterFirstOrder(OrderSensitiveHost):
    __slots__ = ()
    fatal = (0, 1)


class FailsAfterSecondOrder(OrderSensitiveHost):
    __slots__ = ()
    fatal = (1, 0)


@pytest.mark.full
@pytest.mark.parametrize("host", (FailsAfterFirstOrder, FailsAfterSecondOrder))
def test_states_with_different_dictionary_orders_are_distinguished(host: type[OrderSensitiveHost]) -> None:
    """The search finds the fault for either fatal order, so it explores both states."""
    build = ProxyBuilder(host=host).build
    found = explore(build, 1, (0, 0, 0), Bounds(2, 1))
    assert found.fault_kind is FaultKind.FAILED
    assert len(found.schedule) == 9


def test_the_first_counter_example_is_a_shortest_one() -> None:
    found = search("unordered", "free", 2, 2, Bounds(2, 0))
    assert found.schedule == (
        Action(InputKind.SUBMIT, 0, (1,)),
        Action(InputKind.UP, 0),
        Action(InputKind.SUBMIT, 0, (1,)),
        Action(InputKind.UP, 0),
        Action(InputKind.WIRED, 1),
        Action(InputKind.DOWN, 1),
    )


@pytest.mark.full
def test_a_search_can_tolerate_violations_of_unclaimed_orders() -> None:
    strict, lenient = (
        explore(ROWS["fifo"].build, 1, (0, 0, 0), Bounds(2, 0, 2, tolerated=passed))
        for passed in (frozenset[FaultKind](), tolerated_faults(ROWS["fifo"].claims))
    )
    assert (strict.ending, strict.fault_kind) == (Ending.FAULT, FaultKind.OVERTAKES)
    assert (lenient.ending, lenient.fault_kind) == (Ending.EXHAUSTED, None)


def test_a_search_that_tolerates_causal_violations_finds_fifo_violations() -> None:
    build = ProxyBuilder(ordering=NumberedOnly).build
    found = explore(build, 2, (0, 1), Bounds(2, 0, tolerated=tolerated_faults(ROWS["fifo"].claims)))
    assert (found.ending, found.fault_kind) == (Ending.FAULT, FaultKind.OUT_OF_TURN)
    assert listing(build(2, (0, 1), {}), (0, 1), Bounds(2, 0), found.schedule)[-1] == (
        "fault: host 1 delivers m1 before m0, which the same host sent before it"
    )


@pytest.mark.full
def test_a_search_with_fifo_channels_has_fewer_states() -> None:
    loose, strict = (search("av1", "free", 2, 2, Bounds(2, 1, 1, fifo)) for fifo in (False, True))
    assert strict.states == 7_790 < loose.states
    assert explore(ROWS["unordered"].build, 2, (0, 1), Bounds(2, 0, 1, fifo=True)).ending is Ending.EXHAUSTED


def test_a_search_reports_that_it_reached_its_limit() -> None:
    found = explore(ROWS["av1"].build, 2, (0, 1), Bounds(2, 1), limit=500)
    assert found.ending is Ending.LIMIT
    assert 500 <= found.states < 520


def test_an_interrupted_search_reports_its_progress() -> None:
    def interrupt(search: Search, _: int) -> None:
        if search.states > PROGRESS_INTERVAL:
            raise KeyboardInterrupt

    found = explore(ROWS["av1"].build, 2, (0, 1), Bounds(2, 1), on_progress=interrupt)
    assert found.ending is Ending.INTERRUPTED
    assert PROGRESS_INTERVAL < found.states < 8_802


@pytest.mark.full
def test_reported_progress_only_increases() -> None:
    seen: list[tuple[int, int, int, int]] = []

    def note(search: Search, waiting: int) -> None:
        seen.append((search.states, search.depth, search.transitions, waiting))

    found = explore(ROWS["av1"].build, 2, (0, 1), Bounds(2, 1), on_progress=note)
    assert len(seen) == 1 + found.states // PROGRESS_INTERVAL
    for (states, depth, transitions, _), later in pairwise(seen):
        assert states <= later[0]
        assert depth <= later[1]
        assert transitions < later[2]
    assert all(waiting >= 0 for *_, waiting in seen)


def test_hosts_start_at_the_stations_in_turn() -> None:
    assert homes_of(2, 5) == (0, 1, 0, 1, 0)


@pytest.mark.full
@pytest.mark.parametrize("name", ("av1", "rst"))
def test_hosts_may_start_at_given_stations(name: str) -> None:
    found = explore(ROWS[name].build, 2, (0, 0), Bounds(2, 1))
    assert found.ending is Ending.EXHAUSTED


@value
class ListFrame(Packet):
    stations: list[int]
    control: ClassVar[int] = 1


class KeepsFrameParts(MobileHost):
    """A host that keeps a reference to a part of its frames."""

    __slots__ = ("kept",)

    def attach(self, station: int, out: HostOutbox) -> None:
        self.kept = [station]
        out.transmit(ListFrame(self.kept))


def test_a_machine_that_shares_objects_with_its_packets_is_refused() -> None:
    with pytest.raises(UserError, match=r"^KeepsFrameParts keeps a mutable part of what it sends"):
        explore(ProxyBuilder(host=KeepsFrameParts).build, 2, (0, 1), Bounds(1, 1))


class FailsToLeave(MobileHost):
    __slots__ = ()

    def detach(self) -> None:
        raise KeyError(self.index)


def test_an_exception_of_a_machine_is_a_fault_of_its_protocol() -> None:
    build = ProxyBuilder(host=FailsToLeave).build
    line = FailsToLeave.detach.__code__.co_firstlineno + 1
    found = explore(build, 2, (0, 1), Bounds(1, 1))
    assert listing(build(2, (0, 1), {}), (0, 1), Bounds(1, 1), found.schedule) == [
        "  1  h0 leaves s0",
        f"fault: the protocol raised an exception: KeyError: 0 (test_explore.py:{line}, in detach)",
    ]


def test_a_world_with_a_disconnected_host_is_not_judged() -> None:
    world = live_world(ROWS["av1"].build(1, (0, 0)), (0, 0), Bounds(1, 1))
    for action in (Action(InputKind.SUBMIT, 0, (1,)), Action(InputKind.LEAVE, 0)):
        world.apply(action)
    assert not world.quiet
    assert world.faults == []


def test_a_discarded_message_is_lost_when_no_packet_is_in_transit() -> None:
    world = live_world(ROWS["av1"].build(1, (0, 0)), (0, 0), Bounds(1, 1))
    world.apply(Action(InputKind.SUBMIT, 0, (1,)))
    world.up[0] = (*world.up[0], world.up[0][0])
    world.apply(Action(InputKind.UP, 0))
    world.wired.clear()
    while action := next(world.deliveries(), None):
        world.apply(action)
    assert {fault.kind for fault in world.faults} == {FaultKind.LOST}
