"""The wireless channel with moving hosts: received and lost frames. Each host starts in the cell of its own number."""

import pytest

from mobilesim.results.quantities import BYTE_PURPOSES
from tests.support.simulations import MS, FinishedRun, Play, Row, Script

REGISTER = 36 * 8 * 1000 + 500_000
"""The time of a registration: 20 bytes, three integers and a trail of one cell at 1 Mbit/s, and 500 us of latency."""


def air(run: FinishedRun, kind: str, station: int) -> Row:
    (row,) = (row for row in run.rows("links") if row["kind"] == kind and station in {row["source"], row["target"]})
    return row


@pytest.mark.full
@pytest.mark.parametrize(
    ("period", "entered", "heard"),
    ((100, 130, 200), (100, 200, 200), (100, 201, 300), (1000, 130, 1000), (0, 130, 130)),
)
def test_a_host_registers_at_the_next_beacon(period: int, entered: int, heard: int, play: Play) -> None:
    run = play(Script(moves=[(entered * MS, 1, 2)]), wireless={"beacon": f"{period} ms"})
    (handoff,) = run.rows("handoffs")
    assert (handoff["left"], handoff["entered"]) == (entered * MS, entered * MS)
    assert handoff["registered"] == heard * MS + REGISTER


def test_a_host_that_leaves_before_the_beacon_does_not_register(play: Play) -> None:
    moves = [(130 * MS, 1, 2), (160 * MS, 1, 0)]
    run = play(Script([(500 * MS, 0, 1)], moves), wireless={"beacon": "100 ms"})
    (handoff,) = run.rows("handoffs")
    assert (handoff["left"], handoff["entered"]) == (130 * MS, 160 * MS)
    assert (handoff["from_station"], handoff["to_station"], handoff["visit"]) == (1, 0, 1)
    assert len(run.deliveries) == 1


def test_a_host_is_unreachable_between_leaving_and_entering(play: Play) -> None:
    run = play(Script(moves=[(100 * MS, 1, 2)], gap=40 * MS))
    (handoff,) = run.rows("handoffs")
    assert (handoff["left"], handoff["entered"]) == (100 * MS, 140 * MS)
    assert handoff["registered"] == 140 * MS + REGISTER


def test_an_uplink_frame_in_transit_when_its_host_leaves_is_lost_and_repeated(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(101 * MS + 200_000, 0, 2)]))
    lost = air(run, "uplink", 0)
    assert (lost["packets"], lost["lost_packets"], lost["lost_bytes"]) == (1, 1, 128)
    assert lost["busy"] == 128 * 8 * 1000
    assert run.delivery(0)["retransmissions"] == 1
    assert run.delivery(0)["source_station"] == 2


def test_an_interrupted_frame_frees_the_channel(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(100 * MS + 600_000, 0, 2)]))
    assert air(run, "uplink", 0)["busy"] == 600_000
    host = run.rows("hosts")[0]
    assert host["transmitting"] == air(run, "uplink", 0)["busy"] + air(run, "uplink", 2)["busy"]


def test_a_downlink_frame_in_transit_when_its_host_leaves_is_lost_and_repeated(play: Play) -> None:
    there = play(Script([(100 * MS, 0, 1)])).delivery(0)
    leaves = (there["downlink_started"] + there["delivered"]) // 2
    run = play(Script([(100 * MS, 0, 1)], [(leaves, 1, 2)]))
    lost = air(run, "downlink", 1)
    assert (lost["lost_packets"], lost["lost_bytes"]) == (1, 124)
    row = run.delivery(0)
    assert (row["retransmissions"], row["released"]) == (1, there["released"])
    assert row["delivered"] > leaves
    hosts = run.rows("hosts")
    assert hosts[1]["received_payload_bytes"] == 100


def test_a_frame_into_an_empty_cell_is_transmitted_but_not_received(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(102 * MS, 1, 1)], gap=200 * MS))
    empty = air(run, "downlink", 1)
    assert (empty["lost_packets"], empty["lost_bytes"]) == (1, 124)
    heard = empty["bytes"] - empty["lost_bytes"]
    host = run.rows("hosts")[1]
    assert sum(host[f"received_{purpose}_bytes"] for purpose in BYTE_PURPOSES) == heard
    assert host["receiving"] == heard * 8 * 1000


def test_a_return_to_the_same_cell_needs_no_wired_packet(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(102 * MS, 1, 1)], gap=20 * MS))
    assert run.rows("handoffs") == []
    wired = [row for row in run.rows("links") if row["kind"] == "wired"]
    assert [(row["source"], row["target"], row["packets"]) for row in wired] == [(0, 1, 1)]
    assert run.delivery(0)["retransmissions"] == 1
    assert (
        run.parts(0)["unreachable"]
        == 122 * MS + 20 * 8 * 1000 + 3 * 4 * 8 * 1000 + 500_000 - run.delivery(0)["arrived"]
    )


def test_a_received_frame_is_not_repeated_after_a_lost_acknowledgement(play: Play) -> None:
    heard = play(Script([(100 * MS, 0, 1)])).delivery(0)["delivered"]
    run = play(Script([(100 * MS, 0, 1)], [(heard + 1, 1, 1)]))
    assert air(run, "uplink", 1)["lost_packets"] == 1
    assert air(run, "downlink", 1)["payload_bytes"] == 100
    assert len(run.deliveries) == 1


def test_messages_for_a_disconnected_host_wait_and_drain(play: Play) -> None:
    says = [(100 * MS + place * MS, 0, 1) for place in range(5)]
    run = play(Script(says, [(50 * MS, 1, 2)], gap=1000 * MS, off=True))
    (gone,) = run.rows("disconnections")
    assert (gone["left"], gone["returned"], gone["from_station"], gone["to_station"]) == (50 * MS, 1050 * MS, 1, 2)
    assert gone["waiting"] == 5
    assert gone["drained"] == max(row["delivered"] for row in run.deliveries) > gone["returned"]
    assert [row["message"] for row in run.deliveries] == [0, 1, 2, 3, 4]
    assert run.rows("hosts")[1]["disconnected"] == 1000 * MS
    (handoff,) = run.rows("handoffs")
    assert handoff["reconnection"]


def test_disconnected_hosts_return_after_the_end_and_receive_waiting_messages(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(50 * MS, 1, 2)], gap=5000 * MS, off=True), duration="200 ms")
    assert run.delivery(0)["delivered"] > 5050 * MS
    assert run.outcome.verdict == "ok"


def test_messages_submitted_during_a_cell_change_are_sent_after_it(play: Play) -> None:
    run = play(Script([(100 * MS, 1, 0)], [(50 * MS, 1, 2)], gap=100 * MS))
    row = run.delivery(0)
    assert row["submitted"] == 100 * MS
    assert row["uplink_started"] > 150 * MS
    assert row["source_station"] == 2


@pytest.mark.full
@pytest.mark.parametrize("protocol", ("av1", "rst", "fifo", {"name": "av1", "location": "lazy"}))
@pytest.mark.parametrize("dwell", (1, 3, 9))
def test_a_host_that_moves_faster_than_its_hand_offs_loses_no_message(dwell: int, protocol: object, play: Play) -> None:
    """A hand-off takes about 15 ms. If the host leaves each cell after 1 ms, its registrations are lost."""
    moves = [((50 + place * dwell) * MS, 1, (2, 0, 1)[place % 3]) for place in range(60)]
    says = [((40 + 3 * place) * MS, place % 2, 1 - place % 2) for place in range(60)]
    run = play(Script(says, moves), protocol)
    assert run.outcome.verdict == "ok"
    for destination in (0, 1):
        got = [row["message"] for row in run.deliveries if row["destination"] == destination]
        assert got == sorted(got)
        assert len(got) == 30
    handoffs = run.rows("handoffs")
    assert len(handoffs) == 60
    assert handoffs[-1]["complete"] is not None
    assert any(row["complete"] is None for row in handoffs) == (dwell < 9)
    assert any(row["inferred"] for row in handoffs) == (dwell == 1)


def test_the_uplink_and_the_downlink_have_separate_bandwidths(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)]), wireless={"uplink": "100 kbit/s", "downlink": "2 Mbit/s"})
    row = run.delivery(0)
    assert row["uplink_air"] == 128 * 8 * 10_000 + 500_000
    assert row["downlink_air"] == 124 * 8 * 500 + 500_000


def test_hosts_of_one_cell_have_independent_channels(play: Play) -> None:
    """Each host has its own links to the station, so there is no contention."""
    run = play(Script([(100 * MS, 0, 2), (100 * MS, 1, 2)]), hosts=3, cells=1, mobility={"model": "static"})
    assert [run.delivery(message)["uplink_queue"] for message in (0, 1)] == [0, 0]
