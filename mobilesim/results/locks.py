"""Who is at work in a sweep's directory: one command, which is alone there, and its workers, who may outlive it.

Not every file system can lock, and none but our own does; where one cannot, nobody is kept out or waited for.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final, TextIO

from mobilesim.errors import UserError
from mobilesim.results.location import Location, remove_unfinished

_ALONE: Final = ".lock"
_WORKERS: Final = ".workers"
_PATIENCE: Final = 10.0
"""Spark ends its workers within some seconds of itself."""
_MOMENT: Final = 0.01


@contextmanager
def exclusive_lock(directory: Location) -> Iterator[None]:
    if not isinstance(directory, Path):
        yield
        return
    path = directory / _ALONE
    with path.open("w") as door:
        if not _locked(door, fcntl.LOCK_EX) or not _leads_to(door, path):
            raise UserError(f"{directory}: another command is at work in there; wait for it, or write --out DIR")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def admit_workers(directory: Location) -> Iterator[None]:
    """Of workers. Those that somebody else has left are waited for, and so are one's own in the end: then nobody is
    there any more who writes, and what they have left unfinished goes.
    """
    if isinstance(directory, Path):
        _outlast(directory)
        (directory / _WORKERS).touch()
    try:
        yield
    finally:
        if isinstance(directory, Path):
            _outlast(directory)
        remove_unfinished(directory)


@contextmanager
def worker_lock(directory: Location) -> Iterator[None]:
    """A worker's. It ends with its process, whatever ends that."""
    if not isinstance(directory, Path):
        yield
        return
    path = directory / _WORKERS
    try:
        door = path.open()
    except FileNotFoundError:
        raise _over(directory) from None
    except OSError:  # of a file system that others have, too
        yield
        return
    with door:
        if not _locked(door, fcntl.LOCK_SH) or not _leads_to(door, path):
            raise _over(directory)
        yield


def _over(directory: Path) -> UserError:
    return UserError(f"{directory}: the sweep that this was for is over")


def _outlast(directory: Path) -> None:
    """Nobody begins any more where there is no door, and whoever is there will leave."""
    path = directory / _WORKERS
    with suppress(FileNotFoundError), path.open("r+") as door:
        path.unlink()
        since = monotonic()
        while not _locked(door, fcntl.LOCK_EX) and monotonic() - since < _PATIENCE:
            sleep(_MOMENT)


def _locked(door: TextIO, how: int) -> bool:
    try:
        fcntl.flock(door, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _leads_to(door: TextIO, path: Path) -> bool:
    """Whoever had it before has removed it when they left: another one may have made and locked it anew."""
    try:
        return os.path.samestat(os.fstat(door.fileno()), path.stat())
    except FileNotFoundError:
        return False
