"""Delays and all their parts, computed by hand from lengths, bandwidths and latencies.
There are two hosts and three stations. A message has 100 bytes, the header of a packet 20 bytes, an integer 4 bytes.
The wireless channel has 1 Mbit/s and a latency of 500 us, a wired link 100 Mbit/s and 7 ms. A station needs 10 us for a
packet and 1 us for each of its integers.
"""

import pytest

from tests.support.durations import AGAIN, BEGIN, DOWN, ONE_MESSAGE, REGISTER, STATE, UP
from tests.support.simulations import MS, Play, Script

# The times of the ordering header on the wireless channel, of processing, and of the packet on the wired link. A matrix
# has 4 integers for two hosts, 9 for three stations, 36 for six logical stations. Every packet has two addresses, and
# under av2 and av3 also the number of a visit.
STAYING = {
    "av1": (0, 2 * 16_000, 144 * 80 + 7 * MS),
    # The four integers also cross the wireless channel, and the stations do not read them.
    "rst": (16 * 8 * 1000, 2 * 12_000, 144 * 80 + 7 * MS),
    "fifo": (0, 2 * 13_000, 132 * 80 + 7 * MS),
    "unordered": (0, 2 * 12_000, 128 * 80 + 7 * MS),
    "av2": (0, 2 * 22_000, (132 + 36) * 80 + 7 * MS),
    "av3": (0, 2 * 49_000, (132 + 144) * 80 + 7 * MS),
}


@pytest.mark.parametrize("protocol", STAYING)
def test_the_timeline_of_a_message_between_static_hosts(protocol: str, play: Play) -> None:
    header, processing, wired = STAYING[protocol]
    up, down = UP + header, DOWN + header
    run = play(Script(ONE_MESSAGE), protocol)
    assert run.parts(0) == {"uplink_air": up, "processing": processing, "wired": wired, "downlink_air": down}
    row = run.delivery(0)
    assert (row["submitted"], row["accepted"]) == (100 * MS, 100 * MS + up)
    assert row["sent"] == row["accepted"] + processing // 2
    assert row["arrived"] == row["sent"] + wired + processing // 2
    assert row["delivered"] == row["arrived"] + down


SECOND = 1000 * MS
WIRED = 144 * 80 + 7 * MS
HANDOFF = REGISTER + BEGIN + STATE
READ = 100 * MS + UP + 16_000 + WIRED + 16_000
"""The time when the second station has read a message that is submitted at 100 ms."""


def by_wire(**waits: int) -> dict[str, int]:
    """Return the parts of the delay of an `av1` message that crosses two stations, with additional waits."""
    return {"uplink_air": UP, "processing": 32_000, "wired": WIRED, **waits, "downlink_air": DOWN}


def test_the_timeline_of_a_message_sent_to_the_old_station(play: Play) -> None:
    run = play(Script(ONE_MESSAGE, [(102 * MS, 1, 2)]), "av1")
    # Station 1 transmits the message into the empty cell. The message then moves to station 2 with the host's state.
    over = 102 * MS + HANDOFF + 100 * 80
    assert run.parts(0) == by_wire(unreachable=over - READ)
    row = run.delivery(0)
    assert (row["stations_passed"], row["forwards"], row["retransmissions"]) == (3, 0, 1)
    assert (row["source_station"], row["station"]) == (0, 2)


def test_the_timeline_of_a_message_that_arrives_before_the_state(play: Play) -> None:
    run = play(Script(ONE_MESSAGE, [(95 * MS, 1, 2)]), "av1")
    unreachable = 95 * MS + HANDOFF - READ
    assert run.parts(0)["unreachable"] == unreachable > 0
    assert run.delivery(0)["retransmissions"] == 0
    (handoff,) = run.rows("handoffs")
    assert (handoff["buffered"], handoff["forwarded"], handoff["retransmitted"]) == (1, 0, 0)


def test_the_timeline_of_a_message_to_a_former_cell_has_a_detour(play: Play) -> None:
    lazy = {"name": "av1", "location": "lazy"}
    run = play(Script(ONE_MESSAGE, [(80 * MS, 1, 2)]), lazy)
    assert run.parts(0) == by_wire(detour=16_000 + WIRED + 16_000)
    row = run.delivery(0)
    assert (row["stations_passed"], row["forwards"], row["retransmissions"]) == (3, 1, 0)
    (handoff,) = run.rows("handoffs")
    assert handoff["forwarded"] == 1


def test_a_source_that_has_just_moved_waits_for_its_registration_and_then_for_its_state(play: Play) -> None:
    run = play(Script(ONE_MESSAGE, [(99 * MS, 0, 2)]), "av1")
    registered = 99 * MS + REGISTER + 24 * 8 * 1000 + 500_000
    parts = run.parts(0)
    assert parts["sender_away"] == registered - 100 * MS
    assert "uplink_queue" not in parts
    assert parts["source_hold"] == 99 * MS + HANDOFF - (registered + UP)


def test_the_second_of_two_messages_waits_for_the_wireless_channel(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1), (100 * MS, 0, 1)]), "av1")
    assert "uplink_queue" not in run.parts(0)
    assert run.parts(1)["uplink_queue"] == UP - 500_000


def test_a_sender_that_is_switched_off_and_then_has_a_queue_has_both_parts(play: Play) -> None:
    """Two messages are submitted while the host is off. The second one waits for the first frame, too."""
    script = Script([(100 * MS, 0, 1), (100 * MS, 0, 1)], [(99 * MS, 0, 2)], gap=5 * SECOND, off=True)
    run = play(script, "av1")
    first, second = run.parts(0), run.parts(1)
    back = 99 * MS + 5 * SECOND + REGISTER + 24 * 8 * 1000 + 500_000
    assert first["sender_away"] == second["sender_away"] == back - 100 * MS
    assert "uplink_queue" not in first
    assert second["uplink_queue"] == UP - 500_000


def test_a_frame_that_the_sender_left_behind_counts_as_queue_and_the_absence_as_away(play: Play) -> None:
    """The host leaves its cell 200 us after the start of the frame."""
    run = play(Script([(100 * MS, 0, 1)], [(100 * MS + 200_000, 0, 2)], gap=SECOND, off=True), "av1")
    parts = run.parts(0)
    assert parts["uplink_queue"] == 200_000
    assert parts["sender_away"] == SECOND + REGISTER + 24 * 8 * 1000 + 500_000


def test_a_wait_in_the_send_queue_of_an_absent_host_is_inhibition(play: Play) -> None:
    """The second message waits for the acknowledgement of the first one, which waits for the host's return."""
    script = Script([(100 * MS, 0, 1), (105 * MS, 0, 1)], [(99 * MS, 0, 2)], gap=SECOND, off=True)
    run = play(script, "resident+transport")
    first, second = run.parts(0), run.parts(1)
    assert first["sender_away"] > 0.9 * SECOND
    assert "inhibition" not in first
    assert second["inhibition"] > 0.9 * SECOND
    assert "sender_away" not in second


def test_messages_of_two_senders_share_the_downlink_queue(play: Play) -> None:
    script = Script([(100 * MS, 0, 1), (100 * MS, 2, 1)])
    run = play(script, "unordered", hosts=3, processing={"fixed": "0 s", "per_integer": "0 s"})
    assert "downlink_queue" not in run.parts(0)
    assert run.parts(1)["downlink_queue"] == DOWN - 500_000
    assert run.delivery(1)["processing"] == 0


SLOW = {"links": ({"between": (0, 2), "latency": "57 ms"},)}
TRIANGLE = [(100 * MS, 0, 2), (100 * MS, 0, 1), (130 * MS, 1, 2)]
"""m0 goes from h0 to h2 on the slow link, m1 from h0 to h1, and after the delivery of m1, m2 from h1 to h2."""


@pytest.mark.parametrize(("protocol", "released"), (("av1", "released"), ("rst", "delivered")))
def test_the_last_message_of_the_triangle_waits_exactly_for_its_cause(protocol: str, released: str, play: Play) -> None:
    run = play(Script(TRIANGLE), protocol, hosts=3, backbone=SLOW)
    cause, effect = run.delivery(0), run.delivery(2)
    came = effect["arrived"] if protocol == "av1" else effect["downlink_started"] + effect["downlink_air"]
    assert effect["causal_wait"] == cause[released] - came > 0
    assert effect["deliverable"] == effect[released] == cause[released]
    assert [row["inhibition"] for row in run.deliveries] == [0, 0, 0]


SLOWER = {"links": ({"between": (0, 2), "latency": "157 ms"},)}
# With three hosts a matrix has nine integers, which also cross the wireless channel.
UP_RST = UP + 36 * 8 * 1000
DOWN_RST = DOWN + 36 * 8 * 1000
WIRED_RST = 164 * 80 + 7 * MS
READ_RST = 130 * MS + UP_RST + 12_000 + WIRED_RST + 12_000
"""The time when the station of h2 has read m2. DOWN_RST later, h2 receives m2, which waits for m0. m0 was sent 30 ms
earlier on a path that takes 150 ms longer.
"""


def with_matrix(**waits: int) -> dict[str, int]:
    return {"uplink_air": UP_RST, "processing": 24_000, "wired": WIRED_RST, **waits, "downlink_air": DOWN_RST}


@pytest.mark.parametrize(
    ("left", "waits"),
    (
        # The host is back in time to receive m0.
        (150 * MS, 120 * MS),
        # The host is away when m0 arrives, so m0 is transmitted again after the registration.
        (230 * MS, 290 * MS + AGAIN + 24 * 8 * 1000 - READ_RST),
    ),
)
def test_the_absence_of_a_host_counts_as_unreachable_and_not_as_waiting(left: int, waits: int, play: Play) -> None:
    """h2 has received m2, which waits for m0. Then h2 leaves its cell for 60 ms, until its next registration."""
    script = Script(TRIANGLE, [(left, 2, 2)], gap=60 * MS)
    run = play(script, "rst", hosts=3, backbone=SLOWER)
    away = 60 * MS + AGAIN
    assert run.parts(2) == with_matrix(unreachable=away, causal_wait=waits - away)
    assert run.delivery(2)["deliverable"] == run.delivery(2)["released"] == run.delivery(0)["delivered"]


def test_a_repeated_frame_does_not_change_the_timeline(play: Play) -> None:
    """h2 is back in its cell before m2 arrives, but its station learns this later and transmits m2 a second time."""
    script = Script(TRIANGLE, [(READ_RST - 300_000 - 10 * MS, 2, 2)], gap=10 * MS)
    run = play(script, "rst", hosts=3, backbone=SLOWER)
    row = run.delivery(2)
    assert (row["retransmissions"], row["downlink_started"]) == (1, READ_RST)
    assert run.parts(2) == with_matrix(causal_wait=120 * MS)


def test_under_fifo_the_triangle_violates_causal_order_without_waiting(play: Play) -> None:
    run = play(Script(TRIANGLE), "fifo", hosts=3, backbone=SLOW)
    assert run.delivery(2)["overtaken"] == 0
    assert [row["overtaken"] for row in run.deliveries if row["message"] != 2] == [-1, -1]
    assert [row["causal_wait"] + row["inhibition"] for row in run.deliveries] == [0, 0, 0]


@pytest.mark.parametrize("protocol", ("av1", "rst"))
def test_a_false_dependency_inhibits_a_message_under_av1_but_not_under_rst(protocol: str, play: Play) -> None:
    """h1 sends m2 before it receives m1. But its station stamps m2 after it transmits m1, so for av1, m2 depends on
    m1, and therefore waits for m0.
    """
    says = [(100 * MS, 0, 2), (100 * MS, 0, 1), (109 * MS, 1, 2)]
    run = play(Script(says), protocol, hosts=3, backbone=SLOW)
    handed, heard = run.delivery(1)["arrived"], run.delivery(1)["delivered"]
    effect = run.delivery(2)
    assert effect["submitted"] < heard
    if protocol == "rst":
        assert effect["inhibition"] == 0
    else:
        assert effect["submitted"] < handed < effect["accepted"]
        assert effect["inhibition"] == run.delivery(0)["released"] - effect["arrived"] > 0
    assert effect["causal_wait"] == 0
