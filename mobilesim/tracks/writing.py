"""Writes tracks as ns-2, CSV, BonnMotion and Parquet files."""

import csv
import gzip
import re
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from math import hypot
from pathlib import Path
from typing import Final, TextIO

from mobilesim.errors import UserError
from mobilesim.files.atomic_write import AtomicWrite
from mobilesim.tracks.number_parsing import as_seconds
from mobilesim.tracks.position import Position

_NOT_IN_TCL: Final = re.compile(r"[\s()\[\]{}\"$;\\]")
_NOT_IN_CSV: Final = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]|^\s|\s$")


def write(positions: Iterable[Position], target: Path, format: str) -> None:  # noqa: A002 - as on the command line
    try:
        WRITERS[format](positions, target)
    except OSError as error:
        # Arrow puts other text before the message of the operating system.
        reason = str(error.strerror or error).rpartition("] ")[2]
        raise UserError(f"{target}: cannot be written: {reason}") from None


@contextmanager
def _text(target: Path) -> Iterator[TextIO]:
    """Open a text file for writing. If its name ends in .gz, it is compressed."""
    with AtomicWrite(target) as path, path.open("wb") as raw:
        packed = target.suffix.casefold() == ".gz"
        # Without a name and a time in the gzip header, the same movement gives the same bytes.
        stream = gzip.GzipFile("", "wb", 6, raw, mtime=0) if packed else raw
        with TextIOWrapper(stream, encoding="utf-8", newline="\n") as text:
            yield text


class _UniqueNames:
    """Gives each node a unique name. Characters that a format does not allow are replaced by `_`."""

    def __init__(self, forbidden: re.Pattern[str]) -> None:
        self._forbidden = forbidden
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()

    def __call__(self, node: str) -> str:
        if node not in self._names:
            name = self._forbidden.sub("_", node)
            while name in self._taken:
                name += "_"
            self._names[node] = name
            self._taken.add(name)
        return self._names[node]


def _to_csv(positions: Iterable[Position], target: Path) -> None:
    names = _UniqueNames(_NOT_IN_CSV)
    with _text(target) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(Position._fields)
        rows.writerows((names(node), as_seconds(time), x, y, int(here)) for node, time, x, y, here in positions)


def _to_ns2(positions: Iterable[Position], target: Path) -> None:
    names = _UniqueNames(_NOT_IN_TCL)
    last: dict[str, Position] = {}
    with _text(target) as file:
        for position in positions:
            node = names(position.node)
            before = last.get(position.node)
            file.writelines(_first(node, position) if before is None else _next(node, before, position))
            last[position.node] = position
        for position in last.values():
            node = names(position.node)
            file.write(_head(node, position, position) if position.here else _presence(node, position, "stop"))


def _first(node: str, position: Position) -> Iterator[str]:
    for axis, coordinate in (("X", position.x), ("Y", position.y), ("Z", 0.0)):
        yield f"$node_({node}) set {axis}_ {coordinate!r}\n"
    if position.time:
        yield _presence(node, position, "start")


def _next(node: str, before: Position, position: Position) -> Iterator[str]:
    """Return the statements for a position and an absence before it. In ns-2, an absence of duration 0 is a jump."""
    if before.here:
        if position.time > before.time:
            yield _head(node, before, position)
        return
    if position.time > before.time:
        yield _presence(node, before, "stop")
    for axis, old, new in (("X", before.x, position.x), ("Y", before.y, position.y)):
        if old != new:
            yield f'$ns_ at {as_seconds(position.time)} "$node_({node}) set {axis}_ {new!r}"\n'
    if position.time > before.time:
        yield _presence(node, position, "start")


def _head(node: str, before: Position, position: Position) -> str:
    """Return a setdest statement. With speed 0, the node is present and does not move."""
    distance = hypot(position.x - before.x, position.y - before.y)
    speed = distance / (position.time - before.time) * 1e9 if distance else 0.0
    return f'$ns_ at {as_seconds(before.time)} "$node_({node}) setdest {position.x!r} {position.y!r} {speed!r}"\n'


def _presence(node: str, position: Position, what: str) -> str:
    return f'$ns_ at {as_seconds(position.time)} "$g({node}) {what}"\n'


def _to_bonnmotion(positions: Iterable[Position], target: Path) -> None:
    """Write a line for each node. Absences are lost. All positions are kept in memory, in 24 bytes each."""
    times: dict[str, array[int]] = {}
    points: dict[str, array[float]] = {}
    for position in positions:
        times.setdefault(position.node, array("q")).append(position.time)
        points.setdefault(position.node, array("d")).extend((position.x, position.y))
    with _text(target) as file:
        for node, known in times.items():
            pairs = iter(points[node])
            words = (f"{as_seconds(time)} {x!r} {y!r}" for time, x, y in zip(known, pairs, pairs, strict=True))
            file.write(f"{' '.join(words)}\n")


def _to_parquet(positions: Iterable[Position], target: Path) -> None:
    from mobilesim.tracks.formats import parquet  # importing Arrow takes longer than reading most files

    parquet.write(positions, target)


WRITERS: Final = {"ns2": _to_ns2, "csv": _to_csv, "parquet": _to_parquet, "bonnmotion": _to_bonnmotion}
