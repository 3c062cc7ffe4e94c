"""The results directory of a sweep: the tables of its runs, and the records of finished runs."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

import pyarrow as pa

from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST, PARETO, REPORT, SUMMARY, SWEEP
from mobilesim.results.location import Location, check_writable, remove_tree, visible_entries
from mobilesim.results.run_directory import clear_errors, write_files
from mobilesim.results.run_table import Rows, difference, schema
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps.compaction import PackJob, plan_packs
from mobilesim.results.sweeps.locks import admit_workers, exclusive_lock
from mobilesim.results.sweeps.manifest import Pack, RunRecord
from mobilesim.results.sweeps.sweep_cleanup import Cleanup, WantedRuns, apply, plan_cleanup, scan
from mobilesim.results.version import __version__

_FILES = (SWEEP, REPORT, PARETO)
_INSTEAD = "write --out DIR to leave them there, or --fresh to remove all that is there"


class SweepDirectory:
    """`records`: the records of finished runs; a complete run counts only if its tables exist."""

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
def open_sweep(directory: Location, text: str, wanted: WantedRuns, *, fresh: bool = False) -> Iterator[SweepDirectory]:
    """Lock a directory for a sweep, and remove files that do not count. `text`: the text of the sweep file to keep.

    Directories with files of other origin, and complete runs that are not wanted, are refused and left as they are.
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
            write_files(directory, {SWEEP: text.encode()})
        yield store


def preview_sweep(directory: Location, wanted: WantedRuns, *, fresh: bool) -> SweepDirectory:
    """Return the directory as `open_sweep` would, with the same checks, but without changes or locks."""
    with clear_errors(directory):
        _refuse_foreign_files(directory)
        check_writable(directory)
        return SweepDirectory(directory) if fresh else _view(directory, _checked_plan(directory, wanted))


def view_sweep(directory: Location, wanted: WantedRuns) -> SweepDirectory:
    """Return the directory with the wanted runs that count now, without checks or changes."""
    return _view(directory, plan_cleanup(scan(directory), wanted))


def _view(directory: Location, cleanup: Cleanup) -> SweepDirectory:
    return SweepDirectory(directory, cleanup.records, [pack for pack, _ in cleanup.packs])


def _refuse_foreign_files(directory: Location) -> None:
    """Accept a directory with manifests, and an empty one."""
    is_sweep = (directory / MANIFEST).is_dir()
    if (directory / "runs").is_dir() and not is_sweep:
        raise UserError(f"{directory}: holds results of `mobilesim run`; name another directory with --out")
    ours = {*TABLES, MANIFEST, SUMMARY, *_FILES} if is_sweep else set()
    names = [path.name for path in visible_entries(directory)] if directory.exists() else []
    if foreign := next((name for name in names if name not in ours), None):
        raise UserError(f"{directory}: holds {foreign}, which is no sweep's; name another directory with --out")


def _checked_plan(directory: Location, wanted: WantedRuns) -> Cleanup:
    cleanup = plan_cleanup(scan(directory), wanted)
    _refuse_foreign_runs(directory, cleanup.foreign)
    _refuse_other_tables(_view(directory, cleanup))
    return cleanup


def _refuse_foreign_runs(directory: Location, versions: Mapping[str, str]) -> None:
    if versions:
        others = sorted(set(versions.values()) - {__version__})
        origin = f"of mobilesim {others[0]}" if others else "that are not of this sweep"
        runs = f"{len(versions):,} run{'' if len(versions) == 1 else 's'}"
        raise UserError(f"{directory}: holds {runs} {origin}; {_INSTEAD}")


def _refuse_other_tables(store: SweepDirectory) -> None:
    """Compare the tables of the first complete run: a version that is not released yet may change columns."""
    if (first := next(filter(store.done, store.records), None)) is None:
        return
    for table, expected in TABLES.items():
        path = store.rows(first, table).path
        with suppress(pa.ArrowException):  # a damaged file is reported by its reader
            if wrong := difference(schema(path), expected):
                raise UserError(f"{path}: {wrong}; this mobilesim writes other tables; {_INSTEAD}")


def _empty(directory: Location) -> None:
    for name in (*TABLES, MANIFEST, SUMMARY):
        remove_tree(directory / name)
    for name in _FILES:
        (directory / name).unlink(missing_ok=True)
