"""Files that say where stations are: CSV with a line of names, and GraphML as Topology Zoo writes it.

Of several ways to say it, metres come first. Stations may have names. Columns and attributes of other names are passed
over, and so are empty lines and those that begin with '#'. A station is one line.
"""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from mobilesim.errors import UserError, shown
from mobilesim.files.input_files import opened, opened_text
from mobilesim.geometry.coordinates import DEGREES, METRES, coordinate, named
from mobilesim.geometry.graphml import NodePosition, node_positions, read_graphml

KEY: Final = "cells.file"

_PAIRS: Final = (METRES, DEGREES)
_NAMES: Final = ("name", "label", "station", "id")
_WANTED: Final = "'x' and 'y' (metres) or 'lat' and 'lon' (degrees)"


class Station(NamedTuple):
    where: str
    """In its file."""
    first: float
    second: float
    name: str = ""


class SiteFile(NamedTuple):
    in_degrees: bool
    """North and east; else metres to the east and to the north."""
    stations: list[Station]


def read_sites(file: Path) -> SiteFile:
    found = _from_graphml(file) if _is_xml(file) else _from_csv(file)
    if not found.stations:
        raise UserError(f"{KEY}: {file} has no stations; write at least one below the names of the columns")
    return found


def _is_xml(file: Path) -> bool:
    with opened(file, KEY) as stream:
        return stream.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


# CSV


def _from_csv(file: Path) -> SiteFile:
    try:
        with opened_text(file, KEY) as text:
            return _table(file, text)
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{KEY}: {file} is neither CSV in UTF-8 nor GraphML ({error})") from None


def _table(file: Path, lines: Iterable[str]) -> SiteFile:
    said = ((number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#"))
    number, head = next(said, (1, ""))
    mark = max(",;\t", key=head.count)
    names = _cells(head, mark)
    pair = named(names, _PAIRS)
    if pair is None:
        have = ", ".join(map(shown, names)) or "none"
        raise UserError(f"{KEY}: {file}: line {number}: there are no columns {_WANTED}; the columns are {have}")
    for column in pair.values():
        if names.count(column) > 1:
            raise UserError(f"{KEY}: {file}: line {number}: there are two columns {shown(column)}; leave one out")
    columns = [names.index(column) for column in pair.values()]
    stations = list(_rows(file, said, mark, tuple(pair), columns, _called(names)))
    return SiteFile(tuple(pair) == DEGREES, stations)


def _called(names: list[str]) -> int | None:
    """The column of what stations are called."""
    known = [name.casefold() for name in names]
    return next((known.index(name) for name in _NAMES if name in known), None)


def _rows(  # noqa: PLR0917 - what a table is made of
    file: Path,
    said: Iterator[tuple[int, str]],
    mark: str,
    names: tuple[str, ...],
    columns: list[int],
    called: int | None,
) -> Iterator[Station]:
    for number, line in said:

        def complain(message: str, number: int = number) -> UserError:
            return UserError(f"{KEY}: {file}: line {number}: {message}")

        texts = _cells(line, mark)
        if len(texts) <= max(columns):
            raise complain(f"{len(texts)} values are too few; write one for each of the {max(columns) + 1} columns")
        first, second = (coordinate(name, texts[column], complain) for name, column in zip(names, columns, strict=True))
        name = texts[called] if called is not None and called < len(texts) else ""
        yield Station(f"line {number}", first, second, _tidy(name))


def _tidy(name: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def _cells(line: str, mark: str) -> list[str]:
    return [text.strip() for text in next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])]


# GraphML


def _from_graphml(file: Path) -> SiteFile:
    found = node_positions(read_graphml(file, KEY), f"{KEY}: {file}", _PAIRS)
    if found is None:
        raise UserError(f"{KEY}: {file}: its nodes have no {_WANTED}; write them as attributes of each node")
    return SiteFile(found.in_degrees, [_station(file, node) for node in found.nodes])


def _station(file: Path, node: NodePosition) -> Station:
    if node.place is None:
        message = f"it has no {node.lacks}; give it one, or leave the node out"
        raise UserError(f"{KEY}: {file}: {node.where}: {message}")
    return Station(node.where, *node.place, node.name)
