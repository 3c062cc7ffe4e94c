"""Delays under the placements `station`, `logical` and `flood`, computed by hand.
Sizes and speeds are those of test_timelines.py. With three stations a stamp of `av2` has nine integers. The copy of a
flood has no stamp here, but two numbers and the address of its destination, so it takes 13 us of processing. A frame of
a flood has the numbers of the frame and of the registration.
"""

import pytest

from tests.support.durations import BEGIN, DOWN, ONE_MESSAGE, REGISTER, UP
from tests.support.simulations import MS, Play, Script

FLOODED = 132 * 80 + 7 * MS
DATED = 128 * 8 * 1000 + 500_000
ACK = 24 * 8 * 1000 + 500_000

# The host's state in a flood has four numbers, and one for each of the three stations.
MIGRATION = 17_000 + 48 * 80 + 7 * MS + 17_000
HANDOFF = REGISTER + BEGIN + MIGRATION


@pytest.mark.parametrize(("protocol", "down"), (("av2", DOWN), ("av3", DOWN), ("ab", DATED)))
def test_a_message_within_a_cell_needs_no_wired_link_and_no_processing(protocol: str, down: int, play: Play) -> None:
    run = play(Script(ONE_MESSAGE), protocol, cells=1, mobility={"model": "static"})
    assert run.parts(0) == {"uplink_air": UP, "downlink_air": down}
    row = run.delivery(0)
    assert (row["source_station"], row["station"], row["stations_passed"]) == (0, 0, 1)
    assert row["accepted"] == row["sent"] == row["arrived"] == row["released"]


# Messages between stations


def test_a_message_at_the_new_station_is_held_until_the_hand_off_ends(
    play: Play,
) -> None:
    """The message is sent after its station was notified of the move, and arrives before the hand-off is complete."""
    run = play(Script([(107 * MS, 0, 1)], [(100 * MS, 1, 2)]), "av2")
    (handoff,) = run.rows("handoffs")
    row = run.delivery(0)
    assert handoff["enabled"] < row["arrived"] < handoff["complete"]
    assert (row["station"], row["forwards"]) == (2, 0)
    assert run.parts(0) == {
        "uplink_air": UP,
        "processing": 2 * 22_000,
        "wired": (132 + 36) * 80 + 7 * MS,
        "inhibition": handoff["complete"] - row["arrived"],
        "downlink_air": DOWN,
    }


def test_a_host_is_reachable_when_its_new_station_has_the_unacknowledged_messages(play: Play) -> None:
    """The message arrives before `enable`, and is then held until the hand-off is complete."""
    far = {"links": ({"between": (1, 2), "latency": "57 ms"},)}
    run = play(Script([(110 * MS, 0, 1)], [(100 * MS, 1, 2)]), "av2", backbone=far)
    (handoff,) = run.rows("handoffs")
    row, parts = run.delivery(0), run.parts(0)
    assert row["arrived"] < handoff["enabled"]
    assert parts["unreachable"] == handoff["enabled"] - row["arrived"] > 50 * MS
    assert parts["inhibition"] == handoff["complete"] - handoff["enabled"] > 0
    assert run.rows("hosts")[1]["unreachable"] == handoff["enabled"] - handoff["left"]


def test_an_old_message_does_not_wait_for_the_end_of_the_hand_off(play: Play) -> None:
    """The message is sent to station 1 before the notification. Station 1 forwards it when it learns of the move."""
    run = play(Script([(102 * MS, 0, 1)], [(100 * MS, 1, 2)]), "av2")
    (handoff,) = run.rows("handoffs")
    row, parts = run.delivery(0), run.parts(0)
    assert (row["forwards"], handoff["forwarded"], row["stations_passed"]) == (1, 1, 3)
    assert "inhibition" not in parts
    assert handoff["enabled"] <= row["released"] < handoff["complete"]
    assert parts["detour"] == row["arrived"] - (102 * MS + UP + parts["wired"] + 2 * 22_000)


# Floods


def flooded(processing: int, **waits: int) -> dict[str, int]:
    """Return the parts of a message's delay, given the processing time and the waits."""
    return {"uplink_air": UP, "processing": processing, "wired": FLOODED, **waits, "downlink_air": DATED}


def read(processing: int) -> int:
    """Return the time when the other station has read a message that is submitted at 100 ms."""
    return 100 * MS + UP + processing + FLOODED


def test_the_path_of_a_flooded_message_is_that_of_the_copy_at_its_hosts_station(
    play: Play,
) -> None:
    """Station 0 needs 13 us for each of the two copies that it sends."""
    script = Script([(100 * MS, 0, 1), (200 * MS, 0, 2)])
    run = play(script, "ab", hosts=3)
    for message, sent in ((0, 13_000), (1, 26_000)):
        assert run.parts(message) == flooded(sent + 13_000)
        row = run.delivery(message)
        assert row["sent"] == row["accepted"] + sent
        assert (row["stations_passed"], row["forwards"], row["retransmissions"]) == (2, 0, 0)


def test_the_next_message_of_a_station_waits_unnecessarily_for_an_acknowledgement(
    play: Play,
) -> None:
    run = play(Script([(100 * MS, 0, 1), (100 * MS, 0, 1)]), "ab")
    first, second = run.delivery(0), run.delivery(1)
    assert second["arrived"] == first["arrived"] + UP - 500_000
    assert run.parts(1) == flooded(26_000, uplink_queue=UP - 500_000, inhibition=DATED + ACK - (UP - 500_000))


SLOW = {"links": ({"between": (0, 1), "latency": "57 ms"},)}


def test_a_copy_at_the_next_station_counts_as_a_detour_until_the_host_leaves(play: Play) -> None:
    """A copy reaches station 2 long before the host. The copy for station 1 arrives after the host's state has left."""
    run = play(Script(ONE_MESSAGE, [(120 * MS, 1, 2)]), "ab", backbone=SLOW)
    assert run.parts(0) == flooded(39_000, detour=120 * MS - read(39_000), unreachable=HANDOFF)
    row = run.delivery(0)
    assert (row["arrived"], row["released"]) == (120 * MS, 120 * MS + HANDOFF)
    assert (row["station"], row["stations_passed"], row["forwards"], row["retransmissions"]) == (2, 2, 0, 0)


def test_a_copy_that_arrives_before_the_state_waits_for_an_unreachable_host(play: Play) -> None:
    run = play(Script(ONE_MESSAGE, [(105 * MS, 1, 2)]), "ab", backbone=SLOW)
    assert run.parts(0) == flooded(39_000, unreachable=105 * MS + HANDOFF - read(39_000))


def test_a_message_transmitted_in_an_empty_cell_is_rolled_back_and_repeated(play: Play) -> None:
    run = play(Script(ONE_MESSAGE, [(102 * MS, 1, 2)]), "ab")
    # The state has three more numbers, for the frame that was not received.
    over = 102 * MS + HANDOFF + 12 * 80 + 2 * 3_000
    assert run.parts(0) == flooded(26_000, unreachable=over - read(26_000))
    row = run.delivery(0)
    assert row["arrived"] == row["released"] == read(26_000)
    assert (row["station"], row["stations_passed"], row["forwards"], row["retransmissions"]) == (2, 3, 0, 1)


def test_a_message_of_a_station_needs_no_uplink(play: Play) -> None:
    """Each station sends one message, at 100 ms."""
    still = {"model": "static", "start": "spread"}
    stations = {"interval": "100 ms", "destinations": 1}
    run = play(Script(), "ab", mobility=still, workload={"stations": stations}, duration="100 ms", cells=2)
    assert {row["source"] for row in run.deliveries} <= {2, 3}
    for row in run.deliveries:
        local = row["destination"] == row["source_station"]
        expected = {"downlink_air": DATED} if local else {"processing": 26_000, "wired": FLOODED, "downlink_air": DATED}
        assert run.parts(row["message"]) == expected
        assert (row["submitted"], row["uplink_started"], row["accepted"]) == (100 * MS,) * 3
        assert row["retransmissions"] == 0
