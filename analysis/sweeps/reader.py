"""Read the directory of a sweep. Only runs with a manifest count; other files are ignored.

The Spark driver reads the manifests and the row of each run in `runs`. The other files, which may be very many, are
checked by the Spark tasks that read them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from mobilesim.analysis.summary.reduction import Reduction, current
from mobilesim.analysis.summary.results_reader import (
    Packed,
    Results,
    Run,
    as_results,
    check_footer,
    check_groups,
    read_run_rows,
    require_one_scenario,
    rows_of,
)
from mobilesim.analysis.summary.run_metrics import Observation, observe
from mobilesim.analysis.sweeps.axes import Settings, in_order
from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location, file_sizes, location
from mobilesim.results.run_table import Rows, unchanged_files
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus, RunVerdict
from mobilesim.results.sweeps.design_record import DesignRecord, read_design
from mobilesim.results.sweeps.manifest import ManifestError, Pack, RunRecord, load_manifest, read_manifests


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that failed, or whose protocol broke one of its claims. `kind`: its status or its verdict."""

    kind: str
    run: str
    point: Settings
    protocol: str
    replication: int
    seed: int
    error: str


@dataclass(frozen=True, slots=True)
class SweepRuns:
    """The complete runs by point, in the order of the sweep's axes."""

    directory: Location
    keys: tuple[str, ...]
    points: Mapping[Settings, Results]
    failures: tuple[Failure, ...]
    design: DesignRecord | None

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(run for results in self.points.values() for run in results.runs)


def is_sweep(directory: Location) -> bool:
    return (directory / MANIFEST).is_dir()


def read_sweep(directory: Location, *, from_tables: bool = False) -> SweepRuns:
    """Return the complete runs; raise for the first fault of the directory. `from_tables`: do not use the numbers in
    manifests.
    """
    if not directory.is_dir():
        raise UserError(f"{directory}: {'not a directory' if directory.exists() else 'no such directory'}")
    if not is_sweep(directory):
        raise UserError(f"{directory}: not the directory of a sweep: it has no '{MANIFEST}'")
    records, packed = _records(directory)
    complete = [record for record in records if record.complete]
    failures = [_failure(RunStatus.FAILED, record) for record in records if not record.complete]
    if not complete:
        failed = f"; {len(failures)} failed; first error: {failures[0].error}" if failures else ""
        raise UserError(f"{directory}: no run of this sweep is complete{failed}")
    found = {} if from_tables else {record.run: current(record.reduction) for record in complete}
    reductions = {run: reduction for run, reduction in found.items() if reduction is not None}
    _require_files(directory, complete, packed)
    # This check reports tables of another version before Spark starts.
    _check_tables(directory, complete[0].run, packed.get(complete[0].run))
    rows = list(_rows(directory, complete, packed, reductions))
    _require_one_kind(directory, rows)
    judged = zip(complete, rows, strict=True)
    failures += [_failure(RunVerdict.FAULT, each) for each, row in judged if row["verdict"] == RunVerdict.FAULT]
    failures.sort(key=attrgetter("kind", "point", "protocol", "replication"))
    keys = _keys(directory, records)
    points: dict[Settings, list[dict[str, Any]]] = {}
    for record, row in zip(complete, rows, strict=True):
        points.setdefault(_settings(record.point), []).append(row)
    for several in points.values():
        require_one_scenario(directory, several)
    counts = {record.run: {**record.rows} for record in complete}
    by_point = {
        point: as_results(directory, points[point], packed, counts, reductions)
        for point in in_order(list(points), keys)
    }
    return SweepRuns(directory, keys, by_point, tuple(failures), read_design(directory))


def observe_checked(run: Run) -> list[Observation]:
    """Check the files of a run, then compute its observations, in a Spark task. Numbers of the manifest are used."""
    with unchanged_files():
        if run.reduction is None:
            _check_tables(location(run.directory), run.run_id, run.packed)
        return observe(run)


def _check_tables(directory: Location, run: str, packed: Packed | None) -> None:
    for table in TABLES:
        _check(rows_of(directory, table, run, packed), table)


def _check(where: Rows, table: str) -> None:
    check_footer(where.path, TABLES[table])
    check_groups(where)


def find_record(run: Run) -> RunRecord | None:
    """Return the record of a run in the sweep's manifests, or None if the run belongs to no sweep."""
    path = location(run.directory) / MANIFEST / f"{run.run_id if run.packed is None else run.packed.name}.json"
    if not path.is_file():
        return None
    try:
        found = load_manifest(path)
    except ManifestError as error:
        raise UserError(f"{path}: {error}") from None
    runs = found.runs if isinstance(found, Pack) else [found]
    return next(record for record in runs if record.run == run.run_id)


def _records(directory: Location) -> tuple[list[RunRecord], dict[str, Packed]]:
    """Return the records of all runs, and by run the shared files of packed runs. Their separate files are ignored."""
    found = read_manifests(directory)
    packed = {
        record.run: Packed(pack.pack, span)
        for pack in found.packs
        for record, span in zip(pack.runs, zip(*map(pack.spans, TABLES), strict=True), strict=True)
    }
    for path, error in found.faulty.items():
        if path.stem not in packed:
            raise UserError(f"{path}: {error}")
    single = [record for record in found.records if record.run not in packed]
    return single + [record for pack in found.packs for record in pack.runs], packed


def _settings(point: Mapping[str, object]) -> Settings:
    return tuple(value if isinstance(value, str) else json.dumps(value) for value in point.values())


def _failure(kind: str, record: RunRecord) -> Failure:
    error = " ".join((record.error or "").split())
    return Failure(kind, record.run, _settings(record.point), record.protocol, record.replication, record.seed, error)


def _require_files(directory: Location, records: Sequence[RunRecord], packed: Mapping[str, Packed]) -> None:
    """Raise a UserError if a table of a run is missing."""
    for table in TABLES:
        folder = directory / table
        names = set(file_sizes(folder)) if folder.is_dir() else set()
        for record in records:
            path = rows_of(directory, table, record.run, packed.get(record.run)).path
            if path.name not in names:
                raise UserError(f"{path}: missing, but {MANIFEST}/{path.stem}.json says that the run is complete")


def _rows(
    directory: Location,
    records: Sequence[RunRecord],
    packed: Mapping[str, Packed],
    reductions: Mapping[str, Reduction],
) -> Iterator[dict[str, Any]]:
    """Yield the row of each run in the table `runs`. Runs that share a file are adjacent in `records`."""
    rows = {record.run: rows_of(directory, "runs", record.run, packed.get(record.run)) for record in records}
    for path, together in groupby(records, lambda record: rows[record.run].path):
        several = list(together)
        if all(record.run in reductions for record in several):
            for record in several:
                row = reductions[record.run].row
                _require_same(path, record, row)
                yield row
            continue
        for record in several:
            _check(rows[record.run], "runs")
        for record, row in zip(several, read_run_rows({each.run: rows[each.run] for each in several}), strict=True):
            _require_same(path, record, row)
            yield row


def _require_same(path: Location, record: RunRecord, row: Mapping[str, Any]) -> None:
    manifest = f"{MANIFEST}/{record.run}.json"
    for key in ("protocol", "replication", "seed"):
        if row[key] != getattr(record, key):
            raise UserError(f"{path}: {key} is {row[key]}, but {getattr(record, key)} in {manifest}")
    if _read_point(row["point"]) != record.point:
        expected = json.dumps(record.point, ensure_ascii=False)
        raise UserError(f"{path}: point is {row['point']}, but {expected} in {manifest}")


def _read_point(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _require_one_kind(directory: Location, rows: Sequence[Mapping[str, Any]]) -> None:
    for key, what in (("scenario", "scenarios"), ("version", "versions of mobilesim")):
        found = sorted({row[key] for row in rows})
        if len(found) > 1:
            both = " and ".join(found[:2])
            raise UserError(f"{directory}: runs of different {what} ({both}); use a separate directory for each")


def _keys(directory: Location, records: Sequence[RunRecord]) -> tuple[str, ...]:
    first = tuple(records[0].point)
    for record in records:
        if tuple(record.point) != first:
            differ = f"{', '.join(record.point)} in run '{record.run}', {', '.join(first)} in '{records[0].run}'"
            raise UserError(f"{directory}: runs of different sweeps (they vary {differ}); keep one sweep")
    return first
