"""The results directory of a sweep: the tables of its runs, and the records of finished runs.

Before a sweep, the directory is scanned, the removal of files is planned (`Cleanup`), and the plan is applied. Of these
steps, only `apply` changes files.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Final

import pyarrow as pa

from mobilesim.errors import UserError, counted, parameter
from mobilesim.results.layout import DESIGN, MANIFEST, PARETO, REPORT, SUMMARY, SWEEP
from mobilesim.results.location import (
    Location,
    check_writable,
    modification_times,
    remove_tree,
    remove_unfinished,
    visible_entries,
)
from mobilesim.results.run_directory import another_directory, clear_errors, write_files
from mobilesim.results.run_table import Rows, difference, schema
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps.compaction import PackJob, build_pack, pack_name, plan_packs
from mobilesim.results.sweeps.design_record import DesignRecord
from mobilesim.results.sweeps.locks import admit_workers, exclusive_lock
from mobilesim.results.sweeps.manifest import Label, Manifests, Pack, RunRecord, read_manifests, versions_in
from mobilesim.results.version import __version__

_FILES = (SWEEP, DESIGN, REPORT, PARETO)


WantedRuns = Mapping[str, Label]
"""The runs of a sweep, each with the label of its point."""

_OURS: Final = re.compile(r"\..*|[0-9a-f]{16}|pack-[0-9a-f]+")
"""Matches the names of runs, packs and unfinished files, without suffix. Files with other names are not removed."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """The content of a sweep's directory. `files`: the names in the directories of tables and manifests."""

    files: Mapping[str, frozenset[str]]
    manifests: Manifests
    versions: Mapping[str, str]
    """The version of mobilesim of every complete run with a manifest."""


@dataclass(frozen=True, slots=True)
class Cleanup:
    """A plan. `records`: the wanted runs that are finished. `packs`: each pack with those of its runs that stay.

    `stale`: the files to remove, by directory. `foreign`: the complete runs that are not wanted, with their versions.
    """

    records: Mapping[str, RunRecord]
    packs: tuple[tuple[Pack, tuple[RunRecord, ...]], ...]
    stale: Mapping[str, tuple[str, ...]]
    foreign: Mapping[str, str]


class SweepDirectory:
    """`records`: the records of finished runs, by run. A complete run is in `records` only if its tables exist."""

    def __init__(
        self, directory: Location, records: Mapping[str, RunRecord] | None = None, packs: Iterable[Pack] = ()
    ) -> None:
        self.directory = directory
        self.records = dict(records or {})
        self._pack_of = {record.run: pack for pack in packs for record in pack.runs}

    def add(self, record: RunRecord) -> None:
        self.records[record.run] = record

    def add_pack(self, pack: Pack) -> None:
        self._pack_of |= dict.fromkeys((record.run for record in pack.runs), pack)

    def done(self, run: str) -> bool:
        return run in self.records and self.records[run].complete

    def packs_to_build(self, order: Iterable[str]) -> list[PackJob]:
        return plan_packs(self.directory, list(filter(self.single, order)))

    def single(self, run: str) -> bool:
        """Return whether a run is complete and has files of its own."""
        return self.done(run) and run not in self._pack_of

    def rows(self, run: str, table: str) -> Rows:
        if run in self._pack_of:
            return self._pack_of[run].rows(self.directory, run, table)
        return Rows(self.directory / table / f"{run}.parquet")


@contextmanager
def open_sweep(
    directory: Location, text: str, wanted: WantedRuns, *, fresh: bool = False, design: DesignRecord | None = None
) -> Iterator[SweepDirectory]:
    """Lock a directory for a sweep, and remove stale files. `text`: the sweep file to write. `design`: None for a grid.

    A directory with files of other origin, or with complete runs of another sweep, is refused and not changed.
    """
    with ExitStack() as stack:
        with clear_errors(directory):
            _refuse_foreign_files(directory)
            (directory / MANIFEST).mkdir(parents=True, exist_ok=True)
            stack.enter_context(exclusive_lock(directory))
            stack.enter_context(admit_workers(directory))
            if fresh:
                _empty(directory)
            cleanup = _checked_plan(directory, wanted)
            for name in (*TABLES, MANIFEST):
                (directory / name).mkdir(exist_ok=True)
            store = SweepDirectory(directory, cleanup.records, apply(directory, cleanup))
            if design is None:
                (directory / DESIGN).unlink(missing_ok=True)
            designs = {} if design is None else {DESIGN: design.content()}
            write_files(directory, {SWEEP: text.encode(), **designs})
        yield store


def preview_sweep(directory: Location, wanted: WantedRuns, *, fresh: bool) -> SweepDirectory:
    """Return the directory after the checks of `open_sweep`, without a lock and without changes."""
    with clear_errors(directory):
        _refuse_foreign_files(directory)
        check_writable(directory)
        return SweepDirectory(directory) if fresh else _view(directory, _checked_plan(directory, wanted))


def view_sweep(directory: Location, wanted: WantedRuns) -> SweepDirectory:
    """Return the directory with the wanted runs that are finished now, without checks and without changes."""
    return _view(directory, plan_cleanup(scan(directory), wanted))


def finish_times(directory: Location, runs: Container[str]) -> list[float]:
    """Return the times at which the manifests of runs with separate files were written, in seconds."""
    folder = directory / MANIFEST
    times = modification_times(folder) if folder.is_dir() else {}
    return [time for name, time in times.items() if name.removesuffix(".json") in runs]


def _view(directory: Location, cleanup: Cleanup) -> SweepDirectory:
    return SweepDirectory(directory, cleanup.records, [pack for pack, _ in cleanup.packs])


def _refuse_foreign_files(directory: Location) -> None:
    """Raise a UserError unless the directory is empty or the directory of a sweep."""
    is_sweep = (directory / MANIFEST).is_dir()
    if (directory / "runs").is_dir() and not is_sweep:
        raise UserError(f"{directory}: holds results of `mobilesim run`; {another_directory()}")
    ours = {*TABLES, MANIFEST, SUMMARY, *_FILES} if is_sweep else set()
    names = [path.name for path in visible_entries(directory)] if directory.exists() else []
    if foreign := next((name for name in names if name not in ours), None):
        raise UserError(f"{directory}: holds {foreign}, not a file of a sweep; {another_directory()}")


def _checked_plan(directory: Location, wanted: WantedRuns) -> Cleanup:
    cleanup = plan_cleanup(scan(directory), wanted)
    _refuse_foreign_runs(directory, cleanup.foreign)
    _refuse_other_tables(_view(directory, cleanup))
    return cleanup


def _refuse_foreign_runs(directory: Location, versions: Mapping[str, str]) -> None:
    if versions:
        others = sorted(set(versions.values()) - {__version__})
        origin = f"of mobilesim {others[0]}" if others else "that are not of this sweep"
        runs = counted(len(versions), "run")
        raise UserError(f"{directory}: holds {runs} {origin}; {_instead()}")


def _refuse_other_tables(store: SweepDirectory) -> None:
    """Raise a UserError if the tables of the first complete run have other columns (of a development version)."""
    if (first := next(filter(store.done, store.records), None)) is None:
        return
    for table, expected in TABLES.items():
        path = store.rows(first, table).path
        with suppress(pa.ArrowException):  # a damaged file is reported by its reader
            if wrong := difference(schema(path), expected):
                raise UserError(f"{path}: {wrong}; this version of mobilesim writes other tables; {_instead()}")


def _empty(directory: Location) -> None:
    for name in (*TABLES, MANIFEST, SUMMARY):
        remove_tree(directory / name)
    for name in _FILES:
        (directory / name).unlink(missing_ok=True)


def scan(directory: Location) -> Inventory:
    files = {name: frozenset(_names(directory / name)) for name in (*TABLES, MANIFEST)}
    found = read_manifests(directory) if (directory / MANIFEST).is_dir() else Manifests()
    records = [*found.records, *(record for pack in found.packs for record in pack.runs)]
    versions = {record.run: record.version for record in records if record.complete}
    for path in found.faulty:
        versions |= versions_in(path)
    return Inventory(files, found, versions)


def _names(folder: Location) -> Iterator[str]:
    return (path.name for path in folder.iterdir()) if folder.is_dir() else iter(())


def plan_cleanup(found: Inventory, wanted: WantedRuns) -> Cleanup:
    """Return a plan. If the label of a run has changed, the run is removed from its pack and repeated."""
    records = {
        record.run: record
        for record in found.manifests.records
        if wanted.get(record.run) == record.label and (not record.complete or _has_tables(found, record.run))
    }
    whole = [pack for pack in found.manifests.packs if _has_tables(found, pack.pack)]
    for pack in whole:
        records |= {record.run: record for record in pack.runs if wanted.get(record.run) == record.label}
    packs = tuple((pack, tuple(run for run in pack.runs if records.get(run.run) == run)) for pack in whole)
    return Cleanup(
        records,
        packs,
        _stale(found, records, [runs for _, runs in packs]),
        {run: version for run, version in found.versions.items() if run not in wanted},
    )


def _has_tables(found: Inventory, name: str) -> bool:
    return all(f"{name}.parquet" in found.files[table] for table in TABLES)


def _stale(
    found: Inventory, records: Mapping[str, RunRecord], packs: Sequence[tuple[RunRecord, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return tables without a manifest, manifests without tables, and the separate files of runs in packs."""
    packed = {record.run for runs in packs for record in runs}
    names = {pack_name([record.run for record in runs]) for runs in packs if runs}
    with_tables = names | {run for run, record in records.items() if record.complete and run not in packed}
    with_manifest = with_tables | {run for run, record in records.items() if not record.complete}

    def without(folder: str, suffix: str, kept: set[str]) -> tuple[str, ...]:
        stems = {name: PurePosixPath(name).stem for name in found.files[folder] if name.endswith(suffix)}
        return tuple(name for name, stem in stems.items() if _OURS.fullmatch(stem) and stem not in kept)

    stale = {table: without(table, ".parquet", with_tables) for table in TABLES}
    return stale | {MANIFEST: without(MANIFEST, "", with_manifest)}


def apply(directory: Location, cleanup: Cleanup) -> tuple[Pack, ...]:
    """Apply a plan; return the remaining packs."""
    packs = [pack if left == pack.runs else _repacked(directory, pack, left) for pack, left in cleanup.packs]
    remove_unfinished(directory)
    for folder, names in cleanup.stale.items():
        for name in names:
            (directory / folder / name).unlink(missing_ok=True)
    return tuple(pack for pack in packs if pack is not None)


def _repacked(directory: Location, old: Pack, left: Sequence[RunRecord]) -> Pack | None:
    path = directory / MANIFEST / f"{old.pack}.json"
    new = build_pack(directory, left, partial(old.rows, directory)) if left else None
    if left and new is None:
        raise UserError(f"{path}: the tables of this pack are damaged; delete the file and start the sweep again")
    path.unlink()
    return new


def _instead() -> str:
    keep, remove = parameter("out", "DIR"), parameter("fresh", given=True)
    return f"write {keep} to keep them, or {remove} to remove all files of the directory"
