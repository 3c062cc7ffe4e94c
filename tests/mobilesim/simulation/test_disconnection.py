"""Hosts that switch off: stored and dropped messages, and the time at which a host leaves."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mobilesim.cli.text.run_text import sentence
from mobilesim.protocols.catalogue import PLACEMENTS, ROWS
from mobilesim.protocols.handoff.visits import HandoffStation
from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.scenario.model import Scenario
from mobilesim.world.mobility.actions import Departure
from tests.support.durations import UP
from tests.support.radio_ledgers import assert_verified
from tests.support.simulations import MS, FinishedRun, Play, Script, simulate

DROP = {"start": "spread", "disconnect": {"policy": "drop"}}
STORE = {"start": "spread", "disconnect": {"policy": "store"}}
SWITCH = 28 * 8 * 1000 + 500_000
"""The transmission time of the notification of switching off."""

DROPPERS = [row.name for row in ROWS.values() if PLACEMENTS[row.placement].drops]


class LastOff(Script):
    """A script in which hosts disconnect only at their last move."""

    def walker(self, host: int) -> Iterator[Departure]:
        moves = list(super().walker(host))
        yield from (replace(move, disconnects=move is moves[-1]) for move in moves)


def absence(says: list[tuple[int, int, int]] | None = None) -> Script:
    """Return a script in which host 1 disconnects at 100 ms and returns after 400 ms, in another cell."""
    return Script(says or [(300 * MS, 0, 1)], [(100 * MS, 1, 2)], 400 * MS, off=True)


@pytest.mark.parametrize("protocol", DROPPERS)
def test_under_the_drop_policy_messages_for_a_disconnected_host_are_dropped(protocol: str, play: Play) -> None:
    run = play(absence(), protocol, mobility=DROP)
    assert (run.deliveries, run.outcome.verdict, run.outcome.lost) == ([], "ok", 0)
    (row,) = run.rows("runs")
    assert (row["deliveries"], row["dropped"], row["lost"]) == (0, 1, 0)
    (gone,) = run.rows("disconnections")
    assert (gone["waiting"], gone["dropped"], gone["drained"]) == (0, 1, gone["returned"])
    assert len(run.rows("messages")) == 1
    assert "1 dropped for hosts that had switched off: none of the messages was delivered" in sentence(run.outcome)


@pytest.mark.parametrize("protocol", (*ROWS,))
def test_under_the_store_policy_messages_for_a_disconnected_host_are_stored(protocol: str, play: Play) -> None:
    run = play(absence(), protocol)
    assert [row["delivered"] > 500 * MS for row in run.deliveries] == [True]
    (gone,) = run.rows("disconnections")
    assert (gone["waiting"], gone["dropped"]) == (1, 0)
    assert gone["left"] == 100 * MS


@pytest.mark.parametrize("protocol", (*ROWS,))
@pytest.mark.parametrize("back", (1, 2), ids=("same cell", "other cell"))
def test_a_station_transmits_nothing_to_a_host_that_has_announced_its_disconnection(
    protocol: str, back: int, play: Play
) -> None:
    says, moves = [(300 * MS, 0, 1), (320 * MS, 0, 1)], [(100 * MS, 1, back)]
    run = play(Script(says, moves, 400 * MS, off=True), protocol, mobility=STORE)
    (gone,) = run.rows("disconnections")
    assert (gone["left"], gone["returned"], gone["waiting"]) == (100 * MS + SWITCH, 500 * MS, 2)
    assert {row["station"] for row in run.deliveries} == {back}
    assert [row["retransmissions"] for row in run.deliveries] == [0, 0]
    assert min(row["unreachable"] for row in run.deliveries) > 150 * MS
    assert sum(link["lost_packets"] for link in run.rows("links") if link["kind"] == "downlink") == 0
    for row in run.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        assert min(row[part] for part in DELAY_PARTS) >= 0
    assert [row["returns"] for row in run.rows("hosts")][:2] == [0, back == 1]
    assert_verified(run)


def test_a_station_transmits_to_a_host_that_is_cut_off(play: Play) -> None:
    run = play(absence())
    (lost,) = (row for row in run.rows("links") if (row["kind"], row["source"]) == ("downlink", 1))
    assert (lost["packets"], lost["lost_packets"]) == (1, 1)
    assert run.delivery(0)["retransmissions"] == 1


def test_announced_disconnections_spare_the_downlinks(tmp_path: Path) -> None:
    lost = {}
    for announced in (True, False):
        disconnect = {"probability": 0.5, "duration": "1 s", "announced": announced}
        mobility = {"dwell": "exponential 1 s", "disconnect": disconnect}
        settings = {"mobility": mobility, "workload": {"interval": "exponential 100 ms"}}
        run = run_with_drops(tmp_path / str(announced), "av1", **settings)
        assert (run.outcome.verdict, run.outcome.lost) == ("ok", 0)
        downlinks = [row for row in run.rows("links") if row["kind"] == "downlink"]
        lost[announced] = sum(row["lost_bytes"] for row in downlinks) / sum(row["bytes"] for row in downlinks)
        assert_verified(run)
    assert lost[True] < 0.2 * lost[False]


@pytest.mark.parametrize("protocol", (*ROWS,))
def test_hosts_of_a_single_cell_may_disconnect_and_return_to_it(protocol: str, tmp_path: Path) -> None:
    """A host that does not disconnect stays."""
    disconnect = {"probability": 0.5, "duration": "exponential 200 ms"}
    mobility = {"dwell": "exponential 500 ms", "disconnect": disconnect}
    run = run_with_drops(tmp_path, protocol, cells=1, mobility=mobility, workload={"interval": "exponential 100 ms"})
    gone = run.rows("disconnections")
    assert (run.outcome.verdict, run.outcome.lost, run.rows("handoffs")) == ("ok", 0, [])
    assert {(row["from_station"], row["to_station"]) for row in gone} == {(0, 0)}
    assert sum(row["returns"] for row in run.rows("hosts")) == len(gone) > 20
    assert_verified(run)


@pytest.mark.parametrize("medium", ("dedicated", "shared"))
def test_a_host_leaves_when_its_slowly_processed_announcement_has_arrived(medium: str, play: Play) -> None:
    processing = {"fixed": "0 s", "per_integer": "0 s", "hosts": {"fixed": "5 ms"}}
    run = play(absence(), mobility=STORE, processing=processing, wireless={"medium": medium})
    (gone,) = run.rows("disconnections")
    assert gone["left"] == 100 * MS + 5 * MS + SWITCH


@pytest.mark.parametrize("protocol", DROPPERS)
def test_messages_after_the_return_do_not_wait_for_dropped_ones(protocol: str, play: Play) -> None:
    run = play(absence([(300 * MS, 0, 1), (700 * MS, 0, 1)]), protocol, mobility=DROP)
    assert [row["message"] for row in run.deliveries] == [1]
    assert run.delivery(1)["causal_wait"] == run.delivery(1)["inhibition"] == 0
    assert run.rows("disconnections")[0]["dropped"] == 1


def test_a_host_leaves_after_its_station_received_the_notification(play: Play) -> None:
    (gone,) = play(absence(), mobility=DROP).rows("disconnections")
    assert (gone["left"], gone["returned"]) == (100 * MS + SWITCH, 500 * MS)


def test_a_host_leaves_after_its_earlier_frames_were_received(play: Play) -> None:
    """A hundred frames wait for the uplink."""
    run = play(absence([(99 * MS + place, 1, 0) for place in range(100)]), mobility=DROP)
    (gone,) = run.rows("disconnections")
    assert gone["left"] == 99 * MS + 100 * (UP - 500_000) + SWITCH
    # The host sends frames without acknowledgement again, but the station accepts each frame once.
    assert len(run.deliveries) == 100
    assert max(row["accepted"] for row in run.deliveries) < gone["left"]


def test_a_host_whose_notification_outlasts_its_absence_returns_at_once(play: Play) -> None:
    script = Script([(99 * MS + place, 1, 0) for place in range(100)], [(100 * MS, 1, 2)], 1 * MS, off=True)
    run = play(script, mobility=DROP)
    (gone,) = run.rows("disconnections")
    assert gone["left"] == gone["returned"] > 150 * MS
    assert run.outcome.verdict == "ok"


def test_a_host_that_switches_off_before_registering_notifies_afterwards(play: Play) -> None:
    script = Script([(120 * MS, 0, 1)], [(100 * MS, 1, 2), (200 * MS + 1, 1, 0)], 100 * MS, off=True)
    run = play(script, mobility=DROP)
    first, second = run.rows("disconnections")
    register = 36 * 8 * 1000
    assert (first["returned"], second["left"]) == (200 * MS, 200 * MS + 1 + register - 1 + SWITCH)
    assert (first["dropped"] + second["dropped"], run.outcome.verdict) == (1, "ok")


def test_a_host_that_leaves_before_a_beacon_sends_no_notification_and_messages_are_stored(play: Play) -> None:
    """The host changes cells at 100 ms, and switches off before the beacon at 200 ms."""
    script = LastOff([(130 * MS, 0, 1)], [(100 * MS, 1, 2), (120 * MS, 1, 0)], 10 * MS)
    run = play(script, mobility=DROP, wireless={"beacon": "200 ms"})
    (gone,) = run.rows("disconnections")
    assert (gone["left"], gone["dropped"], gone["waiting"]) == (120 * MS, 0, 1)
    assert [row["message"] for row in run.deliveries] == [0]


def test_a_host_that_notified_its_station_leaves_even_after_the_last_message(play: Play) -> None:
    run = play(absence([(100 * MS + 1, 0, 1)]), mobility=DROP, messages=1)
    (gone,) = run.rows("disconnections")
    assert gone["returned"] == 500 * MS
    assert run.rows("runs")[0]["dropped"] == 1


@pytest.mark.interpreted
def test_a_message_dropped_for_a_connected_host_is_lost(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HandoffStation, "send_down", lambda _, visit, copy, out: out.drop(copy.message, visit.host))
    run = play(Script([(100 * MS, 0, 1)]), mobility=DROP)
    assert (run.outcome.verdict, run.outcome.lost, run.rows("runs")[0]["dropped"]) == ("fault", 1, 0)


def run_with_drops(directory: Path, protocol: str, **settings: Any) -> FinishedRun:  # noqa: ANN401 - settings
    known = {
        "protocols": protocol,
        "hosts": 8,
        "cells": 4,
        "duration": "5 s",
        "backbone": {"jitter": "uniform 0 ms 30 ms"},
        "mobility": {
            "dwell": "exponential 200 ms",
            "disconnect": {"probability": 0.4, "duration": "exponential 300 ms", "policy": "drop"},
        },
        "workload": {"kind": "multicast", "destinations": 3, "interval": "exponential 100 ms"},
    }
    return simulate(Scenario.model_validate({**known, **settings}), directory)


@pytest.mark.full
@pytest.mark.parametrize("processing", ("fixed", "measured"))
@pytest.mark.parametrize("protocol", DROPPERS)
def test_every_copy_is_counted_as_delivered_or_dropped(protocol: str, processing: str, tmp_path: Path) -> None:
    run = run_with_drops(tmp_path, protocol, processing={"model": processing})
    (row,) = run.rows("runs")
    assert (row["verdict"], row["lost"]) == ("ok", 0)
    assert row["deliveries"] + row["dropped"] == sum(message["copies"] for message in run.rows("messages"))
    assert row["dropped"] == sum(gone["dropped"] for gone in run.rows("disconnections")) > 50
    assert len(run.rows("messages")) == row["messages"]
    assert len(run.deliveries) == row["deliveries"]
    for delivery in run.deliveries:
        assert sum(delivery[part] for part in DELAY_PARTS) == delivery["delay"]
        assert min(delivery[part] for part in DELAY_PARTS) >= 0


@pytest.mark.full
def test_trajectories_are_equal_under_all_protocols_despite_different_receptions(
    tmp_path: Path,
) -> None:
    """On a slow channel, the time at which a host leaves depends on the frames that it sends before, which differ
    between protocols.
    """
    slow = {"bandwidth": "200 kbit/s"}
    runs = [run_with_drops(tmp_path / name, name, wireless=slow) for name in DROPPERS]
    trajectories = {
        tuple((row["host"], row["to_station"], row["entered"]) for row in run.rows("handoffs")) for run in runs
    }
    assert len(trajectories) == 1
    assert len({tuple(row["left"] for row in run.rows("disconnections")) for run in runs}) > 1


def test_a_host_that_no_station_reaches_announces_nothing(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its messages are stored even if hosts that announce their disconnection let them be dropped."""
    script = absence()
    walker = script.walker
    monkeypatch.setattr(script, "walker", lambda host: (replace(move, cut_off=True) for move in walker(host)))
    run = play(script, mobility=DROP)
    (gone,) = run.rows("disconnections")
    assert (gone["left"], gone["waiting"], gone["dropped"]) == (100 * MS, 1, 0)
    assert len(run.deliveries) == 1
