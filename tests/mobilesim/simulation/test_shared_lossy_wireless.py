"""Shared and lossy wireless channels, compared with queueing theory and with a log of frames."""

from itertools import pairwise
from math import exp
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.protocols.packets import Packet
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.wireless import Bursts
from mobilesim.simulation.engine import new_engine
from mobilesim.simulation.links.losses import UNLIMITED, BurstyLoss
from mobilesim.simulation.links.lossy_channel import overlap
from mobilesim.simulation.links.shared_lossy_wireless import LossyAir
from mobilesim.simulation.links.wireless import FrameReceiver
from mobilesim.world.replication import build_world
from tests.support.plain_frames import PlainFrame
from tests.support.radio_ledgers import FORMS, SharedChannelLog, assert_verified, busy_scenario
from tests.support.simulations import MS, US, Play, Script, simulate

HOSTS: Final = 5
FRAME: Final = MS
"""The transmission time of 125 bytes at 1 Mbit/s."""


class Channels(FrameReceiver):
    """The wireless channels of two cells, without protocols. Frames have no headers, and their times are recorded."""

    def __init__(self, seed: int = 1, hosts: int = HOSTS, **wireless: Any) -> None:  # noqa: ANN401 - settings
        scenario = Scenario.model_validate(
            {
                "seed": seed,
                "hosts": hosts,
                "cells": 2,
                "mobility": {"model": "static"},
                "sizes": {"header": "0 B"},
                "wireless": {"latency": "0 s", **wireless},
            }
        )
        self.engine = new_engine()
        self.world = build_world(scenario, 0)
        self.air = LossyAir(self.engine, self.world, counted=True)
        self.air.up.receiver = self.air.down.receiver = self
        self.heard: list[tuple[int, int, int]] = []
        """Tuples of a host, the start of a transmission, and the arrival of the frame."""

    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        self.heard.append((host, started, self.engine.time))

    def repeated(self, host: int, frame: Packet, times: int) -> None:
        pass

    def place(self, cells: list[int]) -> None:
        """Put each host into a cell."""
        for radio, cell in zip(self.air.radios, cells, strict=True):
            radio.cell = cell

    def say(self, output: tuple[int, int]) -> None:
        host, size = output
        self.air.up.transmit(host, self.air.radios[host].cell, PlainFrame(size))

    def poisson(self, interval: int, frames: int) -> list[int]:
        """Let hosts of one cell send at random times; return the times when frames were ready."""
        self.place([0] * len(self.air.radios))
        random, moment = Random(3), 0
        ready = []
        for _ in range(frames):
            moment += int(random.expovariate(1 / interval))
            ready.append(moment)
            self.engine.call_at(moment, self.say, (random.randrange(len(self.air.radios)), 125))
        self.engine.advance(10 * frames)
        return ready


def test_a_shared_channel_is_a_queue_with_constant_service() -> None:
    """M/D/1: the mean wait is rho D / 2(1 - rho)."""
    channels = Channels(medium="shared")
    ready = channels.poisson(2 * FRAME, 40_000)
    waits = [start - moment for moment, (_, start, _) in zip(ready, channels.heard, strict=True)]
    assert fmean(waits) == pytest.approx(FRAME / 2, rel=0.05)


@pytest.mark.full
def test_a_shared_lossy_channel_is_a_queue_with_geometric_attempts() -> None:
    """M/G/1 (Pollaczek and Khinchin): the mean wait is lambda E[S^2] / 2(1 - rho). The attempts are geometric."""
    retry, loss, interval = FRAME // 2, 0.2, 3 * FRAME
    channels = Channels(medium="shared", loss=loss, retry="500 us")
    ready = channels.poisson(interval, 40_000)
    mean, variance = 1 / (1 - loss), loss / (1 - loss) ** 2
    service = mean * (FRAME + retry) - retry
    second = variance * (FRAME + retry) ** 2 + service**2
    waits = [start - moment for moment, (_, start, _) in zip(ready, channels.heard, strict=True)]
    lasted = [came - start for _, start, came in channels.heard]
    assert fmean(lasted) == pytest.approx(service, rel=0.02)
    assert fmean(waits) == pytest.approx(second / interval / (2 * (1 - service / interval)), rel=0.07)


def test_a_shared_channel_serves_frames_in_the_order_of_readiness() -> None:
    channels = Channels(medium="shared")
    channels.place([0] * HOSTS)
    for host in (3, 1, 3, 0):
        channels.say((host, 125))
    channels.engine.advance(100)
    assert [(host, start) for host, start, _ in channels.heard] == [
        (host, turn * FRAME) for turn, host in enumerate((3, 1, 3, 0))
    ]


def test_hosts_of_other_cells_have_a_channel_of_their_own() -> None:
    channels = Channels(medium="shared")
    channels.place([0, 1, 0, 1, 0])
    for host in (0, 1):
        channels.say((host, 125))
    channels.engine.advance(100)
    assert [start for _, start, _ in channels.heard] == [0, 0]


def test_the_turn_of_a_departed_host_is_skipped() -> None:
    channels = Channels(medium="shared")
    channels.place([0] * HOSTS)
    for host in (0, 1, 2):
        channels.say((host, 125))
    channels.engine.call_at(FRAME // 2, channels.air.leave, 1)
    channels.engine.advance(100)
    assert [(host, start) for host, start, _ in channels.heard] == [(0, 0), (2, 2 * FRAME)]
    assert channels.air.up.links[1, 0].busy == 0


def test_on_a_shared_downlink_a_station_still_transmits_to_a_departed_host() -> None:
    channels = Channels(medium="shared")
    channels.place([0] * HOSTS)
    channels.air.down.transmit(1, 0, PlainFrame(125))
    channels.engine.call_at(FRAME // 4, channels.air.leave, 1)
    channels.engine.call_at(FRAME // 2, lambda _: channels.air.down.transmit(1, 0, PlainFrame(125)), None)
    channels.engine.call_at(FRAME // 2, lambda _: channels.air.down.transmit(2, 0, PlainFrame(125)), None)
    channels.engine.advance(100)
    assert channels.heard == [(2, 2 * FRAME, 3 * FRAME)]
    tally = channels.air.down.links[1, 0]
    assert (tally.busy, tally.received) == (2 * FRAME, FRAME // 4)


@pytest.mark.full
@pytest.mark.parametrize(
    ("settings", "chance"),
    (({"loss": 0.3}, 0.3), ({"bit_error_rate": 1e-4}, 1 - (1 - 1e-4) ** 1000), ({"loss": 0.0}, 0.0)),
)
def test_a_frame_is_repeated_until_it_is_received(settings: dict[str, Any], chance: float) -> None:
    channels = Channels(**settings)
    channels.poisson(100 * FRAME, 20_000)
    attempts = [(came - start) / FRAME for _, start, came in channels.heard]
    assert all(one == int(one) for one in attempts)
    assert fmean(attempts) == pytest.approx(1 / (1 - chance), rel=0.02)
    counters = list(channels.air.up.links.values())
    sent, lost = sum(one.packets for one in counters), sum(one.gone.packets for one in counters if one.gone)
    assert (sent, sent - lost) == (sum(attempts), 20_000)
    assert sum(one.bytes for one in counters) == 125 * sent


def test_an_additional_host_does_not_change_the_losses_of_others() -> None:
    few, many = Channels(hosts=3, loss=0.5), Channels(hosts=4, loss=0.5)
    for channels in (few, many):
        channels.place([0] * len(channels.air.radios))
        for _ in range(50):
            for host in range(len(channels.air.radios)):
                channels.say((host, 125))
        channels.engine.advance(1_000)
    assert sorted(few.heard) == sorted(one for one in many.heard if one[0] < 3)


def test_a_nearly_certain_packet_loss_is_refused() -> None:
    with pytest.raises(UserError, match="of frames of 125 B, fewer than one in 1000"):
        Channels(bit_error_rate=0.01).say((0, 125))


def test_cells_have_bandwidths_of_their_own() -> None:
    channels = Channels(uplink="2 Mbit/s", cells=[{"cell": 1, "uplink": "500 kbit/s"}])
    channels.place([0, 1, 0, 1, 0])
    for host in (0, 1):
        channels.say((host, 125))
    channels.engine.advance(100)
    assert [came for _, _, came in channels.heard] == [FRAME // 2, 2 * FRAME]


def test_the_bandwidth_of_a_slow_cell_lengthens_a_downlink_transmission(play: Play) -> None:
    script, slow = Script([(100 * MS, 0, 1)]), [{"cell": 1, "downlink": "124 kbit/s"}]
    assert play(script).parts(0)["downlink_air"] == 124 * 8 * US + 500 * US
    assert play(script, wireless={"cells": slow}).parts(0)["downlink_air"] == 8 * MS + 500 * US


def test_the_duplex_time_agrees_with_direct_counting() -> None:
    random = Random(1)
    for _ in range(200):
        edges = [sorted(random.sample(range(60), 2 * random.randrange(6))) for _ in range(2)]
        these, others = ([(one[at], one[at + 1]) for at in range(0, len(one), 2)] for one in edges)
        both = [at for at in range(60) if _inside(these, at) and _inside(others, at)]
        assert overlap(these, others) == len(both)


def _inside(spans: list[tuple[int, int]], at: int) -> bool:
    return any(start <= at < end for start, end in spans)


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("protocol", ("av1", "rst"))
@pytest.mark.parametrize("form", FORMS)
def test_the_states_of_a_radio_agree_with_a_log_of_its_frames(
    form: str, protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SharedChannelLog(monkeypatch)
    done = simulate(busy_scenario(protocol, 1, **FORMS[form]), tmp_path)
    assert done.outcome.verdict == "ok"
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)
    assert_verified(done)


BURSTS: Final = {"length": "20 ms", "every": "60 ms", "loss": 0.9}


def test_bursts_lose_the_share_and_the_pairs_of_frames_of_the_gilbert_elliott_model() -> None:
    """The probabilities of the two-state Markov chain in equilibrium, and of two attempts one after the other."""
    good_loss, every = 0.05, 4 * MS
    channel = BurstyLoss(Bursts.model_validate(BURSTS), good_loss, Random(1))
    start, lost = 0, []
    for _ in range(60_000):
        attempts = channel.attempts(start, every, UNLIMITED)
        start += attempts * every
        lost += [True] * (attempts - 1) + [False]
    bad = 20 / (20 + 60)
    mean = bad * 0.9 + (1 - bad) * good_loss
    kept = exp(-(1 / 20 + 1 / 60) * 4)
    both = mean**2 + bad * (1 - bad) * (0.9 - good_loss) ** 2 * kept
    assert fmean(lost) == pytest.approx(mean, rel=0.03)
    assert fmean(one and other for one, other in pairwise(lost)) == pytest.approx(both, rel=0.04)
    assert both > 1.5 * mean**2


def test_frames_of_a_burst_are_sent_again_until_they_are_received() -> None:
    channels = Channels(hosts=2, bursts={"length": "1 s", "every": "1 ms", "loss": 0.5})
    channels.place([0, 0])
    for _ in range(400):
        channels.say((0, 125))
    channels.engine.advance(4_000)
    assert len(channels.heard) == 400
    assert channels.heard[-1][2] == pytest.approx(800 * FRAME, rel=0.15)


@pytest.mark.parametrize(
    ("wireless", "fault"),
    (
        ({"bursts": {"length": "0 s", "every": "1 s"}}, "expected more than 0 s"),
        ({"bursts": BURSTS, "bit_error_rate": 1e-6}, "'bursts' or by 'bit_error_rate'; leave one of them out"),
    ),
)
def test_wrong_bursts_are_refused(wireless: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Channels(**wireless)
