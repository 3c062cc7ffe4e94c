"""`ideal` and `knock_on`: how much later messages are released than in an ideal order, which holds back no message
longer than causal order requires. The reference computes both from the tables, with complete causal pasts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mobilesim.scenario.loader import loads
from tests.support.simulations import simulate

Row = Mapping[str, Any]

STATIC = (
    "network: static\nhosts: 6\nmessages: 200\nlinks: {delay: exponential 1 s, service: independent}\n"
    "groups: {rule: ring, size: 3}\nworkload: {interval: exponential 1 s}\nprotocols: [resident+mr]\n"
)
UNMOVED = (
    "hosts: 12\ncells: 4\nmessages: 400\nmobility: {model: static}\nbackbone: {jitter: exponential 30 ms}\n"
    "workload: {kind: multicast, destinations: 4, interval: exponential 100 ms}\nprotocols: [av2]\n"
)
MOVING = UNMOVED.replace("model: static", "dwell: exponential 1 s")


def pasts(messages: Sequence[Row], deliveries: Sequence[Row]) -> dict[int, set[int]]:
    """Return for each message the messages that happened before it."""
    events = [(row["submitted"], 1, row["message"], row["source"]) for row in messages]
    events += [(row["delivered"], 0, row["message"], row["destination"]) for row in deliveries]
    known: defaultdict[int, set[int]] = defaultdict(set)
    found: dict[int, set[int]] = {}
    for _, is_send, message, host in sorted(events):
        if is_send:
            found[message] = set(known[host])
            known[host].add(message)
        else:
            known[host] |= found[message] | {message}
    return found


def ideal_releases(messages: Sequence[Row], deliveries: Sequence[Row], *, at_host: bool) -> dict[tuple[int, int], int]:
    """Return the earliest release of each copy, if every host can always be reached."""
    before = pasts(messages, deliveries)
    ideal: dict[tuple[int, int], int] = {}
    for row in deliveries:
        host = row["destination"]
        heard = row["downlink_started"] + row["downlink_air"] + row["receiver_processing"]
        since = heard if at_host else row["arrived"]
        earlier = [ideal[number, host] for number in before[row["message"]] if (number, host) in ideal]
        ideal[row["message"], host] = max([since, *earlier])
    return ideal


@pytest.mark.parametrize(("text", "at_host"), ((STATIC, True), (UNMOVED, False)), ids=("groups", "stations"))
def test_the_ideal_release_follows_from_the_causal_past(text: str, at_host: bool, tmp_path: Path) -> None:  # noqa: FBT001
    run = simulate(loads(text), tmp_path / "r")
    deliveries = run.rows("deliveries")
    expected = ideal_releases(run.rows("messages"), deliveries, at_host=at_host)
    assert [row["ideal"] for row in deliveries] == [expected[row["message"], row["destination"]] for row in deliveries]
    late = [row["released"] - row["ideal"] for row in deliveries]
    assert sum(row["knock_on"] > 0 for row in deliveries) > 20
    assert late == [row["knock_on"] + row["inhibition"] for row in deliveries]


@pytest.mark.parametrize("seed", range(3))
def test_with_hand_offs_both_parts_are_the_lateness_of_the_release(seed: int, tmp_path: Path) -> None:
    run = simulate(loads(f"{MOVING}seed: {seed}\n"), tmp_path / "r")
    knocked = 0
    for row in run.rows("deliveries"):
        assert row["arrived"] <= row["ideal"] <= row["released"]
        assert row["knock_on"] >= 0
        assert row["released"] - row["ideal"] == row["knock_on"] + row["inhibition"]
        knocked += row["knock_on"] > 0
    assert knocked > 20


@pytest.mark.parametrize("protocol", ("resident+ks", "resident+prs", "rst"))
def test_an_ordering_without_inhibition_is_ideal(protocol: str, tmp_path: Path) -> None:
    run = simulate(loads(MOVING.replace("av2", protocol)), tmp_path / "r")
    rows = run.rows("deliveries")
    assert sum(row["causal_wait"] > 0 for row in rows) > 20
    assert {row["inhibition"] for row in rows} == {row["knock_on"] for row in rows} == {0}
    assert any(row["ideal"] > row["arrived"] for row in rows)


@pytest.mark.parametrize("seed", range(4))
def test_an_absence_that_lasts_until_the_delivery_is_no_knock_on(seed: int, tmp_path: Path) -> None:
    """A station may release messages for a host that has left; then no later presence counts as ideal."""
    text = (
        "hosts: 8\ncells: 2\nmessages: 600\nmobility: {dwell: exponential 60 ms, gap: 20 ms}\n"
        f"workload: {{interval: exponential 100 ms}}\nprotocols: [av1]\nseed: {seed}\n"
    )
    rows = simulate(loads(text), tmp_path / "r").rows("deliveries")
    if not any(row["inhibition"] for row in rows):
        assert not any(row["knock_on"] for row in rows)
    assert any(row["unreachable"] for row in rows)
