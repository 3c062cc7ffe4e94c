"""`python -m benchmarks.growth` measures time and memory against the numbers of hosts, stations and messages.

`benchmarks.growth_points` describes what varies and what does not. Each measurement is a fresh process; the points are
measured in turn, in several rounds. A point of the experiment `stations` is also run without movement: the difference,
divided by the number of hand-offs, is the time of a hand-off. Ctrl-C prints the points that have been measured.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.arguments import count
from benchmarks.fresh_process import cores, run_module
from benchmarks.growth_points import Point, points, selected
from benchmarks.growth_table import GrowthMeasurement, PointResult, document, lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    every = list(points(options.messages, options.longest, large=options.large))
    for name in options.points:
        if not selected(every, [name]):
            parser.error(f"no point is called {name}; --list prints their names")
    chosen = selected(every, options.points)
    if options.list:
        print(*(point.name for point in chosen), sep="\n")
        return 0
    results, status = _measure(chosen, options.rounds)
    _report(results, options)
    return status


def _measure(chosen: Sequence[Point], rounds: int) -> tuple[list[PointResult], int]:
    """Return the results and the exit status. After Ctrl-C, these are the results of the complete measurements."""
    found: dict[Point, list[GrowthMeasurement]] = {}
    status = 0
    try:
        for number, (point, measurement) in enumerate(_rounds(chosen, rounds), 1):
            found.setdefault(point, []).append(measurement)
            progress = f"[{number}/{len(chosen) * rounds}] {point.name}: {measurement.per_message:.2f} us/message"
            print(progress, file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        status = 130
    return [PointResult(point, tuple(measurements)) for point, measurements in found.items()], status


def _rounds(chosen: Sequence[Point], rounds: int) -> Iterator[tuple[Point, GrowthMeasurement]]:
    for _ in range(rounds):
        for point in chosen:
            yield point, _measurement(point)


def _measurement(point: Point) -> GrowthMeasurement:
    moving = _run(point, "moving")
    if point.experiment != "stations":
        return GrowthMeasurement(moving["seconds"] / point.messages * 1e6, None, moving["peak"])
    still = _run(point, "still")
    more = moving["seconds"] - still["seconds"]
    per_handoff = more / moving["handoffs"] * 1e6 if moving["handoffs"] else None
    return GrowthMeasurement(still["seconds"] / point.messages * 1e6, per_handoff, moving["peak"])


def _run(point: Point, movement: str) -> Any:  # noqa: ANN401 - a JSON document
    return run_module("benchmarks.growth_point", [movement, json.dumps(asdict(point))], cores()[0])


def _report(results: Sequence[PointResult], options: argparse.Namespace) -> None:
    core = cores()[0]
    if options.json:
        print(json.dumps(document(results, core), indent=2))
    else:
        print(*lines(results), sep="\n")
    if options.plot:
        from benchmarks.growth_page import page

        options.plot.write_text(page(results, core), encoding="utf-8")
        print(f"figures: {options.plot}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth",
        description="CPU time per message and peak memory against the numbers of hosts, stations and messages.",
    )
    add = parser.add_argument
    add("points", nargs="*", metavar="POINT", help="a name like hosts-av1-1000, or the beginning of names like hosts")
    add("--messages", type=count, default=20_000, metavar="N", help="messages per run (default: %(default)s)")
    add(
        "--longest",
        type=count,
        default=300_000,
        metavar="N",
        help="largest number of messages in the experiment 'messages' (default: %(default)s)",
    )
    add("--rounds", type=count, default=3, metavar="N", help="runs of each point (default: %(default)s)")
    add("--large", action="store_true", help="add up to 100,000 hosts (prs: 1,000); needs gigabytes of memory")
    add("--list", action="store_true", help="print the names of the points and exit")
    add("--json", action="store_true", help="print one JSON document instead of the table")
    add("--plot", type=Path, metavar="FILE.html", help="write a page of curves")
    return parser


if __name__ == "__main__":
    sys.exit(main())
