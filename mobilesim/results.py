"""A results directory: who may write into it, and the tables of one run in it."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError
from mobilesim.tables import TABLES
from mobilesim.trace import Constants, Table, write_rows

SUMMARY: Final = ("summary", "report.html", "scenario.yaml")


def prepare(directory: Path) -> None:
    """An empty directory for results. Earlier results go; anything else is not ours to remove."""
    if directory.exists() and not directory.is_dir():
        raise UserError(f"{directory}: not a directory; name another one with --out")
    foreign = _foreign(directory) if directory.is_dir() else ()
    if foreign:
        raise UserError(f"{directory}: holds {foreign[0]}, which is no result of ours; name another directory with --out")
    for name in (*TABLES, *SUMMARY):
        _remove(directory / name)
    for name in TABLES:
        (directory / name).mkdir(parents=True)


def _foreign(directory: Path) -> Sequence[str]:
    ours = {*TABLES, *SUMMARY}
    return sorted(path.name for path in directory.iterdir() if path.name not in ours and not path.name.startswith("."))


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


class RunFiles:
    """The tables of one run. They get their names together, when the run is over, the table of runs last."""

    def __init__(self, directory: Path, run_id: str, constants: Constants, metadata: Mapping[str, str]) -> None:
        self._directory = directory
        self._file = f"{run_id}.parquet"
        self._constants = constants
        self._metadata = metadata
        self._open: list[Table] = []

    def stream(self, name: str) -> Table:
        """A large table, written while the run goes on."""
        table = Table(name, self._constants, self._directory / name / self._file, self._metadata)
        self._open.append(table)
        return table

    def write(self, name: str, rows: Sequence[Mapping[str, object]]) -> None:
        write_rows(name, rows, self._constants, self._directory / name / self._file, self._metadata)

    def close(self) -> None:
        while self._open:
            self._open[0].close()
            self._open.pop(0)

    def discard(self) -> None:
        """Leave nothing of this run behind."""
        for table in self._open:
            table.discard()
        for name in TABLES:
            (self._directory / name / self._file).unlink(missing_ok=True)
