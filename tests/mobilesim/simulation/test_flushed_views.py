"""Static networks in which hosts join and leave, and views change by a flush: what is sent, held and counted."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.analysis.verify.verify_results import verify
from mobilesim.cli.main import main
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.membership import MembershipSimulation
from tests.support.simulations import FinishedRun, simulate

MS: Final = 10**6
ALL: Final = {"kind": "multicast", "destinations": "all", "interval": "exponential 500 ms"}


def scenario(**settings: Any) -> Scenario:  # noqa: ANN401 - settings
    defaults = {
        "network": "static",
        "hosts": 6,
        "duration": "60 s",
        "protocols": "resident+bss",
        "links": {"delay": "exponential 300 ms", "service": "independent"},
        "membership": {"arrive": "exponential 2 s", "stay": "exponential 20 s"},
        "workload": ALL,
    }
    return Scenario.model_validate({**defaults, **settings})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return simulate(scenario(), tmp_path_factory.mktemp("results"))


def test_each_copy_to_a_member_is_delivered_in_causal_order(run: FinishedRun) -> None:
    (row,) = run.rows("runs")
    assert (row["verdict"], row["lost"], row["duplicates"], row["causal_violations"]) == ("ok", 0, 0, 0)
    assert row["left"] + len(run.deliveries) == sum(message["copies"] for message in run.rows("messages"))
    assert row["left"] > 0


def test_all_members_install_the_same_last_view(run: FinishedRun) -> None:
    network = run.simulation
    assert isinstance(network, MembershipSimulation)
    assert network.members.keys() == network.service.members
    numbers = {member.view.number for member in network.members.values()}
    assert len(numbers) == 1 < max(numbers) < 2 * run.outcome.hosts
    for member in network.members.values():
        assert member.view.members == network.service.members
        assert not member.held
        assert member.waiting == []


def test_a_message_that_waits_for_a_view_is_held_and_sent_to_the_members_of_the_view(tmp_path: Path) -> None:
    """p2 asks at 10 s. The hosts answer at 10.1 s, the service has the answers at 10.2 s, and all hosts have the next
    view at 10.3 s. The messages of p0 and p1 at 10.2 s wait until then, and are sent to p2, too.
    """
    found = simulate(
        scenario(
            hosts=2,
            membership={"arrive": "10 s", "limit": 1},
            links={"delay": "100 ms"},
            duration="15 s",
            workload={"kind": "multicast", "destinations": "all", "interval": "5100 ms"},
        ),
        tmp_path,
    )
    sent = {(row["source"], row["submitted"]): row["destinations"] for row in found.rows("messages")}
    assert sent[0, 5100 * MS] == [1]
    assert sent[0, 10_200 * MS] == [1, 2]
    late = [row for row in found.deliveries if row["submitted"] == 10_200 * MS]
    parts = [(row["inhibition"], row["wired"], row["delivered"], row["header_integers"]) for row in late]
    assert parts == [(100 * MS, 100 * MS, 10_400 * MS, 4)] * 4
    early = [row for row in found.deliveries if row["submitted"] == 5100 * MS]
    assert [(row["inhibition"], row["header_integers"]) for row in early] == [(0, 3)] * 2
    # p0, p1: EndView (1), Ended (2), NewView (1 + 3 + 2). p2: Join (0), NewView (1 + 3).
    hosts = found.rows("hosts")
    assert [row["joined"] for row in hosts] == [0, 0, 10_300 * MS]
    assert [row["view_packets"] for row in hosts] == [3, 3, 2]
    header, integer = 20, 4
    assert [row["view_bytes"] for row in hosts] == [3 * header + 9 * integer] * 2 + [2 * header + 4 * integer]


def test_a_host_that_joins_later_is_a_member_for_the_same_time(run: FinishedRun, tmp_path: Path) -> None:
    other = simulate(scenario(protocols="resident+ks"), tmp_path)
    flushed, announced = ({row["host"]: row for row in each.rows("hosts")} for each in (run, other))
    later = 0
    for host in announced.keys() & flushed.keys():
        one, two = flushed[host], announced[host]
        assert one["joined"] >= two["joined"]
        later += one["joined"] > two["joined"]
        if one["left"] is not None and two["left"] is not None:
            assert one["left"] - one["joined"] == two["left"] - two["joined"]
    assert later > 5


def test_a_message_of_a_host_that_left_while_it_waited_has_no_destinations(run: FinishedRun) -> None:
    rows = run.rows("messages")
    unsent = [row for row in rows if not row["destinations"]]
    left = {row["host"]: row["left"] for row in run.rows("hosts")}
    assert 0 < len(unsent) < len(rows) / 10
    assert all(row["submitted"] <= left[row["source"]] for row in unsent)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(6))
def test_under_fast_churn_every_copy_is_accounted_for(seed: int, tmp_path: Path) -> None:
    links = {"delay": "exponential 400 ms", "service": ("fifo", "independent")[seed % 2], "bandwidth": "100 kbit/s"}
    churn = {"arrive": "exponential 500 ms", "stay": "pareto 1.5 1 s"}
    found = simulate(scenario(seed=seed, links=links, membership=churn, duration="40 s"), tmp_path)
    (row,) = found.rows("runs")
    assert (row["verdict"], row["lost"], row["duplicates"]) == ("ok", 0, 0)
    assert row["left"] + len(found.deliveries) == sum(message["copies"] for message in found.rows("messages"))
    assert sum(each["inhibition"] for each in found.deliveries) > 0


@pytest.mark.full
@pytest.mark.parametrize("measure", ("", "measure: {from: 10 s, to: 30 s}\n"), ids=("whole", "window"))
def test_results_with_flushes_are_verified(measure: str, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    keys = "network: static\nhosts: 6\nduration: 40 s\nprotocols: resident+bss\n"
    keys += "links: {delay: exponential 300 ms, service: independent}\n"
    keys += "membership: {arrive: exponential 2 s, stay: exponential 20 s}\n"
    keys += "workload: {kind: multicast, destinations: all, interval: exponential 500 ms}\n"
    file.write_text(keys + measure, encoding="utf-8")
    assert main(["run", str(file), "--no-summary", "--out", str(tmp_path / "results")]) == 0
    assert verify(tmp_path / "results").sound
