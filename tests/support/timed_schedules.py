"""Small random scenarios with many concurrent events, and the faults of their runs."""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from mobilesim.explorer.machine_driver import leftovers
from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.catalogue_rows import PlacementRow, ProtocolRow
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.cells import CellularSimulation
from tests.support.protocol_pairs import options, placement_of


@dataclass(frozen=True)
class ScheduleRun:
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


MEDIA: Final[tuple[dict[str, Any], ...]] = (
    {"loss": 0.4, "retries": 2, "rejoin": "0 s"},
    {"medium": "csma"},
    {"medium": "csma", "loss": 0.3, "retries": 3, "rejoin": "5 ms"},
    {"medium": "csma", "beacon": "10 ms", "beacon_frames": {}, "retries": 4, "rejoin": "0 s", "bandwidth": "1 Mbit/s"},
    {"medium": "shared", "broadcast": True},
    {
        "medium": "shared",
        "broadcast": True,
        "loss": 0.3,
        "retries": 3,
        "rejoin": "5 ms",
        "beacon": "10 ms",
        "beacon_frames": {"size": "4 B"},
        "bandwidth": "1 Mbit/s",
    },
    {
        "beacon": "10 ms",
        "beacon_frames": {"size": "0 B"},
        "bandwidth": "1 Mbit/s",
        "loss": 0.3,
        "retries": 2,
        "doze": {"after": "1 ms", "listen": "1 ms"},
    },
)
"""Settings of wireless channels that are not plain."""


def with_medium(scenario: Scenario, wireless: dict[str, Any]) -> Scenario:
    plain = scenario.model_dump(mode="json")
    return Scenario.model_validate({**plain, "wireless": {**plain["wireless"], **wireless}})


def random_scenario(random: Random, row: ProtocolRow) -> Scenario:
    """Return a small random scenario with many concurrent events."""
    able = placement_of(row)
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
    ways: list[dict[str, Any]] = [{"announced": False}, {"policy": "store"}, {"policy": "drop"}]
    return {
        "dwell": random.choice(("constant 10 ms", "uniform 10 ms 60 ms", "exponential 100 ms")),
        "next": random.choice(("neighbour", "uniform")),
        "gap": random.choice(("0 s", "uniform 0 s 20 ms")),
        "disconnect": {
            "probability": random.choice((0, 0.3, 0.6)),
            "duration": random.choice(("uniform 1 ms 50 ms", "exponential 300 ms")),
            **random.choice(ways if able.drops else ways[:2]),
        },
    }


def _stations(random: Random, hosts: int) -> dict[str, Any] | None:
    expected = {"interval": f"exponential {random.choice((20, 100))} ms", "destinations": random.randint(1, hosts)}
    return random.choice((None, expected))
