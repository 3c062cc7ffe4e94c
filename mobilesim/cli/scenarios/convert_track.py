"""`mobilesim convert-track`: convert movement files between formats, or write the movement of a scenario."""

import argparse
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.api.progress import Progress
from mobilesim.api.text_tables import aligned
from mobilesim.cli import scenario_options
from mobilesim.cli.arguments import check_output, local_path
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.cli.movement_source import Movement
    from mobilesim.tracks.position import Position
    from mobilesim.tracks.statistics import TrackStatistics

HELP: Final = "convert a movement track between formats, or write the movement of a scenario"

DESCRIPTION: Final = """\
Reads a movement file, gzipped or not, and prints the number of nodes, the times and the area of their movement, and
their absences. With OUT, writes the same movement to OUT. IN may also be a scenario with a mobility model on a plane,
for the movement of its hosts.

  mobilesim convert-track town.xml.gz                            a short summary of a SUMO file
  mobilesim convert-track town.xml.gz town.parquet               the format of mobilesim: exact, and small
  mobilesim convert-track town.xml town.csv --start '7 h' --end '8 h' --origin corner
  mobilesim convert-track old.txt new.ns_movements --from one
  mobilesim convert-track mobility/waypoint walk.ns_movements    hosts of a scenario, for ns-2 and ns-3
  mobilesim convert-track mine.yaml walk.parquet --hosts 10 --duration '5 min' --set mobility.model=levy

  read      ns2 (.ns_movements .ns2 .tcl), bonnmotion (.movements), one (.one), fcd (SUMO, .xml .csv), gpx, csv, parquet
  written   ns2, bonnmotion, csv, parquet

A format is recognised by the file's name, or else by its first lines. OUT appears when it is complete. docs/tracks.md
describes what is read from each format.

exit status: 0 success, 2 bad input, 130 Ctrl-C"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="IN", help="the movement to read, or a scenario: its file or name")
    parser.add_argument("out", type=local_path, nargs="?", metavar="OUT", help="the file to write (default: none)")
    parser.add_argument(
        "--from", dest="source", metavar="FORMAT", help="the format of IN (default: by its name or content)"
    )
    parser.add_argument("--to", dest="target", metavar="FORMAT", help="the format of OUT (default: by its name)")
    parser.add_argument("--start", metavar="TIME", help="leave out earlier positions; TIME, like '7 h', becomes 0")
    parser.add_argument("--end", metavar="TIME", help="leave out positions after TIME, counted as in IN")
    parser.add_argument(
        "--origin",
        metavar="X,Y",
        help="the point that becomes (0, 0), in metres, or LON,LAT if IN is in degrees (default then: first point); "
        "`corner`: the lower left corner of all positions. Write --origin=-3,4 if it begins with a minus",
    )
    parser.add_argument("--geo", action="store_true", help="x and y of a SUMO file are longitude and latitude")
    parser.add_argument("--hosts", type=int, metavar="N", help="the first N hosts of a scenario (default: all)")
    scenario_options.add_arguments(parser)
    parser.add_argument("--number", action="store_true", help="number the nodes 0, 1, 2, ..., as ns-3 requires")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")


def run(args: argparse.Namespace) -> int:
    from mobilesim.cli.movement_source import movement
    from mobilesim.tracks.statistics import TrackStatistics
    from mobilesim.tracks.writing import write

    moves, target = movement(args), _target(args)
    stats = TrackStatistics()
    with Progress().meter(f"reading {moves.name}") as meter:
        positions = stats.counted(moves.read(meter.fraction))
        if args.number:
            positions = _numbered(positions)
        if target is None:
            deque(positions, maxlen=0)
        else:
            write(positions, args.out, target)
    print("\n".join(_lines(moves, stats, target)))
    if target is not None:
        print(f"wrote {args.out}")
    return ExitCode.OK


def _target(args: argparse.Namespace) -> str | None:
    """Return the format to write. Check the output now, before a long input is read."""
    from mobilesim.tracks.reading import by_name
    from mobilesim.tracks.writing import WRITERS

    if args.out is None:
        if args.target or args.number:
            raise UserError(f"{'--to' if args.target else '--number'} needs a file to write: name OUT")
        return None
    target: str | None = args.target or by_name(args.out)
    if target not in WRITERS:
        why = f"the format {target!r} is not written; there are" if args.target else "write its format with --to:"
        raise UserError(f"{args.out}: {why} {', '.join(WRITERS)}")
    if target == "parquet" and args.out.suffix == ".gz":
        raise UserError(f"{args.out}: Parquet is compressed by itself; leave out .gz")
    check_output(args.out, replace=args.force)
    return target


def _numbered(positions: "Iterator[Position]") -> "Iterator[Position]":
    numbers: dict[str, str] = {}
    for position in positions:
        yield position._replace(node=numbers.setdefault(position.node, str(len(numbers))))


def _lines(moves: "Movement", stats: "TrackStatistics", target: str | None) -> "Iterator[str]":
    yield moves.title
    yield from aligned(list(_rows(stats)))
    for note in moves.notes(stats):
        yield f"note: {note}"
    if target == "bonnmotion" and stats.absences:
        yield "note: BonnMotion has no absence: an absent node moves straight to its next position"


def _rows(stats: "TrackStatistics") -> "Iterator[tuple[str, str]]":
    from mobilesim.tracks.number_parsing import as_seconds

    yield "nodes", f"{stats.nodes:,} ({stats.late:,} absent at the start, {stats.gone:,} absent at the end)"
    yield "positions", f"{stats.positions:,}"
    yield "time", f"{as_seconds(stats.first)} s to {as_seconds(stats.last)} s"
    yield "area", f"{stats.width:,.1f} m by {stats.height:,.1f} m, from ({stats.left:.1f}, {stats.low:.1f})"
    yield "absences", f"{stats.absences:,} ({len(stats.absent_nodes):,} of the nodes)" if stats.absences else "none"
    yield "jumps", f"{stats.jumps:,}" if stats.jumps else "none"
    at = stats.fastest_at
    fastest = f"{stats.fastest:,.1f} m/s, node {at.node} at {as_seconds(at.time)} s" if at else "no node moves"
    yield "fastest", fastest
