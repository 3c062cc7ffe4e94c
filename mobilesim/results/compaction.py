"""Thousands of runs leave tens of thousands of small files: their tables are packed into a few larger ones.

A pack is first written beside the files of its runs, then its manifest says that it counts, then those files go. Who
is stopped in between has lost nothing: the next one begins again, or only removes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location, location, sync_to_disk
from mobilesim.results.locks import worker_lock
from mobilesim.results.manifest import PACK, Pack, RunRecord, read_pack, read_record, write_pack
from mobilesim.results.parquet_writer import ParquetFile
from mobilesim.results.run_directory import StagedTables, unwritable
from mobilesim.results.run_table import Rows, schema
from mobilesim.results.schema import TABLES

Locate: TypeAlias = Callable[[str, str], Rows]
"""Where the rows of a run in a table are."""


@dataclass(frozen=True, slots=True)
class PackJob:
    """Runs that are to share files."""

    directory: str
    runs: tuple[str, ...]


def pack_runs(job: PackJob) -> Pack | None:
    """What is damaged stays as it is, for whoever reads it to tell."""
    directory = location(job.directory)
    with worker_lock(directory):
        return _packed(directory, job)


def _packed(directory: Location, job: PackJob) -> Pack | None:
    done = read_pack(directory / MANIFEST / f"{pack_name(job.runs)}.json")
    if done is None:
        records = [read_record(directory / MANIFEST / f"{run}.json") for run in job.runs]
        whole = [record for record in records if record is not None and record.complete]
        if len(whole) < len(job.runs):
            return None
        done = build_pack(directory, whole, lambda run, table: Rows(directory / table / f"{run}.parquet"))
    if done is not None:
        _remove_single(directory, job.runs)
    return done


def build_pack(directory: Location, records: Sequence[RunRecord], locate: Locate) -> Pack | None:
    """Its files and its manifest; nothing, if the rows of a run are not what they should be."""
    name = pack_name([record.run for record in records])
    try:
        aside = StagedTables(directory, name)
        try:
            groups = {table: _copied(table, records, locate, aside.place(table)) for table in TABLES}
            aside.appear()
        finally:
            aside.discard()
        _settle(directory, name, TABLES)
        found = Pack(name, tuple(records), groups)
        write_pack(directory, found)
        _settle(directory, name, (MANIFEST,))
    except (pa.ArrowException, ValueError, FileNotFoundError):
        return read_pack(directory / MANIFEST / f"{name}.json")
    except OSError as error:
        raise unwritable(directory, error) from None
    return found


def _settle(directory: Location, name: str, folders: Iterable[str]) -> None:
    """The files of its runs go next: not even a power failure may take both."""
    for folder in folders:
        sync_to_disk(directory / folder / f"{name}.{'json' if folder == MANIFEST else 'parquet'}")
        sync_to_disk(directory / folder)


def pack_name(runs: Sequence[str]) -> str:
    return PACK + blake2b("/".join(runs).encode(), digest_size=8).hexdigest()


def _copied(table: str, records: Sequence[RunRecord], locate: Locate, target: Path) -> list[int]:
    """How many row groups came from each run."""
    sources = [locate(record.run, table) for record in records]
    with ParquetFile(target, TABLES[table].with_metadata(_common(sources, records[0].version))) as file:
        return [_copy(table, *each, file) for each in zip(records, sources, strict=True)]


def _copy(table: str, record: RunRecord, source: Rows, file: ParquetFile) -> int:
    groups = rows = 0
    for group in source.by_group():
        if group.num_rows:
            file.write(group)
            groups, rows = groups + 1, rows + group.num_rows
    if rows != record.rows[table]:
        raise ValueError(record.run)
    return groups


def _common(sources: Sequence[Rows], version: str) -> dict[bytes, bytes]:
    """What all of the files say of themselves."""
    found = [dict(schema(source.path).metadata or {}) for source in sources]
    common = dict(sorted(reduce(lambda one, other: dict(one.items() & other.items()), found).items()))
    if common.get(b"version") != version.encode():
        raise ValueError(version)
    return common


def _remove_single(directory: Location, runs: Iterable[str]) -> None:
    for run in runs:
        (directory / MANIFEST / f"{run}.json").unlink(missing_ok=True)
        for table in TABLES:
            (directory / table / f"{run}.parquet").unlink(missing_ok=True)
