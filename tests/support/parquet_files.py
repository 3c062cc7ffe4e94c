"""Parquet files with checksums, of any columns."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.results.checksums import append_checksums


def write_table(table: pa.Table, path: Path, row_group_size: int | None = None) -> None:
    """Write a table as mobilesim does: a file without checksums counts as damaged."""
    pq.write_table(table, path, row_group_size=row_group_size, write_page_checksum=True)
    append_checksums(path)
