"""`mobilesim verify-results` of results with one change in the other tables."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.altered_results import KS, Rows, alter, faults, first, table_file, verify_altered

Captured = pytest.CaptureFixture[str]


@pytest.mark.full
@pytest.mark.parametrize("column", ("bytes", "ordering_bytes", "framing_bytes", "packets", "payload_bytes"))
def test_a_changed_number_of_bytes_or_packets_is_reported(copied: Callable[[str], Path], column: str) -> None:
    def change(rows: Rows) -> None:
        rows[3][column] += 4

    found = verify_altered(copied("moving"), "links", change)
    assert set(faults(found)) == {"bytes"}
    assert "links, " in first(found, "bytes")


def test_a_packet_of_a_hand_off_that_crossed_no_link_is_reported(copied: Callable[[str], Path]) -> None:
    """Each pair of stations has a link, so that every packet crosses exactly one link."""

    def change(rows: Rows) -> None:
        link = next(row for row in rows if row["kind"] == "wired" and row["handoff_bytes"])
        link["handoff_bytes"] -= 4
        link["control_bytes"] += 4

    found = verify_altered(copied("moving"), "links", change)
    assert faults(found) == {"bytes": 1}
    assert "wired links: handoff_bytes: " in first(found, "bytes")


def test_a_changed_header_is_reported_in_deliveries_and_messages(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        rows[0]["header_bytes"] += 1

    path = copied("moving")
    verify_altered(path, "deliveries", change)
    assert faults(verify_altered(path, "messages", change)) == {"bytes": 2}


@pytest.mark.full
@pytest.mark.parametrize("table", ("deliveries", "messages", "hosts", "handoffs"))
def test_a_row_of_another_run_is_reported(copied: Callable[[str], Path], table: str) -> None:
    def change(rows: Rows) -> None:
        rows[5]["run_id"] = "0123456789abcdef"

    found = verify_altered(copied("moving"), table, change)
    assert faults(found) == {"run ids": 1}
    assert f"{table}, row 5: belongs to run '0123456789abcdef'" in first(found, "run ids")


@pytest.mark.full
@pytest.mark.parametrize(
    "column",
    (
        *("messages", "deliveries", "judged", "stranded", "away_at_end", "dropped", "causal_violations", "lost"),
        *("duplicates", "simulated", "measured_from", "measured_to"),
    ),
)
def test_a_changed_counter_of_a_run_is_reported(copied: Callable[[str], Path], column: str) -> None:
    def change(rows: Rows) -> None:
        rows[0][column] += -rows[0][column] if column in {"simulated", "measured_to"} else 1

    assert not verify_altered(copied("moving"), "runs", change, "unordered").sound


@pytest.mark.full
@pytest.mark.parametrize(
    ("table", "column"),
    (("deliveries", "delivered"), ("messages", "submitted"), ("handoffs", "left"), ("disconnections", "left")),
)
def test_a_row_outside_of_the_measurement_window_is_reported(
    copied: Callable[[str], Path], table: str, column: str
) -> None:
    def change(rows: Rows) -> None:
        rows[0][column] = 1_999_999_999

    found = verify_altered(copied("timed"), table, change)
    outside = [text for check in found.checks for text in check.examples if "outside of the measurement window" in text]
    assert len(outside) == 1
    assert f"{table}: 1 rows are outside" in outside[0]


def test_results_with_a_window_or_with_hosts_that_stay_away_have_no_faults(copied: Callable[[str], Path]) -> None:
    for name in ("timed", "away"):
        found = verify_altered(copied(name), "hosts", lambda _: None)
        assert found.sound, faults(found)
        assert found.deliveries > 0


def test_a_message_for_a_host_that_did_not_stay_away_is_reported(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        assert any(row["away_since"] is not None for row in rows)
        for row in rows:
            row["away_since"] = None

    found = verify_altered(copied("away"), "hosts", change)
    assert "never delivered" in first(found, "exactly once")


def test_overtaken_messages_of_a_protocol_without_order_are_checked(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        next(row for row in rows if row["overtaken"] >= 0)["overtaken"] = -1

    found = verify_altered(copied("moving"), "deliveries", change, "unordered")
    assert "but the row names none" in first(found, "causal order")


def test_a_run_with_lost_messages_has_a_fault(copied: Callable[[str], Path]) -> None:
    path = copied("whole")
    host = []
    alter(table_file(path, "deliveries", "rst"), lambda rows: host.append(rows.pop()["destination"]))

    def fewer(rows: Rows) -> None:
        rows[0].update(deliveries=399, judged=399, lost=1, verdict="fault")

    def less(rows: Rows) -> None:
        rows[host[0]]["delivered"] -= 1

    alter(table_file(path, "runs", "rst"), fewer)
    assert faults(verify_altered(path, "hosts", less, "rst")) == {"exactly once": 1}


def test_a_claim_of_fifo_order_without_causal_order_is_checked(copied: Callable[[str], Path]) -> None:
    def claim(rows: Rows) -> None:
        assert rows[0]["fifo_violations"]
        assert not rows[0]["claims_causal"]
        rows[0]["claims_fifo"] = True

    found = verify_altered(copied("moving"), "runs", claim, "unordered")
    assert {"FIFO order", "verdicts"} <= set(faults(found))
    assert "runs: verdict 'ok' with fifo_violations" in first(found, "verdicts")


def test_a_claim_of_causal_order_along_short_chains_is_checked(copied: Callable[[str], Path]) -> None:
    def claim(rows: Rows) -> None:
        violations = rows[0]["causal_violations"]
        assert violations
        rows[0].update(claims_short_chains=True, short_chain_violations=violations)

    path = copied("moving")
    found = verify_altered(path, "runs", claim, "unordered")
    assert "runs: verdict 'ok' with short_chain_violations" in first(found, "verdicts")

    def exceed(rows: Rows) -> None:
        rows[0]["short_chain_violations"] = rows[0]["causal_violations"] + 1

    found = verify_altered(path, "runs", exceed, "unordered")
    assert "runs: more violations along short chains than of causal order" in first(found, "counters")


def test_results_with_hosts_that_join_and_leave_have_no_faults(copied: Callable[[str], Path]) -> None:
    assert faults(verify_altered(copied("members"), "hosts", lambda _: None, KS)) == {}


def test_a_message_for_a_host_that_had_not_left_is_reported(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        assert any(row["left"] is not None for row in rows)
        for row in rows:
            row["left"] = None

    found = verify_altered(copied("members"), "hosts", change, KS)
    assert {"exactly once", "counters"} <= set(faults(found))
    assert "runs: left: " in first(found, "counters")


@pytest.mark.parametrize(("column", "fault"), (("joined", "delivered when host"), ("left", "left before it joined")))
def test_events_of_hosts_that_are_no_members_are_reported(
    copied: Callable[[str], Path], column: str, fault: str
) -> None:
    def change(rows: Rows) -> None:
        row = next(row for row in rows if row["joined"] and row["left"] is not None and row["delivered"])
        row[column] = row["left"] if column == "joined" else row["joined"] - 1

    found = verify_altered(copied("members"), "hosts", change, KS)
    assert "timelines" in faults(found)
    assert fault in first(found, "timelines")
