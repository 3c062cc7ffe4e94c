"""A variant has the same random numbers as the base. Unchanged parts are equal to the nanosecond."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

import pytest

from mobilesim.scenario.loader import loads
from tests.support.simulations import MS, FinishedRun, simulate

END: Final = 8_000 * MS

_REST: Final = (
    "seed: 3, duration: 8 s, protocols: [av1], backbone: {jitter: exponential 5 ms}, "
    "workload: {kind: multicast, destinations: 3, interval: exponential 300 ms, payload: uniform 50 B 500 B}}"
)
JUMP: Final = (
    "{hosts: 12, cells: {shape: grid, rows: 3, columns: 3}, "
    f"mobility: {{dwell: exponential 1 s, disconnect: {{probability: 0.2}}}}, {_REST}"
)
PLANE: Final = (
    "{hosts: 12, cells: {shape: grid, rows: 3, columns: 3, spacing: 60 m}, "
    "mobility: {model: waypoint, waypoint: {min_speed: 15 m/s, max_speed: 30 m/s, pause: 0 s}, "
    f"disconnect: {{probability: 0.2}}}}, {_REST}"
)

NETWORK_CHANGES: Final = {
    "slow air": {"wireless.uplink": "60 kbit/s", "wireless.downlink": "100 kbit/s"},
    "shared air": {"wireless.medium": "shared", "wireless.loss": "0.2"},
    "batteries": {"energy.battery": "100 J"},
    "busy stations": {"processing.fixed": "1 ms"},
    "a ring": {"backbone.topology": "ring", "backbone.latency": "9 ms"},
    "a random backbone that fails": {
        "backbone.topology": "barabasi-albert",
        "backbone.failures": "{interval: exponential 5 s, repair: exponential 1 s}",
    },
    "no jitter": {"backbone.jitter": "0 s"},
    "another protocol": {"protocols": "[av2]"},
}
"""Settings of the network, which change neither movement nor messages."""

Play = Callable[..., FinishedRun]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """Return a function that runs a scenario, only once for the same settings."""
    known: dict[str, FinishedRun] = {}

    def play(world: str, **changes: str) -> FinishedRun:
        name = f"{world}{sorted(changes.items())}"
        if name not in known:
            known[name] = simulate(loads(world, overrides=changes), tmp_path_factory.mktemp("world"))
        return known[name]

    return play


def sent(run: FinishedRun, *columns: str, hosts: int = 12) -> list[tuple[Any, ...]]:
    rows = ([row["source"], row["submitted"], *(row[column] for column in columns)] for row in run.rows("messages"))
    return sorted(map(tuple, (row for row in rows if row[0] < hosts)))


def moved(run: FinishedRun, hosts: int = 12) -> list[tuple[Any, ...]]:
    columns = ("host", "visit", "from_station", "to_station", "entered", "reconnection")
    return [tuple(row[column] for column in columns) for row in run.rows("handoffs") if row["host"] < hosts]


CONTENT: Final = ("destinations", "payload_bytes")


@pytest.mark.full
@pytest.mark.parametrize("world", (JUMP, PLANE), ids=("jump", "plane"))
@pytest.mark.parametrize("name", NETWORK_CHANGES)
def test_movement_and_messages_do_not_depend_on_the_network(world: str, name: str, played: Play) -> None:
    base, variant = played(world), played(world, **NETWORK_CHANGES[name])
    assert len(moved(base)) > 15
    assert moved(variant) == moved(base)
    assert sent(variant, *CONTENT) == sent(base, *CONTENT)
    assert [row["delivered"] for row in variant.deliveries] != [row["delivered"] for row in base.deliveries] or (
        name == "batteries"
    )


def test_a_longer_scenario_begins_like_the_short_one(played: Play) -> None:
    short, long = played(JUMP), played(JUMP, duration="12 s")
    assert sent(short, *CONTENT) == [each for each in sent(long, *CONTENT) if each[1] < END]
    assert [move for move in moved(short) if move[4] < END] == [move for move in moved(long) if move[4] < END]


def test_additional_hosts_change_only_the_destinations_of_other_hosts(played: Play) -> None:
    few, many = played(PLANE), played(PLANE, hosts="20")
    assert moved(many) == moved(few)
    assert sent(many, "payload_bytes") == sent(few, "payload_bytes")
    assert sent(many, "destinations") != sent(few, "destinations")


@pytest.mark.parametrize("changes", ({"cells.rows": "4"}, {"mobility.dwell": "exponential 2 s"}))
def test_other_movement_does_not_change_messages(changes: dict[str, str], played: Play) -> None:
    base, variant = played(JUMP), played(JUMP, **changes)
    assert moved(variant) != moved(base)
    assert sent(variant, *CONTENT) == sent(base, *CONTENT)


def test_a_lower_message_rate_keeps_the_order_of_messages_and_the_movement(played: Play) -> None:
    base, variant = played(JUMP), played(JUMP, **{"workload.interval": "exponential 600 ms"})
    assert moved(variant) == moved(base)
    ours, theirs = (defaultdict[int, list[tuple[Any, ...]]](list) for _ in range(2))
    for run, arguments in ((base, ours), (variant, theirs)):
        for source, _, *what in sent(run, *CONTENT):
            arguments[source].append(tuple(what))
    assert sum(map(len, theirs.values())) > 100
    assert all(several == ours[host][: len(several)] for host, several in theirs.items())


def test_a_random_backbone_does_not_depend_on_hosts_and_wireless_settings(played: Play) -> None:
    waxman = {"backbone.topology": "waxman"}
    base = played(JUMP, **waxman)
    other = played(JUMP, **waxman, hosts="20", protocols="[av2]", **{"wireless.bandwidth": "200 kbit/s"})
    links, others = (run.cells.world.topology.links for run in (base, other))
    assert links == others
