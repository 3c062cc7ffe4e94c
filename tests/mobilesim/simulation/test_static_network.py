"""The static network: links with queues or overtaking, delays that add up, and orderings on static hosts."""

from collections import Counter
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Final

import pytest

from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import OrderingRow
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS
from mobilesim.results.schema import TABLES
from mobilesim.scenario.model import Scenario
from tests.support.simulations import FinishedRun, Row, simulate

S: Final = 10**9
MS: Final = 10**6
UNORDERED: Final = "resident+unordered"
PARTS_OF_MESHES: Final = {"uplink_queue", "wired", "causal_wait", "inhibition"}
GROUPS: Final = {"kind": "multicast", "destinations": 3, "interval": "exponential 3 s"}


def scenario(**settings: Any) -> Scenario:  # noqa: ANN401 - settings
    defaults = {"network": "static", "hosts": 6, "messages": 400, "protocols": "rst", "workload": GROUPS}
    return Scenario.model_validate({**defaults, **settings})


def independent(**more: str) -> dict[str, str]:
    return {"service": "independent", **more}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return simulate(scenario(links=independent()), tmp_path_factory.mktemp("results"))


def test_the_same_seed_gives_the_same_tables(run: FinishedRun, tmp_path: Path) -> None:
    again = simulate(scenario(links=independent()), tmp_path)
    other = simulate(scenario(links=independent(), seed=2), tmp_path / "other")
    for name in set(TABLES) - {"runs"}:
        assert again.table(name) == run.table(name)
    assert {**again.rows("runs")[0], "wall_seconds": 0} == {**run.rows("runs")[0], "wall_seconds": 0}
    assert other.deliveries != run.deliveries


def test_delays_are_the_sum_of_queue_link_and_ordering(run: FinishedRun) -> None:
    waited = Counter[str]()
    for row in run.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"] == row["delivered"] - row["submitted"]
        assert min(row[part] for part in DELAY_PARTS) >= 0
        waited.update({part: row[part] for part in DELAY_PARTS if row[part]})
    assert set(waited) == {"wired", "causal_wait"}


def test_on_a_busy_link_packets_wait_for_those_before_them(tmp_path: Path) -> None:
    links = {"delay": "1 s", "bandwidth": "1 kbit/s"}
    run = simulate(scenario(protocols=UNORDERED, links=links, hosts=2, workload={"interval": "1.5 s"}), tmp_path)
    rows = [row for row in run.deliveries if row["source"] == 0]
    busy = S + (100 + 20) * 8 * MS
    assert [row["wired"] for row in rows] == [busy] * len(rows)
    assert [row["uplink_queue"] for row in rows] == [place * (busy - 1_500 * MS) for place in range(len(rows))]
    assert run.rows("runs")[0]["fifo_violations"] == 0


def test_packets_overtake_only_on_independent_links(tmp_path: Path) -> None:
    found = {}
    for service in ("fifo", "independent"):
        links = {"delay": "exponential 2 s", "service": service}
        (row,) = simulate(scenario(protocols=UNORDERED, links=links), tmp_path / service).rows("runs")
        found[service] = row["fifo_violations"]
    assert found["fifo"] == 0 < found["independent"]


@pytest.mark.full
def test_a_loaded_link_delays_as_queueing_theory_says(tmp_path: Path) -> None:
    """M/M/1 with a load of one half: a packet stays 1 / (mu - lambda) on average, half of this time in the queue."""
    settings = {"hosts": 2, "protocols": UNORDERED, "workload": {"senders": 1, "interval": "exponential 2 s"}}
    one = scenario(**settings, messages=None, warm_up={"deliveries": 300}, deliveries=3000)
    runs = [simulate(one, tmp_path, replication=replication) for replication in range(12)]
    for part, theory in (("delay", 2 * S), ("uplink_queue", S), ("wired", S)):
        means = [mean(row[part] for row in run.deliveries) for run in runs]
        assert abs(mean(means) - theory) < 4 * stdev(means) / len(means) ** 0.5


@pytest.mark.full
def test_the_transport_ordering_waits_as_queueing_theory_says(tmp_path: Path) -> None:
    """M/D/1: a message and its acknowledgement take 2 s, with one message in 10 s. The mean wait is 0.25 s."""
    settings = {"hosts": 4, "protocols": "resident+transport", "links": {"delay": "1 s", "service": "independent"}}
    workload = {"workload": {"interval": "exponential 10 s"}, "warm_up": {"deliveries": 200}, "deliveries": 2000}
    one = scenario(**settings, **workload, messages=None)
    runs = [simulate(one, tmp_path, replication=replication) for replication in range(12)]
    means = [mean(row["inhibition"] for row in run.deliveries) for run in runs]
    assert abs(mean(means) - 0.25 * S) < 4 * stdev(means) / len(means) ** 0.5 < 0.05 * S
    assert {row["wired"] for run in runs for row in run.deliveries} == {S}


def test_the_oracle_finds_violations_of_unordered(tmp_path: Path) -> None:
    run = simulate(scenario(protocols=UNORDERED, links=independent()), tmp_path)
    (row,) = run.rows("runs")
    assert (row["verdict"], row["lost"], row["duplicates"]) == ("ok", 0, 0)
    assert row["causal_violations"] == sum(row["overtaken"] >= 0 for row in run.deliveries) > 0


def resident() -> list[str]:
    fitting = [row for row in catalogue.pairs() if row.placement == "resident"]
    return [row.name for row in fitting]


def accepted_workload(name: str) -> dict[str, Any]:
    """Return a workload that the ordering of the protocol accepts."""
    serves = catalogue.pair("resident", "rst" if name == "rst" else name.partition("+")[2]).serves
    if serves == "groups":
        return {"groups": {"rule": "ring", "size": 4}, "workload": {"interval": GROUPS["interval"]}}
    if serves == "unicasts":
        return {"workload": {**GROUPS, "kind": "unicast", "destinations": 1}}
    return {"workload": {**GROUPS, "destinations": "all" if serves == "broadcasts" else 3}}


@pytest.mark.full
@pytest.mark.parametrize("service", ("fifo", "independent"))
@pytest.mark.parametrize("name", resident())
def test_every_ordering_keeps_its_claims_between_static_hosts(name: str, service: str, tmp_path: Path) -> None:
    run = simulate(scenario(protocols=name, links={"service": service}, **accepted_workload(name)), tmp_path)
    (row,) = run.rows("runs")
    assert (row["status"], row["verdict"], row["lost"], row["stations"]) == ("complete", "ok", 0, 0)
    assert row["deliveries"] == len(run.deliveries) == sum(message["copies"] for message in run.rows("messages"))


def test_every_ordering_has_the_same_messages_and_delays(run: FinishedRun, tmp_path: Path) -> None:
    fifo = simulate(scenario(protocols="resident+fifo", links=independent()), tmp_path)
    assert ways(fifo.deliveries) == ways(run.deliveries)


def test_messages_held_at_the_sender_have_the_same_delays_later(tmp_path: Path) -> None:
    crossed, held = {}, {}
    for name in (UNORDERED, "resident+transport"):
        request = scenario(protocols=name, links=independent(), workload={"interval": "exponential 3 s"})
        rows = simulate(request, tmp_path / name).deliveries
        crossed[name] = {row["message"]: (row["destination"], row["wired"]) for row in rows}
        held[name] = sum(row["inhibition"] > 0 for row in rows)
    assert crossed["resident+transport"] == crossed[UNORDERED]
    assert held["resident+transport"] > 50 > held[UNORDERED] == 0


def ways(rows: list[Row]) -> dict[tuple[int, int], tuple[int, int]]:
    return {(row["message"], row["destination"]): (row["submitted"], row["arrived"]) for row in rows}


def test_a_message_waits_exactly_for_its_last_cause(run: FinishedRun) -> None:
    for row in run.deliveries:
        assert row["released"] == row["delivered"] == max(row["arrived"], row["deliverable"])
    assert any(row["causal_wait"] for row in run.deliveries)


def test_the_length_of_a_packet_is_payload_stamp_and_fixed_header(run: FinishedRun) -> None:
    assert {row["header_integers"] for row in run.deliveries} == {6 * 6}
    for row in run.rows("links"):
        assert row["kind"] == "wired"
        assert row["bytes"] == row["packets"] * (100 + 36 * 4 + 20)
        assert row["bytes"] == sum(row[f"{purpose}_bytes"] for purpose in BYTE_PURPOSES)
        assert row["lost_packets"] == 0


def test_bytes_of_hosts_equal_the_bytes_of_links(run: FinishedRun) -> None:
    links, hosts = run.rows("links"), run.rows("hosts")
    for host in hosts:
        for verb, end in (("sent", "source"), ("received", "target")):
            own = sum(row["ordering_bytes"] for row in links if row[end] == host["host"])
            assert host[f"{verb}_ordering_bytes"] == own > 0
    assert sum(host["submitted"] for host in hosts) == 400
    assert sum(host["delivered"] for host in hosts) == len(run.deliveries)
    assert [run.rows(name) for name in ("stations", "handoffs", "disconnections")] == [[], [], []]


@pytest.fixture(scope="module")
def windowed(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    settings = {"messages": None, "warm_up": {"deliveries": 200}, "deliveries": 500, "links": independent()}
    return simulate(scenario(**settings), tmp_path_factory.mktemp("windowed"))


def test_a_window_measures_its_deliveries_and_the_oracle_checks_all(
    windowed: FinishedRun,
) -> None:
    (row,) = windowed.rows("runs")
    assert row["deliveries"] == len(windowed.deliveries) == 500
    assert windowed.simulation.delivered_copies == 3 * windowed.simulation.sent > 700
    assert (row["status"], row["verdict"], row["lost"]) == ("complete", "ok", 0)
    assert windowed.simulation.oracle is not None
    assert windowed.simulation.oracle.delivered_copies == windowed.simulation.delivered_copies


def test_the_deliveries_of_a_window_are_those_after_the_warm_up(windowed: FinishedRun, tmp_path: Path) -> None:
    whole = simulate(scenario(messages=windowed.simulation.sent, links=independent()), tmp_path)
    counted = sorted(whole.deliveries, key=lambda row: row["delivered"])[200:700]
    assert ways(counted) == ways(windowed.deliveries)


def test_the_messages_and_packets_of_a_window_are_those_sent_in_it(windowed: FinishedRun) -> None:
    messages = windowed.rows("messages")
    (row,) = windowed.rows("runs")
    assert row["messages"] == len(messages) < windowed.simulation.sent
    assert sum(link["packets"] for link in windowed.rows("links")) == sum(message["copies"] for message in messages)
    assert sum(host["submitted"] for host in windowed.rows("hosts")) == len(messages)
    assert sum(host["delivered"] for host in windowed.rows("hosts")) == 500


def test_a_window_counts_without_a_trace(windowed: FinishedRun, tmp_path: Path) -> None:
    settings = {"messages": None, "warm_up": {"deliveries": 200}, "deliveries": 500, "links": independent()}
    bare = simulate(scenario(**settings, trace=False, oracle=False), tmp_path)
    (row,), (traced,) = bare.rows("runs"), windowed.rows("runs")
    for name in ("messages", "deliveries", "simulated", "events"):
        assert row[name] == traced[name]


def test_a_run_that_ends_in_its_warm_up_has_no_measurements(tmp_path: Path) -> None:
    run = simulate(scenario(messages=None, duration="3 s", warm_up={"deliveries": 5000}), tmp_path)
    (row,) = run.rows("runs")
    assert (row["messages"], row["deliveries"], run.deliveries) == (0, 0, [])
    assert run.simulation.sent > 0


def test_the_short_form_of_a_static_network_has_no_warm_up() -> None:
    short = scenario(messages=None, warm_up={"deliveries": 5000}, deliveries=10_000).shortened()
    assert (short.warm_up, short.deliveries, short.messages, short.duration) == (None, None, 1000, None)


def test_the_progress_of_a_window_is_complete_at_its_end(windowed: FinishedRun) -> None:
    assert windowed.simulation.progress == 1.0


def test_an_exception_of_an_ordering_is_its_protocols_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "tests.support.broken_ordering"
    broken = OrderingRow("broken", "-", "-", "0", causal=False, fifo=False, module=module)
    monkeypatch.setattr(catalogue, "ORDERINGS", {**catalogue.ORDERINGS, "broken": broken})
    run = simulate(scenario(protocols="resident+broken"), tmp_path)
    assert (run.outcome.status, run.outcome.fault) == ("failed", "the third delivery cannot happen")
