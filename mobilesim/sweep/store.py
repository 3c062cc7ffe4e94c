"""A sweep's results directory: the tables of its runs, and for each run that is over a word of how it went."""

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow.compute as pc
import pyarrow.parquet as pq

from mobilesim import __version__
from mobilesim.errors import UserError
from mobilesim.results import put, unwritable
from mobilesim.tables import REPORT, SUMMARY, TABLES

FILE: Final = "sweep.yaml"
MANIFEST: Final = "manifest"
COMPLETE: Final = "complete"
FAILED: Final = "failed"

Label = tuple[tuple[str, str], ...]
Wanted = Mapping[str, Label]
"""The point of each run that there may be in the end."""

_LOCK: Final = ".lock"


@dataclass(frozen=True, slots=True)
class Record:
    """How a run went. One that failed has no tables; a protocol that broke what it claims has a verdict, and has not
    failed. `error`: why a run failed, or what a machine of its protocol raised.
    """

    run: str
    point: Mapping[str, str]
    protocol: str
    replication: int
    seed: int
    status: str
    verdict: str | None
    error: str | None
    seconds: float
    rows: Mapping[str, int]
    version: str = __version__

    @property
    def complete(self) -> bool:
        return self.status == COMPLETE

    @property
    def label(self) -> Label:
        return tuple(self.point.items())


def write_record(directory: Path, record: Record) -> None:
    """The last thing that is written of a run: whole, or not at all."""
    text = json.dumps(asdict(record), ensure_ascii=False)
    put(directory / MANIFEST, {f"{record.run}.json": text.encode()})


def read_record(path: Path) -> Record | None:
    """None for a file that was damaged, or is none of ours: that run is done again."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        record = Record(**found)
    except (OSError, ValueError, TypeError):
        return None
    return record if record.run == path.stem else None


def remove_tables(directory: Path, run: str) -> None:
    for table in TABLES:
        (directory / table / f"{run}.parquet").unlink(missing_ok=True)
    for aside in directory.glob(f".{run}-*.part"):
        shutil.rmtree(aside, ignore_errors=True)


def rows(directory: Path, run: str) -> dict[str, int]:
    """How many each table has."""
    return {table: pq.read_metadata(directory / table / f"{run}.parquet").num_rows for table in TABLES}


class Store:
    """Who has it open, has it alone. `records`: of runs that are over, complete ones only if their tables are there."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.records: dict[str, Record] = {}
        self._means: dict[tuple[str, str], float | None] = {}

    def add(self, record: Record) -> None:
        self.records[record.run] = record

    def done(self, run: str) -> bool:
        return run in self.records and self.records[run].complete

    def mean(self, run: str, metric: str) -> float | None:
        """Over the run's deliveries, if it had any."""
        if (run, metric) not in self._means:
            path = self.directory / "deliveries" / f"{run}.parquet"
            self._means[run, metric] = pc.mean(pq.ParquetFile(path).read([metric])[metric]).as_py()
        return self._means[run, metric]


@contextmanager
def opened(directory: Path, settled: str, wanted: Wanted, *, fresh: bool) -> Iterator[Store]:
    """Ready for these runs, without what others left unfinished. Runs that are not wanted are not ours to remove."""
    with ExitStack() as stack:
        try:
            store = _prepared(directory, settled, wanted, stack, fresh=fresh)
        except NotADirectoryError:
            raise UserError(f"{directory}: not a directory; name another one with --out") from None
        except OSError as error:
            raise unwritable(directory, error) from None
        yield store


def _prepared(directory: Path, settled: str, wanted: Wanted, stack: ExitStack, *, fresh: bool) -> Store:
    foreign = next(_foreign(directory), None)
    if foreign is not None:
        raise UserError(f"{directory}: holds {foreign}, which is no sweep's; name another directory with --out")
    (directory / MANIFEST).mkdir(parents=True, exist_ok=True)
    stack.enter_context(_locked(directory))
    if fresh:
        _empty(directory)
    store = peek(directory, wanted)
    _refuse_others(store, wanted)
    store.records = {run: record for run, record in store.records.items() if run in wanted}
    for table in (*TABLES, MANIFEST):
        (directory / table).mkdir(exist_ok=True)
    _tidy(store)
    put(directory, {FILE: settled.encode()})
    stack.callback(_remove_unfinished, directory)
    return store


def peek(directory: Path, wanted: Wanted) -> Store:
    """What there is, with nothing changed. A run that was at another point in another sweep is done again."""
    store = Store(directory)
    if (directory / MANIFEST).is_dir():
        there = {table: _stems(directory / table) for table in TABLES}
        for path in sorted((directory / MANIFEST).glob("*.json")):
            record = read_record(path)
            if record is None or (record.complete and any(record.run not in names for names in there.values())):
                continue
            if record.run not in wanted or record.label == wanted[record.run]:
                store.add(record)
    return store


def _stems(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.parquet")} if folder.is_dir() else set()


def _foreign(directory: Path) -> Iterator[str]:
    """Ours is a directory with a manifest, or an empty one."""
    if not directory.exists():
        return
    ours = {*TABLES, MANIFEST, FILE, SUMMARY, REPORT} if (directory / MANIFEST).is_dir() else set()
    for path in sorted(directory.iterdir()):
        if path.name not in ours and not path.name.startswith("."):
            yield path.name


def _refuse_others(store: Store, wanted: Wanted) -> None:
    others = [record for run, record in store.records.items() if run not in wanted and record.complete]
    if others:
        versions = sorted({record.version for record in others} - {__version__})
        of = f"of mobilesim {versions[0]}" if versions else "that are not of this sweep"
        said = "write --out DIR to leave them there, or --fresh to remove all that is there"
        raise UserError(f"{store.directory}: holds {len(others)} runs {of}; {said}")


def _tidy(store: Store) -> None:
    """Tables without a word of how their run went are left-overs."""
    _remove_unfinished(store.directory)
    for table in TABLES:
        for path in (store.directory / table).glob("*.parquet"):
            if not store.done(path.stem):
                path.unlink()
    for path in (store.directory / MANIFEST).iterdir():
        if path.stem not in store.records:
            path.unlink()


def _remove_unfinished(directory: Path) -> None:
    for path in directory.glob(".*.part"):
        shutil.rmtree(path, ignore_errors=True)
        if path.is_file():
            path.unlink()


def _empty(directory: Path) -> None:
    for name in (*TABLES, MANIFEST, SUMMARY):
        shutil.rmtree(directory / name, ignore_errors=True)
    for name in (FILE, REPORT):
        (directory / name).unlink(missing_ok=True)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Not every file system can lock; where one cannot, nobody is kept out."""
    with (directory / _LOCK).open("w") as lock:
        _try(lambda: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB), directory)
        try:
            yield
        finally:
            (directory / _LOCK).unlink(missing_ok=True)


def _try(lock: Callable[[], None], directory: Path) -> None:
    try:
        lock()
    except BlockingIOError:
        raise UserError(f"{directory}: another sweep is at work in there; wait for it, or write --out DIR") from None
    except OSError:
        return
