"""Packs: the small files of many runs are copied into a few larger files.

The files of a pack are written first, and then its manifest. After this, the separate files of its runs are removed. An
interruption loses no data: the next sweep writes the pack again, or removes the remaining separate files.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Final, TypeAlias

import pyarrow as pa

from mobilesim.results.layout import MANIFEST, digest
from mobilesim.results.location import Location, address, file_sizes, location, sync_to_disk
from mobilesim.results.parquet_writer import ParquetFile
from mobilesim.results.run_directory import StagedTables, remove_tables, unwritable
from mobilesim.results.run_table import Rows, schema
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps.locks import worker_lock
from mobilesim.results.sweeps.manifest import PACK, Pack, RunRecord, read_manifest, write_manifest

FEWEST_TO_PACK: Final = 50
RUNS_PER_PACK: Final = 256
LARGE_RUN: Final = 16 << 20
"""A run with at least this size, in bytes, keeps its own files."""
PACK_SIZE: Final = 64 << 20

Locate: TypeAlias = Callable[[str, str], Rows]
"""Returns the rows of a run in a table. Arguments: the run and the table."""


@dataclass(frozen=True, slots=True)
class PackJob:
    directory: str
    runs: tuple[str, ...]


def plan_packs(directory: Location, runs: Sequence[str]) -> list[PackJob]:
    """Return jobs that pack the small ones of `runs`; [] if there are few runs. All `runs` have separate files."""
    if len(runs) < FEWEST_TO_PACK:
        return []
    lengths = _lengths(directory)
    small = [run for run in runs if lengths[run] < LARGE_RUN]
    return [PackJob(address(directory), batch) for batch in _batches(small, lengths) if len(batch) > 1]


def _batches(runs: Iterable[str], lengths: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    batch: list[str] = []
    filled = 0
    for run in runs:
        if batch and (len(batch) == RUNS_PER_PACK or filled + lengths[run] > PACK_SIZE):
            yield tuple(batch)
            batch, filled = [], 0
        batch.append(run)
        filled += lengths[run]
    yield tuple(batch)


def _lengths(directory: Location) -> Counter[str]:
    found: Counter[str] = Counter()
    for table in TABLES:
        for name, size in file_sizes(directory / table).items():
            found[name.removesuffix(".parquet")] += size
    return found


def pack_runs(job: PackJob) -> Pack | None:
    """Pack the runs and remove their separate files. If a run is damaged, change nothing and return None."""
    directory = location(job.directory)
    with worker_lock(directory):
        pack = read_manifest(directory, pack_name(job.runs), Pack) or _packed(directory, job.runs)
        if pack is not None:
            for run in job.runs:
                (directory / MANIFEST / f"{run}.json").unlink(missing_ok=True)
                remove_tables(directory, run)
    return pack


def _packed(directory: Location, runs: Sequence[str]) -> Pack | None:
    records = [read_manifest(directory, run, RunRecord) for run in runs]
    complete = [record for record in records if record is not None and record.complete]
    if len(complete) < len(runs):
        return None
    return build_pack(directory, complete, lambda run, table: Rows(directory / table / f"{run}.parquet"))


def build_pack(directory: Location, records: Sequence[RunRecord], locate: Locate) -> Pack | None:
    """Write the files and the manifest of a pack. If the rows of a run differ from its record, return None."""
    name = pack_name([record.run for record in records])
    try:
        staged = StagedTables(directory, name)
        try:
            groups = {table: _copied(table, records, locate, staged.path(table)) for table in TABLES}
            staged.publish()
        finally:
            staged.discard()
        for table in TABLES:
            _sync(directory / table, f"{name}.parquet")
        pack = Pack(name, tuple(records), groups)
        write_manifest(directory, pack)
        _sync(directory / MANIFEST, f"{name}.json")
    except (pa.ArrowException, ValueError, FileNotFoundError):
        return read_manifest(directory, name, Pack)
    except OSError as error:
        raise unwritable(directory, error) from None
    return pack


def _sync(folder: Location, name: str) -> None:
    """Flush a file to the disk, so that no data are lost if the power fails after its sources are removed."""
    sync_to_disk(folder / name)
    sync_to_disk(folder)


def pack_name(runs: Sequence[str]) -> str:
    return PACK + digest(*runs)


def _copied(table: str, records: Sequence[RunRecord], locate: Locate, target: Path) -> list[int]:
    """Copy the rows of all runs into one file; return the number of row groups of each run."""
    sources = [locate(record.run, table) for record in records]
    with ParquetFile(target, TABLES[table].with_metadata(_common_metadata(sources, records[0].version))) as file:
        return [_copy(table, *each, file) for each in zip(records, sources, strict=True)]


def _copy(table: str, record: RunRecord, source: Rows, file: ParquetFile) -> int:
    groups = rows = 0
    for group in source.by_group():
        file.write(group)
        groups, rows = groups + 1, rows + group.num_rows
    if rows != record.rows.get(table):
        raise ValueError(record.run)
    return groups


def _common_metadata(sources: Sequence[Rows], version: str) -> dict[bytes, bytes]:
    found = [dict(schema(source.path).metadata or {}) for source in sources]
    common = dict(sorted(reduce(lambda one, other: dict(one.items() & other.items()), found).items()))
    if common.get(b"version") != version.encode():
        raise ValueError(version)
    return common
