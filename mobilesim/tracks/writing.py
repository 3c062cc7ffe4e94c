"""Writes tracks as ns-2, CSV, BonnMotion and Parquet files."""

import csv
import gzip
import io
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import hypot
from pathlib import Path
from typing import IO, Final, TextIO

from mobilesim.errors import UserError
from mobilesim.files.atomic_write import AtomicWrite
from mobilesim.tracks.formats.node_names import UniqueNames
from mobilesim.tracks.number_parsing import as_seconds
from mobilesim.tracks.position import Position

_SECOND: Final = 1e9
_NOT_IN_TCL: Final = re.compile(r"[\s()\[\]{}\"$;\\]")
_NOT_IN_CSV: Final = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]|^\s|\s$")


def write(positions: Iterable[Position], target: Path, format: str) -> None:  # noqa: A002 - as on the command line
    try:
        WRITERS[format](positions, target)
    except OSError as error:
        # Arrow wraps the system's message.
        reason = str(error.strerror or error).rpartition("] ")[2]
        raise UserError(f"{target}: cannot be written: {reason}") from None


@contextmanager
def _text(target: Path) -> Iterator[TextIO]:
    """Open a text file for writing, gzipped if its name ends in .gz."""
    with AtomicWrite(target) as path, path.open("wb") as raw:
        if target.suffix.casefold() == ".gz":
            # No name and no time in the gzip header: the same movement gives the same bytes.
            with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=6) as packed:
                yield from _encoded(packed)
        else:
            yield from _encoded(raw)


def _encoded(raw: IO[bytes] | gzip.GzipFile) -> Iterator[TextIO]:
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    yield text
    text.flush()
    text.detach()


def _to_csv(positions: Iterable[Position], target: Path) -> None:
    names = UniqueNames(_NOT_IN_CSV)
    with _text(target) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(Position._fields)
        rows.writerows(
            (names(position.node), as_seconds(position.time), position.x, position.y, int(position.here))
            for position in positions
        )


def _to_ns2(positions: Iterable[Position], target: Path) -> None:
    names = UniqueNames(_NOT_IN_TCL)
    last: dict[str, Position] = {}
    with _text(target) as file:
        for position in positions:
            node = names(position.node)
            before = last.get(position.node)
            file.writelines(_first(node, position) if before is None else _next(node, before, position))
            last[position.node] = position
        for position in last.values():
            file.write(
                _head(names(position.node), position, position)
                if position.here
                else _presence(names(position.node), position, "stop")
            )


def _first(node: str, position: Position) -> Iterator[str]:
    for axis, coordinate in (("X", position.x), ("Y", position.y), ("Z", 0.0)):
        yield f"$node_({node}) set {axis}_ {coordinate!r}\n"
    if position.time:
        yield _presence(node, position, "start")


def _next(node: str, before: Position, position: Position) -> Iterator[str]:
    """Write an absence when it is over: one without duration is a jump, and no absence in ns-2."""
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
    """Return a setdest statement; with speed 0 the node is present and does not move."""
    distance = hypot(position.x - before.x, position.y - before.y)
    speed = distance / (position.time - before.time) * _SECOND if distance else 0.0
    return f'$ns_ at {as_seconds(before.time)} "$node_({node}) setdest {position.x!r} {position.y!r} {speed!r}"\n'


def _presence(node: str, position: Position, what: str) -> str:
    return f'$ns_ at {as_seconds(position.time)} "$g({node}) {what}"\n'


def _to_bonnmotion(positions: Iterable[Position], target: Path) -> None:
    """Write a line per node; all positions are kept until the end, in 24 bytes each. Absences are lost."""
    times: dict[str, array[int]] = {}
    points: dict[str, array[float]] = {}
    for position in positions:
        times.setdefault(position.node, array("q")).append(position.time)
        points.setdefault(position.node, array("d")).extend((position.x, position.y))
    with _text(target) as file:
        for node, known in times.items():
            pairs = iter(points[node])
            file.write(
                " ".join(f"{as_seconds(time)} {x!r} {y!r}" for time, x, y in zip(known, pairs, pairs, strict=True))
            )
            file.write("\n")


def _to_parquet(positions: Iterable[Position], target: Path) -> None:
    from mobilesim.tracks.formats import parquet  # Arrow takes longer to load than most files to be read

    parquet.write(positions, target)


WRITERS: Final[dict[str, Callable[[Iterable[Position], Path], None]]] = {
    "ns2": _to_ns2,
    "csv": _to_csv,
    "parquet": _to_parquet,
    "bonnmotion": _to_bonnmotion,
}
