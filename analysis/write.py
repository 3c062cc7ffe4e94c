"""Outputs appear whole or not at all: built beside their place, then renamed into it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from analysis.model import Summary
from analysis.sweep_model import SweepSummary
from mobilesim.errors import UserError
from mobilesim.tables import REPORT, SUMMARY

S = TypeVar("S", Summary, SweepSummary)


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A directory to fill, which replaces `target` when the block has gone well. Opened early, it finds out early."""
    aside = target.with_name(f".{target.name}-{uuid4().hex}")
    try:
        with _reported(target):
            aside.mkdir()
        yield aside
        with _reported(target):
            _replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def write_tables(directory: Path, tables: dict[str, pa.Table]) -> None:
    """Each as Parquet for programs and as CSV for spreadsheets."""
    with _reported(directory.parent / SUMMARY):
        for name, table in tables.items():
            pq.write_table(table, directory / f"{name}.parquet", compression="zstd")
            csv.write_csv(table, directory / f"{name}.csv")


def illustrated(summary: S, page: Callable[[S], str], progress: Callable[[str], None]) -> S:
    """Draw its report, and say in it where that is."""
    progress("drawing the report…")
    drawn = replace(summary, report=summary.directory / REPORT)
    write_text(summary.directory / REPORT, page(drawn))
    return drawn


def write_text(target: Path, text: str) -> None:
    part = target.with_name(f".{target.name}.part")
    with _reported(target):
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def _replace(aside: Path, target: Path) -> None:
    """A directory cannot be renamed over one that is not empty, so the old one steps aside first."""
    old = aside.with_name(f"{aside.name}.old")
    if target.exists():
        target.rename(old)
    try:
        aside.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _reported(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{target}: cannot be written ({error.strerror or error}); nothing of it has been kept"
        ) from None
