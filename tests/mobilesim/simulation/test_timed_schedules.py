"""Random scenarios of the timed world: every placement keeps its claims where wires shake, users are restless, and up-
links are so slow that a host is gone before it has been heard.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from mobilesim.explorer.machine_driver import leftovers
from mobilesim.explorer.untimed_world import SystemBuilder, build_system
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.fault_attribution import protocols_fault
from mobilesim.recording.recorder import Recorder
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.world.replication import build_world
from protocols.catalogue import ROWS, PlacementRow, ProtocolRow, pairs
from tests.support.mutants.specimens import BROKEN
from tests.support.protocol_pairs import first_wrong, options, placed, sown

STEPS = 100_000


@dataclass(frozen=True)
class Played:
    scenario: Scenario
    simulation: CellularSimulation
    oracle: Oracle
    finished: bool

    def findings(self, *, causal: bool, fifo: bool) -> Counter[str]:
        oracle = self.oracle
        kept = [text for text in map(leftovers, self.simulation.stations) if text]
        found = {
            "unfinished": not self.finished,
            "lost": sum(1 for _ in oracle.lost()),
            "not due": oracle.duplicates,
            "before its cause": oracle.causal if causal else 0,
            "out of turn": oracle.fifo if fifo else 0,
            "kept": len(kept),
        }
        return Counter({name: count for name, count in found.items() if count})


def drawn(random: Random, row: ProtocolRow) -> Scenario:
    """A small scenario in which much goes on at once."""
    able = placed(row)
    hosts = random.randint(2, 12)
    messages = _messages(random, hosts, row)
    return Scenario.model_validate(
        {
            "seed": random.randrange(1 << 30),
            "protocols": [{"placement": row.placement, "ordering": row.ordering, **options(row, random)}],
            "hosts": hosts,
            "cells": random.randint(2, 6),
            "messages": random.randint(20, 40),
            "backbone": {
                "latency": random.choice(("0 s", "7 ms")),
                "jitter": random.choice(("0 s", "uniform 0 ms 30 ms", "exponential 10 ms")),
                "fifo": random.random() < 0.25,
            },
            "wireless": {
                "beacon": random.choice(("0 s", "0 s", "10 ms")),
                "bandwidth": random.choice(("32 kbit/s", "1 Mbit/s")),
            },
            "mobility": _mobility(random, able),
            "workload": {
                **messages,
                "interval": f"exponential {hosts * random.choice((3, 20))} ms",
                "stations": _stations(random, hosts) if able.originates and row.serves == "all" else None,
            },
            **({"groups": _groups(random, hosts)} if row.serves == "groups" else {}),
        }
    )


def _messages(random: Random, hosts: int, row: ProtocolRow) -> dict[str, Any]:
    several = random.random() < 0.5
    destinations = random.randint(1, hosts - 1) if several else 1
    match row.serves:
        case "all":
            return {"kind": "multicast" if several else "unicast", "destinations": destinations}
        case "unicasts":
            return {"kind": "unicast"}
        case "broadcasts":
            return {"kind": "multicast", "destinations": "all"}
        case "groups":
            return {}


def _groups(random: Random, hosts: int) -> dict[str, Any]:
    size = random.randint(2, min(hosts, 5))
    ruled: dict[str, dict[str, Any]] = {
        "random": {"number": random.randint(1, 6), "size": size},
        "ring": {"size": size},
        "star": {},
    }
    rule = random.choice(("random", "random", "ring", "star"))
    return {"rule": rule, **ruled[rule]}


def _mobility(random: Random, able: PlacementRow) -> dict[str, Any]:
    return {
        "dwell": random.choice(("constant 10 ms", "uniform 10 ms 60 ms", "exponential 100 ms")),
        "next": random.choice(("neighbour", "uniform")),
        "gap": random.choice(("0 s", "uniform 0 s 20 ms")),
        "disconnect": {
            "probability": random.choice((0, 0.3, 0.6)),
            "duration": random.choice(("uniform 1 ms 50 ms", "exponential 300 ms")),
            "policy": random.choice(("store", "drop")) if able.drops else "store",
        },
    }


def _stations(random: Random, hosts: int) -> dict[str, Any] | None:
    wanted = {"interval": f"exponential {random.choice((20, 100))} ms", "destinations": random.randint(1, hosts)}
    return random.choice((None, wanted))


def played(row: ProtocolRow, seed: int, build: SystemBuilder | None = None) -> Played:
    """Under another protocol, with `build`, in what is drawn for the row."""
    scenario = drawn(Random(seed), row)
    world = build_world(scenario, 0)
    options = dict(scenario.protocols[0].options)
    system = build_system(build or row.build, world.stations, world.starting_cells, options, world.groups)
    oracle = Oracle(scenario.hosts + world.stations)
    simulation = CellularSimulation(world, system, oracle, Recorder(), at_host=placed(row).orders_at == "host")
    simulation.start()
    more = simulation.advance(STEPS)
    return Played(scenario, simulation, oracle, not more)


@pytest.mark.full
def test_they_are_drawn_for_all_that_may_happen() -> None:
    """Of 300 scenarios, each of these is true of some and false of others."""
    runs = [played(ROWS["av1"], seed) for seed in range(300)]
    seen: Counter[str] = Counter()
    for run in runs:
        mobility = run.scenario.mobility
        policy = mobility.disconnect.policy if mobility.disconnect.probability else "never"
        seen[policy] += 1
        seen["dropped"] += run.oracle.dropped_copies > 0
        seen["dropped, though all is stored"] += run.oracle.dropped_copies > 0 and policy != "drop"
        seen["many moves"] += sum(run.simulation.air.entries) > 10 * run.scenario.hosts
        seen["multicast"] += run.scenario.workload.kind == "multicast"
    least = {"never": 60, "store": 60, "drop": 60, "dropped": 40, "many moves": 40, "multicast": 100}
    assert {name: seen[name] for name in least if not least[name] <= seen[name] <= 240} == {}
    assert seen["dropped, though all is stored"] == 0


def test_those_for_orderings_of_some_messages_send_such_messages() -> None:
    seen: Counter[str] = Counter()
    for row in pairs():
        runs = [drawn(Random(seed), row) for seed in range(30)] if row.serves != "all" else []
        assert row.serves != "unicasts" or {run.workload.kind for run in runs} == {"unicast"}
        assert row.serves != "broadcasts" or {run.workload.destinations for run in runs} == {"all"}
        groups = [build_world(run, 0).groups for run in runs]
        assert all(map(bool, groups)) == (row.serves == "groups" or not runs)
        seen["overlap"] += sum(len(set().union(*each)) < sum(map(len, each)) for each in groups)
        seen["alone"] += sum(len(each) == 1 for each in groups)
    assert seen["overlap"] > 60
    assert seen["alone"] > 5


@pytest.mark.full
@sown
def test_a_protocol_keeps_its_claims_in_timed_schedules(row: ProtocolRow, seeds: range) -> None:
    claims = row.claims
    assert first_wrong(seeds, lambda seed: played(row, seed).findings(causal=claims.causal, fifo=claims.fifo)) is None


@pytest.mark.parametrize("name", ("unordered", "dropping", "eager", "unprepared", "single-record", "homely"))
def test_timed_schedules_catch_what_is_broken(name: str) -> None:
    """Some specimens of the zoo, one for each way of going wrong."""
    assert any(wrong(name, seed) for seed in range(200))


def wrong(name: str, seed: int) -> Counter[str]:
    try:
        return played(ROWS["av1"], seed, BROKEN[name].build).findings(causal=True, fifo=True)
    except Exception as error:
        if protocols_fault(error) is None:
            raise
        return Counter([type(error).__name__])
