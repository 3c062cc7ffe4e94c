"""A measurement window has exactly what happens in it, in every kind of network. The oracle judges the whole run."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.experiments import assemble
from mobilesim.recording.link_counters import LinksSnapshot
from mobilesim.results.quantities import RADIO_TIMES
from mobilesim.scenario.model import Scenario
from tests.support.durations import UP
from tests.support.radio_ledgers import FORMS, assert_verified, broadcast_scenario, busy_scenario, priced
from tests.support.simulations import MS, FinishedRun, Play, Script, simulate
from tests.support.windows import BEGINS, COUNTED, after_sending, rows_of, totals, windowed

SECOND: Final = 1000 * MS
FAILING: Final = {"topology": "ring", "failures": {"interval": "exponential 1 s", "repair": "exponential 200 ms"}}
STATIC: Final = {"network": "static", "hosts": 6, "duration": "6 s", "links": {"delay": "exponential 300 ms"}}
SLOW_HOSTS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "shared": {"medium": "shared", "loss": 0.2},
    "dozing": {"medium": "shared", "beacon_frames": {}, "doze": {"after": "5 ms"}},
    "csma": {"medium": "csma", "loss": 0.3, "retries": 3, "beacon_frames": {}},
}


def scenarios() -> dict[str, Scenario]:
    plain = busy_scenario("av1", 1).model_dump(mode="json")
    return {
        **{name: busy_scenario("av1", 2, **air) for name, air in FORMS.items()},
        "plain": busy_scenario("av1", 1),
        "flood": busy_scenario("ab", 1),
        "at hosts": busy_scenario("rst", 1),
        "dozing": busy_scenario("av2", 3, {"switch": "1 mJ"}, doze={"after": "50 ms"}),
        "beacons": busy_scenario("av1", 5, beacon_frames={}, medium="shared", loss=0.2),
        "beacons, dozing": busy_scenario("av1", 5, {"switch": "1 mJ"}, beacon_frames={}, doze={"after": "5 ms"}),
        "csma": busy_scenario("av1", 2, medium="csma", loss=0.1),
        "csma, beacons, batteries": busy_scenario(
            "av1", 3, {"battery": "uniform 2 J 20 J"}, medium="csma", beacon_frames={}
        ),
        "retries": busy_scenario("av1", 2, loss=0.4, retries=2, rejoin="30 ms"),
        "retries, csma": busy_scenario("av1", 2, medium="csma", loss=0.4, retries=3),
        "broadcast": broadcast_scenario("av1", 2, loss=0.2),
        **{
            f"slow hosts, {name}": priced(busy_scenario("av1", 4, **air), fixed="2 ms")
            for name, air in SLOW_HOSTS.items()
        },
        "batteries": busy_scenario("av1", 3, {"battery": "uniform 2 J 20 J", "switch": "1 mJ"}),
        "failing links": Scenario.model_validate({**plain, "backbone": {**FAILING, "bandwidth": "20 kbit/s"}}),
        "static": Scenario.model_validate({**STATIC, "protocols": "rst"}),
        "static, control": Scenario.model_validate({**STATIC, "protocols": "resident+transport"}),
    }


WINDOWS: Final[tuple[dict[str, Any], ...]] = (
    {"to": "1700 ms"},
    {"from": "1700 ms", "to": "4123 ms"},
    {"from": "4123 ms", "to": "6 s"},
)


@pytest.fixture(params=scenarios())
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return scenarios()[request.param]


def consecutive(scenario: Scenario, directory: Path) -> list[FinishedRun]:
    """Return runs whose windows together are the whole run."""
    runs = [windowed(scenario, directory, window) for window in WINDOWS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assemble, "Window", after_sending)
        return [*runs, windowed(scenario, directory, {})]


@pytest.mark.full
def test_consecutive_windows_add_up_to_the_whole_run(scenario: Scenario, tmp_path: Path) -> None:
    whole, parts = windowed(scenario, tmp_path, None), consecutive(scenario, tmp_path)
    for table in COUNTED:
        together, expected = totals(parts, table), totals([whole], table)
        assert together.keys() == expected.keys()
        for key, counted in expected.items():
            assert dict(together[key]) == pytest.approx(dict(counted), rel=1e-12, abs=1e-12), (table, key)
    for table in BEGINS:
        assert sorted(rows_of(parts, table), key=str) == sorted(rows_of([whole], table), key=str), table


@pytest.mark.full
def test_the_tables_of_a_window_agree(scenario: Scenario, tmp_path: Path) -> None:
    done = windowed(scenario, tmp_path, WINDOWS[1])
    assert_verified(done)
    (run,) = done.rows("runs")
    assert (run["measured_from"], run["measured_to"]) == (1700 * MS, 4123 * MS)
    assert run["judged"] == done.simulation.delivered_copies > run["deliveries"] == len(done.deliveries) > 0
    for table, names in COUNTED.items():
        for row in done.rows(table):
            assert min(row[name] for name in names) >= 0, (table, row)
    if run["stations"]:
        for row in done.rows("hosts"):
            assert sum(state.counts * row[name] for name, state in RADIO_TIMES.items()) == 2423 * MS


@pytest.mark.full
def test_the_rows_of_a_window_are_those_of_the_whole_run_at_their_times(scenario: Scenario, tmp_path: Path) -> None:
    whole, part = windowed(scenario, tmp_path, None), windowed(scenario, tmp_path, WINDOWS[1])
    for table, name in BEGINS.items():
        inside = [row for row in rows_of([whole], table) if 1700 * MS <= row[name] < 4123 * MS]
        assert rows_of([part], table) == inside
    (run,), (same) = part.rows("runs"), whole.rows("runs")[0]
    for name in ("judged", "lost", "stranded", "causal_violations", "verdict"):
        assert run[name] == same[name]


READ: Final = 100 * MS + UP + 16_000 + 144 * 80 + 7 * MS + 16_000
"""The time at which the downlink frame of a message of 100 ms begins."""


def lost_in_the_window(play: Play) -> list[int]:
    """Return the payload that was received in a window. The receiver leaves 100 us before the window, in the middle of
    a frame, so that this frame is lost in the window.
    """
    script = Script([(100 * MS, 0, 1)], [(READ + 200_000, 1, 2)], gap=SECOND)
    run = play(script, measure={"from": f"{READ + 300_000} ns", "to": "500 ms"})
    return [row["received_payload_bytes"] for row in run.rows("hosts")]


def test_a_frame_that_is_lost_in_the_window_but_was_sent_before_is_not_subtracted(play: Play) -> None:
    assert lost_in_the_window(play) == [0, 0]


@pytest.mark.interpreted
def test_a_loss_that_is_counted_in_the_wrong_window_is_found(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LinksSnapshot, "counter_of", lambda *_: None)
    assert lost_in_the_window(play) == [0, -100]


def test_each_message_counts_in_the_window_in_which_it_is_sent(play: Play) -> None:
    energy = {"transmit": "2 W", "receive": "1 W", "idle": "500 mW"}
    says = [(moment * SECOND, 0, 1) for moment in (1, 4, 9)]
    run = play(Script(says), energy=energy, measure={"from": "3 s", "to": "8 s"})
    (row,) = run.rows("runs")
    assert (row["messages"], row["deliveries"], row["judged"]) == (1, 1, 3)
    assert [row["message"] for row in run.rows("messages")] == [row["message"] for row in run.deliveries] == [1]
    assert {row["packets"] for row in run.rows("links")} == {1}
    speaker, listener = run.rows("hosts")
    assert (speaker["submitted"], listener["delivered"], speaker["sent_payload_bytes"]) == (1, 1, 100)
    assert speaker["transmitting"] == UP - 500_000
    assert speaker["energy_transmit"] == pytest.approx(2 * (UP - 500_000) / 1e9)
    assert speaker["energy_idle"] == pytest.approx(0.5 * speaker["idle"] / 1e9)
    assert speaker["idle"] == 5 * SECOND - speaker["transmitting"] - speaker["receiving"]


def test_a_transmission_across_the_border_is_divided_and_its_bytes_are_not(play: Play) -> None:
    """The frame is sent at 1 s. The window begins 300 us later."""
    says = [(1 * SECOND, 0, 1)]
    run = play(Script(says), measure={"from": f"{1 * SECOND + 300_000} ns"})
    (row,) = run.rows("runs")
    assert (row["messages"], row["deliveries"]) == (0, 1)
    speaker, _ = run.rows("hosts")
    assert speaker["transmitting"] == UP - 500_000 - 300_000
    assert speaker["sent_payload_bytes"] == 0


def test_a_window_has_the_hand_offs_and_disconnections_that_begin_in_it(play: Play) -> None:
    moves = [(moment * SECOND, 1, 1 + moment % 2) for moment in (1, 4, 9)]
    run = play(Script(moves=moves, gap=2 * SECOND, off=True), measure={"from": "2 s", "to": "5 s"})
    (handoff,) = run.rows("handoffs")
    (absence,) = run.rows("disconnections")
    assert handoff["left"] == absence["left"] == 4 * SECOND
    assert handoff["visit"] == 2
    assert absence["returned"] == 6 * SECOND
    host = run.rows("hosts")[1]
    assert host["moves"] == 1
    assert host["disconnected"] == 2 * SECOND  # from 2 s to 3 s, and from 4 s to 5 s


@pytest.mark.parametrize(("window", "sent"), (({"from": "1 s", "to": "3 s"}, [1, 2]), ({"from": "1 s"}, [1, 2, 3, 4])))
def test_a_window_excludes_its_end_and_without_an_end_includes_the_last_moment(
    window: dict[str, str], sent: list[int], play: Play
) -> None:
    run = play(Script([(moment * SECOND, 0, 1) for moment in range(5)]), duration="4 s", measure=window)
    assert [row["message"] for row in run.rows("messages")] == sent


def test_a_window_without_an_end_closes_with_the_last_of_a_number_of_messages(play: Play) -> None:
    says = [(moment * SECOND, 0, 1) for moment in range(1, 9)]
    run = play(Script(says), duration="10 s", messages=4, measure={"from": "2 s"})
    (row,) = run.rows("runs")
    assert (row["messages"], row["measured_to"], row["ended"]) == (3, 4 * SECOND, 4 * SECOND)


def test_a_run_that_ends_before_its_window_has_no_measurements(play: Play) -> None:
    says = [(moment * SECOND, 0, 1) for moment in range(1, 9)]
    run = play(Script(says), messages=4, measure={"from": "6 s"})
    (row,) = run.rows("runs")
    assert (row["messages"], row["deliveries"], row["judged"]) == (0, 0, 4)
    assert row["measured_from"] == row["measured_to"]
    assert [*run.deliveries, *run.rows("messages"), *run.rows("links")] == []
    assert {host["idle"] for host in run.rows("hosts")} == {0}


def test_moving_hosts_may_have_a_warm_up_by_deliveries(tmp_path: Path) -> None:
    settings = {**busy_scenario("av1", 1).model_dump(mode="json"), "warm_up": {"deliveries": 40}, "deliveries": 60}
    done = windowed(busy_scenario("av1", 1), tmp_path, None)
    run = simulate(Scenario.model_validate(settings), tmp_path / "counted")
    ways = [(row["message"], row["destination"], row["delivered"]) for row in run.deliveries]
    assert ways == [(row["message"], row["destination"], row["delivered"]) for row in done.deliveries[40:100]]
    assert_verified(run)


def test_a_window_counts_without_a_trace(tmp_path: Path) -> None:
    traced = windowed(busy_scenario("av1", 1), tmp_path, WINDOWS[1])
    bare = windowed(busy_scenario("av1", 1).model_copy(update={"trace": False, "oracle": False}), tmp_path, WINDOWS[1])
    for name in ("messages", "deliveries", "measured_from", "measured_to", "events"):
        assert bare.rows("runs")[0][name] == traced.rows("runs")[0][name]


SLOW: Final = {"uplink": "10 kbit/s", "latency": "0 s"}
BURST: Final = [(2 * SECOND + moment * MS, 0, 1) for moment in range(0, 2000, 20)]
"""Hundred messages in two seconds. Each takes the uplink for a tenth of a second."""


@pytest.mark.parametrize(
    ("window", "overloaded"),
    (({"from": "1 s", "to": "5 s"}, True), ({"from": "5 s", "to": "10 s"}, False), ({"to": "2 s"}, False)),
)
def test_overload_is_that_of_the_work_given_in_the_window(
    window: dict[str, str],
    overloaded: bool,  # noqa: FBT001 - an expected value
    play: Play,
) -> None:
    run = play(Script(BURST), wireless=SLOW, measure=window)
    assert (run.rows("runs")[0]["overload"] != "") is overloaded


def test_the_longest_queue_of_a_window_includes_what_waits_at_its_begin(play: Play) -> None:
    peaks = []
    for begin in (0, 4, 8):
        run = play(Script(BURST), wireless=SLOW, measure={"from": f"{begin} s"})
        peaks.append(max(row["queue_peak"] for row in run.rows("links") if row["kind"] == "uplink"))
    assert peaks[0] == peaks[1] > peaks[2] > 30


def test_the_load_of_stations_is_that_of_the_window(play: Play) -> None:
    says = [(moment * SECOND, 0, 1) for moment in range(1, 9)]
    whole, part = play(Script(says)), play(Script(says), measure={"from": "2500 ms", "to": "6500 ms"})
    for table, share in ((whole, 8), (part, 4)):
        assert [row["packets"] for row in table.rows("stations")] == [0, share, 0]
    assert part.rows("stations")[0]["processing"] * 2 == whole.rows("stations")[0]["processing"] > 0
