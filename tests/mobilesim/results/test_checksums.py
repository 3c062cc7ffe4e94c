"""Every changed bit of a table's file is found, or changes nothing that is read."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from mobilesim.results.checksums import DamagedTable
from mobilesim.results.location import Location, location
from mobilesim.results.run_table import Rows, footer
from mobilesim.results.schema import TABLES
from tests.support.parquet_files import write_table
from tests.support.s3_server import Objects, store

FLIPS = 250

SCENARIO = """\
hosts: 6
cells: {shape: grid, rows: 1, columns: 3}
messages: 120
protocols: [av3]
wireless: {loss: 0.05}
energy: {battery: 40 J}
mobility: {dwell: exponential 1 s, disconnect: {probability: 0.3, duration: exponential 500 ms}}
clocks: [FM, lamport]
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("checksums")
    (home / "s.yaml").write_text(SCENARIO)
    assert main(["run", str(home / "s.yaml"), "--out", str(home / "r"), "--no-summary"]) == 0
    return home / "r"


@pytest.fixture(scope="module")
def objects() -> Iterator[Objects]:
    with store() as found:
        yield found


def only_file(results: Path, table: str) -> Path:
    (path,) = (results / table).iterdir()
    return path


def damaged(content: bytes, draw: Random) -> bytes:
    """Flip one bit. Half of the flips are in the last two kilobytes, which have the footer."""
    changed = bytearray(content)
    first = 0 if draw.random() < 0.5 else max(0, len(content) - 2048)
    changed[draw.randrange(first, len(content))] ^= 1 << draw.randrange(8)
    return bytes(changed)


@pytest.mark.full
@pytest.mark.parametrize("table", TABLES)
def test_a_changed_bit_is_found_or_changes_nothing(results: Path, table: str, tmp_path: Path) -> None:
    content, path, draw = only_file(results, table).read_bytes(), tmp_path / "t.parquet", Random(table)
    before = Rows(only_file(results, table)).read()
    assert len(before)
    errors = []
    for flip in range(FLIPS):
        path.write_bytes(damaged(content, draw))
        os.utime(path, ns=(flip, flip))
        try:
            assert Rows(path).read().equals(before)
        except DamagedTable as error:
            errors.append(str(error))
    assert len(errors) > FLIPS * 0.9
    assert all(error.startswith(f"{path}: ") and "\n" not in error for error in errors)


@pytest.mark.full
@pytest.mark.parametrize("cut", (1, 8, 100, 3000))
def test_missing_bytes_are_found(results: Path, cut: int, tmp_path: Path) -> None:
    content, path = only_file(results, "messages").read_bytes(), tmp_path / "t.parquet"
    for shorter in (content[:-cut], content[cut:], content[:1000] + content[1000 + cut :], b""):
        path.write_bytes(shorter)
        with pytest.raises(DamagedTable, match=r"t\.parquet: .*; delete it and run the scenario again"):
            Rows(path).read()


def test_a_file_without_checksums_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "t.parquet")
    with pytest.raises(DamagedTable, match=r"t\.parquet: no checksums: it is damaged, or another program has written"):
        Rows(tmp_path / "t.parquet").read()


def test_a_named_pipe_is_no_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.parquet")
    with pytest.raises(DamagedTable, match=r"t\.parquet: not a file; delete it"):
        footer(tmp_path / "t.parquet")


@pytest.mark.parametrize("value", (float("nan"), float("inf"), -float("inf")))
def test_a_number_that_is_not_finite_is_reported_with_its_column(value: float, tmp_path: Path) -> None:
    write_table(pa.table({"a": [1, 2], "busy": [0.5, value]}), path := tmp_path / "t.parquet")
    for read in (Rows(path).read, lambda: [*Rows(path).batches(10, "busy")]):
        with pytest.raises(DamagedTable, match=r"column 'busy' has a value that is not a finite number; delete it"):
            read()
    assert Rows(path).read("a").num_rows == 2
    write_table(pa.table({"busy": pa.array([0.5, None])}), path)
    assert Rows(path).read().num_rows == 2


@pytest.fixture(params=("local", "remote"))
def large(request: pytest.FixtureRequest, objects: Objects, tmp_path: Path) -> Location:
    """A file with many row groups, whose footer is longer than the part of the file that is read first."""
    table = pa.table({f"column {index}": range(index, index + 3000) for index in range(20)})
    write_table(table, tmp_path / "t.parquet", row_group_size=50)
    if request.param == "local":
        return tmp_path / "t.parquet"
    objects.kept["t.parquet"] = (tmp_path / "t.parquet").read_bytes()
    return location(objects.uri("t.parquet"))


def test_parts_of_a_file_can_be_read(large: Location) -> None:
    part = Rows(large, (3, 2))
    assert (len(part), part.row_range(), len(Rows(large))) == (100, range(150, 250), 3000)
    found = part.read("column 19", "column 2")
    assert found.to_pydict() == {"column 19": [*range(169, 269)], "column 2": [*range(152, 252)]}
    sizes = [batch.num_rows for batch in Rows(large).batches(30, "column 1")]
    assert (sum(sizes), max(sizes)) == (3000, 30)
    assert sum(group.num_rows for group in part.by_group()) == 100
    Rows(large).check()


def test_damage_outside_of_what_is_read_is_left_to_a_check(large: Location) -> None:
    if not isinstance(large, Path):
        pytest.skip("one kind of file is enough")
    content = bytearray(large.read_bytes())
    content[len(content) // 4] ^= 1
    large.write_bytes(content)
    assert len(Rows(large, (50, 2)).read()) == 100
    with pytest.raises(DamagedTable, match="damaged: a checksum is wrong"):
        Rows(large).check()


def test_other_tools_read_files_with_checksums(large: Location) -> None:
    if isinstance(large, Path):
        assert pq.read_table(large).num_rows == pl.read_parquet(large).height == 3000
        assert duckdb.read_parquet(str(large)).sum('"column 1"').fetchall() == [(sum(range(1, 3001)),)]
