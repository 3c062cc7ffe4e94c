"""Static networks in which hosts join and leave: only members take part, totals balance, and the state is bounded."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.protocols.membership import MembershipService
from mobilesim.protocols.state import snapshot
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.membership import MembershipSimulation
from tests.support.simulations import FinishedRun, simulate

S: Final = 10**9
KS: Final = "resident+ks"
CHURN: Final = {"arrive": "exponential 2 s", "stay": "exponential 20 s"}


def scenario(**settings: Any) -> Scenario:  # noqa: ANN401 - settings
    defaults = {
        "network": "static",
        "hosts": 6,
        "duration": "60 s",
        "protocols": KS,
        "links": {"delay": "exponential 300 ms", "service": "independent"},
        "membership": CHURN,
        "workload": {"kind": "multicast", "destinations": 3},
    }
    return Scenario.model_validate({**defaults, **settings})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return simulate(scenario(), tmp_path_factory.mktemp("results"))


def members(run: FinishedRun) -> dict[int, tuple[int, int]]:
    """Return when each host joined and left."""
    ended = run.outcome.simulated
    rows = run.rows("hosts")
    return {row["host"]: (row["joined"], ended if row["left"] is None else row["left"]) for row in rows}


def test_hosts_join_with_new_numbers_and_leave(run: FinishedRun) -> None:
    rows = run.rows("hosts")
    assert [row["host"] for row in rows] == list(range(run.outcome.hosts))
    assert [row["joined"] for row in rows[:6]] == [0] * 6 < [row["joined"] for row in rows[6:7]] * 6
    assert 15 < run.outcome.hosts < 60
    assert 5 < sum(row["left"] is not None for row in rows) < len(rows)


def test_only_members_send_and_deliver(run: FinishedRun) -> None:
    stays = members(run)
    for row in run.rows("messages"):
        assert stays[row["source"]][0] <= row["submitted"] <= stays[row["source"]][1]
    for row in run.deliveries:
        assert stays[row["destination"]][0] <= row["delivered"] <= stays[row["destination"]][1]


def test_each_copy_is_delivered_or_its_host_has_left(run: FinishedRun) -> None:
    (row,) = run.rows("runs")
    copies = {(message["message"], host) for message in run.rows("messages") for host in message["destinations"]}
    delivered = {(each["message"], each["destination"]) for each in run.deliveries}
    stays, ended = members(run), run.outcome.simulated
    assert {host for _, host in copies - delivered} <= {host for host, (_, left) in stays.items() if left < ended}
    assert (row["verdict"], row["lost"], row["dropped"], row["duplicates"]) == ("ok", 0, 0, 0)
    assert row["left"] == len(copies) - len(delivered) > 0


def test_every_protocol_has_the_same_members_and_messages(run: FinishedRun, tmp_path: Path) -> None:
    other = simulate(scenario(protocols="resident+unordered"), tmp_path)
    assert members(other).keys() == members(run).keys()
    assert sent(other) == sent(run)
    assert other.rows("runs")[0]["causal_violations"] > 0 == run.rows("runs")[0]["causal_violations"]


def sent(run: FinishedRun) -> list[tuple[Any, ...]]:
    columns = ("message", "source", "submitted", "destinations")
    return sorted(tuple(row[column] for column in columns) for row in run.rows("messages"))


def test_the_same_seed_gives_the_same_tables(run: FinishedRun, tmp_path: Path) -> None:
    again, other = simulate(scenario(), tmp_path), simulate(scenario(seed=2), tmp_path / "other")
    for name in ("messages", "deliveries", "hosts", "links"):
        assert again.table(name) == run.table(name)
    assert other.rows("hosts") != run.rows("hosts")


def test_packets_of_the_service_are_counted(tmp_path: Path) -> None:
    """p2 joins at 10.1 s, p0 and p1 leave at 20 s. The integers of packets are in parentheses.

    p0: Joined (1), Leave with two destinations (5). p1: the same, and Left (2), because the service learns of p0 first.
    p2: Join (0), Welcome with three members (4), and Left (2), Finished (1) and Removed (1), each of them twice.
    """
    found = simulate(
        scenario(
            hosts=2,
            membership={"arrive": "10 s", "limit": 1, "stay": "20 s"},
            links={"delay": "100 ms"},
            duration="30 s",
            workload={"kind": "multicast", "destinations": "all", "interval": "1 s"},
        ),
        tmp_path,
    )
    rows = found.rows("hosts")
    assert [(row["joined"], row["left"]) for row in rows] == [(0, 20 * S), (0, 20 * S), (10 * S + S // 10, None)]
    assert [row["view_packets"] for row in rows] == [2, 3, 8]
    header, integer = 20, 4
    expected = [2 * header + 6 * integer, 3 * header + 8 * integer, 8 * header + 12 * integer]
    assert [row["view_bytes"] for row in rows] == expected


@pytest.mark.parametrize(
    "membership", ({"arrive": "1 s", "limit": 5}, {"stay": "uniform 1 s 50 s"}, {"arrive": "3 s", "stay": "2 s"})
)
def test_hosts_may_only_join_or_only_leave_or_all_be_gone_for_a_time(
    membership: dict[str, str], tmp_path: Path
) -> None:
    found = simulate(scenario(membership=membership, protocols=KS), tmp_path)
    (row,) = found.rows("runs")
    assert (row["status"], row["verdict"]) == ("complete", "ok")
    assert row["messages"] > 0


def test_the_state_of_members_is_bounded_by_their_number_and_not_by_the_ids(tmp_path: Path) -> None:
    churn = {"arrive": "exponential 1 s", "stay": "exponential 8 s"}
    short, long = (
        simulate(scenario(membership=churn, duration=duration, trace=False), tmp_path / duration).simulation
        for duration in ("40 s", "800 s")
    )
    assert isinstance(short, MembershipSimulation)
    assert isinstance(long, MembershipSimulation)
    assert long.host_count > 10 * short.host_count
    sizes = []
    for network in (short, long):
        present = set(network.members)
        assert isinstance(network.service, MembershipService)
        assert network.service.unfinished == {}
        for member in network.members.values():
            assert (member.view.members, member.view.leaving, member.awaited) == (present, set(), {})
            assert {*member.sent, *member.delivered} <= present
        sizes.append(max(len(snapshot(member)) / len(present) ** 2 for member in network.members.values()))
    assert sizes[1] < 2 * sizes[0]


def test_hosts_that_join_and_leave_are_measured_in_a_window(run: FinishedRun, tmp_path: Path) -> None:
    found = simulate(scenario(measure={"from": "10 s", "to": "40 s"}), tmp_path)
    assert found.outcome.left == run.outcome.left
    packets = [sum(row["view_packets"] for row in each.rows("hosts")) for each in (found, run)]
    assert 0 < packets[0] < packets[1]


def test_members_answer_messages_of_members(tmp_path: Path) -> None:
    """Only members answer, and only members in their views."""
    workload = {"interval": "exponential 3 s", "replies": {"to": "all", "max_rounds": 3, "probability": 0.6}}
    found = simulate(scenario(workload={**workload, "kind": "multicast", "destinations": 3}), tmp_path)
    (row,) = found.rows("runs")
    assert (row["verdict"], row["lost"]) == ("ok", 0)
    without = simulate(scenario(workload={"interval": "exponential 3 s"}), tmp_path / "without")
    assert row["messages"] > 2 * without.outcome.messages
    test_only_members_send_and_deliver(found)


def test_rates_are_repeated_for_hosts_that_join(tmp_path: Path) -> None:
    found = simulate(scenario(workload={"rates": [1, 9], "interval": "exponential 500 ms"}), tmp_path)
    stays = members(found)
    rates = [0.0, 0.0]
    for row in found.rows("hosts"):
        joined, left = stays[row["host"]]
        rates[row["host"] % 2] += row["submitted"] / max(S, min(left, 60 * S) - joined)
    assert rates[1] > 4 * rates[0]


@pytest.mark.full
@pytest.mark.parametrize("seed", range(6))
def test_under_fast_churn_every_copy_is_accounted_for_and_waits_for_its_causes_only(seed: int, tmp_path: Path) -> None:
    links = {"delay": "exponential 400 ms", "service": ("fifo", "independent")[seed % 2], "bandwidth": "100 kbit/s"}
    churn = {"arrive": "exponential 500 ms", "stay": "pareto 1.5 1 s"}
    workload = {"kind": "multicast", "destinations": "1..all", "interval": "exponential 400 ms"}
    found = simulate(scenario(seed=seed, links=links, membership=churn, workload=workload, duration="40 s"), tmp_path)
    (row,) = found.rows("runs")
    assert (row["verdict"], row["lost"], row["duplicates"]) == ("ok", 0, 0)
    assert row["left"] + len(found.deliveries) == sum(message["copies"] for message in found.rows("messages"))
    assert (
        sum(each["inhibition"] for each in found.deliveries)
        == 0
        < sum(each["causal_wait"] for each in found.deliveries)
    )
    assert row["left"] > 100
