"""The Python API reports damaged tables, whatever library reads them."""

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

import mobilesim as ms
from mobilesim.api.results import RunResults
from tests.support import made_results
from tests.support.parquet_files import write_table


@pytest.fixture
def results(tmp_path: Path) -> RunResults:
    """Results with a damaged value of `deliveries`, and an intact footer."""
    made_results.run(tmp_path, "av1")
    opened = ms.open(tmp_path)
    assert isinstance(opened, RunResults)
    path = tmp_path / "deliveries" / "av1-0.parquet"
    content = bytearray(path.read_bytes())
    column = pq.read_metadata(path).row_group(0).column(pq.read_schema(path).get_field_index("delay"))
    content[(column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size - 1] ^= 4
    path.write_bytes(content)
    return opened


@pytest.mark.parametrize("use", (ms.Table.arrow, ms.Table.pandas, ms.Table.polars, ms.Table.duckdb, len))
def test_a_damaged_table_is_reported_with_its_file(results: RunResults, use: Callable[[ms.Table], object]) -> None:
    assert results.runs.arrow().num_rows == 1
    with pytest.raises(ms.UserError, match=r"deliveries/av1-0\.parquet: damaged: a checksum is wrong; delete it"):
        use(results.deliveries)


def test_the_numbers_of_a_damaged_table_are_not_shown(results: RunResults) -> None:
    with pytest.raises(ms.UserError, match=r"deliveries/av1-0\.parquet: damaged: a checksum is wrong; delete it"):
        _ = results.summary


def test_missing_deliveries_are_reported(tmp_path: Path) -> None:
    made_results.run(tmp_path, "av1")
    path = tmp_path / "deliveries" / "av1-0.parquet"
    write_table(pq.read_table(path).slice(0, 20), path)
    opened = ms.open(tmp_path)
    assert isinstance(opened, RunResults)
    with pytest.raises(ms.UserError, match=r"deliveries: 20 rows of run 'av1-0', expected 50; run the scenario again"):
        opened.deliveries.arrow()


@pytest.mark.full
def test_spark_finds_damaged_pages(results: RunResults, spark: SparkSession) -> None:
    assert spark.version
    with pytest.raises(Py4JJavaError, match="CRC checksum verification failed"):
        results.deliveries.spark().collect()
    path = results.directory / "deliveries" / "av1-0.parquet"
    assert isinstance(path, Path)
    with path.open("r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"\xff")
    with pytest.raises(ms.UserError, match=r"deliveries/av1-0\.parquet: damaged: the checksum of its footer is wrong"):
        results.deliveries.spark()
