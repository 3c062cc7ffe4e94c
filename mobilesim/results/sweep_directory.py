"""A sweep's results directory: the tables of its runs, and for each run that is over a word of how it went."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import chain, product
from typing import Final

import pyarrow as pa

from mobilesim.errors import UserError
from mobilesim.results.compaction import PackJob, build_pack
from mobilesim.results.layout import MANIFEST, PARETO, REPORT, SUMMARY, SWEEP
from mobilesim.results.location import (
    Location,
    address,
    check_writable,
    file_sizes,
    remove_tree,
    remove_unfinished,
    visible_entries,
)
from mobilesim.results.locks import admit_workers, exclusive_lock
from mobilesim.results.manifest import PACK, Label, Pack, RunRecord, read_pack, read_record, read_versions
from mobilesim.results.run_directory import unwritable, write_files
from mobilesim.results.run_table import Rows, difference, schema
from mobilesim.results.schema import TABLES
from mobilesim.results.version import __version__

WantedRuns = Mapping[str, Label]
"""The point of each run that there may be in the end."""

_OURS: Final = re.compile(r"\..*|[0-9a-f]{16}|pack-[0-9a-f]+")
"""How runs and packs are called, and what is not finished."""
_INSTEAD: Final = "write --out DIR to leave them there, or --fresh to remove all that is there"

# Of fewer runs than these nobody minds the files.
FEWEST_TO_PACK: Final = 50
RUNS_PER_PACK: Final = 256
LARGE_RUN: Final = 16 << 20
PACK_SIZE: Final = 64 << 20


def remove_tables(directory: Location, run: str) -> None:
    for table in TABLES:
        (directory / table / f"{run}.parquet").unlink(missing_ok=True)
    remove_unfinished(directory, f"{run}-")


def count_rows(directory: Location, run: str) -> dict[str, int]:
    """How many each table has."""
    return {table: len(Rows(directory / table / f"{run}.parquet")) for table in TABLES}


class SweepDirectory:
    """Who has it open, has it alone. `records`: of runs that are over, complete ones only if their tables are there.

    `others`: the versions of complete runs that nobody wants, whatever there is of them.
    """

    def __init__(self, directory: Location) -> None:
        self.directory = directory
        self.records: dict[str, RunRecord] = {}
        self.packs: dict[str, Pack] = {}
        self.others: dict[str, str] = {}
        self._pack_of: dict[str, Pack] = {}

    def add(self, record: RunRecord) -> None:
        self.records[record.run] = record

    def add_pack(self, pack: Pack) -> None:
        self.packs[pack.pack] = pack
        for record in pack.runs:
            self._pack_of[record.run] = pack

    def done(self, run: str) -> bool:
        return run in self.records and self.records[run].complete

    def single(self, run: str) -> bool:
        """Whether its tables are files of their own."""
        return self.done(run) and run not in self._pack_of

    def rows(self, run: str, table: str) -> Rows:
        if run in self._pack_of:
            return self._pack_of[run].rows(self.directory, run, table)
        return Rows(self.directory / table / f"{run}.parquet")


@contextmanager
def open_sweep(directory: Location, text: str, wanted: WantedRuns, *, fresh: bool = False) -> Iterator[SweepDirectory]:
    """Ready for these runs, without what others left unfinished. Runs that are not wanted are not ours to remove."""
    with ExitStack() as stack:
        with _refusing(directory):
            store = _prepared(directory, text, wanted, stack, fresh=fresh)
        yield store


def preview_sweep(directory: Location, wanted: WantedRuns, *, fresh: bool) -> SweepDirectory:
    """What `open_sweep` would begin with, or why it would not; nothing is changed. It does not mind who has it open."""
    with _refusing(directory):
        _refuse_foreign(directory)
        check_writable(directory)
        return SweepDirectory(directory) if fresh else _ours(directory, wanted)


@contextmanager
def _refusing(directory: Location) -> Iterator[None]:
    try:
        yield
    except NotADirectoryError:
        raise UserError(f"{directory}: not a directory; name another one with --out") from None
    except OSError as error:
        raise unwritable(directory, error) from None


def _prepared(directory: Location, text: str, wanted: WantedRuns, stack: ExitStack, *, fresh: bool) -> SweepDirectory:
    _refuse_foreign(directory)
    (directory / MANIFEST).mkdir(parents=True, exist_ok=True)
    stack.enter_context(exclusive_lock(directory))
    stack.enter_context(admit_workers(directory))
    if fresh:
        _empty(directory)
    store = _ours(directory, wanted)
    store.records = {run: record for run, record in store.records.items() if run in wanted}
    for table in (*TABLES, MANIFEST):
        (directory / table).mkdir(exist_ok=True)
    store = _without_packs_of_others(store)
    _tidy(store)
    write_files(directory, {SWEEP: text.encode()})
    return store


def _ours(directory: Location, wanted: WantedRuns) -> SweepDirectory:
    store = scan(directory, wanted)
    _refuse_others(store)
    _refuse_unlike(store)
    return store


def scan(directory: Location, wanted: WantedRuns) -> SweepDirectory:
    """What there is, with nothing changed. A run that was at another point in another sweep is done again."""
    store = SweepDirectory(directory)
    if not (directory / MANIFEST).is_dir():
        return store
    there = [_stems(directory / table) for table in TABLES]
    single, packs, versions = _told(directory / MANIFEST)
    store.others = {run: version for run, version in versions.items() if run not in wanted}
    for record in single:
        if not record.complete or all(record.run in names for names in there):
            _count(store, record, wanted)
    for pack in packs:
        if all(pack.pack in names for names in there):
            store.add_pack(pack)
            for record in pack.runs:
                _count(store, record, wanted)
    return store


def _count(store: SweepDirectory, record: RunRecord, wanted: WantedRuns) -> None:
    if record.run not in wanted or record.label == wanted[record.run]:
        store.add(record)


def _told(folder: Location) -> tuple[list[RunRecord], list[Pack], dict[str, str]]:
    """With the version of each run that somebody calls complete."""
    paths = [path for path in visible_entries(folder) if path.suffix == ".json"]
    found = [(read_pack if path.name.startswith(PACK) else read_record)(path) for path in paths]
    single = [each for each in found if isinstance(each, RunRecord)]
    packs = [each for each in found if isinstance(each, Pack)]
    records = chain(single, *(pack.runs for pack in packs))
    versions = {record.run: record.version for record in records if record.complete}
    for path, each in zip(paths, found, strict=True):
        versions |= read_versions(path) if each is None else {}
    return single, packs, versions


def _stems(folder: Location) -> set[str]:
    found = file_sizes(folder) if folder.is_dir() else {}
    return {name.removesuffix(".parquet") for name in found if name.endswith(".parquet")}


def plan_packs(store: SweepDirectory, order: Iterable[str]) -> list[PackJob]:
    """What there is to pack, of the runs in this order: those that have few rows, if there are many of them."""
    single = [run for run in order if store.single(run)]
    if len(single) < FEWEST_TO_PACK:
        return []
    lengths = _lengths(store.directory)
    small = [run for run in single if lengths[run] < LARGE_RUN]
    return [PackJob(address(store.directory), runs) for runs in _batches(small, lengths) if len(runs) > 1]


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


def _without_packs_of_others(store: SweepDirectory) -> SweepDirectory:
    """Runs that are to be done again leave their packs, and the rest of these is packed anew."""
    kept = SweepDirectory(store.directory)
    kept.records = store.records
    for old in store.packs.values():
        left = [record for record in old.runs if store.records.get(record.run) == record]
        new = old if len(left) == len(old.runs) else _repacked(store.directory, old, left)
        if new is not None:
            kept.add_pack(new)
    return kept


def _repacked(directory: Location, old: Pack, left: Sequence[RunRecord]) -> Pack | None:
    path = directory / MANIFEST / f"{old.pack}.json"
    new = build_pack(directory, left, partial(old.rows, directory)) if left else None
    if left and new is None:
        raise UserError(f"{path}: the tables of this pack are damaged; delete it and start the sweep again")
    path.unlink()
    return new


def _foreign(directory: Location) -> Iterator[str]:
    """Ours is a directory with a manifest, or an empty one."""
    if not directory.exists():
        return
    ours = {*TABLES, MANIFEST, SWEEP, SUMMARY, REPORT, PARETO} if (directory / MANIFEST).is_dir() else set()
    yield from (path.name for path in visible_entries(directory) if path.name not in ours)


def _refuse_foreign(directory: Location) -> None:
    if (directory / "runs").is_dir() and not (directory / MANIFEST).is_dir():
        raise UserError(f"{directory}: holds results of `mobilesim run`; name another directory with --out")
    foreign = next(_foreign(directory), None)
    if foreign is not None:
        raise UserError(f"{directory}: holds {foreign}, which is no sweep's; name another directory with --out")


def _refuse_others(store: SweepDirectory) -> None:
    if store.others:
        versions = sorted(set(store.others.values()) - {__version__})
        of = f"of mobilesim {versions[0]}" if versions else "that are not of this sweep"
        many = f"{len(store.others):,} run{'' if len(store.others) == 1 else 's'}"
        raise UserError(f"{store.directory}: holds {many} {of}; {_INSTEAD}")


def _refuse_unlike(store: SweepDirectory) -> None:
    """A version that is not released yet may get other tables. What was there first tells."""
    first = [record.run for record in store.records.values() if record.complete][:1]
    for run, table in product(first, TABLES):
        path = store.rows(run, table).path
        with suppress(pa.ArrowException):  # damaged, which whoever reads it tells
            if wrong := difference(schema(path), TABLES[table]):
                raise UserError(f"{path}: {wrong}; this mobilesim writes other tables; {_INSTEAD}")


def _tidy(store: SweepDirectory) -> None:
    """Tables without a word of how their run went are left-overs, and so are those of a run that is in a pack. What is
    not named like any of ours is somebody else's.
    """
    remove_unfinished(store.directory)
    for table in TABLES:
        for path in (store.directory / table).iterdir():
            kept = path.stem in store.packs or store.single(path.stem)
            if path.suffix == ".parquet" and _OURS.fullmatch(path.stem) and not kept:
                path.unlink()
    told = {run for run, record in store.records.items() if store.single(run) or not record.complete}
    for path in (store.directory / MANIFEST).iterdir():
        if _OURS.fullmatch(path.stem) and path.stem not in store.packs and path.stem not in told:
            path.unlink()


def _empty(directory: Location) -> None:
    for name in (*TABLES, MANIFEST, SUMMARY):
        remove_tree(directory / name)
    for name in (SWEEP, REPORT, PARETO):
        (directory / name).unlink(missing_ok=True)
