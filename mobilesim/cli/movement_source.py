"""The input of `mobilesim convert-track`: a movement file of another tool, or a scenario."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mobilesim.cli import scenario_options
from mobilesim.cli.arguments import read_quantity
from mobilesim.errors import UserError, counted
from mobilesim.scenario.bundled import names
from mobilesim.scenario.values.units import TIME
from mobilesim.tracks.number_parsing import Unreadable, metres
from mobilesim.tracks.position import Position
from mobilesim.tracks.reading import FORMATS, OriginOption, Reading
from mobilesim.tracks.statistics import TrackStatistics


@dataclass(frozen=True, slots=True)
class Movement:
    name: str
    title: str
    positions: Iterable[Position]
    done: Callable[[Position], float]
    """Returns the share of the input that was read up to a position."""
    notes: Callable[[TrackStatistics], Iterable[str]]
    """Returns notes about data that were left out, and about probable mistakes."""

    def read(self, report: Callable[[float], None]) -> Iterator[Position]:
        for number, position in enumerate(self.positions):
            if not number % 4096:
                report(self.done(position))
            yield position


def movement(args: argparse.Namespace) -> Movement:
    if _is_scenario(args.file, args.source):
        _refuse(args, ("start", "end", "origin", "geo"), "movement files", "scenario")
        return _of_scenario(args)
    _refuse(args, ("duration", "hosts", "replication", "set"), "scenarios", "movement file")
    return _of_file(args)


def _is_scenario(path: Path, format: str | None) -> bool:  # noqa: A002 - as the command line calls it
    """Return whether the input is a scenario: YAML, a bundled scenario, or a name that is no file and has no suffix."""
    if format is not None:
        return False
    bare = not path.suffix and not path.exists()
    return path.suffix in (".yaml", ".yml") or bare or (path.as_posix() in names() and not path.is_file())


def _refuse(args: argparse.Namespace, options: Sequence[str], kinds: str, given: str) -> None:
    for option in options:
        if getattr(args, option):
            raise UserError(f"--{option} is for {kinds}, but {args.file} is a {given}; leave the option out")


def _of_scenario(args: argparse.Namespace) -> Movement:
    from mobilesim.world.mobility import host_positions
    from mobilesim.world.replication import build_world

    scenario = scenario_options.load_scenario(args, str(args.file))
    model = scenario.mobility.model
    if not scenario.mobility.on_plane:
        reason = f"hosts of model '{model}' have cells, but no positions"
        raise UserError(f"{args.file}: mobility.model: {reason}; write a model on a plane, like 'waypoint'")
    count = scenario_options.host_count(args, scenario, scenario.hosts, least=1)
    until = scenario_options.duration_of(scenario)
    if not until:
        raise UserError("--duration: 0 s contains no movement; write more than 0 s")
    positions = host_positions(build_world(scenario, args.replication), count, until)
    first = next(positions, None)
    if first is None:
        reason = f"no host is in a cell in the first {TIME.write(until)}; write a longer --duration"
        raise UserError(f"{scenario.name}: {reason}")

    def done(position: Position) -> float:
        return (int(position.node) + position.time / until) / count

    title = f"{scenario.name}: {count} of {counted(scenario.hosts, 'host')}, {model}, {TIME.write(until)}"
    return Movement(scenario.name, title, chain([first], positions), done, lambda _: ())


def _of_file(args: argparse.Namespace) -> Movement:
    start = 0 if args.start is None else int(read_quantity("start", args.start, TIME))
    end = None if args.end is None else int(read_quantity("end", args.end, TIME))
    if end is not None and end <= start:
        raise UserError(f"--end {args.end}: this is not after --start")
    reading = Reading(args.file, args.source, geo=args.geo, origin=_origin(args.origin), start=start, end=end)

    def notes(stats: TrackStatistics) -> Iterator[str]:
        yield from reading.source.notes
        if reading.format == "fcd" and stats.nodes > 1 and max(stats.width, stats.height) < 1:
            yield "all positions are within a metre: if they are longitudes and latitudes, write --geo"

    title = f"{args.file}: {FORMATS[reading.format].title}"
    return Movement(args.file.name, title, reading, lambda _: reading.source.done, notes)


def _origin(text: str | None) -> OriginOption:
    if text is None or text == "corner":
        return "corner" if text else None
    try:
        x, y = map(metres, text.split(","))
    except (ValueError, Unreadable):
        raise UserError(f"--origin {text}: write two numbers, like --origin 120,45.5, or the word corner") from None
    return x, y
