"""Publish outputs atomically: write them beside their final path, then rename."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from mobilesim.errors import UserError
from mobilesim.results.layout import SUMMARY
from mobilesim.results.location import Location, move_into_place, reason, staging_path, visible_entries, write_file

_KEPT: Final = "no part of it was kept"
_PARTLY_KEPT: Final = "its files may be partly new and partly old: summarize again"


@contextmanager
def staged_directory(target: Location) -> Iterator[Path]:
    """Yield an empty directory that replaces `target` at the end of the block, unless the block raises.

    Enter the block early: it raises at once if `target` cannot be written. On a remote file system, the files are
    replaced one by one, and files that are not in the new directory are removed at the end.
    """
    here = isinstance(target, Path)
    staged = staging_path(target.parent if isinstance(target, Path) else target, target.name)
    try:
        with _write_errors(target):
            staged.mkdir(0o777 if here else 0o700)
        yield staged
        with _write_errors(target, _KEPT if here else _PARTLY_KEPT):
            if isinstance(target, Path):
                _replace(staged, target)
            else:
                _upload(staged, target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _upload(staged: Path, target: Location) -> None:
    target.mkdir(parents=True, exist_ok=True)
    names = [path.name for path in sorted(staged.iterdir())]
    for name in names:
        move_into_place(staged / name, target / name)
    for path in visible_entries(target):
        if path.name not in names:
            path.unlink()


def write_tables(directory: Path, tables: dict[str, pa.Table]) -> None:
    """Write each table as Parquet and as CSV."""
    with _write_errors(directory.parent / SUMMARY):
        for name, table in tables.items():
            pq.write_table(table, directory / f"{name}.parquet", compression="zstd")
            csv.write_csv(table, directory / f"{name}.csv")


def write_text(target: Location, text: str) -> None:
    with _write_errors(target):
        write_file(target, text.encode())


def _replace(staged: Path, target: Path) -> None:
    """Replace `target`. A directory cannot replace a nonempty one, so the old directory is renamed first."""
    old = staged.with_name(f"{staged.name}.old")
    if target.exists():
        target.rename(old)
    try:
        staged.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _write_errors(target: Location, kept: str = _KEPT) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{target}: cannot be written ({reason(error)}); {kept}") from None
