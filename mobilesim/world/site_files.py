"""Files of station sites: CSV with a header, and GraphML as the Topology Zoo writes it.

Each line of a CSV file, or node of a GraphML file, is a station and may have a name. If a file has coordinates in
metres and in degrees, metres are used. All other columns and attributes are ignored. In a CSV file, empty lines and
lines that begin with '#' are also ignored.
"""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError, shown
from mobilesim.files.input_files import opened, opened_text
from mobilesim.geometry.coordinates import DEGREES, METRES, find_names, parse_coordinate
from mobilesim.geometry.graphml import Place, Places, places, read_graphml

KEY: Final = "cells.file"

_PAIRS: Final = (METRES, DEGREES)
_REQUIRED: Final = "'x' and 'y' (metres) or 'lat' and 'lon' (degrees)"


def read_sites(file: Path) -> Places:
    with opened(file, KEY) as stream:
        is_xml = stream.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    sites = _from_graphml(file) if is_xml else _from_csv(file)
    if not sites.places:
        raise UserError(f"{KEY}: {file} has no stations; write at least one below the names of the columns")
    return sites


# CSV


def _from_csv(file: Path) -> Places:
    try:
        with opened_text(file, KEY) as text:
            return _table(file, text)
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{KEY}: {file} is neither CSV in UTF-8 nor GraphML ({error})") from None


def _table(file: Path, lines: Iterable[str]) -> Places:
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#"))
    number, head = next(numbered, (1, ""))
    delimiter = max(",;\t", key=head.count)
    names = _cells(head, delimiter)
    if (pair := find_names(names, _PAIRS)) is None:
        have = ", ".join(map(shown, names)) or "none"
        raise UserError(f"{KEY}: {file}: line {number}: there are no columns {_REQUIRED}; the columns are {have}")
    for column in pair.values():
        if names.count(column) > 1:
            raise UserError(f"{KEY}: {file}: line {number}: there are two columns {shown(column)}; leave one out")
    columns = {coordinate: names.index(column) for coordinate, column in pair.items()}
    known = [name.casefold() for name in names]
    name_column = next((known.index(name) for name in ("name", "label", "station", "id") if name in known), len(names))
    stations = [_station(file, number, _cells(line, delimiter), columns, name_column) for number, line in numbered]
    return Places(tuple(pair) == DEGREES, stations)


def _station(file: Path, number: int, texts: list[str], columns: dict[str, int], name_column: int) -> Place:
    def complain(message: str) -> UserError:
        return UserError(f"{KEY}: {file}: line {number}: {message}")

    if len(texts) <= (last := max(columns.values())):
        raise complain(f"{len(texts)} values are too few; write {last + 1} or more")
    first, second = (parse_coordinate(name, texts[column], complain) for name, column in columns.items())
    name = "".join(letter if letter.isprintable() else " " for letter in "".join(texts[name_column : name_column + 1]))
    return Place(f"line {number}", (first, second), " ".join(name.split()))


def _cells(line: str, delimiter: str) -> list[str]:
    return [text.strip() for text in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])]


# GraphML


def _from_graphml(file: Path) -> Places:
    if (sites := places(read_graphml(file, KEY), f"{KEY}: {file}", _PAIRS)) is None:
        raise UserError(f"{KEY}: {file}: its nodes have no {_REQUIRED}; write them as attributes of each node")
    for place in sites.places:
        if place.lacks:
            message = f"the node has no {place.lacks}; add it, or leave the node out"
            raise UserError(f"{KEY}: {file}: {place.where}: {message}")
    return sites
