"""One transmission for several hosts of a cell: bytes, times, losses, and the order of frames."""

from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.handoff.wireless_hop import Data
from mobilesim.protocols.packets import UNSTAMPED, Copy, Message, Packet
from mobilesim.recording.link_counters import LinkCounter, total
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.engine import new_engine
from mobilesim.simulation.links.shared_lossy_wireless import LossyAir
from mobilesim.simulation.links.wireless import FrameReceiver
from mobilesim.world.replication import build_world
from tests.support.radio_ledgers import SharedChannelLog, assert_verified, broadcast_scenario
from tests.support.simulations import US, FinishedRun, Row, simulate

SIZE, PAYLOAD = 20 + 200, 200
HOSTS: Final = 8


def cell(
    directory: Path,
    destinations: int,
    *,
    protocol: str = "av1",
    seconds: int = 100,
    **wireless: Any,  # noqa: ANN401
) -> FinishedRun:
    """Run hosts of one cell, of which one sends messages that do not overlap."""
    return simulate(
        Scenario.model_validate(
            {
                "protocols": (protocol,),
                "hosts": HOSTS,
                "cells": 1,
                "duration": f"{seconds} s",
                "mobility": {"model": "static", "start": "spread"},
                "processing": {"fixed": "0 s", "per_integer": "0 s"},
                "wireless": {"medium": "shared", "broadcast": True, **wireless},
                "workload": {
                    "kind": "multicast",
                    "destinations": destinations,
                    "senders": 1,
                    "interval": "500 ms",
                    "payload": f"{PAYLOAD} B",
                },
            }
        ),
        directory,
    )


def downlink(done: FinishedRun) -> Row:
    (row,) = (row for row in done.rows("links") if row["kind"] == "downlink")
    return row


@pytest.mark.parametrize("destinations", (1, 2, 7))
def test_a_message_for_several_hosts_of_a_cell_is_sent_once(destinations: int, tmp_path: Path) -> None:
    done = cell(tmp_path, destinations)
    messages, row = len(done.rows("messages")), downlink(done)
    assert len(done.deliveries) == messages * destinations > 100
    assert row["payload_bytes"] == messages * PAYLOAD
    # The station sends each message once, and acknowledges it to its sender.
    assert row["packets"] == 2 * messages
    assert row["control_bytes"] + row["ack_bytes"] == messages * 4 * (destinations + 1)
    assert row["shared_bytes"] == messages * (destinations - 1) * SIZE
    assert_verified(done)
    one = (SIZE + 4 * destinations) * 8 * US
    for delivery in done.deliveries:
        assert delivery["downlink_air"] == one + 500 * US
    received = [host["receiving"] for host in done.rows("hosts")]
    assert sum(received) == messages * (destinations * one + 24 * 8 * US)
    assert row["busy"] == messages * (one + 24 * 8 * US)


def test_without_the_key_each_host_gets_its_own_transmission(tmp_path: Path) -> None:
    together, apart = cell(tmp_path / "on", 5), cell(tmp_path / "off", 5, broadcast=False)
    assert downlink(apart)["payload_bytes"] == 5 * downlink(together)["payload_bytes"]
    assert [(row["message"], row["destination"]) for row in apart.deliveries] == [
        (row["message"], row["destination"]) for row in together.deliveries
    ]
    assert downlink(apart)["shared_bytes"] == 0


@pytest.mark.parametrize("loss", (0.2, 0.5))
def test_hosts_that_lose_a_frame_get_it_again_together(loss: float, tmp_path: Path) -> None:
    """The number of attempts is the maximum of n geometric numbers: its mean is the sum of 1 - (1 - p^k)^n."""
    destinations = 6
    done = cell(tmp_path, destinations, seconds=1_500, loss=loss)
    messages = len(done.rows("messages"))
    attempts = sum(1 - (1 - loss**k) ** destinations for k in range(100))
    assert downlink(done)["payload_bytes"] / PAYLOAD / messages == pytest.approx(attempts, rel=0.05)
    again = [row["retransmissions"] for row in done.deliveries]
    assert fmean(again) == pytest.approx(2 * loss / (1 - loss), rel=0.1)
    assert_verified(done)


def test_frames_that_wait_behind_another_frame_of_their_host_do_not_overtake_it(tmp_path: Path) -> None:
    """Frames of a slow downlink are delivered in the order in which the station released them to each host."""
    done = simulate(broadcast_scenario("av1", 7, downlink="20 kbit/s"), tmp_path)
    assert done.outcome.verdict == "ok"
    latest: dict[int, int] = {}
    for row in sorted(done.deliveries, key=lambda row: row["delivered"]):
        assert row["downlink_started"] >= latest.get(row["destination"], 0)
        latest[row["destination"]] = row["downlink_started"]
    assert downlink_sum(done, "shared_bytes") > 0


def downlink_sum(done: FinishedRun, name: str) -> int:
    return sum(row[name] for row in done.rows("links") if row["kind"] == "downlink")


class Downlinks(FrameReceiver):
    """The shared downlinks of two cells, without protocols. All hosts are in cell 0."""

    def __init__(self, hosts: int, **wireless: Any) -> None:  # noqa: ANN401 - settings
        air = {"medium": "shared", "broadcast": True, "latency": "0 s", **wireless}
        scenario = Scenario.model_validate(
            {
                "hosts": hosts,
                "cells": 2,
                "mobility": {"model": "static"},
                "wireless": air,
                "processing": {"hosts": {"per_integer": "0 s"}},
            }
        )
        self.engine = new_engine()
        self.air = LossyAir(self.engine, build_world(scenario, 0), counted=True)
        self.air.up.receiver = self.air.down.receiver = self
        for radio in self.air.radios:
            radio.cell = 0
        self.heard: list[tuple[int, int, int]] = []
        """Tuples of a host, the message, and the arrival."""

    def received(self, host: int, station: int, frame: Packet, started: int, work: int) -> None:
        assert isinstance(frame, Data)
        self.heard.append((host, frame.copies[0].message.id, self.engine.time))

    def repeated(self, host: int, frame: Packet, times: int) -> None:
        pass

    def send(self, host: int, message: int) -> None:
        """Send a message of 76 bytes. With the fixed header and its number, this takes 800 us."""
        copy = Copy(Message(message, 9, (host,), 76), (host,), UNSTAMPED)
        self.air.down.transmit(host, 0, Data(message, (copy,), 0))

    @property
    def cell(self) -> LinkCounter:
        return total([counter for (_, station), counter in self.air.down.links.items() if station == 0])


NUMBER: Final = 32 * US
"""The transmission time of a sequence number."""


def test_frames_of_a_message_join_while_they_wait() -> None:
    downlinks = Downlinks(3)
    for host, message in ((0, 1), (1, 1), (0, 2), (2, 1), (2, 2)):
        downlinks.send(host, message)
    downlinks.engine.advance(100)
    first = 800 * US + 2 * NUMBER
    second = first + 800 * US + NUMBER
    assert downlinks.heard == [(0, 1, first), (1, 1, first), (2, 1, first), (0, 2, second), (2, 2, second)]
    assert (downlinks.cell.packets, downlinks.cell.payload, downlinks.cell.shared) == (2, 152, 3 * 96)


def test_a_frame_does_not_join_one_that_is_sent_before_another_frame_of_its_host() -> None:
    downlinks = Downlinks(2)
    for host, message in ((0, 1), (1, 2), (1, 1)):
        downlinks.send(host, message)
    downlinks.engine.advance(100)
    assert downlinks.heard == [(0, 1, 800 * US), (1, 2, 1600 * US), (1, 1, 2400 * US)]


@pytest.mark.parametrize("leaving", ((1,), (0, 1), (0, 1, 2)))
def test_a_transmission_is_lost_for_the_cell_if_all_its_hosts_have_left(leaving: tuple[int, ...]) -> None:
    downlinks = Downlinks(3)
    for host in range(3):
        downlinks.send(host, 1)
    for host in leaving:
        downlinks.engine.call_at(300 * US, downlinks.air.leave, host)
    downlinks.engine.advance(100)
    assert [host for host, _, _ in downlinks.heard] == [host for host in range(3) if host not in leaving]
    cell, lasts = downlinks.cell, 800 * US + 2 * NUMBER
    everyone = len(leaving) == 3
    assert (cell.packets, cell.bytes, cell.busy) == (1, 96 + 3 * 4, lasts)
    assert (cell.lost().packets, cell.lost().bytes) == (everyone, len(leaving) * 4 + everyone * 96)
    assert cell.shared == max(0, 3 - len(leaving) - 1) * 96
    times = [downlinks.air.so_far(host)[1] for host in range(3)]
    assert times == [300 * US if host in leaving else lasts for host in range(3)]


FORMS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "lossy": {"loss": 0.3, "retry": "1 ms"},
    "beacons": {"beacon_frames": {}, "loss": 0.2},
    "retries": {"loss": 0.4, "retries": 2, "rejoin": "20 ms"},
    "bursts": {"bursts": {"length": "20 ms", "every": "60 ms", "loss": 0.8}},
}
MULTICAST: Final = [name for name, row in ROWS.items() if row.serves == "all"]


@pytest.mark.full
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("protocol", MULTICAST)
def test_the_oracle_finds_no_fault_with_transmissions_for_several_hosts(
    form: str, protocol: str, tmp_path: Path
) -> None:
    done = simulate(broadcast_scenario(protocol, 3, **FORMS[form]), tmp_path)
    assert done.outcome.verdict == "ok"
    assert_verified(done)
    for row in done.rows("links"):
        assert min(row["lost_packets"], row["lost_bytes"], row["shared_bytes"], row["busy"]) >= 0


@pytest.mark.interpreted
@pytest.mark.parametrize("form", ("plain", "lossy", "beacons"))
def test_the_states_of_a_radio_agree_with_a_log_of_its_frames(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SharedChannelLog(monkeypatch)
    done = simulate(broadcast_scenario("av1", 1, **FORMS[form]), tmp_path)
    for row in done.rows("hosts"):
        sends, gets = (log.spans[id(link), row["host"]] for link in (log.air.up, log.air.down))
        assert row["transmitting"] == sum(end - start for start, end in sends)
        assert row["receiving"] == sum(end - start for start, end in gets)
    assert downlink_sum(done, "shared_bytes") > 0


def test_only_hosts_with_equal_stamps_share_a_transmission(tmp_path: Path) -> None:
    """Under resident+rst all copies of a message have one stamp, under two other orderings they often differ."""
    sent = {}
    for protocol in ("rst", "resident+ks", "resident+ks-short-chains"):
        done = cell(tmp_path / protocol, 5, protocol=protocol)
        sent[protocol] = downlink(done)["payload_bytes"] / PAYLOAD / len(done.rows("messages"))
        assert_verified(done)
    assert sent["rst"] == 1 < sent["resident+ks"] < sent["resident+ks-short-chains"] < 5


@pytest.mark.parametrize(
    ("air", "output"),
    (
        ("{broadcast: true}", "only a shared downlink has several receivers; write 'medium: shared'"),
        ("{broadcast: true, medium: csma}", "only a shared downlink has several receivers; write 'medium: shared'"),
        ("{broadcast: true, medium: shared, beacon: 1 s, doze: {}}", "power save is not simulated with 'broadcast'"),
    ),
)
def test_invalid_broadcasts_cause_one_error_line(air: str, output: str) -> None:
    with pytest.raises(UserError) as found:
        loads(f"wireless: {air}\n")
    assert output in str(found.value)
    assert "\n" not in str(found.value)
