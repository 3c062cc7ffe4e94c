"""Link failures: their effects on packets, counters and times, and the claims of protocols."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from mobilesim.explorer.untimed_world import build_system
from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.catalogue import pairs
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.recording.link_counters import columns
from mobilesim.recording.null_recorder import Recorder
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.backbone import Backbone
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.simulation.engine import new_engine
from mobilesim.simulation.links.link_failures import FailingLinks
from mobilesim.world.replication import build_world
from tests.support.backbones import FREE, ReadPackets, RecordedBackbone, SizedPacket
from tests.support.protocol_pairs import first_finding, placement_of
from tests.support.simulations import MS, Play, Script
from tests.support.timed_schedules import ScheduleRun, random_scenario

SECOND = 1000 * MS
SLOW = {"bandwidth": "1 Mbit/s", "latency": "7 ms"}
"""A packet of 1,000 bytes needs 8 ms of transmission and 7 ms of latency."""

STEPS = 1_000_000
"""The maximum number of steps. With slow links that fail often, hand-offs accumulate, and the last one ends late."""


class FailingNet(RecordedBackbone):
    """A network with failures. An outage is (one end, other end, start in ms, duration in ms)."""

    wired: FailingLinks

    def __init__(
        self, stations: int, *outages: tuple[int, int, int, int], processing: object = FREE, **backbone: object
    ) -> None:
        schedule = [
            {"between": (one, other), "at": f"{at} ms", "duration": f"{lasting} ms"}
            for one, other, at, lasting in outages
        ]
        scenario = Scenario.model_validate(
            {
                "cells": stations,
                "mobility": {"model": "static"},
                "sizes": {"header": "0 B", "integer": "0 B"},
                "processing": processing,
                "backbone": {**SLOW, "failures": {"schedule": schedule}, **backbone},
            }
        )
        self.engine = new_engine()
        self.wired = FailingLinks(self.engine, build_world(scenario, 0), Random(1), reads_headers=True)
        self.wired.receiver = ReadPackets(self)
        self.read = []
        self.wired.start(self.engine.call_at)

    def came(self) -> list[tuple[int, float]]:
        """Return each packet with its arrival time in ms."""
        return [(name, came / MS) for name, _, came, _ in self.run()]

    def carried(self, source: int, target: int) -> tuple[int, int, float]:
        """Return the packets, the lost packets and the busy time in ms of a link."""
        counter = self.wired.carried[source, target]
        lost = counter.lost()
        assert lost.bytes == 1000 * lost.packets
        return counter.packets, lost.packets, counter.busy / MS


@pytest.mark.parametrize(
    ("fails", "lasts", "comes", "busy"),
    ((3, 10, 28, 11), (8, 1, 24, 16), (14, 6, 35, 16)),
    ids=("in the middle of the packet", "after its last bit", "just before its arrival"),
)
def test_a_packet_on_a_failing_link_is_sent_again_after_the_repair(
    fails: int, lasts: int, comes: int, busy: int
) -> None:
    net = FailingNet(2, (0, 1, fails, lasts))
    net.send(0, 0, 1, SizedPacket(0, size=1000))
    assert net.came() == [(0, comes)]
    assert net.carried(0, 1) == (2, 1, busy)


@pytest.mark.parametrize("fails", (15, 20))
def test_a_failure_at_the_arrival_time_does_not_affect_the_packet(fails: int) -> None:
    net = FailingNet(2, (0, 1, fails, 100))
    net.send(0, 0, 1, SizedPacket(0, size=1000))
    assert net.came() == [(0, 15)]
    assert net.carried(0, 1) == (1, 0, 8)


def test_a_link_fails_in_both_directions() -> None:
    net = FailingNet(2, (1, 0, 5, 10))
    net.send(0, 0, 1, SizedPacket(0))
    net.send(0, 1, 0, SizedPacket(1))
    net.send(7 * MS, 0, 1, SizedPacket(2))
    assert net.came() == [(0, 22), (1, 22), (2, 22)]


def test_packets_that_waited_for_a_repair_keep_their_order() -> None:
    net = FailingNet(2, (0, 1, 4, 1))
    for name in range(3):
        net.send(0, 0, 1, SizedPacket(name, size=1000))
    assert net.came() == [(0, 20), (1, 28), (2, 36)]
    assert net.carried(0, 1) == (4, 1, 28)
    assert net.wired.carried[0, 1].queue_peak == 2


def test_packets_use_a_detour_over_one_station_in_a_complete_network() -> None:
    links = [{"between": (0, 2), "latency": "9 ms"}]
    net = FailingNet(4, (0, 1, 3, 1000), links=links)
    net.send(0, 0, 1, SizedPacket(0, size=1000))
    assert net.came() == [(0, 3 + 2 * 15)]
    assert net.carried(0, 1) == (1, 1, 3)
    assert net.carried(0, 3) == net.carried(3, 1) == (1, 0, 8)


def test_packets_use_a_detour_over_several_stations_if_necessary() -> None:
    net = FailingNet(4, *((one, other, 0, 1000) for one, other in ((0, 1), (0, 2), (1, 3))))
    net.send(1, 0, 1, SizedPacket(0))
    assert [*net.came(), *sorted(net.wired.carried)] == [(0, 21.000001), (0, 3), (2, 1), (3, 2)]


def test_a_packet_that_waits_for_a_failed_link_counts_only_on_the_link_that_it_crosses() -> None:
    net = FailingNet(3, (0, 1, 12, 1000))
    for name in range(3):
        net.send(0, 0, 1, SizedPacket(name, size=1000))
    assert net.came() == [(0, 42), (1, 50), (2, 58)]
    assert net.carried(0, 1) == (2, 2, 12)
    assert net.carried(0, 2) == (3, 0, 24)


def test_a_packet_continues_from_the_station_before_the_failed_link() -> None:
    net = FailingNet(3, (1, 2, 20, 30), topology="tree", branching=1)
    net.send(0, 0, 2, SizedPacket(0, size=1000))
    assert net.came() == [(0, 65)]
    assert net.carried(0, 1) == (1, 0, 8)
    assert net.carried(1, 2) == (2, 1, 8 + 5)


def test_on_a_ring_packets_reverse_at_each_failure() -> None:
    net = FailingNet(4, (1, 2, 0, 40), (0, 3, 15, 1000), topology="ring")
    net.send(MS, 1, 2, SizedPacket(0, size=1000))
    # At 16 ms the packet is at station 0. The only working link of station 0 is that on which the packet arrived.
    assert net.came() == [(0, 70)]


def test_a_packet_waits_only_until_a_path_exists() -> None:
    net = FailingNet(3, (0, 1, 0, 100), (1, 2, 40, 10), topology="tree", branching=1)
    net.send(MS, 0, 2, SizedPacket(0))
    net.send(45 * MS, 1, 2, SizedPacket(1))
    assert net.came() == [(1, 57), (0, 114)]


def test_a_repair_enables_detours_around_other_failed_links() -> None:
    net = FailingNet(4, (0, 1, 0, 100), (2, 3, 0, 50), topology="ring")
    net.send(MS, 0, 1, SizedPacket(0))
    assert net.came() == [(0, 50 + 3 * 7)]


def test_a_failed_detour_is_abandoned() -> None:
    net = FailingNet(4, (0, 1, 0, 100), (0, 2, 30, 50))
    for moment in (20, 40, 90):
        net.send(moment * MS, 0, 1, SizedPacket(moment))
    assert net.came() == [(20, 34), (40, 54), (90, 104)]
    assert {ends: counter.packets for ends, counter in sorted(net.wired.carried.items())} == {
        (0, 2): 2,
        (0, 3): 1,
        (2, 1): 2,
        (3, 1): 1,
    }


def test_overlapping_failures_of_a_link_end_at_the_later_repair() -> None:
    net = FailingNet(2, (0, 1, 5, 50), (0, 1, 10, 10), (0, 1, 40, 40))
    net.send(30 * MS, 0, 1, SizedPacket(0))
    assert net.came() == [(0, 87)]


def overtaken(*, fifo: bool) -> bool:
    outages = [(0, 1, 20 * turn, 10) for turn in range(20)]
    net = FailingNet(4, *outages, fifo=fifo)
    for name in range(200):
        net.send(name * 2 * MS, 0, 1, SizedPacket(name, size=100))
    names = [name for name, _ in net.came()]
    assert sorted(names) == list(range(200))
    return names != sorted(names)


def test_packets_on_a_detour_can_be_overtaken_unless_channels_are_fifo() -> None:
    assert overtaken(fifo=False)
    assert not overtaken(fifo=True)


@pytest.mark.parametrize("topology", ("mesh", "ring", "tree"))
def test_without_failures_the_run_is_unchanged(topology: str) -> None:
    jitter = "0 s" if topology == "mesh" else "exponential 20 ms"
    backbone = {**SLOW, "topology": topology, "jitter": jitter}
    work = {"fixed": "1 ms"}
    nets = (
        RecordedBackbone(6, processing=work, backbone=backbone),
        FailingNet(6, (0, 1, 10**9, 1), processing=work, **backbone),
    )
    for net in nets:
        random = Random(2)
        for name in range(300):
            source, target = random.sample(range(6), 2)
            net.send(random.randrange(SECOND), source, target, SizedPacket(name, size=random.randrange(1000)))
    plain, failing = (sorted(net.run()) for net in nets)
    assert plain == failing
    one, other = (columns(net.wired.carried) for net in nets)
    assert {name: numbers.tolist() for name, numbers in one.items()} == {
        name: numbers.tolist() for name, numbers in other.items()
    }


def down(stations: int, seconds: int, **failures: str) -> list[set[tuple[int, int]]]:
    """Return the set of failed links at every 10 ms."""
    net = FailingNet(stations, failures=failures)
    seen = []
    for moment in range(0, seconds * SECOND, 10 * MS):
        while (first := net.engine.next_time()) is not None and first <= moment:
            net.engine.advance(1)
        net.wired._apply_repairs(moment)
        seen.append(set(net.wired.rerouting.down))
    return seen


def test_a_link_is_down_for_the_expected_share_of_the_time() -> None:
    states = down(5, 300, interval="exponential 3 s", repair="uniform 0 s 2 s")
    share = Counter(pair for state in states for pair in state)
    assert len(share) == 10
    # Each of the 10 links fails about 75 times. The standard deviation of the share is about 0.02.
    assert sum(share.values()) / (10 * len(states)) == pytest.approx(0.25, abs=0.03)
    assert max(share.values()) / len(states) < 0.4


def test_the_times_of_failures_do_not_depend_on_other_settings() -> None:
    few, many = (down(stations, 30, interval="exponential 3 s", repair="1 s") for stations in (3, 6))
    assert [{pair for pair in state if max(pair) < 3} for state in many] == few
    assert any(few)


def test_after_the_end_no_link_fails_and_no_repair_is_awaited(play: Play) -> None:
    schedule = [
        {"between": (0, 1), "at": "20 s", "duration": "5 s"},
        {"between": (0, 2), "at": "5 s", "duration": "1 h"},
    ]
    run = play(Script([(9_999 * MS, 0, 1)]), backbone={"topology": "star", "failures": {"schedule": schedule}})
    assert run.delivery(0)["delay"] < 100 * MS
    assert run.simulation.engine.time < 11 * SECOND


def test_no_link_fails_after_the_last_message(play: Play) -> None:
    schedule = [{"between": (0, 1), "at": "102 ms", "duration": "5 s"}]
    run = play(
        Script([(100 * MS, 0, 1)]), messages=1, backbone={"topology": "star", "failures": {"schedule": schedule}}
    )
    assert run.delivery(0)["delay"] < 100 * MS


def test_the_wait_for_a_repair_counts_as_backbone_time(play: Play) -> None:
    backbone = {"topology": "star", "failures": {"schedule": [{"between": (0, 1), "at": "100 ms", "duration": "1 s"}]}}
    late, usual = (
        play(Script([(500 * MS, 0, 1)]), backbone={**backbone, **more}).parts(0) for more in ({}, {"failures": None})
    )
    assert {part: time for part, time in late.items() if part != "wired"} == {
        part: time for part, time in usual.items() if part != "wired"
    }
    assert 590 * MS < late["wired"] - usual["wired"] < 600 * MS


def drawn_with_failures(row: ProtocolRow, seed: int) -> Scenario:
    random = Random(seed)
    scenario = random_scenario(random, row)
    shape = random.choice(("mesh", "mesh", "ring", "star", "tree", "triangle", "barabasi-albert", "waxman"))
    backbone = {
        "topology": shape,
        **({"attachments": 1} if shape == "barabasi-albert" else {}),
        "latency": random.choice(("0 s", "7 ms")),
        "jitter": scenario.backbone.jitter,
        "fifo": scenario.backbone.fifo,
        "bandwidth": random.choice(("256 kbit/s", "100 Mbit/s")),
        "failures": {
            "interval": random.choice(("exponential 30 ms", "exponential 200 ms", "uniform 0 s 100 ms")),
            "repair": random.choice(("exponential 10 ms", "constant 50 ms", "exponential 100 ms")),
        },
    }
    return scenario.model_copy(update={"backbone": Backbone.model_validate(backbone)})


def run_with_failures(row: ProtocolRow, seed: int) -> ScheduleRun:
    scenario = drawn_with_failures(row, seed)
    world = build_world(scenario, 0)
    system = build_system(
        row.build, world.stations, world.starting_cells, dict(scenario.protocols[0].options), world.groups
    )
    oracle = Oracle(scenario.hosts + world.stations)
    simulation = CellularSimulation(world, system, oracle, Recorder(), at_host=placement_of(row).orders_at == "host")
    simulation.start()
    more = simulation.advance(STEPS)
    return ScheduleRun(scenario, simulation, oracle, not more)


PLACED = [row for row in pairs() if row.ordering == "rst"]


def pairs_with_seeds() -> list[Any]:
    few = [pytest.param(row, range(15), id=f"{row.name}-few") for row in PLACED]
    slow = pytest.mark.slow
    return [*few, *(pytest.param(row, range(15, 315), id=f"{row.name}-others", marks=slow) for row in pairs())]


@pytest.mark.full
@pytest.mark.parametrize(("row", "seeds"), pairs_with_seeds())
def test_a_protocol_keeps_its_claims_despite_link_failures(row: ProtocolRow, seeds: range) -> None:
    def findings(seed: int) -> Counter[str]:
        return run_with_failures(row, seed).findings(causal=row.claims.causal, fifo=row.claims.fifo)

    assert first_finding(seeds, findings) is None


@pytest.mark.interpreted
def test_random_schedules_with_failures_contain_waits_and_repeated_packets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: Counter[tuple[str, int]] = Counter()
    seed = 0

    def counted(name: str) -> None:
        method = getattr(FailingLinks, name)

        def count(*arguments: object) -> None:
            seen[name, seed] += 1
            method(*arguments)

        monkeypatch.setattr(FailingLinks, name, count)

    counted("_wait_for_repair")
    counted("_take_back")
    for seed in range(40):
        wired = run_with_failures(PLACED[0], seed).simulation.wired
        assert isinstance(wired, FailingLinks)
        assert not wired.waiting
        assert not any(wired.on_link.values())
        assert not any(channel.early for channel in wired.channels.values())
    runs = Counter(name for name, _ in seen)
    assert runs["_wait_for_repair"] > 20
    assert runs["_take_back"] > 20
