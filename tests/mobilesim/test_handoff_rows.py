"""Hand-offs and disconnections as rows, worked out by hand; sizes and speeds as in the timelines."""

from pathlib import Path
from typing import Any

import pytest

from tests.mobilesim.emulation import MS, Emulation, Script
from tests.mobilesim.test_timelines import BEGIN, REGISTER, STATE

Play = Any


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    def play(script: Script, protocol: object = "av1", **settings: Any) -> Emulation:  # noqa: ANN401
        return script.play(monkeypatch, tmp_path, protocol, **settings)

    return play


def test_a_hand_off_is_a_register_a_begin_and_the_state(play: Play) -> None:
    (row,) = play(Script(moves=[(100 * MS, 1, 2)])).rows("handoffs")
    registered = 100 * MS + REGISTER
    begun = registered + BEGIN
    assert {name: row[name] for name in ("left", "entered", "registered", "begin", "over")} == {
        "left": 100 * MS,
        "entered": 100 * MS,
        "registered": registered,
        "begin": begun,
        "over": begun + STATE,
    }
    assert (row["enabled"], row["last"]) == (None, None)
    assert (row["host"], row["visit"], row["from_station"], row["to_station"]) == (1, 1, 1, 2)
    # handoff_begin: 20 + 4 x 4 bytes; the state: 20 + 4 x (4 + 2 x 2 + 2), of which all but the 20 are state.
    assert (row["control_messages"], row["control_bytes"], row["state_bytes"]) == (2, 36 + 60, 40)


@pytest.mark.parametrize(("protocol", "integers"), (("fifo", 0), ("unordered", 0), ("rst", 0), ("av1", 6)))
def test_the_state_that_moves_is_that_of_the_ordering(protocol: str, integers: int, play: Play) -> None:
    (row,) = play(Script(moves=[(100 * MS, 1, 2)]), protocol).rows("handoffs")
    assert row["state_bytes"] == 4 * (4 + integers)


def test_a_message_that_the_host_has_not_acknowledged_moves_with_the_state(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(102 * MS, 1, 2)]))
    (row,) = run.rows("handoffs")
    assert row["state_bytes"] == 40 + 100
    assert (row["buffered"], row["forwarded"], row["retransmitted"]) == (0, 0, 1)


def test_uplink_frames_that_wait_for_the_state_count_as_buffered(play: Play) -> None:
    run = play(Script([(102 * MS, 1, 0), (103 * MS, 1, 0)], [(100 * MS, 1, 2)]))
    (row,) = run.rows("handoffs")
    assert row["buffered"] == 2


def test_a_register_that_was_lost_is_inferred_from_the_next_one(play: Play) -> None:
    first, second = play(Script(moves=[(100 * MS, 1, 2), (100 * MS + REGISTER - 1, 1, 0)])).rows("handoffs")
    assert (first["registered"], first["inferred"]) == (None, True)
    assert (second["inferred"], second["visit"]) == (False, 2)
    # Its trail is longer by one cell, and tells station 2 where the state is to come from.
    registered = second["left"] + REGISTER + 4 * 8 * 1000
    assert second["registered"] == registered
    assert second["begin"] == registered + BEGIN + 4 * 80
    assert first["begin"] == second["begin"] + BEGIN
    assert first["over"] == first["begin"] + STATE
    assert second["over"] == first["over"] + STATE
    assert (first["control_messages"], second["control_messages"]) == (2, 2)


def test_a_register_heard_at_the_last_moment_is_not_inferred(play: Play) -> None:
    first, second = play(Script(moves=[(100 * MS, 1, 2), (100 * MS + REGISTER + 1, 1, 0)])).rows("handoffs")
    assert (first["registered"], first["inferred"]) == (100 * MS + REGISTER, False)
    assert second["over"] > second["begin"] > first["begin"]


def test_a_hand_off_begins_only_when_the_one_before_is_over(play: Play) -> None:
    """There and back again before the state could follow: s1 has two visits of one host on its books."""
    first, second = play(Script(moves=[(100 * MS, 1, 2), (105 * MS, 1, 1)])).rows("handoffs")
    assert second["begin"] < first["over"]
    assert second["over"] == first["over"] + STATE


def test_messages_that_went_astray_are_counted_where_they_were_forwarded_to(play: Play) -> None:
    says = [(100 * MS + place * MS, 0, 1) for place in range(3)]
    run = play(Script(says, [(50 * MS, 1, 2)]), {"name": "av1", "location": "lazy"})
    (row,) = run.rows("handoffs")
    assert row["forwarded"] == 3 == sum(delivery["forwards"] for delivery in run.deliveries)


def test_a_host_that_goes_again_before_all_has_drained_has_drained_the_first_time_too(play: Play) -> None:
    script = Script([(100 * MS, 0, 1)], [(50 * MS, 1, 2), (251 * MS, 1, 0)], gap=200 * MS, off=True)
    first, second = play(script).rows("disconnections")
    assert (first["waiting"], second["waiting"]) == (1, 1)
    assert first["drained"] == second["drained"] > second["returned"]


def test_a_host_for_which_nothing_waits_has_drained_when_it_returns(play: Play) -> None:
    (row,) = play(Script(moves=[(50 * MS, 1, 2)], gap=200 * MS, off=True)).rows("disconnections")
    assert (row["waiting"], row["returned"], row["drained"]) == (0, 250 * MS, 250 * MS)
