"""A fault of a results directory is reported in one line before Spark starts."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from mobilesim.analysis.summary.results_reader import read_results
from mobilesim.errors import UserError
from mobilesim.results.schema import TABLES
from tests.support import made_results

Breakage = Callable[[Path], object]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made_results.run(tmp_path, "av1", deliveries=3)
    made_results.run(tmp_path, "rst", deliveries=3)
    return tmp_path


def fault(directory: Path) -> str:
    with pytest.raises(UserError) as caught:
        read_results(directory)
    return str(caught.value)


def test_runs_are_read_in_the_order_of_their_protocols(directory: Path) -> None:
    found = read_results(directory)
    assert [(run.protocol, run.replication, run.measured) for run in found.runs] == [
        ("av1", 0, 60_000_000_000),
        ("rst", 0, 60_000_000_000),
    ]
    assert [row["run_id"] for row in found.rows] == ["av1-0", "rst-0"]


def test_hidden_files_are_ignored(directory: Path) -> None:
    (directory / "deliveries" / ".av1-1.parquet.part").write_bytes(b"half")
    assert len(read_results(directory).runs) == 2


def rewrite(directory: Path, schema: pa.Schema, table: str = "deliveries") -> None:
    made_results.write(directory, table, "av1-0", [{"run_id": "av1-0", "protocol": "av1"}], schema)


def without(schema: pa.Schema, name: str) -> pa.Schema:
    return schema.remove(schema.get_field_index(name))


def other(schema: pa.Schema, field: pa.Field) -> pa.Schema:
    return schema.set(schema.get_field_index(field.name), field)


def cut(directory: Path) -> None:
    path = directory / "handoffs" / "rst-0.parquet"
    path.write_bytes(path.read_bytes()[:-200])


def swap(directory: Path) -> None:
    order = [len(TABLES["deliveries"]) - 1, *range(len(TABLES["deliveries"]) - 1)]
    rewrite(directory, pa.schema([TABLES["deliveries"].field(place) for place in order]))


def rename(directory: Path) -> None:
    for table in TABLES:
        path = directory / table / "av1-0.parquet"
        path.rename(path.with_stem("av9-0"))


def again(directory: Path, **facts: object) -> None:
    made_results.run(directory, "rst", 1, deliveries=3, facts=facts)


OTHERWISE = "this version of mobilesim writes other tables: run the scenario again"

FAULTS: tuple[tuple[str, Breakage, str], ...] = (
    (
        "a column is missing",
        lambda at: rewrite(at, without(TABLES["deliveries"], "delay")),
        f"deliveries/av1-0.parquet: no column 'delay'; {OTHERWISE}",
    ),
    (
        "a column has another type",
        lambda at: rewrite(at, other(TABLES["deliveries"], pa.field("delay", pa.int32(), nullable=False))),
        f"deliveries/av1-0.parquet: column 'delay' is int32, expected int64; {OTHERWISE}",
    ),
    (
        "a column may be null",
        lambda at: rewrite(at, other(TABLES["deliveries"], pa.field("delay", pa.int64()))),
        f"deliveries/av1-0.parquet: column 'delay' may be null, expected not null; {OTHERWISE}",
    ),
    (
        "there is a column too many",
        lambda at: rewrite(at, TABLES["deliveries"].append(pa.field("mood", pa.int8()))),
        f"deliveries/av1-0.parquet: unknown column 'mood'; {OTHERWISE}",
    ),
    (
        "columns change places",
        swap,
        f"deliveries/av1-0.parquet: its columns have another order, or occur twice; {OTHERWISE}",
    ),
    (
        "a file is cut short",
        cut,
        "handoffs/rst-0.parquet: not a Parquet file, or cut short; delete it and run the scenario again",
    ),
    (
        "a file is no Parquet",
        lambda at: (at / "links" / "av1-0.parquet").write_text("hello"),
        "links/av1-0.parquet: not a Parquet file, or cut short; delete it and run the scenario again",
    ),
    (
        "a file is not a table",
        lambda at: (at / "hosts" / "notes.txt").write_text("hello"),
        "hosts/notes.txt: not a file of table 'hosts', which holds one RUN.parquet per run",
    ),
    (
        "a run lacks a table",
        lambda at: (at / "stations" / "rst-0.parquet").unlink(),
        "stations/rst-0.parquet: missing, but run 'rst-0' is in 'runs'",
    ),
    (
        "a table has no run",
        lambda at: (at / "runs" / "rst-0.parquet").unlink(),
        "messages/rst-0.parquet: belongs to no run in 'runs'",
    ),
    ("a file was renamed", rename, "runs/av9-0.parquet: holds run 'av1-0', expected 'av9-0'"),
    (
        "a run has two rows",
        lambda at: made_results.write(at, "runs", "av1-0", [made_results.run_row(3) | {"run_id": "av1-0"}] * 2),
        "runs/av1-0.parquet: 2 rows, expected one row of run 'av1-0'",
    ),
    (
        "a table's folder is missing",
        lambda at: (at / "disconnections").rename(at / "elsewhere"),
        "disconnections: this table is missing; run the scenario again",
    ),
)


@pytest.mark.full
@pytest.mark.parametrize(("name", "breakage", "message"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_a_fault_is_reported_with_its_file_and_difference(
    directory: Path, name: str, breakage: Breakage, message: str
) -> None:
    breakage(directory)
    assert fault(directory) == f"{directory}/{message}", name


def test_runs_of_two_scenarios_are_not_mixed(directory: Path) -> None:
    again(directory, scenario="other", scenario_hash="ff")
    wanted = "runs of different scenarios (made 0123456789abcdef and other ff); summarize each one separately"
    assert fault(directory) == f"{directory}: {wanted}"


def test_a_repeated_replication_is_reported(directory: Path) -> None:
    for table in TABLES:
        first = directory / table / "rst-0.parquet"
        rows = [row | {"run_id": "copy"} for row in pa.parquet.read_table(first).to_pylist()]
        made_results.write(directory, table, "copy", rows)
    assert fault(directory) == f"{directory}: 2 runs of replication 0 of 'rst'; keep one"


def test_results_without_a_trace_are_reported(tmp_path: Path) -> None:
    for table in TABLES:
        (tmp_path / table).mkdir()
    made_results.write(tmp_path, "runs", "av1-0", [made_results.run_row(3) | {"run_id": "av1-0"}], TABLES["runs"])
    assert fault(tmp_path) == f"{tmp_path}/deliveries: empty; the scenario was run without its trace or its oracle"


def test_an_empty_directory_is_reported_with_the_command_that_writes_results(tmp_path: Path) -> None:
    wanted = "not a results directory: it has no 'runs'; `mobilesim run` writes results"
    assert fault(tmp_path) == f"{tmp_path}: {wanted}"


def test_a_directory_without_a_run_is_reported(tmp_path: Path) -> None:
    for table in TABLES:
        (tmp_path / table).mkdir()
    assert fault(tmp_path) == f"{tmp_path}/runs: empty; no run is complete or interrupted"


def test_a_missing_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert fault(tmp_path / "nowhere") == f"{tmp_path}/nowhere: no such directory"
    assert fault(tmp_path / "file") == f"{tmp_path}/file: not a directory"
