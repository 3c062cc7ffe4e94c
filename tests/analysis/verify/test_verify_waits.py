"""`mobilesim verify-results` computes when waiting messages could have been released."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mobilesim.analysis.verify.verify_results import verify
from tests.support.altered_results import Rows, faults, first, verify_altered

Row = Mapping[str, Any]


def test_the_times_of_waiting_messages_are_right(copied: Callable[[str], Path]) -> None:
    assert verify(copied("waiting")).sound


def waiting(rows: Rows) -> Rows:
    found = [row for row in rows if row["inhibition"] > 0 and row["deliverable"] > row["arrived"]]
    assert len(found) > 10
    return found


def test_inhibition_that_is_recorded_as_causal_wait_is_reported(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        for row in waiting(rows):
            row["causal_wait"] += row["inhibition"]
            row["inhibition"] = 0

    found = verify_altered(copied("waiting"), "deliveries", change, "av2")
    assert set(faults(found)) == {"timelines"}
    assert "causal_wait is longer than the time until ideal" in first(found, "timelines")


@pytest.mark.parametrize("moment", ("ideal", "deliverable"))
def test_times_that_agree_with_their_row_but_not_with_the_releases_are_reported(
    moment: str, copied: Callable[[str], Path]
) -> None:
    def change(rows: Rows) -> None:
        for row in waiting(rows)[:5]:
            row[moment] = row["released"]
            if moment == "ideal":
                row["causal_wait"] += row["inhibition"] + row["knock_on"]
                row["inhibition"] = row["knock_on"] = 0

    found = verify_altered(copied("waiting"), "deliveries", change, "av2")
    assert set(faults(found)) == {"timelines"}
    assert f"{moment} is " in first(found, "timelines")
    assert " releases" in first(found, "timelines")


def test_an_earlier_time_is_reported_if_hosts_order_messages(copied: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        row = next(row for row in rows if row["causal_wait"] > 1)
        row["deliverable"] -= 1

    found = verify_altered(copied("waiting"), "deliveries", change, "resident+ks")
    assert faults(found) == {"timelines": 1}
    assert "deliverable is " in first(found, "timelines")
