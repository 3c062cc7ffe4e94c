"""Orderings with control messages. The explorer delivers these messages, and other messages may wait for them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from mobilesim.cli.main import main
from mobilesim.conformance.random_schedules import Sizes, random_schedule
from mobilesim.explorer.api import explore
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.machine_driver import Effect, InputKind, LiveDriver, Sent
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import pair, pairs
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Groups, OrderingFactory
from mobilesim.protocols.orderings.synchronised.transport import Transport, TransportProcess
from mobilesim.protocols.packets import ControlPacket, RoutedPacket
from mobilesim.protocols.placements import proxy
from tests.support.orderings.transport_variants import OnEachChannel
from tests.support.protocols.script import free_location

Output = pytest.CaptureFixture[str]

CONTROL_ROWS = [row for row in pairs() if row.ordering_row.sends_control]
with_control = pytest.mark.parametrize("row", CONTROL_ROWS, ids=lambda row: row.name)


def bounds(row: ProtocolRow, messages: int, moves: int) -> Bounds:
    """Return bounds for a search with two hosts."""
    groups: Groups = ((0, 1),) if row.serves == "groups" else ()
    return Bounds(messages, moves, groups=groups)


@pytest.mark.full
@with_control
@pytest.mark.parametrize(("messages", "moves"), ((2, 0), (1, 1)))
def test_both_searches_find_no_fault_in_schedules_with_control_messages(
    row: ProtocolRow, messages: int, moves: int
) -> None:
    request = row.build, 2, (0, 1), bounds(row, messages, moves), free_location(row)
    plain, quick = explore(*request), explore(*request, reduced=True)
    assert plain.ending is quick.ending is Ending.EXHAUSTED
    assert plain.states > quick.states > 20


@pytest.mark.slow
@with_control
@pytest.mark.parametrize(("messages", "moves"), ((3, 0), (2, 1)))
def test_no_longer_schedule_with_control_messages_has_a_fault(row: ProtocolRow, messages: int, moves: int) -> None:
    found = explore(row.build, 2, (0, 1), bounds(row, messages, moves), free_location(row), reduced=True)
    assert found.ending is Ending.EXHAUSTED


class ControlCounter(LiveDriver):
    """Counts control packets, messages between stations, and messages that a control packet releases."""

    __slots__ = ("seen",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.seen: Counter[str] = Counter()

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        effects = super().feed(machine, kind, item)
        sent = [effect.packet for effect in effects if isinstance(effect, Sent)]
        self.seen["control"] += sum(isinstance(packet, ControlPacket) for packet in sent)
        self.seen["messages"] += sum(type(packet) is RoutedPacket for packet in sent)
        self.seen["released"] += sum(type(packet) is RoutedPacket for packet in sent) > 0 and isinstance(
            item, ControlPacket
        )
        return effects


@pytest.mark.parametrize("name", ("transport", "ks-serialised"))
def test_in_random_schedules_messages_wait_for_control_messages(name: str) -> None:
    seen: Counter[str] = Counter()
    row = pair("proxy", name)
    sizes = Sizes(destinations=(1, 1))
    for seed in range(20):
        world = random_schedule(row.build, Random(seed), None, sizes, driver=ControlCounter).world
        assert world.faults == []
        assert isinstance(world.driver, ControlCounter)
        seen += world.driver.seen
    assert seen["control"] > 200
    assert seen["messages"] > seen["released"] > 20


class WithoutAcknowledgements(Transport):
    """An ordering that sends no acknowledgements."""

    __slots__ = ()

    def process(self, index: int) -> TransportProcess:
        return WithoutAcknowledgementsProcess(index)


class WithoutAcknowledgementsProcess(TransportProcess):
    __slots__ = ()

    def pending_control(self) -> tuple[()]:
        return ()


def under_proxies(ordering: OrderingFactory) -> SystemBuilder:
    def build(stations: int, homes: tuple[int, ...], options: Mapping[str, Any]) -> System:
        return proxy.build(stations, homes, ordering, **options)

    return build


def test_a_message_that_waits_for_a_missing_control_message_is_lost() -> None:
    build = under_proxies(WithoutAcknowledgements)
    found = explore(build, 2, (0, 1), Bounds(messages=2, moves=0), reduced=True)
    assert (found.ending, found.fault_kind) == (Ending.FAULT, FaultKind.LOST)
    *_, lost, kept = listing(build(2, (0, 1), {}), (0, 1), Bounds(2, 0), found.schedule)
    assert lost == "fault: no packet is in transit, and m1 was not delivered to host 1"
    assert kept == "fault: no packet is in transit, and station 0 has 1 waiting"


@pytest.mark.full
def test_waiting_for_each_receiver_separately_allows_overtaking() -> None:
    build, homes, wide = under_proxies(OnEachChannel), (0, 0, 0), Bounds(messages=3, moves=0)
    found = explore(build, 1, homes, wide, limit=200_000)
    assert (found.ending, found.fault_kind) == (Ending.FAULT, FaultKind.OVERTAKES)
    output = listing(build(1, homes, {}), homes, wide, found.schedule)
    assert sum("s0 -> s0 ControlPacket(Acknowledgement)" in line for line in output) == 2
    assert output[-1] == "fault: host 1 delivers m2 before m0, which happened before it"


@pytest.mark.slow
def test_waiting_for_all_receivers_prevents_overtaking() -> None:
    found = explore(pair("proxy", "transport").build, 1, (0, 0, 0), Bounds(messages=3, moves=0), reduced=True)
    assert found.ending is Ending.EXHAUSTED


@pytest.mark.parametrize(
    ("arguments", "line"),
    (
        (
            "resident+transport --hosts 3 --destinations 2",
            (
                "--destinations 2: resident+transport orders unicasts only; write --destinations 1 for 3 hosts, "
                "or leave this option out"
            ),
        ),
        ("proxy+transport --groups 0,1", "--groups 0,1: proxy+transport orders unicasts only; leave this option out"),
    ),
)
def test_an_ordering_of_unicasts_refuses_multicasts_in_one_line(arguments: str, line: str, capsys: Output) -> None:
    assert main(["explore", *arguments.split()]) == 2
    assert capsys.readouterr() == ("", f"mobilesim: {line}\n")
