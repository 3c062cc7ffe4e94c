"""The input of `mobilesim convert-track`: a movement file of another tool, or a scenario."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.cli import scenario_options
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.tracks.position import Position
    from mobilesim.tracks.reading import OriginOption, Reading
    from mobilesim.tracks.statistics import TrackStatistics
    from mobilesim.world.replication import World

_REPORT_INTERVAL: Final = 4096
_SCENARIO_SUFFIXES: Final = (".yaml", ".yml")
_FILE_OPTIONS: Final = ("start", "end", "origin", "geo")
_SCENARIO_OPTIONS: Final = ("duration", "hosts", "replication", "set")
_DEGREES: Final = "all of it lies within a metre: if these are longitudes and latitudes, say --geo"


@dataclass(frozen=True, slots=True)
class File:
    reading: "Reading"

    @property
    def name(self) -> str:
        return self.reading.source.path.name

    @property
    def title(self) -> str:
        from mobilesim.tracks.reading import FORMATS

        return f"{self.reading.source.path}: {FORMATS[self.reading.format].title}"

    def positions(self, report: Callable[[float], None]) -> "Iterator[Position]":
        for number, position in enumerate(self.reading):
            if not number % _REPORT_INTERVAL:
                report(self.reading.source.done)
            yield position

    def notes(self, stats: "TrackStatistics") -> Iterator[str]:
        """Notes about data that was left out, and about probable mistakes."""
        yield from self.reading.source.notes
        if self.reading.format == "fcd" and stats.nodes > 1 and max(stats.width, stats.height) < 1:
            yield _DEGREES


@dataclass(frozen=True, slots=True)
class Hosts:
    world: "World"
    count: int
    until: int

    @property
    def name(self) -> str:
        return self.world.scenario.name

    @property
    def title(self) -> str:
        from mobilesim.scenario.values.units import TIME

        scenario = self.world.scenario
        hosts = f"{self.count} of {scenario.hosts} hosts"
        return f"{scenario.name}: {hosts}, {scenario.mobility.model}, {TIME.write(self.until)}"

    def positions(self, report: Callable[[float], None]) -> "Iterator[Position]":
        from mobilesim.scenario.values.units import TIME
        from mobilesim.world.mobility.scenario_as_track import host_positions

        number = -1
        for number, position in enumerate(host_positions(self.world, self.count, self.until)):
            if not number % _REPORT_INTERVAL:
                report((int(position.node) + position.time / self.until) / self.count)
            yield position
        if number < 0:
            raise UserError(f"{self.name}: no host is there in the first {TIME.write(self.until)}; write a longer time")

    def notes(self, _: "TrackStatistics") -> Iterator[str]:
        return iter(())


def movement(args: argparse.Namespace) -> File | Hosts:
    if _is_scenario(args.file, args.source):
        _refuse(args, _FILE_OPTIONS, "files of movement")
        return _hosts(args)
    _refuse(args, _SCENARIO_OPTIONS, "scenarios")
    return File(_reading(args))


def _is_scenario(path: Path, format: str | None) -> bool:  # noqa: A002 - as the command line calls it
    """Whether the path names a scenario: by its suffix, or as the name of a bundled scenario if no such file exists."""
    from mobilesim.scenario.bundled import names

    if format is not None:
        return False
    bare = not path.suffix and not path.exists()
    return path.suffix in _SCENARIO_SUFFIXES or bare or (path.as_posix() in names() and not path.is_file())


def _refuse(args: argparse.Namespace, options: Sequence[str], kind: str) -> None:
    for option in options:
        if getattr(args, option):
            raise UserError(f"--{option} is for {kind}, and {args.file} is none; leave it out")


# A scenario


def _hosts(args: argparse.Namespace) -> Hosts:
    from mobilesim.world.replication import build_world

    scenario = scenario_options.load_scenario(args, str(args.file))
    model = scenario.mobility.model
    if not scenario.mobility.on_plane:
        reason = f"by '{model}' hosts are in cells, and at no place there"
        raise UserError(f"{args.file}: mobility.model: {reason}; write a model that walks on a plane, like 'waypoint'")
    count = scenario_options.host_count(args, scenario, scenario.hosts, least=1)
    until = scenario_options.duration_of(scenario)
    if not until:
        raise UserError("--duration: 0 s contains no movement; write more than 0 s")
    return Hosts(build_world(scenario, args.replication), count, until)


# A file


def _reading(args: argparse.Namespace) -> "Reading":
    from mobilesim.tracks.reading import Reading

    start, end = _time("--start", args.start), _time("--end", args.end)
    if end is not None and end <= (start or 0):
        raise UserError(f"--end {args.end}: this is not after --start")
    return Reading(args.file, args.source, geo=args.geo, origin=_origin(args.origin), start=start or 0, end=end)


def _time(option: str, text: str | None) -> int | None:
    from mobilesim.scenario.values.units import TIME

    if text is None:
        return None
    try:
        return int(TIME.read(text))
    except ValueError as error:
        raise UserError(f"{option}: {error}") from None


def _origin(text: str | None) -> "OriginOption":
    if text is None or text == "corner":
        return "corner" if text else None
    from mobilesim.tracks.number_parsing import Unreadable, metres

    try:
        x, y = map(metres, text.split(","))
    except (ValueError, Unreadable):
        raise UserError(f"--origin {text}: write two numbers, like --origin 120,45.5, or the word corner") from None
    return x, y
