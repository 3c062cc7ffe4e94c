"""`mobilesim verify-results` of results with one change in the deliveries."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mobilesim.analysis.verify.checks import Verification
from mobilesim.cli.main import main
from tests.support.altered_results import Rows, faults, first, verify_altered

Captured = pytest.CaptureFixture[str]


def test_exchanged_rows_of_deliveries_are_reported(copied: Callable[[str], Path]) -> None:
    def swap(rows: Rows) -> None:
        rows[40], rows[41] = rows[41], rows[40]

    found = verify_altered(copied("moving"), "deliveries", swap)
    assert faults(found)["timelines"] == 1
    assert "delivered before the delivery in the previous row" in first(found, "timelines")


def test_exchanged_deliveries_with_consistent_times_violate_causal_order(
    copied: Callable[[str], Path], capsys: Captured
) -> None:
    """Both messages have the same source and destination. The second is sent before the first is delivered."""
    names = []

    def swap(rows: Rows) -> None:
        earlier, later = next(
            (one, two)
            for one in range(len(rows))
            for two in range(one + 1, len(rows))
            if (rows[one]["source"], rows[one]["destination"]) == (rows[two]["source"], rows[two]["destination"])
            and rows[two]["arrived"] < rows[one]["delivered"]
        )
        for row, moment in ((rows[earlier], rows[later]["delivered"]), (rows[later], rows[earlier]["delivered"])):
            more = moment - row["delivered"]
            row.update(delivered=moment, released=moment, delay=row["delay"] + more)
            row["inhibition"] += more
            if row["inhibition"] < 0:
                row.update(inhibition=0, causal_wait=row["causal_wait"] + row["inhibition"])
            row["deliverable"] = min(row["deliverable"], moment)
        rows[earlier], rows[later] = rows[later], rows[earlier]
        names.append((rows[later]["message"], rows[earlier]["message"], rows[later]["destination"]))

    path = copied("whole")
    found = verify_altered(path, "deliveries", swap, "rst")
    (one, two, host) = names[0]
    assert set(faults(found)) >= {"causal order", "FIFO order"}
    assert f"message {two} to host {host}: message {one}, which causally precedes it" in "\n".join(
        example for check in found.checks for example in check.examples
    )
    assert main(["verify-results", str(path)]) == 1
    assert "faults: causal order, FIFO order" in capsys.readouterr().out


def test_a_repeated_row_is_reported(copied: Callable[[str], Path]) -> None:
    found = verify_altered(copied("moving"), "deliveries", lambda rows: rows.insert(11, dict(rows[10])))
    assert faults(found) == {"exactly once": 1, "counters": 2}
    assert first(found, "exactly once").endswith("delivered twice")


def test_a_missing_row_is_reported(copied: Callable[[str], Path]) -> None:
    """More messages are missing than were dropped for the host."""
    gone = []
    found = verify_altered(copied("moving"), "deliveries", lambda rows: gone.append(rows.pop(10)))
    assert {"exactly once", "counters"} <= set(faults(found))
    examples = "\n".join(example for check in found.checks for example in check.examples)
    assert f"to host {gone[0]['destination']}: never delivered" in examples


@pytest.mark.full
@pytest.mark.parametrize("column", ("submitted", "uplink_started", "accepted", "delivered", "delay", "wired"))
def test_a_time_changed_by_a_nanosecond_is_reported(copied: Callable[[str], Path], column: str) -> None:
    def change(rows: Rows) -> None:
        rows[20][column] += 1

    found = verify_altered(copied("moving"), "deliveries", change)
    assert faults(found)["timelines"] >= 1
    assert "message " in first(found, "timelines")


@pytest.mark.parametrize("column", ("arrived", "downlink_started"))
def test_intermediate_times_are_exact_without_waiting(copied: Callable[[str], Path], column: str) -> None:
    def change(rows: Rows) -> None:
        row = next(row for row in rows if not row["inhibition"])
        row[column] += 1

    assert faults(verify_altered(copied("moving"), "deliveries", change)) == {"timelines": 1}


def test_a_delivery_of_an_unsent_message_is_reported(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        rows[7]["message"] = 99_999

    found = verify_altered(copied("moving"), "deliveries", change)
    assert first(found, "references").endswith(f"message 99999 to host {_host(found)}: there is no such message")
    assert {"references", "exactly once"} <= set(faults(found))


def _host(found: Verification) -> str:
    return first(found, "references").split("to host ")[1].split(":")[0]


def test_a_delivery_of_an_unsent_message_is_reported_in_a_window(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        rows[-1]["message"] = 99_999

    assert "references" in faults(verify_altered(copied("window"), "deliveries", change, "rst"))


def test_a_delivery_to_a_wrong_host_is_reported(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        rows[0]["destination"] = (rows[0]["destination"] + 1) % 6

    found = verify_altered(copied("whole"), "deliveries", change, "rst")
    assert first(found, "references").endswith("it was not sent to this host")


def test_a_hand_off_that_begins_at_a_wrong_station_is_reported(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        rows[-1].update(from_station=rows[-1]["to_station"])

    assert "hand-offs" in faults(verify_altered(copied("moving"), "handoffs", change))
