"""Scan a sweep's directory, plan which files to remove before a sweep runs there, and apply the plan.

Only `apply` changes files.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location, remove_unfinished
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps.compaction import build_pack, pack_name
from mobilesim.results.sweeps.manifest import Label, Manifests, Pack, RunRecord, read_manifests, versions_in

WantedRuns = Mapping[str, Label]
"""The runs that a sweep may need, each with the label of its point."""

_OURS: Final = re.compile(r"\..*|[0-9a-f]{16}|pack-[0-9a-f]+")
"""The names of runs and packs without suffix, and of unfinished files. Other files are kept."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """The content of a sweep's directory. `files`: the names in the directories of tables and manifests."""

    files: Mapping[str, frozenset[str]]
    manifests: Manifests
    versions: Mapping[str, str]
    """The version of mobilesim of every complete run with a manifest."""


@dataclass(frozen=True, slots=True)
class Cleanup:
    """`records`: the wanted runs that count. `packs`: packs with their runs that stay.

    `stale`: files to remove, by directory. `foreign`: the versions of complete runs that are not wanted.
    """

    records: Mapping[str, RunRecord]
    packs: tuple[tuple[Pack, tuple[RunRecord, ...]], ...]
    stale: Mapping[str, tuple[str, ...]]
    foreign: Mapping[str, str]


def scan(directory: Location) -> Inventory:
    if not (directory / MANIFEST).is_dir():
        return Inventory({}, Manifests(), {})
    files = {name: frozenset(_names(directory / name)) for name in (*TABLES, MANIFEST)}
    found = read_manifests(directory)
    records = [*found.records, *(record for pack in found.packs for record in pack.runs)]
    versions = {record.run: record.version for record in records if record.complete}
    for path in found.faulty:
        versions |= versions_in(path)
    return Inventory(files, found, versions)


def _names(folder: Location) -> Iterator[str]:
    return (path.name for path in folder.iterdir()) if folder.is_dir() else iter(())


def plan_cleanup(found: Inventory, wanted: WantedRuns) -> Cleanup:
    """Decide which runs count. A run whose label has changed is repeated, and leaves its pack."""
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
    """Return tables without a manifest, manifests without tables, and the files of runs that are in a pack."""
    packed = {record.run for runs in packs for record in runs}
    names = {pack_name([record.run for record in runs]) for runs in packs if runs}
    with_tables = names | {run for run, record in records.items() if record.complete and run not in packed}
    with_manifest = with_tables | {run for run, record in records.items() if not record.complete}

    def without(folder: str, suffix: str, kept: set[str]) -> tuple[str, ...]:
        stems = {name: PurePosixPath(name).stem for name in found.files[folder] if name.endswith(suffix)}
        return tuple(name for name, stem in stems.items() if _OURS.fullmatch(stem) and stem not in kept)

    if not found.files:
        return {}
    stale = {table: without(table, ".parquet", with_tables) for table in TABLES}
    return stale | {MANIFEST: without(MANIFEST, "", with_manifest)}


def apply(directory: Location, cleanup: Cleanup) -> tuple[Pack, ...]:
    """Carry out a plan; return the remaining packs."""
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
        raise UserError(f"{path}: the tables of this pack are damaged; delete it and start the sweep again")
    path.unlink()
    return new
