"""Detects the format of a track file, and reads the file."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Final, Literal

from mobilesim.errors import UserError
from mobilesim.tracks.formats.csv import is_fcd_table
from mobilesim.tracks.position import Position
from mobilesim.tracks.projection import Origin
from mobilesim.tracks.text_source import Source
from mobilesim.tracks.trajectory import clip


@dataclass(frozen=True, slots=True)
class Format:
    title: str
    suffixes: tuple[str, ...]
    degrees: bool = False
    """Whether coordinates may be longitudes and latitudes."""
    passes: int = 1


FORMATS: Final = {
    "ns2": Format("ns-2 setdest", (".ns_movements", ".ns2", ".tcl"), passes=2),
    "bonnmotion": Format("BonnMotion", (".movements", ".bonnmotion")),
    "one": Format("the ONE's external movement", (".one",)),
    "fcd": Format("SUMO FCD", (".fcd",), degrees=True),
    "gpx": Format("GPX", (".gpx",), degrees=True, passes=2),
    "csv": Format("CSV", (".csv", ".tsv"), degrees=True),
    "parquet": Format("Parquet", (".parquet",)),
}

OriginOption = tuple[float, float] | Literal["corner"] | None


class Reading:
    """The positions of a file, in order of time for each node. Iteration reads the file.

    `start` and `end`: a time window in nanoseconds; times count from `start`. `origin`: the point that becomes (0, 0),
    in the coordinates of the file, or `corner` for the lower left corner of all positions, for which the file is read
    once more. `reference`: longitude and latitude of the origin, if the file is in degrees and there is no `origin`.
    """

    def __init__(
        self,
        path: Path | str,
        format: str | None = None,  # noqa: A002 - as on the command line
        *,
        geo: bool = False,
        origin: OriginOption = None,
        reference: tuple[float, float] | None = None,
        start: int = 0,
        end: int | None = None,
    ) -> None:
        self.source = Source(Path(path))
        self.format = format or detect(self.source)
        if self.format not in FORMATS:
            raise UserError(f"there is no format {self.format!r}; there are {', '.join(FORMATS)}")
        if geo and self.format != "fcd":
            raise UserError(f"{path}: `geo` is only for files of SUMO")
        self._geo, self._origin, self._reference = geo, origin, reference
        self._start, self._end = start, end

    def __iter__(self) -> Iterator[Position]:
        known = FORMATS[self.format]
        self.source.restart(known.passes * (2 if self._origin == "corner" else 1))
        if self._origin == "corner":
            return self._from_corner()
        positions = self._window()
        return positions if self._origin is None or known.degrees else _shifted(positions, *self._origin)

    def _from_corner(self) -> Iterator[Position]:
        left = low = inf
        for position in self._window():
            left, low = min(left, position.x), min(low, position.y)
        self.source.notes.clear()
        yield from _shifted(self._window(), left, low)

    def _window(self) -> Iterator[Position]:
        positions = self._positions()
        if not self._start and self._end is None:
            return positions
        return self._not_empty(clip(positions, self._start, self._end), "there are no positions in the requested time")

    def _positions(self) -> Iterator[Position]:
        known = FORMATS[self.format]
        origin = None if self._origin == "corner" else self._origin
        options: dict[str, object] = {}
        if known.degrees:
            options["origin"] = Origin(origin or (0.0, 0.0), self._reference or origin)
        if self.format == "fcd":
            options["geo"] = self._geo
        module = import_module(f"mobilesim.tracks.formats.{self.format}")
        positions: Iterator[Position] = module.read(self.source, **options)
        return self._not_empty(positions, f"there are no positions; read as {known.title}, it is empty")

    def _not_empty(self, positions: Iterator[Position], message: str) -> Iterator[Position]:
        """Yield the positions, and close the file at the end. Raise a UserError if there are no positions."""
        try:
            first = next(positions, None)
            if first is None:
                raise UserError(f"{self.source.path}: {message}")
            yield first
            yield from positions
        finally:
            self.source.close()


def _shifted(positions: Iterator[Position], x: float, y: float) -> Iterator[Position]:
    for position in positions:
        yield position._replace(x=position.x - x, y=position.y - y)


def by_name(path: Path) -> str | None:
    name = path.name.casefold().removesuffix(".gz")
    suffix = f".{name.rpartition('.')[2]}"
    return next((form for form, known in FORMATS.items() if "." in name and suffix in known.suffixes), None)


def detect(source: Source) -> str:
    """Return the format by the file's name or, for other names and for `.csv` (also used by SUMO), by its content."""
    found = by_name(source.path)
    if found in {None, "csv"}:
        head = source.head()
        found = "fcd" if is_fcd_table(head) else found or _by_content(head)
    if found is None:
        raise UserError(f"{source.path}: unknown format; `mobilesim convert-track --from` reads {', '.join(FORMATS)}")
    return found


def _by_content(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.decode("utf-8-sig", errors="replace")
    if text.lstrip().startswith("<"):
        return next((name for name, root in (("fcd", "<fcd-export"), ("gpx", "<gpx")) if root in text), None)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")][:2]
    if not lines:
        return None
    if lines[0].lstrip().startswith("$"):
        return "ns2"
    counts = [_numbers(line) for line in lines]
    if counts[0] in {6, 8} and len(lines) > 1 and len(lines[1].split()) in {4, 5}:
        return "one"
    if counts[0] and counts[0] % 3 == 0:
        return "bonnmotion"
    return "csv" if any(lines[0].count(each) >= 3 for each in ",;\t") else None


def _numbers(line: str) -> int:
    """Return how many numbers a line has; 0 if it also has other words."""
    with suppress(ValueError):
        return len([float(word) for word in line.split()])
    return 0
