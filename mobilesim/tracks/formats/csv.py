"""CSV with a header. The columns are node, time, x, y and optionally `here`, in any order, with the names below.

Either all times are numbers, or all times have a date. With dates, the earliest time becomes 0.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from mobilesim.errors import counted
from mobilesim.tracks.number_parsing import Unreadable, is_timestamp, parse_timestamp, quoted, seconds
from mobilesim.tracks.position import LATEST, Position
from mobilesim.tracks.projection import Origin, geographic_coordinates, plane_coordinates
from mobilesim.tracks.text_source import Parser, Source
from mobilesim.tracks.trajectory import TrajectoryFilter

_NODES: Final = ("node", "id", "name", "node_id", "host", "vehicle", "vehicle_id", "user", "device")
_TIMES: Final = {
    **dict.fromkeys(("time", "t", "time_s", "seconds", "timestamp"), 10**9),
    **dict.fromkeys(("time_ms", "milliseconds"), 10**6),
    **dict.fromkeys(("time_us", "microseconds"), 10**3),
    **dict.fromkeys(("time_ns", "nanoseconds"), 1),
}
_PLANE: Final = (("x", "x_m", "pos_x"), ("y", "y_m", "pos_y"))
_GLOBE: Final = (("lon", "longitude", "lng", "long"), ("lat", "latitude"))
_HERE: Final = ("here", "present", "connected")
_FLAGS: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_NEEDED: Final = "`node,time,x,y` (or `lon,lat` for `x,y`), and perhaps `here`"


def read(source: Source, origin: Origin) -> Iterator[Position]:
    began = _earliest_time(source)
    return source.parsed(rows(source), lambda header: _parser(header, origin, began))


def is_fcd_table(head: bytes) -> bool:
    """Return whether a table with these first bytes is FCD output of SUMO."""
    return b"timestep_time" in head.partition(b"\n")[0]


def _earliest_time(source: Source) -> int | None:
    """Return the earliest time, after another pass through the file; None if the first time has no date."""
    head = source.head().decode("utf-8-sig", errors="replace").splitlines()
    table = [row for _, row in islice(rows(source, enumerate(head, 1)), 2)]
    header, first = table if len(table) == 2 else ([], [])
    time = next((column for column, name in enumerate(_names(header)) if name in _TIMES), len(first))
    if time >= len(first) or not is_timestamp(first[time]):
        return None
    source.passes += 1
    return min(_times(source, time), default=0)


def _times(source: Source, time: int) -> Iterator[int]:
    """Yield the times. Values that are not times are skipped here, and reported in the second pass."""
    for _, row in rows(source):
        with suppress(Unreadable, IndexError):
            yield parse_timestamp(row[time])


def rows(source: Source, lines: Iterable[tuple[int, str]] | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the values of each row, without empty lines and without comments above the header."""
    delimiter = ""
    for number, line in source.lines() if lines is None else lines:
        if not line.strip() or (not delimiter and line.startswith("#")):
            continue
        delimiter = delimiter or max(",;\t", key=line.count)
        yield number, _split(line, delimiter, source, number)


def _split(line: str, delimiter: str, source: Source, number: int) -> list[str]:
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise source.fault(number, f"this is not a row of CSV: {error}") from None


def _names(header: Sequence[str]) -> list[str]:
    return [name.strip().casefold().replace(" ", "_") for name in header]


def _parser(header: Sequence[str], origin: Origin, began: int | None) -> Parser[list[str]]:
    names, trajectory = _names(header), TrajectoryFilter()
    node, time, here = _find(names, _NODES), _find(names, tuple(_TIMES)), _find(names, _HERE)
    x, y = (_find(names, known) for known in _PLANE)
    coordinates = plane_coordinates(origin)
    if x is None or y is None:
        x, y = (_find(names, known) for known in _GLOBE)
        coordinates = geographic_coordinates(origin)
    if node is None or time is None or x is None or y is None:
        raise Unreadable(f"the header is {quoted(','.join(header))}; it must name the columns {_NEEDED}")
    unit = _TIMES[names[time]]

    def parse(row: list[str]) -> tuple[Position, ...]:
        if len(row) != len(names):
            raise Unreadable(f"this row has {counted(len(row), 'value')}, and the header {len(names)}")
        if not row[node].strip():
            raise Unreadable("the node has no name")
        point = coordinates(row[x], row[y])
        present = here is None or _flag(row[here])
        moment = seconds(row[time], unit) if began is None else _relative_time(row[time], began)
        return trajectory.add(Position(row[node].strip(), moment, *point, present))

    return parse


def _relative_time(text: str, began: int) -> int:
    time = parse_timestamp(text) - began
    if time > LATEST:
        raise Unreadable(f"the time {quoted(text)} is more than 100 years after the earliest")
    return time


def _find(names: Sequence[str], known: Sequence[str]) -> int | None:
    found = [column for column, name in enumerate(names) if name in known]
    if len(found) > 1:
        one, other = (names[column] for column in found[:2])
        both = (
            f"there are two columns {one}" if one == other else f"the columns {one} and {other} have the same meaning"
        )
        raise Unreadable(f"{both}; leave one out")
    return found[0] if found else None


def _flag(text: str) -> bool:
    flag = _FLAGS.get(text.strip().casefold())
    if flag is None:
        raise Unreadable(f"{quoted(text)} is not a value of `here`; write 1 or 0")
    return flag
