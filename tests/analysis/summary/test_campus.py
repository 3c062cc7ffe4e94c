"""The means of a window explain themselves: SQL on the tables gives the printed summary, to the last digit."""

import csv
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import METRICS
from mobilesim.cli.main import main
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, RADIO_ENERGIES

duckdb = pytest.importorskip("duckdb")

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("spark")]

PROTOCOLS: Final = ("av1", "av2", "fifo")
SECOND: Final = 1_000_000_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("campus")


@pytest.fixture(scope="module")
def campus(home: Path) -> tuple[Path, str]:
    """Return the results of the short form, with its window, and the output of the command."""
    with redirect_stdout(StringIO()) as out:
        assert main(["run", "campus", "--quick", "--out", str(home / "window")]) == 0
    return home / "window", out.getvalue()


@pytest.fixture(scope="module")
def whole(home: Path) -> Path:
    """Return the results of the short form without a window."""
    whole = ("--set", "measure=null", "--no-summary")
    with redirect_stdout(StringIO()):
        assert main(["run", "campus", "--quick", *whole, "--out", str(home / "whole")]) == 0
    return home / "whole"


def query(directory: Path, table: str, columns: str, where: str = "true") -> dict[str, tuple[Any, ...]]:
    """Return the values of expressions on a table, by protocol."""
    files = f"{directory / table}/*.parquet"
    text = f"SELECT protocol, {columns} FROM '{files}' WHERE {where} GROUP BY protocol"
    return {row[0]: row[1:] for row in duckdb.sql(text).fetchall()}


def summary(directory: Path, table: str) -> list[dict[str, str]]:
    with (directory / "summary" / f"{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_protocol(directory: Path) -> Iterator[tuple[str, dict[str, str]]]:
    yield from ((row["protocol"], row) for row in summary(directory, "protocols"))


def test_every_part_of_the_delay_is_the_mean_over_the_rows(campus: tuple[Path, str]) -> None:
    directory, _ = campus
    sums = query(directory, "deliveries", ", ".join([f"sum({part})" for part in DELAY_PARTS] + ["count(*)"]))
    found = {(row["protocol"], row["part"]): float(row["part_mean"]) for row in summary(directory, "parts")}
    expected = {
        (protocol, part): int(total) / sums[protocol][-1]
        for protocol in PROTOCOLS
        for part, total in zip(DELAY_PARTS, sums[protocol], strict=False)
    }
    assert found == expected
    for protocol, row in by_protocol(directory):
        assert float(row["delay_mean"]) == sum(int(total) for total in sums[protocol][:-1]) / sums[protocol][-1]
        assert found[protocol, "sender_away"] > 100 * found[protocol, "uplink_queue"]


def test_the_printed_mean_delay_is_that_of_the_tables(campus: tuple[Path, str]) -> None:
    directory, out = campus
    means = query(directory, "deliveries", "sum(delay), count(*)")
    lines = {line.split()[0]: line for line in out.splitlines() if line.startswith(PROTOCOLS)}
    for protocol, row in by_protocol(directory):
        total, count = means[protocol]
        assert (row["delay_low"], row["delay_high"], row["delay_interval"]) == ("", "", "none")  # of one run
        shown = METRICS["delay"].scale.show_estimate(Estimate("delay", count, int(total) / count))
        assert lines[protocol].split()[1] == f"{count:,}"
        assert f" {shown} " in lines[protocol]
    assert "window: 30 s to 50 s; all numbers but verdicts, batteries and clocks are of this time" in out


def test_bytes_energy_and_utilisation_are_of_the_window(campus: tuple[Path, str]) -> None:
    directory, _ = campus
    runs = query(
        directory, "runs", "any_value(deliveries), any_value(measured_to - measured_from), any_value(stations)"
    )
    size = query(directory, "links", "sum(bytes) FILTER (kind = 'wired'), sum(bytes) FILTER (kind != 'wired')")
    joules = query(directory, "hosts", " + ".join(f"sum(energy_{state})" for state in RADIO_ENERGIES))
    work = query(directory, "stations", "sum(processing), max(processing)")
    for protocol, row in by_protocol(directory):
        deliveries, length, stations = runs[protocol]
        assert length == 20 * SECOND
        wired, wireless = size[protocol]
        assert float(row["wired_bytes_mean"]) == int(wired) / deliveries
        assert float(row["wireless_bytes_mean"]) == int(wireless) / deliveries
        assert float(row["energy_mean"]) == pytest.approx(joules[protocol][0] / deliveries, rel=1e-12)
        total, most = work[protocol]
        assert float(row["station_busy_mean"]) == pytest.approx(int(total) / stations / length, rel=1e-12)
        assert float(row["station_busiest_mean"]) == pytest.approx(int(most) / length, rel=1e-12)


def test_the_sum_over_the_purposes_of_bytes_is_the_mean_of_all_bytes(campus: tuple[Path, str]) -> None:
    directory, _ = campus
    traffic = query(
        directory, "links", ", ".join(f"sum({purpose}_bytes)" for purpose in BYTE_PURPOSES) + ", sum(bytes)"
    )
    assert all(sum(row[:-1]) == row[-1] for row in traffic.values())
    assert {row[-1] > 0 for row in traffic.values()} == {True}


def test_the_rows_of_the_window_are_rows_of_the_whole_run(campus: tuple[Path, str], whole: Path) -> None:
    directory, _ = campus
    for table, moment in (("deliveries", "delivered"), ("messages", "submitted"), ("handoffs", '"left"')):
        inside = f"{moment} BETWEEN {30 * SECOND} AND {50 * SECOND}"
        assert rows(directory, table, "true") == rows(whole, table, inside), table


def rows(directory: Path, table: str, where: str) -> list[tuple[Any, ...]]:
    files = f"{directory / table}/*.parquet"
    text = f"SELECT * EXCLUDE (run_id) FROM '{files}' WHERE {where} ORDER BY ALL"
    found: list[tuple[Any, ...]] = duckdb.sql(text).fetchall()
    return found


def test_the_oracle_judges_the_whole_run(campus: tuple[Path, str], whole: Path) -> None:
    directory, _ = campus
    counts = "any_value(judged), any_value(lost), any_value(away_at_end), any_value(verdict)"
    assert query(directory, "runs", counts) == query(whole, "runs", counts)
    judged = query(directory, "runs", "any_value(judged) > any_value(deliveries)")
    assert judged == dict.fromkeys(PROTOCOLS, (True,))
