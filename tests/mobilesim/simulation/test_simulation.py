"""The short form of every shipped scenario: its purpose, and with cells the properties of every row of its tables."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter
from typing import Any, Final

import pyarrow.compute as pc
import pytest

from mobilesim.protocols import catalogue
from mobilesim.recording.recorder import RunRecorder
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS
from mobilesim.results.schema import TABLES
from mobilesim.scenario import bundled
from mobilesim.scenario.loader import load
from tests.support.scenario_purposes import PURPOSES
from tests.support.short_forms import ShortForm, run_short_form
from tests.support.simulations import FinishedRun, Row
from tests.support.subprocesses import verified_runs

pytestmark = pytest.mark.full

AT_STATION: Final = ("submitted", "uplink_started", "accepted", "sent", "arrived", "deliverable", "released")
AT_HOST: Final = ("submitted", "uplink_started", "accepted", "sent", "arrived", "downlink_started", "deliverable")
PHASES: Final = ("left", "entered", "registered", "request", "complete")


def shipped_runs() -> Iterator[Any]:
    for name in bundled.names():
        scenario = load(bundled.find(name))
        for place, choice in enumerate(scenario.protocols if scenario.network == "cells" else ()):
            yield pytest.param((name, place), id=f"{name}-{choice.label}")


@pytest.fixture(scope="module")
def short_form(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ShortForm]:
    """Return a function that runs a scenario with `--quick` at its first call."""

    @cache
    def short_form(name: str) -> ShortForm:
        return run_short_form(name, tmp_path_factory.mktemp("results"))

    return short_form


@pytest.fixture(scope="module", params=shipped_runs())
def run(request: pytest.FixtureRequest, short_form: Callable[[str], ShortForm]) -> FinishedRun:
    name, place = request.param
    # A simulation is large, and its run is used by consecutive tests.
    return short_form(name).runs.pop(place)


@pytest.mark.parametrize("name", bundled.names())
def test_the_short_form_of_every_shipped_scenario_shows_its_purpose(
    name: str, short_form: Callable[[str], ShortForm]
) -> None:
    short, scenario = short_form(name), load(bundled.find(name))
    assert short.code == 0
    assert short.out.startswith(f"{scenario.name}: {scenario.hosts:,} hosts, seed {scenario.seed}\n")
    assert "FAULT" not in short.out
    assert verified_runs(short.directory) == len(scenario.protocols)
    assert [shows(short.directory) for shows in PURPOSES[name]] == [True] * len(PURPOSES[name])


def test_the_parts_of_every_delay_add_up_and_none_is_negative(run: FinishedRun) -> None:
    assert run.deliveries
    for row in run.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"] == row["delivered"] - row["submitted"]
        assert min(row[part] for part in DELAY_PARTS) >= 0


def test_every_timeline_is_in_order(run: FinishedRun) -> None:
    at_host = run.outcome.run.at_host
    columns = (*AT_HOST, "released", "delivered") if at_host else (*AT_STATION, "downlink_started", "delivered")
    for row in run.deliveries:
        times = [row[column] for column in columns]
        assert times == sorted(times), row


def hosts_gone(run: FinishedRun) -> set[int]:
    """Return the hosts out of battery or away at the end. Messages for them, or that they hold, are undeliverable."""
    return {row["host"] for row in run.rows("hosts") if row["died"] is not None or row["away_since"] is not None}


def test_every_message_is_delivered_once_or_dropped_at_each_destination(run: FinishedRun) -> None:
    messages = run.rows("messages")
    due = Counter((row["message"], host) for row in messages for host in row["destinations"])
    delivered = Counter((row["message"], row["destination"]) for row in run.deliveries)
    assert delivered <= due
    sources, gone = {row["message"]: row["source"] for row in messages}, hosts_gone(run)
    undeliverable = {(message, host) for message, host in due - delivered if gone & {sources[message], host}}
    assert (due - delivered).total() == run.simulation.dropped_copies + len(undeliverable)
    assert len(undeliverable) == run.outcome.stranded + run.outcome.away_at_end
    assert run.simulation.dropped_copies == 0 or run.cells.drops
    assert set(due.values()) == {1}
    assert len(messages) == run.simulation.sent == len({row["message"] for row in messages})
    assert [row["copies"] for row in messages] == [len(row["destinations"]) for row in messages]


def test_the_oracle_finds_what_a_protocol_claims(run: FinishedRun) -> None:
    claims = run.outcome.run.row.claims
    (row,) = run.rows("runs")
    assert (row["status"], row["verdict"], row["lost"], row["duplicates"]) == ("complete", "ok", 0, 0)
    assert not (claims.causal and row["causal_violations"])
    assert not (claims.fifo and row["fifo_violations"])
    assert row["causal_violations"] == sum(row["overtaken"] >= 0 for row in run.deliveries)


def test_every_hand_off_goes_through_its_phases_in_order(run: FinishedRun) -> None:
    for row in run.rows("handoffs"):
        times = [row[phase] for phase in PHASES if row[phase] is not None]
        assert times == sorted(times), row
        assert (row["registered"] is None) == row["inferred"]


def test_a_hand_off_completes_unless_the_station_knew_of_the_next_move(run: FinishedRun) -> None:
    for row, following in followed(run.rows("handoffs")):
        if row["complete"] is None:
            assert row["request"] is not None
            assert following is not None
            assert following["request"] is not None
            assert following["complete"] is None or following["complete"] > row["request"]
            assert row["enabled"] is None or row["enabled"] >= following["request"]
            assert row["retransmitted"] == 0
        else:
            came = row["complete"] if row["enabled"] is None else row["enabled"]
            assert not row["inferred"]
            assert following is None or came <= following["request"]


def followed(handoffs: list[Row]) -> Iterator[tuple[Row, Row | None]]:
    """Yield every hand-off of a host with the next one, or None."""
    next_of = {(row["host"], row["visit"] - 1): row for row in handoffs}
    for row in handoffs:
        yield row, next_of.get((row["host"], row["visit"]))


def test_the_station_of_a_delivery_is_that_of_the_hosts_cell(run: FinishedRun) -> None:
    entries: dict[int, list[tuple[int, int]]] = {
        host: [(0, home)] for host, home in enumerate(run.simulation.world.starting_cells)
    }
    for row in run.rows("handoffs"):
        entries[row["host"]].append((row["entered"], row["to_station"]))
    for row in run.deliveries:
        heard = row["downlink_started"] + row["downlink_air"]
        entered = entries[row["destination"]]
        assert row["station"] == entered[bisect_right(entered, heard, key=itemgetter(0)) - 1][1], row
        assert row["stations_passed"] >= 1 + (row["station"] != row["source_station"])


def test_a_hand_off_has_the_packets_of_its_placement(run: FinishedRun) -> None:
    choice, stations = run.outcome.run.choice, run.simulation.world.stations
    logical = {"station": 1, "logical": dict(choice.options).get("k", 2)}.get(choice.placement)
    expected = 2 if logical is None else 2 * int(logical) * (stations - 1) + 3
    assert {row["control_messages"] for row in run.rows("handoffs")} <= {expected}


def test_the_visits_of_a_host_follow_one_another(run: FinishedRun) -> None:
    last: dict[int, Row] = {}
    for row in run.rows("handoffs"):
        before = last.get(row["host"])
        if before is not None:
            assert row["visit"] == before["visit"] + 1
            assert row["from_station"] == before["to_station"]
            assert row["left"] >= before["entered"]
        last[row["host"]] = row
    moves = {row["host"]: row["moves"] for row in run.rows("hosts")}
    assert all(moves[host] == row["visit"] for host, row in last.items())


def test_messages_for_a_disconnected_host_are_drained_after_its_return(run: FinishedRun) -> None:
    gone = hosts_gone(run)
    for row in run.rows("disconnections"):
        assert row["returned"] is not None or row["host"] in gone
        if row["returned"] is not None:
            assert row["left"] <= row["returned"] <= row["drained"]
            assert row["waiting"] or row["drained"] == row["returned"]


def test_every_byte_on_a_link_has_a_purpose(run: FinishedRun) -> None:
    rows = run.rows("links")
    beacons = {"beacon"} if run.simulation.world.scenario.wireless.beacon_frames else set()
    assert {row["kind"] for row in rows} == {"wired", "uplink", "downlink"} | beacons
    for row in rows:
        assert sum(row[f"{purpose}_bytes"] for purpose in BYTE_PURPOSES) == row["bytes"]
        assert 0 <= row["lost_bytes"] <= row["bytes"]
        assert 0 <= row["lost_packets"] <= row["packets"]


def test_bytes_received_by_hosts_and_lost_bytes_equal_the_downlink_bytes(run: FinishedRun) -> None:
    links, hosts = run.rows("links"), run.rows("hosts")
    down = [row for row in links if row["kind"] == "downlink"]
    received = sum(row[f"received_{purpose}_bytes"] for row in hosts for purpose in BYTE_PURPOSES)
    assert received + sum(row["lost_bytes"] for row in down) == sum(row["bytes"] for row in down)
    assert sum(row["receiving"] for row in hosts) <= sum(row["busy"] for row in down)


def test_bytes_sent_by_hosts_equal_the_uplink_bytes(run: FinishedRun) -> None:
    up = [row for row in run.rows("links") if row["kind"] == "uplink"]
    hosts = run.rows("hosts")
    for purpose in BYTE_PURPOSES:
        assert sum(row[f"sent_{purpose}_bytes"] for row in hosts) == sum(row[f"{purpose}_bytes"] for row in up)
    assert sum(row["transmitting"] for row in hosts) == sum(row["busy"] for row in up)


def test_the_final_counts_agree_with_the_tables(run: FinishedRun) -> None:
    hosts, (row,) = run.rows("hosts"), run.rows("runs")
    assert sum(host["submitted"] for host in hosts) == row["messages"]
    assert sum(host["delivered"] for host in hosts) == row["deliveries"] == len(run.deliveries)
    for host in hosts:
        assert max(host["transmitting"], host["receiving"]) + host["disconnected"] <= row["simulated"]
        assert min(host["transmitting"], host["receiving"], host["disconnected"], host["unreachable"]) >= 0


def test_no_station_has_pending_messages_at_the_end(run: FinishedRun) -> None:
    assert isinstance(run.simulation.recorder, RunRecorder)
    if not hosts_gone(run):
        assert [station.pending for station in run.cells.stations] == [0] * run.simulation.world.stations
        assert not any(run.simulation.recorder.message_timeline.waiting)


def test_a_run_ends_with_its_last_message_or_hand_off(run: FinishedRun) -> None:
    """Later moves and messages of hosts do not prolong the run."""
    (row,) = run.rows("runs")
    last = [delivery["delivered"] for delivery in run.deliveries]
    last += [handoff["complete"] for handoff in run.rows("handoffs") if handoff["complete"] is not None]
    last += [gone["returned"] for gone in run.rows("disconnections") if gone["returned"] is not None]
    last += [host["died"] for host in run.rows("hosts") if host["died"] is not None]
    assert max(last) <= row["simulated"] <= max(last) + 1_000_000_000


def test_every_table_has_its_schema_and_the_id_of_its_run(run: FinishedRun) -> None:
    for name, schema in TABLES.items():
        table = run.table(name)
        assert table.schema.equals(schema)
        if len(table):
            assert pc.unique(table["run_id"].combine_chunks().dictionary_decode()).to_pylist() == [run.outcome.run.id]


def test_only_protocols_that_wait_for_other_messages_cause_waits(run: FinishedRun) -> None:
    row = run.outcome.run.row
    if row.claims.inhibition == "none":
        assert {delivery["inhibition"] for delivery in run.deliveries} == {0}
    if row.name == "unordered":
        assert {delivery["causal_wait"] for delivery in run.deliveries} == {0}
    if catalogue.PLACEMENTS[row.placement].orders_at == "host":
        assert {delivery["inhibition"] for delivery in run.deliveries} == {0}
