"""Hosts work on every frame that they send or receive, on one frame at a time."""

from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from mobilesim.results.quantities import DELAY_PARTS, RADIO_ENERGIES
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.links.host_processors import HostProcessors, Job
from tests.support.backbones import SizedPacket
from tests.support.durations import DOWN, UP
from tests.support.radio_ledgers import FORMS, OwnChannelLog, SharedChannelLog, assert_verified, busy_scenario, priced
from tests.support.simulations import FREE_HOSTS, MS, US, FinishedRun, Play, Script, simulate

SLOW: Final = {"fixed": "10 us", "per_integer": "1 us", "hosts": {"fixed": "100 us", "per_integer": "10 us"}}
DATA_UP, DATA_DOWN, ACK = 120 * US, 110 * US, 110 * US
"""A host's work on an uplink frame (a number and an address), on a downlink frame (a number), and on either of their
acknowledgements (a number).
"""


def joules(done: FinishedRun) -> list[float]:
    return [sum(float(row[f"energy_{part}"]) for part in RADIO_ENERGIES) for row in done.rows("hosts")]


@pytest.mark.parametrize("seed", range(20))
def test_a_processor_serves_frames_in_the_order_in_which_they_arrive_or_are_sent(seed: int) -> None:
    """The processor gets to know of a received frame before its arrival, and the end of its work may be asked late."""
    random, processors = Random(seed), HostProcessors(1, 5, 1)
    inputs = sorted((random.randrange(2_000), index, random.random() < 0.5) for index in range(100))
    announced: list[tuple[int, Job]] = []
    free, expected, found = 0, {}, {}
    for moment, index, sends in inputs:
        size = random.randrange(30)
        expected[index] = free = max(free, moment) + 5 + size
        if sends:
            for came, job in announced:
                assert came <= moment or job.done < 0
            found[index] = moment + processors.send(0, SizedPacket(index, others=size), moment)
        else:
            job = processors.expect(0, SizedPacket(index, integers=size), moment)
            announced.append((moment, job))
            assert job.earliest <= expected[index]
            found[index] = -index - 1
    received = iter(announced)
    for index, done in found.items():
        if done < 0:
            came, job = next(received)
            found[index] = processors.done(0, job, max(came, 2_000))
    assert found == expected
    assert processors.so_far(0, free)[:2] == (processors.so_far(0, free)[1], processors.so_far(0, free)[1])


def test_the_work_of_hosts_is_a_part_of_the_delay_at_both_ends(play: Play) -> None:
    free = play(Script([(100 * MS, 0, 1)]), "av1")
    run = play(Script([(100 * MS, 0, 1)]), "av1", processing=SLOW)
    worked = {"sender_processing": DATA_UP, "receiver_processing": DATA_DOWN}
    assert run.parts(0) == {**free.parts(0), **worked}
    row = run.delivery(0)
    assert row["uplink_started"] == 100 * MS + DATA_UP
    assert row["delivered"] == row["downlink_started"] + DOWN + DATA_DOWN
    speaker, listener, *_ = run.rows("hosts")
    assert speaker["computing"] == DATA_UP + ACK
    assert listener["computing"] == DATA_DOWN + ACK
    assert speaker["energy_compute"] == pytest.approx(0.4 * (DATA_UP + ACK) / 1e9)


def test_hosts_that_order_messages_work_on_the_stamps(play: Play) -> None:
    """A matrix has four integers. Stations relay it."""
    run = play(Script([(100 * MS, 0, 1)]), "rst", processing=SLOW)
    parts = run.parts(0)
    assert (parts["sender_processing"], parts["receiver_processing"]) == (DATA_UP + 40 * US, DATA_DOWN + 40 * US)
    assert parts["processing"] == 2 * 12 * US


def test_a_frame_waits_for_the_processor_and_then_for_the_uplink(play: Play) -> None:
    """The second frame waits for the work on the first one, and then for its transmission."""
    run = play(Script([(100 * MS, 0, 1), (100 * MS, 0, 1)]), "av1", processing=SLOW)
    assert run.parts(0)["sender_processing"] == DATA_UP
    assert run.parts(1)["sender_processing"] == 2 * DATA_UP
    assert run.parts(1)["uplink_queue"] == UP - 500_000 - DATA_UP


def test_a_received_frame_waits_for_the_work_on_a_frame_that_is_sent(play: Play) -> None:
    """Host 1 submits a message 60 us before the frame for it arrives, and works on this message for 120 us."""
    alone = play(Script([(100 * MS, 0, 1)]), "av1", processing=SLOW).delivery(0)
    arrives = alone["downlink_started"] + DOWN
    run = play(Script([(100 * MS, 0, 1), (arrives - 60 * US, 1, 0)]), "av1", processing=SLOW)
    assert run.parts(0)["receiver_processing"] == 60 * US + DATA_DOWN
    assert run.parts(1)["sender_processing"] == DATA_UP


def test_a_frame_to_be_sent_waits_for_the_work_on_a_received_frame(play: Play) -> None:
    alone = play(Script([(100 * MS, 0, 1)]), "av1", processing=SLOW).delivery(0)
    arrives = alone["downlink_started"] + DOWN
    run = play(Script([(100 * MS, 0, 1), (arrives + 50 * US, 1, 0)]), "av1", processing=SLOW)
    assert run.parts(0)["receiver_processing"] == DATA_DOWN
    assert run.parts(1)["sender_processing"] == 60 * US + DATA_UP


def test_a_frame_in_the_processor_is_lost_when_the_host_leaves_its_cell(play: Play) -> None:
    """The host leaves when half of the work on the received frame is done. The frame is transmitted again."""
    alone = play(Script([(100 * MS, 0, 1)]), "av1", processing=SLOW).delivery(0)
    leaves = alone["downlink_started"] + DOWN + DATA_DOWN // 2
    run = play(Script([(100 * MS, 0, 1)], [(leaves, 1, 2)]), "av1", processing=SLOW)
    row, host = run.delivery(0), run.rows("hosts")[1]
    assert (row["retransmissions"], row["station"], row["receiver_processing"]) == (1, 2, DATA_DOWN)
    (link,) = (link for link in run.rows("links") if (link["kind"], link["source"]) == ("downlink", 1))
    assert (link["packets"], link["lost_packets"]) == (1, 1)
    # Half of the lost frame, the registration of four integers, its answer, the frame, and the acknowledgement.
    assert host["computing"] == DATA_DOWN // 2 + 140 * US + 110 * US + DATA_DOWN + ACK


def test_a_frame_that_the_host_has_not_processed_is_not_sent_when_it_leaves(play: Play) -> None:
    run = play(Script([(100 * MS, 1, 0)], [(100 * MS + DATA_UP // 2, 1, 2)]), "av1", processing=SLOW)
    row = run.delivery(0)
    assert (row["retransmissions"], row["source_station"], row["sender_processing"]) == (1, 2, DATA_UP)
    assert sum(link["packets"] for link in run.rows("links") if (link["kind"], link["target"]) == ("uplink", 1)) == 1


@pytest.mark.parametrize("medium", ("dedicated", "shared"))
@pytest.mark.parametrize("protocol", ("av1", "av2", "ab", "rst", "proxy+transport", "resident+transport"))
def test_busy_processors_lose_no_message_and_all_tables_agree(protocol: str, medium: str, tmp_path: Path) -> None:
    scenario = priced(busy_scenario(protocol, 3, medium=medium), fixed="3 ms", per_integer="500 us")
    done = simulate(scenario, tmp_path)
    assert done.outcome.verdict == "ok"
    assert sum(row["computing"] for row in done.rows("hosts")) > 6 * 100 * MS
    for row in done.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        assert min(row[part] for part in DELAY_PARTS) >= 0
    assert_verified(done)


@pytest.mark.interpreted
@pytest.mark.parametrize("protocol", ("av1", "rst"))
@pytest.mark.parametrize("seed", range(3))
def test_the_radio_waits_for_the_processor(
    protocol: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times of sending, of receiving and of both agree with a log of all frames, also across moves."""
    log = OwnChannelLog(monkeypatch)
    done = simulate(priced(busy_scenario(protocol, seed), fixed="5 ms", per_integer="1 ms"), tmp_path)
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)
    assert sum(row["duplex"] for row in done.rows("hosts")) > 0


@pytest.mark.interpreted
@pytest.mark.parametrize("form", FORMS)
def test_lossy_and_shared_channels_wait_for_the_processor(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SharedChannelLog(monkeypatch)
    scenario = priced(busy_scenario("rst", 1, **FORMS[form]), fixed="5 ms", per_integer="1 ms")
    done = simulate(scenario, tmp_path)
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)
    assert_verified(done)


def test_computing_drains_batteries(tmp_path: Path) -> None:
    energy = {"battery": "20 J", "compute": "5 W"}
    spent = []
    for index, hosts in enumerate(({"fixed": "10 ms"}, FREE_HOSTS)):
        done = simulate(priced(busy_scenario("av1", 1, energy), **hosts), tmp_path / str(index))
        left = [row["battery"] for row in done.rows("hosts")]
        assert [20 - used for used in joules(done)] == pytest.approx(left)
        spent.append(sum(joules(done)))
    assert spent[0] > 1.1 * spent[1]


@pytest.mark.parametrize(("protocol", "process"), (("rst", 6), ("av1", 0)))
def test_the_state_of_a_host_is_that_of_its_process(protocol: str, process: int, play: Play) -> None:
    """Under RST, a process has 2 x 2 + 2 integers for two hosts."""
    for row in play(Script([(100 * MS, 0, 1)]), protocol).rows("hosts"):
        assert row["state_peak"] == row["state_mean"] == process


@pytest.mark.parametrize(("protocol", "process", "frame"), (("rst", 6, 6), ("av1", 0, 2)))
def test_unacknowledged_frames_belong_to_the_state_of_a_host(
    protocol: str, process: int, frame: int, play: Play
) -> None:
    """Host 1 submits ten messages to its slow uplink, and gets 32 messages before the first of them arrives."""
    says = [*((100 * MS, 1, 0) for _ in range(10)), *((100 * MS, 0, 1) for _ in range(32))]
    slow = {"cell": 1, "uplink": "128 bit/s", "downlink": "1 Mbit/s"}
    host = play(Script(says), protocol, duration="200 s", wireless={"cells": [slow]}).rows("hosts")[1]
    assert host["state_peak"] == process + 10 * frame
    assert process < host["state_mean"] < host["state_peak"]


FAST_AIR: Final[dict[str, Any]] = {
    "hosts": 30,
    "duration": "60 s",
    "wireless": {"bandwidth": "100 Mbit/s"},
    "mobility": {"model": "static"},
    "processing": {"per_integer": "20 us"},
    "workload": {"interval": "exponential 60 s"},
}


def test_ordering_on_hosts_takes_their_processors_and_energy(tmp_path: Path) -> None:
    """Alagar and Venkatesan (1994), section 1.1: hosts should compute little. A matrix of 900 integers takes 18 ms."""
    delays, computing, energy = {}, {}, {}
    for protocol in ("av1", "rst"):
        done = simulate(Scenario.model_validate({**FAST_AIR, "protocols": protocol}), tmp_path / protocol)
        rows = done.rows("hosts")
        delays[protocol] = sum(row["delay"] for row in done.deliveries) / len(done.deliveries)
        computing[protocol] = sum(row["computing"] for row in rows) / len(done.deliveries)
        energy[protocol] = sum(row["energy_compute"] for row in rows)
    assert delays["rst"] > delays["av1"] > 36 * MS
    assert computing["rst"] > 2 * 18 * MS > 100 * computing["av1"]
    assert energy["rst"] > 100 * energy["av1"] > 0
