"""CSV with a header: node, time, x, y and perhaps `here`, in any order, under any of the names below."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.tracks.fix import Fix
from mobilesim.tracks.numerals import Unreadable, quoted, seconds
from mobilesim.tracks.paths import Paths
from mobilesim.tracks.projection import Plane, Projection, Zero
from mobilesim.tracks.source import Source

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


@dataclass(frozen=True, slots=True)
class _Columns:
    width: int
    node: int
    time: int
    unit: int
    x: int
    y: int
    here: int | None
    places: Plane | Projection

    def fix(self, row: Sequence[str]) -> Fix:
        if len(row) != self.width:
            raise Unreadable(f"this row has {len(row)} values, and the header {self.width}")
        if not row[self.node].strip():
            raise Unreadable("the node has no name")
        place = self.places.place(row[self.x], row[self.y])
        here = self.here is None or _flag(row[self.here])
        return Fix(row[self.node].strip(), seconds(row[self.time], self.unit), *place, here)


def read(source: Source, zero: Zero) -> Iterator[Fix]:
    paths, columns = Paths(), None
    for line, row in _rows(source):
        try:
            if columns is None:
                columns = _columns(row, zero)
            else:
                yield from paths.add(columns.fix(row))
        except Unreadable as fault:
            raise source.fault(line, str(fault)) from None


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Rows with something in them, and their lines. Comments may stand above the header."""
    delimiter = ""
    for number, line in source.lines():
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
        raise source.fault(number, f"this is no row of CSV: {error}") from None


def _columns(header: Sequence[str], zero: Zero) -> _Columns:
    names = [name.strip().casefold().replace(" ", "_") for name in header]
    node, time, here = _find(names, _NODES), _find(names, tuple(_TIMES)), _find(names, _HERE)
    x, y = (_find(names, known) for known in _PLANE)
    places: Plane | Projection = Plane(zero)
    if x is None or y is None:
        x, y = (_find(names, known) for known in _GLOBE)
        places = Projection(zero)
    if node is None or time is None or x is None or y is None:
        raise Unreadable(f"the header is {quoted(','.join(header))}; it must name the columns {_NEEDED}")
    return _Columns(len(names), node, time, _TIMES[names[time]], x, y, here, places)


def _find(names: Sequence[str], known: Sequence[str]) -> int | None:
    found = [place for place, name in enumerate(names) if name in known]
    if len(found) > 1:
        raise Unreadable(f"the columns {names[found[0]]} and {names[found[1]]} say the same; leave one out")
    return found[0] if found else None


def _flag(text: str) -> bool:
    flag = _FLAGS.get(text.strip().casefold())
    if flag is None:
        raise Unreadable(f"{quoted(text)} is no answer to `here`; write 1 or 0")
    return flag
