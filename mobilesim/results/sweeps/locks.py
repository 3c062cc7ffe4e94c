"""Locks of a sweep's directory: an exclusive lock for the command, and a shared lock for its worker processes.

A worker may run longer than the command. Only local file systems support locks. On remote file systems, every lock is
granted at once.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final, TextIO

from mobilesim.errors import UserError, parameter
from mobilesim.results.location import Location, remove_unfinished

_WORKERS: Final = ".workers"
_WAIT_SECONDS: Final = 10.0
"""The longest wait for workers. The workers of Spark end within some seconds after Spark."""


@contextmanager
def exclusive_lock(directory: Location) -> Iterator[None]:
    """Lock the directory; raise a UserError if another command has locked it."""
    if not isinstance(directory, Path):
        yield
        return
    path = directory / ".lock"
    with path.open("w") as file:
        if not _locked(file, fcntl.LOCK_EX) or not _is_current(file, path):
            raise UserError(
                f"{directory}: another command writes here; wait for its end, or write {parameter('out', 'DIR')}"
            )
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def admit_workers(directory: Location) -> Iterator[None]:
    """Allow workers to lock the directory.

    Wait first for the workers of an earlier command. At the end, wait for all workers, and remove unfinished files.
    """
    if isinstance(directory, Path):
        _wait_for_workers(directory)
        (directory / _WORKERS).touch()
    try:
        yield
    finally:
        if isinstance(directory, Path):
            _wait_for_workers(directory)
        remove_unfinished(directory)


@contextmanager
def worker_lock(directory: Location) -> Iterator[None]:
    """Lock the directory for a worker. The lock ends with the process of the worker, even if the process crashes."""
    if not isinstance(directory, Path):
        yield
        return
    path = directory / _WORKERS
    is_over = UserError(f"{directory}: the sweep of this worker has ended")
    try:
        file = path.open()
    except FileNotFoundError:
        raise is_over from None
    except OSError:  # this file system does not support locks
        yield
        return
    with file:
        if not _locked(file, fcntl.LOCK_SH) or not _is_current(file, path):
            raise is_over
        yield


def _wait_for_workers(directory: Path) -> None:
    """Remove the file that workers lock, so that no new worker starts, and wait until all workers have released it."""
    path = directory / _WORKERS
    with suppress(FileNotFoundError), path.open("r+") as file:
        path.unlink()
        since = monotonic()
        while not _locked(file, fcntl.LOCK_EX) and monotonic() - since < _WAIT_SECONDS:
            sleep(0.01)


def _locked(file: TextIO, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_current(file: TextIO, path: Path) -> bool:
    """Return whether a locked file is still at its path. The process that had locked it before may have removed it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
