"""`mobilesim verify`, where one thing is altered in the other tables that a run wrote."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analysis.altered import Rows, alter, faults, first, of_protocol, verify_altered, written

pytestmark = pytest.mark.usefixtures("spark")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("verified"))


@pytest.fixture
def directory(originals: Path, tmp_path: Path) -> Callable[[str], Path]:
    def copied(name: str) -> Path:
        return Path(shutil.copytree(originals / name, tmp_path / name))

    return copied


@pytest.mark.parametrize("column", ("bytes", "ordering_bytes", "framing_bytes", "packets", "payload_bytes"))
def test_a_number_of_bytes_or_packets_that_was_changed_is_found(directory: Callable[[str], Path], column: str) -> None:
    def change(rows: Rows) -> None:
        rows[3][column] += 4

    found = verify_altered(directory("moving"), "links", change)
    assert set(faults(found)) == {"bytes"}
    assert "links, " in first(found, "bytes")


def test_a_header_that_was_changed_is_found_in_deliveries_and_in_messages(directory: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        rows[0]["header_bytes"] += 1

    path = directory("moving")
    verify_altered(path, "deliveries", change)
    assert faults(verify_altered(path, "messages", change)) == {"bytes": 2}


@pytest.mark.parametrize("table", ("deliveries", "messages", "hosts", "handoffs"))
def test_a_row_of_another_run_is_found(directory: Callable[[str], Path], table: str) -> None:
    def change(rows: Rows) -> None:
        rows[5]["run_id"] = "0123456789abcdef"

    found = verify_altered(directory("moving"), table, change)
    assert faults(found) == {"run ids": 1}
    assert f"{table}, row 5: is of run '0123456789abcdef'" in first(found, "run ids")


@pytest.mark.parametrize(
    "column", ("messages", "deliveries", "judged", "dropped", "causal_violations", "lost", "duplicates", "emulated")
)
def test_a_counter_of_a_run_that_was_changed_is_found(directory: Callable[[str], Path], column: str) -> None:
    def change(rows: Rows) -> None:
        rows[0][column] += -rows[0][column] if column == "emulated" else 1

    assert not verify_altered(directory("moving"), "runs", change, "unordered").sound


def test_what_a_protocol_without_order_overtook_is_what_its_rows_say(directory: Callable[[str], Path]) -> None:
    def change(rows: Rows) -> None:
        next(row for row in rows if row["overtaken"] >= 0)["overtaken"] = -1

    found = verify_altered(directory("moving"), "deliveries", change, "unordered")
    assert "and hides it" in first(found, "causal order")


def test_a_protocol_that_says_it_lost_something_does_not_pass(directory: Callable[[str], Path]) -> None:
    path = directory("whole")
    host = []
    alter(of_protocol(path, "deliveries", "rst"), lambda rows: host.append(rows.pop()["destination"]))

    def fewer(rows: Rows) -> None:
        rows[0].update(deliveries=399, judged=399, lost=1, verdict="fault")

    def less(rows: Rows) -> None:
        rows[host[0]]["delivered"] -= 1

    alter(of_protocol(path, "runs", "rst"), fewer)
    assert faults(verify_altered(path, "hosts", less, "rst")) == {"exactly once": 1}
