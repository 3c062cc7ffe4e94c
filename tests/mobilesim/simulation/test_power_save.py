"""Dozing hosts: when they can be reached, how long they doze, and how often they wake up."""

from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.loader import loads
from mobilesim.scenario.sections.wireless import Doze
from mobilesim.simulation.links.beacons import BeaconTimes
from mobilesim.simulation.links.power_save import PowerSave
from tests.support.radio_ledgers import SharedChannelLog, assert_verified, busy_scenario
from tests.support.simulations import MS, Play, Script, simulate

SLEEPY: Final[dict[str, Any]] = {"beacon": "100 ms", "doze": {"after": "20 ms", "listen": "2 ms"}}
FORMS: Final[dict[str, dict[str, Any]]] = {
    "alone": {"doze": {"after": "50 ms"}},
    "deaf": {"doze": {"after": "5 ms", "listen": "0 s"}, "medium": "shared", "loss": 0.2, "retry": "1 ms"},
}


def stepped(after: int, listen: int, period: int, busy: list[tuple[int, int]], end: int) -> tuple[int, int]:
    """Return the dozing time and the number of wake-ups, by a loop over every moment."""
    total = switches = quiet = 0
    slept = False
    since = after
    for now in range(end):
        quiet = max([quiet, *(until for start, until in busy if start == now)])
        since = quiet + after if now < quiet + after else since
        beacon = now - now % period
        sleeps = now >= quiet + after and not (beacon > since and now - beacon < listen)
        total += sleeps
        switches += slept and not sleeps
        slept = sleeps
    return total, switches


@pytest.mark.parametrize("seed", range(60))
def test_the_dozing_time_agrees_with_counting_every_moment(seed: int) -> None:
    random = Random(seed)
    after, listen, period = random.randrange(12), random.randrange(1, 6), random.randrange(7, 15)
    starts = sorted(random.sample(range(300), random.randrange(12)))
    busy = [(start, start + random.randrange(1, 10)) for start in starts]
    dozing = PowerSave(Doze(after=after, listen=listen), [BeaconTimes(0, period, 0)])
    for start, until in busy:
        dozing.mark_busy(0, start, until)
    assert dozing.so_far(0, 340) == stepped(after, listen, period, busy, 340)


@pytest.mark.parametrize("seed", range(20))
def test_a_host_is_asleep_exactly_while_it_dozes(seed: int) -> None:
    random = Random(seed)
    after = random.randrange(1, 9)
    listen = random.randrange(1, 6)
    dozing = PowerSave(Doze(after=after, listen=listen), [BeaconTimes(0, random.randrange(7, 12), 0)])
    for now in range(after + 1, 60):
        assert dozing.asleep(0, now) == (dozing.so_far(0, now + 1)[0] > dozing.so_far(0, now)[0])


def test_a_message_for_a_dozing_host_waits_for_the_beacon(play: Play) -> None:
    awake, dozes = (play(Script([(130 * MS, 0, 1)]), wireless=air) for air in ({"beacon": "100 ms"}, SLEEPY))
    handed = awake.delivery(0)["downlink_started"]
    assert 130 * MS < handed < 200 * MS
    assert dozes.delivery(0)["downlink_started"] == 200 * MS
    assert dozes.parts(0) == {**awake.parts(0), "downlink_queue": 200 * MS - handed}


def test_a_hosts_own_frame_is_sent_at_once_and_keeps_it_awake(play: Play) -> None:
    run = play(Script([(130 * MS, 0, 1)]), wireless=SLEEPY)
    assert run.delivery(0)["uplink_started"] == 130 * MS
    awake = play(Script([(120 * MS, 1, 2), (130 * MS, 0, 1)]), wireless=SLEEPY, hosts=3)
    assert awake.delivery(1)["downlink_queue"] == 0


def test_frames_that_wait_for_a_beacon_keep_their_order(play: Play) -> None:
    says = [(130 * MS, 0, 1), (135 * MS, 0, 1), (140 * MS, 1, 0), (141 * MS, 0, 1)]
    run = play(Script(says), wireless=SLEEPY)
    started = [run.delivery(message)["downlink_started"] for message in (0, 1, 3)]
    assert started == sorted(started)
    assert started[0] == 200 * MS


def test_frames_that_wait_when_a_host_leaves_are_lost(play: Play) -> None:
    """The host leaves while a frame waits for the beacon, and returns. The host gets the message in a new frame."""
    run = play(Script([(130 * MS, 0, 1)], [(150 * MS, 1, 1)], gap=10 * MS), wireless=SLEEPY)
    row = run.delivery(0)
    assert row["downlink_started"] >= 200 * MS
    assert row["retransmissions"] >= 1
    (down,) = (link for link in run.rows("links") if link["kind"] == "downlink" and link["source"] == 1)
    assert down["lost_packets"] >= 1


def test_an_idle_host_dozes_between_beacons(play: Play) -> None:
    run = play(Script(), wireless=SLEEPY, duration="1 s", energy={"switch": "3 mJ", "doze": "50 mW", "idle": "1 W"})
    now = run.simulation.engine.time
    row = run.rows("hosts")[0]
    assert row["dozing"] + row["idle"] == now
    assert row["energy_doze"] == pytest.approx(0.05 * row["dozing"] / 1e9)
    assert row["energy_switch"] == pytest.approx(0.003 * row["wake_ups"])


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("protocol", ("av1", "proxy+ks", "rst"))
def test_the_states_of_a_dozing_radio_add_up(
    form: str, protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SharedChannelLog(monkeypatch)
    done = simulate(busy_scenario(protocol, 2, {"switch": "1 mJ"}, **FORMS[form]), tmp_path)
    assert done.outcome.verdict == "ok"
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)
        assert row["dozing"] > 0 < row["wake_ups"]
    assert_verified(done)


@pytest.mark.parametrize(
    ("air", "output"),
    (
        ("{doze: {}}", "there are none; write 'beacon: 100 ms'"),
        ("{beacon: 1 ms, doze: {}}", "hosts that listen for 2 ms of every 1 ms never doze"),
        ("{loss: 0.1, bit_error_rate: 1e-6}", "by 'loss' or by 'bit_error_rate'"),
        ("{retry: 1 ms}", "without losses, no frame is retransmitted"),
        ("{cells: [{cell: 9, bandwidth: 1 kbit/s}]}", "there is no cell 9; cells are numbered from 0 to 8"),
        ("{cells: [{cell: 1}]}", "the cell has no bandwidth"),
        ("{loss: 1}", "0.99"),
    ),
)
def test_invalid_wireless_settings_cause_one_error_line(air: str, output: str) -> None:
    with pytest.raises(UserError) as found:
        loads(f"wireless: {air}\n")
    assert output in str(found.value)
    assert "\n" not in str(found.value)
