"""The writer of small tables."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.results.parquet_writer import ParquetFile, write_rows

NAME = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        pa.field("run", NAME, nullable=False),
        pa.field("name", NAME),
        pa.field("count", pa.int64()),
        pa.field("share", pa.float64()),
        pa.field("holds", pa.bool_()),
    ]
)


def test_rows_are_written_with_their_types_and_missing_values_are_null(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"name": "größer", "count": 1 << 40, "share": 0.5, "holds": True},
        {"count": 0, "holds": False},
        {"name": "", "share": -1.0},
        {"name": "größer", "count": -1, "share": 0.0, "holds": None},
    ]
    write_rows(ParquetFile(tmp_path / "table", SCHEMA), rows, {"run": "r1"})
    table = pq.read_table(tmp_path / "table")
    assert table.schema.types == SCHEMA.types
    assert table.to_pylist() == [{**dict.fromkeys(SCHEMA.names), **row, "run": "r1"} for row in rows]


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    write_rows(ParquetFile(tmp_path / "table", SCHEMA), [], {"run": "r1"})
    assert pq.read_table(tmp_path / "table").to_pydict() == {name: [] for name in SCHEMA.names}


@pytest.mark.full
def test_a_run_is_written_without_pandas(tmp_path: Path) -> None:
    code = (
        "import sys; from mobilesim.cli.main import main; "
        f"main(['run', 'quickstart', '--quick', '--no-summary', '--out', {str(tmp_path / 'results')!r}]); "
        "sys.exit('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
