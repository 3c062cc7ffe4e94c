"""A static network whose hosts share one medium: a packet is one transmission for all of its destinations."""

from itertools import pairwise
from pathlib import Path

import pytest

from mobilesim.cli.main import main
from mobilesim.experiments.execute import dry_run
from mobilesim.scenario.loader import loads
from tests.support.simulations import simulate

BUS = (
    "network: static\nhosts: 6\nmessages: 80\nreplications: 1\nlinks: {service: bus, delay: exponential 20 ms}\n"
    "workload: {kind: multicast, destinations: 1..all, interval: exponential 1 s}\nprotocols: [resident+unordered]\n"
)
GROUPS = (
    "network: static\nhosts: 6\nmessages: 80\nreplications: 1\nlinks: {service: bus, delay: exponential 20 ms}\n"
    "groups: {rule: ring, size: 3}\nworkload: {interval: exponential 1 s}\nprotocols: [resident+mr]\n"
)


def test_a_multicast_is_one_packet_for_all_destinations(tmp_path: Path) -> None:
    run = simulate(loads(BUS), tmp_path / "r")
    links = run.rows("links")
    assert {(row["kind"], row["target"]) for row in links} == {("bus", -1)}
    assert sum(row["packets"] for row in links) == 80 < len(run.deliveries)
    messages = run.rows("messages")
    for row in links:
        sent = [message for message in messages if message["source"] == row["source"]]
        assert row["payload_bytes"] == sum(message["payload_bytes"] for message in sent)


def test_transmissions_follow_one_another(tmp_path: Path) -> None:
    run = simulate(loads(BUS.replace("20 ms", "200 ms")), tmp_path / "r")
    intervals = sorted({(row["uplink_started"], row["arrived"]) for row in run.deliveries})
    assert len(intervals) == 80
    assert all(end <= start for (_, end), (start, _) in pairwise(intervals))
    assert sum(row["busy"] for row in run.rows("links")) == sum(end - start for start, end in intervals)
    assert max(row["queue_peak"] for row in run.rows("links")) > 0


def test_all_destinations_receive_a_message_at_the_same_time(tmp_path: Path) -> None:
    run = simulate(loads(BUS), tmp_path / "r")
    arrivals: dict[int, set[int]] = {}
    for row in run.deliveries:
        arrivals.setdefault(row["message"], set()).add(row["arrived"])
    assert all(len(times) == 1 for times in arrivals.values())


def test_hosts_receive_what_is_addressed_to_them(tmp_path: Path) -> None:
    run = simulate(loads(BUS), tmp_path / "r")
    sizes = {message["message"]: message["payload_bytes"] for message in run.rows("messages")}
    for host in run.rows("hosts"):
        received = [sizes[row["message"]] for row in run.deliveries if row["destination"] == host["host"]]
        assert host["received_payload_bytes"] == sum(received)


def test_a_bus_keeps_causal_order_without_an_ordering(tmp_path: Path) -> None:
    """What a message depends on was transmitted before it, and arrived everywhere at that time."""
    run = simulate(loads(BUS), tmp_path / "r")
    assert all(row["overtaken"] == -1 for row in run.deliveries)
    independent = simulate(loads(BUS.replace("service: bus", "service: independent")), tmp_path / "s")
    assert any(row["overtaken"] != -1 for row in independent.deliveries)


def test_a_resynchronisation_is_one_packet(tmp_path: Path) -> None:
    packets = {}
    for service in ("bus", "fifo"):
        run = simulate(loads(GROUPS.replace("bus", service)), tmp_path / service)
        assert len(run.deliveries) == 160
        packets[service] = sum(row["packets"] for row in run.rows("links"))
    assert 80 < packets["bus"] <= packets["fifo"] / 1.5


@pytest.mark.parametrize(("hardware", "packets"), (("true", 80), ("false", 200)))
def test_an_ordering_with_a_header_for_each_copy_needs_a_transmission_for_each(
    hardware: str, packets: int, tmp_path: Path
) -> None:
    text = BUS.replace("resident+unordered", f"{{placement: resident, ordering: ks, hardware: {hardware}}}")
    run = simulate(loads(text), tmp_path / "r")
    sent = sum(row["packets"] for row in run.rows("links"))
    assert sent == 80 if hardware == "true" else sent > packets
    notes = [note for note in dry_run(loads(text)) if "hardware: true" in note]
    assert len(notes) == (hardware == "false")


@pytest.mark.parametrize("text", (BUS, GROUPS), ids=("multicasts", "groups"))
@pytest.mark.parametrize("window", ("", "warm_up: {deliveries: 30}\ndeliveries: 50\n"), ids=("whole", "window"))
def test_the_results_of_a_bus_are_verified(text: str, window: str, tmp_path: Path) -> None:
    text = text.replace("messages: 80\n", window) if window else text
    (tmp_path / "bus.yaml").write_text(text)
    out = str(tmp_path / "r")
    assert main(["run", str(tmp_path / "bus.yaml"), "--out", out, "--no-summary"]) == 0
    assert main(["verify-results", out]) == 0


def test_orderings_that_need_fifo_channels_are_accepted() -> None:
    option = "{placement: resident, ordering: mr, numbered: false}"
    assert loads(GROUPS.replace("resident+mr", option)).protocols


def test_a_window_after_the_last_send_has_no_overload(tmp_path: Path) -> None:
    text = BUS.replace("messages: 80", "messages: 20\nwarm_up: {deliveries: 55}\ndeliveries: 100")
    assert simulate(loads(text), tmp_path / "r").outcome.overload is None


def test_members_of_a_bus_receive_a_message_at_the_same_time(tmp_path: Path) -> None:
    text = BUS.replace("messages: 80", "duration: 60 s\nmembership: {arrive: exponential 5 s, stay: exponential 20 s}")
    run = simulate(loads(text), tmp_path / "r")
    wired: dict[int, set[int]] = {}
    for row in run.deliveries:
        wired.setdefault(row["message"], set()).add(row["wired"])
    assert len(wired) > 50
    early = sum(len(times) > 1 for times in wired.values())
    assert early < len(wired) / 10  # copies for a host that joins wait there for its Welcome
    assert not [note for note in dry_run(loads(text.replace("unordered", "ks"))) if "hardware" in note]
