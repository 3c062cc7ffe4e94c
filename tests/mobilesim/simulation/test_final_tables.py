"""Rows of links, stations and hosts, computed by hand. Sizes and speeds are those of test_timelines.py."""

import pytest

from mobilesim.results.quantities import BYTE_PURPOSES
from tests.support.durations import BEGIN, REGISTER
from tests.support.simulations import MS, Play, Row, Script


def bytes_of(row: Row) -> dict[str, int]:
    """Return the nonzero bytes of a link, by purpose."""
    return {purpose: row[f"{purpose}_bytes"] for purpose in BYTE_PURPOSES if row[f"{purpose}_bytes"]}


def test_a_message_is_counted_on_three_links_and_its_acknowledgements_on_two(play: Play) -> None:
    rows = play(Script([(100 * MS, 0, 1)])).rows("links")
    links = {(row["kind"], row["source"], row["target"]): row for row in rows}
    # Besides the payload, an uplink frame has its number and the address of its one destination.
    data = {"payload": 100, "control": 4, "framing": 20}
    ack = {"ack": 4, "framing": 20}
    assert {link: bytes_of(row) for link, row in links.items()} == {
        ("uplink", -1, 0): {**data, "control": 8},
        ("downlink", 0, -1): ack,
        ("wired", 0, 1): {"payload": 100, "ordering": 16, "control": 8, "framing": 20},
        ("downlink", 1, -1): data,
        ("uplink", -1, 1): ack,
    }
    assert {row["packets"] for row in rows} == {1}
    assert links["wired", 0, 1]["busy"] == 144 * 80
    assert links["uplink", -1, 0]["busy"] == 128 * 8000


@pytest.mark.parametrize(("protocol", "ordering"), (("rst", 16), ("av1", 0)))
def test_headers_cross_the_wireless_channel_if_hosts_order(protocol: str, ordering: int, play: Play) -> None:
    hosts = play(Script([(100 * MS, 0, 1)]), protocol).rows("hosts")
    assert hosts[0]["sent_ordering_bytes"] == hosts[1]["received_ordering_bytes"] == ordering


def test_the_energy_of_a_radio_is_proportional_to_its_time(play: Play) -> None:
    energy = {"transmit": "2 W", "receive": "1 W", "idle": "500 mW"}
    run = play(Script([(100 * MS, 0, 1)]), energy=energy)
    speaker, listener = run.rows("hosts")
    simulated = run.simulation.engine.time
    up, down, ack = 128 * 8000, 124 * 8000, 24 * 8000
    assert (speaker["transmitting"], speaker["receiving"]) == (up, ack)
    assert (listener["transmitting"], listener["receiving"]) == (ack, down)
    for host, data in ((speaker, up), (listener, down)):
        assert host["energy_transmit"] == pytest.approx(2 * host["transmitting"] / 1e9)
        assert host["energy_receive"] == pytest.approx(host["receiving"] / 1e9)
        assert host["energy_idle"] == pytest.approx(0.5 * (simulated - data - ack) / 1e9)


def test_a_switched_off_host_does_not_receive(play: Play) -> None:
    run = play(Script(moves=[(50 * MS, 1, 2)], gap=900 * MS, off=True), energy={"idle": "1 W"})
    on, off = run.rows("hosts")
    simulated = run.simulation.engine.time
    assert off["disconnected"] == 900 * MS
    assert on["energy_idle"] == pytest.approx(simulated / 1e9)
    radio = off["transmitting"] + off["receiving"]
    assert off["energy_idle"] == pytest.approx((simulated - 900 * MS - radio) / 1e9)


def test_a_host_in_a_hand_off_counts_as_unreachable_and_not_as_disconnected(play: Play) -> None:
    run = play(Script(moves=[(100 * MS, 1, 2)], gap=10 * MS))
    (handoff,) = run.rows("handoffs")
    stays, moves = run.rows("hosts")
    assert (stays["unreachable"], stays["moves"]) == (0, 0)
    assert (moves["unreachable"], moves["moves"]) == (handoff["complete"] - handoff["left"], 1)
    assert moves["disconnected"] == 0


def test_the_time_of_a_disconnection_does_not_count_as_unreachable(play: Play) -> None:
    run = play(Script(moves=[(100 * MS, 1, 2)], gap=500 * MS, off=True))
    (handoff,) = run.rows("handoffs")
    host = run.rows("hosts")[1]
    assert host["disconnected"] == 500 * MS
    assert host["unreachable"] == handoff["complete"] - handoff["entered"]


def test_a_stations_state_is_that_of_the_hosts_it_serves(play: Play) -> None:
    """Under RST, a process has 2 x 2 + 2 integers for two hosts. They leave station 1 when the hand-off begins."""
    run = play(Script(moves=[(100 * MS, 1, 2)]))
    rows = run.rows("stations")
    simulated = run.simulation.engine.time
    gone = 100 * MS + REGISTER + BEGIN
    (handoff,) = run.rows("handoffs")
    assert [row["state_peak"] for row in rows] == [6, 6, 6]
    assert [row["state_mean"] for row in rows] == [
        pytest.approx(6.0),
        pytest.approx(6 * gone / simulated),
        pytest.approx(6 * (simulated - handoff["complete"]) / simulated),
    ]


def test_a_stations_state_is_sampled_even_if_no_host_moves(play: Play) -> None:
    """Under FIFO, a process has one number for each host to which it has sent or from which it has received."""
    still = {"model": "static", "start": "spread"}
    rows = play(Script([(100 * MS, 0, 1)]), "fifo", mobility=still).rows("stations")
    assert [row["state_peak"] for row in rows] == [1, 1, 0]


def test_a_stations_state_is_sampled_at_every_32nd_packet(play: Play) -> None:
    still = {"model": "static", "start": "spread"}
    run = play(Script([((100 + 10 * place) * MS, 0, 1) for place in range(40)]), "fifo", mobility=still)
    simulated, since = run.simulation.engine.time, run.delivery(31)["arrived"]
    # Station 0 receives no packets from other stations, so it is sampled only at the end.
    means = [row["state_mean"] for row in run.rows("stations")]
    assert means == [0, pytest.approx((simulated - since) / simulated), 0]


def test_a_stations_processing_consists_of_sending_and_reading(play: Play) -> None:
    rows = play(Script([(100 * MS, 0, 1)])).rows("stations")
    assert [row["processing"] for row in rows] == [16_000, 16_000, 0]
    assert [row["packets"] for row in rows] == [0, 1, 0]


@pytest.mark.parametrize(("protocol", "state"), (("av1", 50 * 50 + 50), ("fifo", 0)))
def test_the_state_of_a_host_costs_processing_at_both_stations_of_a_hand_off(
    protocol: str, state: int, play: Play
) -> None:
    """The request has four integers, the transferred state those of the host's process and four others."""
    rows = play(Script(moves=[(100 * MS, 1, 2)]), protocol, hosts=50, cells=3).rows("stations")
    work = (10_000 + 4_000) + (10_000 + (state + 4) * 1_000)
    assert [row["processing"] for row in rows] == [0, work, work]


def test_stations_that_relay_do_not_read_the_stamps_in_the_state_of_a_host(play: Play) -> None:
    """An unacknowledged frame moves with its matrix of 50 x 50 integers, which counts in bytes only."""
    handed = play(Script([(100 * MS, 0, 1)]), "rst", hosts=50).delivery(0)
    leaves = (handed["downlink_started"] + handed["delivered"]) // 2
    run = play(Script([(100 * MS, 0, 1)], [(leaves, 1, 2)]), "rst", hosts=50)
    (row,) = run.rows("handoffs")
    assert row["state_transfer_bytes"] == 20 + 4 * (4 + 50 * 50) + 100
    message, handoff = 10_000 + 2_000, (10_000 + 4_000) + (10_000 + 4_000)
    assert [row["processing"] for row in run.rows("stations")] == [message, message + handoff, handoff]


def test_the_peak_of_a_station_includes_waiting_messages(play: Play) -> None:
    rows = play(Script([(100 * MS, 0, 1)], [(95 * MS, 1, 2)])).rows("stations")
    assert [row["pending_peak"] for row in rows] == [0, 0, 1]


def test_samples_of_flooding_stations_count_copies_and_tombstones(play: Play) -> None:
    """The first of sixty messages is deleted before the last one arrives. At the end nothing is stored."""
    still = {"model": "static", "start": "spread"}
    jitter = {"jitter": "exponential 40 ms"}
    says = [((100 + 2 * place) * MS, 0, 1) for place in range(60)]
    rows = play(Script(says), "ab", mobility=still, backbone=jitter).rows("stations")
    assert all(1 < row["copies_peak"] <= 60 for row in rows[1:])
    assert all(0 < row["tombstones_peak"] < 60 for row in rows[1:])
    assert {row["copies_end"] + row["tombstones_end"] for row in rows} == {0}


def test_stations_that_route_messages_store_no_copies(play: Play) -> None:
    rows = play(Script([((100 + place) * MS, 0, 1) for place in range(40)]), "av2").rows("stations")
    stored = ("copies_peak", "copies_end", "tombstones_peak", "tombstones_end")
    assert {row[what] for row in rows for what in stored} == {0}


def test_hosts_are_counted_as_senders_and_receivers(play: Play) -> None:
    hosts = play(Script([(100 * MS, 0, 1), (110 * MS, 0, 2), (120 * MS, 2, 1)]), hosts=3).rows("hosts")
    assert [(row["submitted"], row["delivered"]) for row in hosts] == [(2, 0), (0, 2), (1, 1)]
