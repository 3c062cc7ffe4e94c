"""Rows of hand-offs and disconnections, computed by hand. Sizes and speeds are those of test_timelines.py."""

import tracemalloc
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from mobilesim.recording.recorder import HandoffLog
from mobilesim.results.quantities import HANDOFF_PACKETS
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.energy_and_costs import Sizes
from tests.support.durations import BEGIN, REGISTER, STATE
from tests.support.simulations import MS, Play, Row, Script, simulate


def by_kind(row: Row, what: str) -> dict[str, int]:
    """Return the nonzero counts of messages or bytes of a hand-off, by kind of packet."""
    return {kind: row[f"{kind}_{what}"] for kind in HANDOFF_PACKETS if row[f"{kind}_{what}"]}


def test_a_hand_off_consists_of_registration_request_and_state(play: Play) -> None:
    (row,) = play(Script(moves=[(100 * MS, 1, 2)])).rows("handoffs")
    registered = 100 * MS + REGISTER
    begun = registered + BEGIN
    assert {name: row[name] for name in ("left", "entered", "registered", "request", "complete")} == {
        "left": 100 * MS,
        "entered": 100 * MS,
        "registered": registered,
        "request": begun,
        "complete": begun + STATE,
    }
    assert (row["enabled"], row["flush_ack"]) == (None, None)
    assert (row["host"], row["visit"], row["from_station"], row["to_station"]) == (1, 1, 1, 2)
    # request: 20 + 4 x 4 bytes; state: 20 + 4 x (4 + 2 x 2 + 2)
    assert by_kind(row, "messages") == {"request": 1, "state_transfer": 1}
    assert by_kind(row, "bytes") == {"request": 36, "state_transfer": 60}
    assert (row["control_messages"], row["control_bytes"]) == (2, 36 + 60)


# The number of packets of `notify`, and of integers in a stamp: 3 x 3 for three stations, 6 x 6 for six logical ones.
STAMPS = {"av2": (2, 9), "av3": (4, 36)}


@pytest.mark.parametrize("protocol", STAMPS)
def test_a_hand_off_between_ordering_stations_has_all_kinds_of_packets(protocol: str, play: Play) -> None:
    others, stamp = STAMPS[protocol]
    (row,) = play(Script(moves=[(100 * MS, 1, 2)]), protocol).rows("handoffs")
    assert by_kind(row, "messages") == {
        "request": 1,
        "notify": others,
        "flush_ack": others,
        "state_transfer": 1,
        "complete": 1,
    }
    assert row["control_messages"] == 2 * others + 3
    # Besides the stamp, `notify` has three numbers (host, visit, new station), an answer two, and the state four.
    assert by_kind(row, "bytes") == {
        "request": 36,
        "notify": others * (20 + 4 * (3 + stamp)),
        "flush_ack": others * (20 + 4 * (2 + stamp)),
        "state_transfer": 20 + 4 * (4 + stamp),
        "complete": 20 + 4 * (2 + stamp),
    }


@pytest.mark.parametrize("protocol", STAMPS)
def test_the_phases_of_a_hand_off_are_in_order_at_both_stations(protocol: str, play: Play) -> None:
    """Processing takes no time. The answers to `notify` may arrive before or after `enable`."""
    _, stamp = STAMPS[protocol]
    far = {"links": ({"between": (0, 1), "latency": "20 ms"},)}
    free = {"fixed": "0 s", "per_integer": "0 s"}
    (row,) = play(Script(moves=[(100 * MS, 1, 2)]), protocol, backbone=far, processing=free).rows("handoffs")
    assert row["registered"] == 100 * MS + REGISTER
    assert row["enabled"] - row["request"] == (20 + 4 * (4 + stamp)) * 80 + 7 * MS
    assert row["complete"] - row["flush_ack"] == (20 + 4 * (2 + stamp)) * 80 + 7 * MS
    times = [row[phase] for phase in ("left", "entered", "registered", "request", "enabled", "flush_ack", "complete")]
    assert times == sorted(times)


def test_logical_stations_of_one_cell_exchange_no_wired_packets(play: Play) -> None:
    """A cell has three logical stations. Packets to the other cell cross a link, packets within a cell do not."""
    run = play(Script(moves=[(100 * MS, 1, 0)]), {"name": "av3", "k": 3}, cells=2)
    (row,) = run.rows("handoffs")
    assert by_kind(row, "messages") == {"request": 1, "notify": 3, "flush_ack": 3, "state_transfer": 1, "complete": 1}
    assert sum(link["packets"] for link in run.rows("links") if link["kind"] == "wired") == row["control_messages"]


@pytest.mark.parametrize("protocol", ("av1", "av2", "av3", "ab"))
def test_a_host_that_moves_faster_than_its_hand_offs_loses_no_message(protocol: str, play: Play) -> None:
    """The host makes eleven visits of 3 ms each, and then stays. During these visits no hand-off can complete."""
    moves = [((100 + 3 * place) * MS, 1, (2, 0, 1)[place % 3]) for place in range(12)]
    run = play(Script([(90 * MS + place * MS, 0, 1) for place in range(60)], moves), protocol)
    rows = run.rows("handoffs")
    backlogs = [row["backlog"] for row in rows]
    assert backlogs[:3] == [0, 1, 2]
    assert max(backlogs) >= 6
    assert [row["superseded"] for row in rows] == [*[True] * 11, False]
    assert rows[-1]["complete"] is not None
    assert (run.outcome.verdict, len(run.deliveries)) == ("ok", 60)


def test_a_hand_off_completed_after_its_host_left_is_superseded_and_complete(play: Play) -> None:
    """The state reaches station 2 just after the host has left, and before the next station requests it."""
    first, second = play(Script(moves=[(100 * MS, 1, 2), (100 * MS + REGISTER + BEGIN + STATE - 1, 1, 0)])).rows(
        "handoffs"
    )
    assert first["complete"] == second["left"] + 1
    assert (first["superseded"], second["superseded"]) == (True, False)
    assert (first["backlog"], second["backlog"]) == (0, 1)


def test_a_host_that_leaves_after_its_hand_off_has_no_backlog(play: Play) -> None:
    rows = play(Script(moves=[(100 * MS, 1, 2), (200 * MS, 1, 0), (300 * MS, 1, 2)])).rows("handoffs")
    assert [(row["backlog"], row["superseded"]) for row in rows] == [(0, False)] * 3


def test_ten_thousand_hand_offs_need_at_most_two_megabytes() -> None:
    tracemalloc.start()
    try:
        rows = HandoffLog(Sizes(), 100)
        for visit in range(1, 101):
            for host in range(100):
                rows.entered(host, visit, (0, 1), (visit * 10**12, visit * 10**12 + 1), reconnection=False)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(rows.columns()["host"]) == 10_000
    assert kept < 2_000_000


@pytest.mark.parametrize(("protocol", "integers"), (("fifo", 0), ("unordered", 0), ("rst", 0), ("av1", 6)))
def test_the_size_of_the_transferred_state_depends_on_the_ordering(protocol: str, integers: int, play: Play) -> None:
    (row,) = play(Script(moves=[(100 * MS, 1, 2)]), protocol).rows("handoffs")
    assert row["state_transfer_bytes"] == 20 + 4 * (4 + integers)


def test_an_unacknowledged_message_moves_with_the_state(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(102 * MS, 1, 2)]))
    (row,) = run.rows("handoffs")
    assert row["state_transfer_bytes"] == 60 + 100
    assert (row["buffered"], row["forwarded"], row["retransmitted"]) == (0, 0, 1)


def test_uplink_frames_that_wait_for_the_state_count_as_buffered(play: Play) -> None:
    run = play(Script([(102 * MS, 1, 0), (103 * MS, 1, 0)], [(100 * MS, 1, 2)]))
    (row,) = run.rows("handoffs")
    assert row["buffered"] == 2


def test_a_lost_registration_is_inferred_from_the_next_one(play: Play) -> None:
    first, second = play(Script(moves=[(100 * MS, 1, 2), (100 * MS + REGISTER - 1, 1, 0)])).rows("handoffs")
    assert (first["registered"], first["inferred"]) == (None, True)
    assert (second["inferred"], second["visit"]) == (False, 2)
    # The trail has one more cell. Station 0 requests the state from station 2, and station 2 from station 1.
    registered = second["left"] + REGISTER + 4 * 8 * 1000
    assert second["registered"] == registered
    assert second["request"] == registered + BEGIN + 4 * 80 + 2 * 1_000
    assert first["request"] == second["request"] + BEGIN
    # Station 2 gets the request before the state, so it passes the state on at once.
    assert first["complete"] is None
    assert second["complete"] == first["request"] + 2 * STATE
    assert (first["control_messages"], second["control_messages"]) == (2, 2)


def test_a_registration_received_at_the_last_moment_is_not_inferred(play: Play) -> None:
    first, second = play(Script(moves=[(100 * MS, 1, 2), (100 * MS + REGISTER + 1, 1, 0)])).rows("handoffs")
    assert (first["registered"], first["inferred"]) == (100 * MS + REGISTER, False)
    assert second["complete"] > second["request"] > first["request"]


def test_a_hand_off_begins_after_the_previous_one_is_complete(play: Play) -> None:
    """The host moves away and back before the state follows, so station 1 has two visits of one host."""
    first, second = play(Script(moves=[(100 * MS, 1, 2), (105 * MS, 1, 1)])).rows("handoffs")
    came = first["request"] + STATE
    assert second["request"] < came
    assert second["complete"] == came + STATE


def test_a_hand_off_completes_unless_the_host_left_before_its_state_arrived(play: Play) -> None:
    """The stations are idle, so the duration of a state transfer and the time when it is requested are known."""
    moves, moment = [], 100 * MS
    for place, dwell in enumerate((30, 1, 9, 2, 40, 15, 7, 8, 14, 3, 60, 5, 16, 13, 6, 4)):
        moment += dwell * MS
        moves.append((moment, 1, (2, 0, 1)[place % 3]))
    rows = play(Script([(50 * MS, 0, 1)], moves)).rows("handoffs")
    came, expected = 0, []
    for row, following in pairwise([*rows, None]):
        came = max(came, row["request"]) + STATE
        served = following is None or following["request"] > came
        expected.append(came if served else None)
        assert served or following["left"] < came
    assert [row["complete"] for row in rows] == expected
    assert {None} < set(expected)
    assert all(row["retransmitted"] == 0 for row in rows if row["complete"] is None)


def test_a_message_in_transit_is_retransmitted_only_in_its_hosts_cell(play: Play) -> None:
    """Station 1 transmits the message after the host has left. Station 2, which the host also leaves, does not."""
    first, second = play(Script([(100 * MS, 0, 1)], [(102 * MS, 1, 2), (107 * MS, 1, 0)])).rows("handoffs")
    assert (first["complete"], first["retransmitted"]) == (None, 0)
    assert second["complete"] is not None
    assert second["retransmitted"] == 1


@pytest.mark.full
@pytest.mark.parametrize(("protocol", "integers"), (("rst", 2_500), ("av1", 2_500 + 50), ("unordered", 0)))
def test_an_unacknowledged_frame_moves_with_its_ordering_header(protocol: str, integers: int, play: Play) -> None:
    """With 50 hosts a matrix has 2,500 integers. If hosts order messages (`rst`), the matrix is a part of the frame.
    If stations order messages (`av1`), the frame has no matrix; the state has the process's matrix and 50 counters.
    """
    handed = play(Script([(100 * MS, 0, 1)]), protocol, hosts=50).delivery(0)
    leaves = (handed["downlink_started"] + handed["delivered"]) // 2
    run = play(Script([(100 * MS, 0, 1)], [(leaves, 1, 2)]), protocol, hosts=50)
    (row,) = run.rows("handoffs")
    assert row["state_transfer_bytes"] == 20 + 4 * (4 + integers) + 100
    assert row["retransmitted"] == 1


def test_misdirected_messages_are_counted_at_the_hand_off_of_their_new_station(play: Play) -> None:
    says = [(100 * MS + place * MS, 0, 1) for place in range(3)]
    run = play(Script(says, [(50 * MS, 1, 2)]), {"name": "av1", "location": "lazy"})
    (row,) = run.rows("handoffs")
    assert row["forwarded"] == 3 == sum(delivery["forwards"] for delivery in run.deliveries)


def test_the_messages_of_a_disconnection_may_drain_after_the_next_disconnection(play: Play) -> None:
    script = Script([(100 * MS, 0, 1)], [(50 * MS, 1, 2), (251 * MS, 1, 0)], gap=200 * MS, off=True)
    first, second = play(script).rows("disconnections")
    assert (first["waiting"], second["waiting"]) == (1, 1)
    assert first["drained"] == second["drained"] > second["returned"]


def test_a_host_without_waiting_messages_has_drained_at_its_return(play: Play) -> None:
    (row,) = play(Script(moves=[(50 * MS, 1, 2)], gap=200 * MS, off=True)).rows("disconnections")
    assert (row["waiting"], row["returned"], row["drained"]) == (0, 250 * MS, 250 * MS)


def test_a_host_returns_to_the_cell_of_the_first_beacon_that_it_receives(play: Play) -> None:
    script = Script([(100 * MS, 0, 1)], [(50 * MS, 1, 2), (160 * MS, 1, 0)], gap=100 * MS, off=True)
    run = play(script, wireless={"beacon": "200 ms"})
    (row,) = run.rows("disconnections")
    assert (row["from_station"], row["to_station"]) == (1, 0)
    assert (row["left"], row["returned"]) == (50 * MS, 260 * MS)
    (handoff,) = run.rows("handoffs")
    assert handoff["reconnection"]
    assert handoff["registered"] == 400 * MS + REGISTER
    assert run.rows("hosts")[1]["disconnected"] == 210 * MS


def test_every_disconnected_host_returns_even_if_it_misses_beacons(tmp_path: Path) -> None:
    scenario = Scenario.model_validate(
        {
            "protocols": "av1",
            "hosts": 20,
            "duration": "60 s",
            "wireless": {"beacon": "500 ms"},
            "mobility": {"dwell": "exponential 1 s", "disconnect": {"probability": 0.1, "duration": "exponential 2 s"}},
        }
    )
    run = simulate(scenario, tmp_path)
    assert run.outcome.verdict == "ok"
    gone, handoffs, hosts = run.rows("disconnections"), run.rows("handoffs"), run.rows("hosts")
    assert gone
    assert all(row["returned"] >= row["left"] for row in gone)
    elsewhere = Counter((row["host"], row["from_station"], row["to_station"]) for row in gone)
    elsewhere = Counter({cells: times for cells, times in elsewhere.items() if cells[1] != cells[2]})
    marked = [row for row in handoffs if row["reconnection"]]
    assert Counter((row["host"], row["from_station"], row["to_station"]) for row in marked) == elsewhere
    assert 0 < len(marked) < len(handoffs)
    for row in hosts:
        away = sum(leave["returned"] - leave["left"] for leave in gone if leave["host"] == row["host"])
        assert row["disconnected"] == away
        assert row["unreachable"] >= 0
