"""Properties of all rows of the tables, for every protocol, in runs with frequent hand-offs."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mobilesim.protocols.catalogue import ROWS, pairs
from mobilesim.results.quantities import DELAY_PARTS, HANDOFF_PACKETS
from mobilesim.scenario.model import Scenario
from tests.support.frequent_handoffs import RESTLESS, WORKLOADS
from tests.support.simulations import FinishedRun, Row, simulate

pytestmark = pytest.mark.full

GROUPS: Final = {"rule": "ring", "size": 4}
SERVED: Final = {"all": ("one", "some"), "unicasts": ("one",), "broadcasts": ("all",), "groups": ("groups",)}
STATIONS: Final = {"destinations": 3, "interval": "exponential 100 ms"}

AT_STATION: Final = ("uplink_started", "accepted", "sent", "arrived", "deliverable", "released", "downlink_started")
AT_HOST: Final = ("uplink_started", "accepted", "sent", "arrived", "downlink_started", "deliverable", "released")


def choices() -> Iterator[Any]:
    for name, row in ROWS.items():
        chosen: list[dict[str, Any]] = [{}]
        if row.placement == "logical":
            chosen = [{"k": 1}, {"k": 2}, {"k": 3}]
        elif "location" in row.options:
            chosen = [{"location": "free"}, {"location": "lazy"}]
        elif "acknowledge" in row.options:
            chosen = [{"acknowledge": "each"}, {"acknowledge": "cell"}]
        for options in chosen:
            for workload in SERVED[row.serves]:
                yield pytest.param(({"name": name, **options}, workload), id=f"{name}-{options}-{workload}")
    for row in pairs():
        if row.name not in ROWS:
            protocol = {"placement": row.placement, "ordering": row.ordering}
            workload = SERVED[row.serves][-1]
            yield pytest.param((protocol, workload), id=f"{row.name}-{workload}")


@pytest.fixture(scope="module", params=choices())
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    protocol, workload = request.param
    groups = {"groups": GROUPS} if workload == "groups" else {}
    settings = {**RESTLESS, **groups, "protocols": (protocol,), "workload": WORKLOADS[workload]}
    scenario = Scenario.model_validate(settings)
    return simulate(scenario, tmp_path_factory.mktemp("restless"))


def test_the_oracle_finds_what_the_protocol_claims(run: FinishedRun) -> None:
    assert (run.outcome.status, run.outcome.fault, run.outcome.verdict) == ("complete", None, "ok")


def test_the_parts_of_every_delay_add_up_and_none_is_negative(run: FinishedRun) -> None:
    assert len(run.deliveries) > 400
    for row in run.deliveries:
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"] == row["delivered"] - row["submitted"]
        assert min(row[part] for part in DELAY_PARTS) >= 0


def test_every_timeline_is_in_order(run: FinishedRun) -> None:
    columns = ("submitted", *(AT_HOST if run.outcome.run.at_host else AT_STATION), "delivered")
    for row in run.deliveries:
        times = [row[column] for column in columns]
        assert times == sorted(times), row


def causes(run: FinishedRun) -> dict[int, int]:
    """Return the causal past of each message, as a number with one bit per message."""
    events = [(row["submitted"], row["source"], -1, row["message"]) for row in run.rows("messages")]
    events += [(row["delivered"], row["destination"], 0, row["message"]) for row in run.deliveries]
    known: Counter[int] = Counter()
    before: dict[int, int] = {}
    for _, host, sent, message in sorted(events):
        if sent:
            before[message] = known[host]
        known[host] |= before[message] | 1 << message
    return before


def test_a_message_is_deliverable_after_the_release_of_its_last_cause(
    run: FinishedRun,
) -> None:
    """Rows are in the order of delivery, which also orders deliveries at the same time."""
    before = causes(run)
    hosts: dict[int, list[Row]] = {}
    waits = 0
    for row in run.deliveries:
        heard = row["downlink_started"] + row["downlink_air"] + row["receiver_processing"]
        since = heard if run.outcome.run.at_host else row["arrived"]
        earlier = hosts.setdefault(row["destination"], [])
        released = [
            cause["released"]
            for cause in earlier
            if before[row["message"]] >> cause["message"] & 1 and since < cause["released"] <= row["released"]
        ]
        earlier.append(row)
        assert row["deliverable"] == max(released, default=since), row
        waits += bool(released)
    claimed = run.outcome.run.row
    assert waits > 0 or claimed.claims.inhibition == "none" or claimed.serves == "unicasts"


def test_inhibition_occurs_exactly_if_it_is_claimed(run: FinishedRun) -> None:
    held = sum(row["inhibition"] > 0 for row in run.deliveries)
    claimed = run.outcome.run.row.claims.inhibition
    assert (held > 0) == (claimed != "none"), claimed
    assert held < len(run.deliveries) / 2 or run.outcome.run.row.ordering_row.inhibits


def test_the_number_of_packets_of_a_hand_off_is_that_of_its_placement(run: FinishedRun) -> None:
    """Every visit has all packets of a hand-off, even a very short visit, or one with a lost registration."""
    expected = hand_off(run)
    for row in run.rows("handoffs"):
        assert {kind: row[f"{kind}_messages"] for kind in HANDOFF_PACKETS} == expected


def hand_off(run: FinishedRun) -> dict[str, int]:
    stations, choice = run.simulation.world.stations, run.outcome.run.choice
    if choice.placement not in {"station", "logical"}:
        return {**dict.fromkeys(HANDOFF_PACKETS, 0), "request": 1, "state_transfer": 1}
    others = int(dict(choice.options).get("k", 2 if choice.placement == "logical" else 1)) * (stations - 1)
    return {"request": 1, "notify": others, "flush_ack": others, "state_transfer": 1, "complete": 1}


def test_messages_and_bytes_of_a_hand_off_are_the_sums_of_their_kinds(run: FinishedRun) -> None:
    for row in run.rows("handoffs"):
        for what in ("messages", "bytes"):
            assert row[f"control_{what}"] == sum(row[f"{kind}_{what}"] for kind in HANDOFF_PACKETS) > 0
        assert all(bool(row[f"{kind}_messages"]) == bool(row[f"{kind}_bytes"]) for kind in HANDOFF_PACKETS)


def by_host(run: FinishedRun) -> Iterator[list[Row]]:
    hosts: dict[int, list[Row]] = {}
    for row in run.rows("handoffs"):
        hosts.setdefault(row["host"], []).append(row)
    yield from hosts.values()


def test_the_backlog_of_a_hand_off_is_the_number_of_earlier_incomplete_ones(run: FinishedRun) -> None:
    """If a station only passes the state on, the row has no end of this hand-off, which ends after the previous one."""
    backlogs: Counter[int] = Counter()
    for rows in by_host(run):
        for place, row in enumerate(rows):
            late = [
                before
                for before in rows[:place]
                if before["complete"] is not None and before["complete"] > row["entered"]
            ]
            passed = [before for before in rows[:place] if before["complete"] is None]
            assert len(late) <= row["backlog"] <= len(late) + len(passed)
            backlogs[row["backlog"]] += 1
            assert row["backlog"] <= (rows[place - 1]["backlog"] + 1 if place else 0)
    assert backlogs[0] > backlogs[1] > 0


def test_a_hand_off_is_superseded_if_its_host_left_before_its_end(run: FinishedRun) -> None:
    for rows in by_host(run):
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            late = following is not None and (row["complete"] is None or following["left"] < row["complete"])
            assert row["superseded"] == late
            assert row["complete"] is not None or row["superseded"]


def test_a_forwarded_message_counts_for_the_hand_off_that_it_missed(run: FinishedRun) -> None:
    forwards = sum(row["forwards"] for row in run.deliveries)
    assert sum(row["forwarded"] for row in run.rows("handoffs")) >= forwards
    assert (forwards == 0) == (run.outcome.run.choice.placement == "flood")


def test_only_flooding_stations_store_copies_and_none_at_the_end(run: FinishedRun) -> None:
    flood = run.outcome.run.choice.placement == "flood"
    rows = run.rows("stations")
    for what in ("copies", "tombstones"):
        assert all((row[f"{what}_peak"] > 0) == flood for row in rows)
        assert all(row[f"{what}_end"] == 0 for row in rows)


def test_messages_of_stations_have_no_uplink_transmission(tmp_path_factory: pytest.TempPathFactory) -> None:
    workload = {**WORKLOADS["some"], "stations": STATIONS}
    scenario = Scenario.model_validate({**RESTLESS, "protocols": ("ab",), "workload": workload})
    run = simulate(scenario, tmp_path_factory.mktemp("stations"))
    assert run.outcome.verdict == "ok"
    own = [row for row in run.deliveries if row["source"] >= run.outcome.run.scenario.hosts]
    assert own
    for row in own:
        assert row["source_station"] == row["source"] - run.outcome.run.scenario.hosts
        assert row["submitted"] == row["uplink_started"] == row["accepted"]
        assert sum(row[part] for part in DELAY_PARTS) == row["delay"]
        assert min(row[part] for part in DELAY_PARTS) >= 0
        assert row["retransmissions"] >= 0
