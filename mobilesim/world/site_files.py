"""Files of station sites: CSV with a header, and GraphML as the Topology Zoo writes it.

If a file has both metres and degrees, metres count. Stations may have names. Other columns and attributes are ignored,
and so are empty lines and those that begin with '#'. Each line or node is a station.
"""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from mobilesim.errors import UserError, shown
from mobilesim.files.input_files import opened, opened_text
from mobilesim.geometry.coordinates import DEGREES, METRES, find_names, parse_coordinate
from mobilesim.geometry.graphml import NodePosition, node_positions, read_graphml

KEY: Final = "cells.file"

_PAIRS: Final = (METRES, DEGREES)
_NAMES: Final = ("name", "label", "station", "id")
_WANTED: Final = "'x' and 'y' (metres) or 'lat' and 'lon' (degrees)"


class Station(NamedTuple):
    where: str
    """The line or node in its file."""
    first: float
    second: float
    name: str = ""


class SiteFile(NamedTuple):
    in_degrees: bool
    """Coordinates are latitude and longitude; else metres to the east and to the north."""
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
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#"))
    number, head = next(numbered, (1, ""))
    delimiter = max(",;\t", key=head.count)
    names = _cells(head, delimiter)
    if (pair := find_names(names, _PAIRS)) is None:
        have = ", ".join(map(shown, names)) or "none"
        raise UserError(f"{KEY}: {file}: line {number}: there are no columns {_WANTED}; the columns are {have}")
    for column in pair.values():
        if names.count(column) > 1:
            raise UserError(f"{KEY}: {file}: line {number}: there are two columns {shown(column)}; leave one out")
    columns = [names.index(column) for column in pair.values()]
    stations = list(_rows(file, numbered, delimiter, tuple(pair), columns, _name_column(names)))
    return SiteFile(tuple(pair) == DEGREES, stations)


def _name_column(names: list[str]) -> int | None:
    known = [name.casefold() for name in names]
    return next((known.index(name) for name in _NAMES if name in known), None)


def _rows(  # noqa: PLR0917 - the parts of a table
    file: Path,
    lines: Iterator[tuple[int, str]],
    delimiter: str,
    names: tuple[str, ...],
    columns: list[int],
    name_column: int | None,
) -> Iterator[Station]:
    for number, line in lines:

        def complain(message: str, number: int = number) -> UserError:
            return UserError(f"{KEY}: {file}: line {number}: {message}")

        texts = _cells(line, delimiter)
        if len(texts) <= max(columns):
            raise complain(f"{len(texts)} values are too few; write one for each of the {max(columns) + 1} columns")
        first, second = (
            parse_coordinate(name, texts[column], complain) for name, column in zip(names, columns, strict=True)
        )
        name = texts[name_column] if name_column is not None and name_column < len(texts) else ""
        yield Station(f"line {number}", first, second, _tidy(name))


def _tidy(name: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def _cells(line: str, delimiter: str) -> list[str]:
    return [text.strip() for text in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])]


# GraphML


def _from_graphml(file: Path) -> SiteFile:
    if (found := node_positions(read_graphml(file, KEY), f"{KEY}: {file}", _PAIRS)) is None:
        raise UserError(f"{KEY}: {file}: its nodes have no {_WANTED}; write them as attributes of each node")
    return SiteFile(found.in_degrees, [_station(file, node) for node in found.nodes])


def _station(file: Path, node: NodePosition) -> Station:
    if node.position is None:
        message = f"it has no {node.lacks}; give it one, or leave the node out"
        raise UserError(f"{KEY}: {file}: {node.where}: {message}")
    return Station(node.where, *node.position, node.name)
