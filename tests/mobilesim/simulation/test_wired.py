"""The path of a packet between two stations: processing, the queue of a link, transmission, latency and jitter."""

from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from mobilesim.simulation.links.wireless import transmission
from tests.support.backbones import FREE, RecordedBackbone, SizedPacket
from tests.support.simulations import MS, US, Script


def test_a_thousand_bytes_take_eight_milliseconds_at_a_megabit() -> None:
    assert transmission(1000, 1_000_000) == 8 * MS


def test_a_fraction_of_a_nanosecond_is_rounded_up() -> None:
    assert transmission(1, 3_000_000_000) == 3
    assert transmission(0, 1) == 0


def test_the_time_of_a_packet_is_its_transmission_time_plus_the_latency() -> None:
    net = RecordedBackbone(processing=FREE, backbone={"bandwidth": "1 Mbit/s", "latency": "7 ms"})
    net.send(5 * MS, 0, 1, SizedPacket(0, size=1000))
    assert net.run() == [(0, 1, 20 * MS, 20 * MS)]


def test_the_time_over_two_links_is_the_sum_of_both() -> None:
    links = ({"between": (0, 2), "latency": "1 ms", "bandwidth": "2 Mbit/s"},)
    net = RecordedBackbone(
        processing=FREE, backbone={"topology": "star", "bandwidth": "1 Mbit/s", "latency": "7 ms", "links": links}
    )
    net.send(0, 1, 2, SizedPacket(0, size=1000))
    assert net.run() == [(0, 2, (8 + 7 + 4 + 1) * MS, 20 * MS)]


def test_intermediate_stations_do_no_processing() -> None:
    net = RecordedBackbone(processing={"fixed": "1 ms"}, backbone={"topology": "ring", "latency": "7 ms"})
    net.send(0, 0, 2, SizedPacket(0))
    assert net.run() == [(0, 2, 15 * MS, 16 * MS)]
    assert net.wired.worked == [MS, 0, MS, 0]


def test_a_link_carries_one_packet_after_the_other_in_each_direction() -> None:
    net = RecordedBackbone(processing=FREE, backbone={"bandwidth": "1 Mbit/s", "latency": "7 ms"})
    for name in range(3):
        net.send(0, 0, 1, SizedPacket(name, size=1000))
    net.send(0, 1, 0, SizedPacket(3, size=1000))
    assert sorted(net.run()) == [
        (0, 1, 15 * MS, 15 * MS),
        (1, 1, 23 * MS, 23 * MS),
        (2, 1, 31 * MS, 31 * MS),
        (3, 0, 15 * MS, 15 * MS),
    ]
    assert net.wired.carried[0, 1].queue_peak == 2
    assert net.wired.carried[0, 1].busy == 24 * MS


@pytest.mark.full
@pytest.mark.parametrize("load", (0.3, 0.7))
def test_random_packets_wait_as_in_an_m_d_1_queue(load: float) -> None:
    """The mean wait is load x length / (2 (1 - load)) (Pollaczek-Khinchine)."""
    net = RecordedBackbone(processing=FREE, backbone={"bandwidth": "1 Mbit/s", "latency": "7 ms"})
    random, moment, count = Random(5), 0.0, 40_000
    sent = []
    for name in range(count):
        moment += random.expovariate(load / (8 * MS))
        sent.append(int(moment))
        net.send(sent[-1], 0, 1, SizedPacket(name, size=1000))
    waited = fmean(came - sent[name] - 15 * MS for name, _, came, _ in net.run())
    assert waited == pytest.approx(load * 8 * MS / (2 * (1 - load)), rel=0.04)
    assert net.wired.carried[0, 1].busy / net.engine.time == pytest.approx(load, rel=0.02)


def test_packets_of_different_pairs_queue_on_a_link_that_they_share() -> None:
    net = RecordedBackbone(processing=FREE, backbone={"topology": "star", "bandwidth": "1 Mbit/s", "latency": "1 ms"})
    net.send(0, 1, 3, SizedPacket(0, size=1000))
    net.send(0, 2, 3, SizedPacket(1, size=1000))
    assert [came for _, _, came, _ in net.run()] == [18 * MS, 26 * MS]


def test_a_station_processes_packets_one_after_the_other() -> None:
    net = RecordedBackbone(processing={"fixed": "1 ms"}, backbone={"latency": "7 ms"})
    for name, source in enumerate((0, 0, 2)):
        net.send(0, source, 1, SizedPacket(name))
    # Packets 0 and 2 leave at 1 ms, packet 1 at 2 ms. At station 1, packet 2 waits for packet 0, and 1 waits for 2.
    assert net.run() == [(0, 1, 8 * MS, 9 * MS), (2, 1, 8 * MS, 10 * MS), (1, 1, 9 * MS, 11 * MS)]
    assert net.wired.worked == [2 * MS, 3 * MS, MS, 0]


def test_every_integer_of_an_ordering_header_is_processed_at_both_ends() -> None:
    net = RecordedBackbone(processing={"fixed": "10 us", "per_integer": "250 ns"}, backbone={"latency": "7 ms"})
    net.send(0, 0, 1, SizedPacket(0, integers=400))
    work = 110 * US
    assert net.run() == [(0, 1, work + 7 * MS, 7 * MS + 2 * work)]


@pytest.mark.parametrize("topology", ("mesh", "ring"))
def test_all_other_integers_of_a_packet_are_processed_too(topology: str) -> None:
    net = RecordedBackbone(
        processing={"fixed": "10 us", "per_integer": "250 ns"}, backbone={"topology": topology, "latency": "7 ms"}
    )
    net.send(0, 0, 1, SizedPacket(0, integers=400, others=80, stored=40))
    work = 130 * US
    assert net.run() == [(0, 1, work + 7 * MS, 7 * MS + 2 * work)]
    assert net.wired.worked == [work, work, 0, 0]


def test_a_packet_of_a_station_to_itself_costs_its_other_integers() -> None:
    net = RecordedBackbone(processing={"fixed": "0 s", "per_integer": "250 ns"})
    net.send(0, 1, 1, SizedPacket(0, others=80))
    assert net.run() == [(0, 1, 20 * US, 40 * US)]


def test_stations_that_only_relay_read_all_integers_except_stamps() -> None:
    net = RecordedBackbone(
        reads_headers=False, processing={"fixed": "10 us", "per_integer": "250 ns"}, backbone={"latency": "7 ms"}
    )
    net.send(0, 0, 1, SizedPacket(0, integers=400, others=80, stored=40))
    work = 20 * US
    assert net.run() == [(0, 1, 7 * MS + work, 7 * MS + 2 * work)]


def test_a_packet_of_a_station_to_itself_is_processed_and_crosses_no_link() -> None:
    net = RecordedBackbone(processing={"fixed": "1 ms"}, backbone={"latency": "7 ms"})
    net.send(0, 1, 1, SizedPacket(0, size=1000))
    assert net.run() == [(0, 1, MS, 2 * MS)]
    assert not net.wired.carried


@pytest.mark.parametrize("topology", ("mesh", "ring"))
def test_jitter_lets_packets_overtake_one_another(topology: str) -> None:
    net = RecordedBackbone(processing=FREE, backbone={"topology": topology, "jitter": "exponential 20 ms"})
    for name in range(200):
        net.send(name * MS, 0, 2, SizedPacket(name))
    names = [name for name, *_ in net.run()]
    assert names != sorted(names)
    assert sorted(names) == list(range(200))


@pytest.mark.parametrize("topology", ("mesh", "ring"))
def test_on_fifo_channels_no_packet_is_overtaken(topology: str) -> None:
    net = RecordedBackbone(
        processing=FREE, backbone={"topology": topology, "jitter": "exponential 20 ms", "fifo": True}
    )
    for name in range(200):
        net.send(name * MS, 0, 2, SizedPacket(name))
    names = [name for name, *_ in net.run()]
    assert names == sorted(names)


def test_fifo_orders_each_channel_separately() -> None:
    links = ({"between": (0, 2), "latency": "50 ms"},)
    net = RecordedBackbone(processing=FREE, backbone={"fifo": True, "links": links})
    net.send(0, 0, 2, SizedPacket(0))
    net.send(MS, 1, 2, SizedPacket(1))
    assert [name for name, *_ in net.run()] == [1, 0]


def test_without_jitter_packets_of_one_link_keep_their_order() -> None:
    net = RecordedBackbone(processing=FREE)
    for name in range(50):
        net.send(0, 0, 1, SizedPacket(name, size=1000 - name))
    assert [name for name, *_ in net.run()] == list(range(50))


@pytest.mark.parametrize(("hosts", "integers"), ((2, 4), (7, 49)))
def test_the_matrix_of_rst_costs_quadratic_bytes_and_processing(
    hosts: int, integers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processing, free = {"fixed": "0 s", "per_integer": "250 ns"}, {"name": "av1", "location": "free"}
    run = Script([(MS, 0, 1)]).play(monkeypatch, tmp_path, free, hosts=hosts, processing=processing)
    row = run.delivery(0)
    assert (row["header_integers"], row["header_bytes"]) == (integers, 4 * integers)
    # The packet has the addresses of the sender and of the destination, too.
    assert row["processing"] == 2 * 250 * (integers + 2)
    (link,) = (link for link in run.rows("links") if link["kind"] == "wired")
    assert (link["ordering_bytes"], link["payload_bytes"], link["framing_bytes"]) == (4 * integers, 100, 20)
