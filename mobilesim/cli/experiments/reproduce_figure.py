"""`mobilesim reproduce-figure`: a paper's figure, measured again."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mobilesim.errors import UserError, suggestion

if TYPE_CHECKING:
    from mobilesim.experiments.paper_figures.figure import Figure, Point
    from mobilesim.experiments.paper_figures.findings import Found
    from mobilesim.experiments.run import Run

NAME: Final = "reproduce-figure"
HELP: Final = "measure a paper's figure again, with what the paper says of it beside"

_TEACH: Final = """\
Runs a shipped scenario at every point of a figure, under every protocol of it, several times; all protocols meet the
same worlds. Prints the means with 95% intervals (Student's t over replications), the differences within replications,
and what the paper says of its figure with whether that holds here; draws the figure into one offline HTML file.

  mobilesim reproduce-figure                            the figures that there are
  mobilesim reproduce-figure av-figure-1                one of them, into results/av-figure-1
  mobilesim reproduce-figure av-figure-1 --quick        the same in small, to see whether it works
  mobilesim reproduce-figure av-figure-2 --replications 20

A run that is finished is kept in points.jsonl: after Ctrl-C, or with more replications, the same command goes on from
there.

exit status: 0 measured and drawn, whether or not the paper is borne out; 1 a protocol broke what it claims, 2 bad
input, 130 Ctrl-C (what is finished is shown)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _TEACH
    add = parser.add_argument
    add("figure", nargs="?", help="its name; without one, the figures are listed")
    add("--quick", action="store_true", help="few points, few replications, short runs: some seconds")
    add("--out", type=Path, metavar="DIR", help="where results go (default: results/FIGURE)")
    add("--replications", type=int, metavar="N", help="how often every point is measured (default: the figure's own)")
    add("--workers", type=int, metavar="N", help="processes that measure at once (default: one for each core)")
    add("--fresh", action="store_true", help="measure everything anew, also what was finished before")
    add("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    if args.figure is None:
        return _list(args)
    from mobilesim.cli.interrupts import interruption

    figure = _chosen(args)
    directory = args.out or Path("results") / figure.name
    with interruption() as stop:
        found = _measured(figure, directory, _workers(args.workers), stop, args)
        document = _settled(figure, found, directory, _asked(args))
    print(_as_json(document) if args.json else _as_text(document, directory))
    if stop():
        print(f"mobilesim: interrupted; {directory} has what is finished, and goes on from there", file=sys.stderr)
        return 130
    return 1 if document["faults"] else 0


def _list(args: argparse.Namespace) -> int:
    from mobilesim.experiments.paper_figures.catalogue import FIGURES

    for option in ("quick", "out", "replications", "workers", "fresh"):
        given = getattr(args, option)
        if given is not None and given is not False:
            raise UserError(f"--{option}: of which figure? there are {', '.join(FIGURES)}")
    if args.json:
        import json

        listed = [{"figure": each.name, "paper": each.paper, "title": each.title} for each in FIGURES.values()]
        print(json.dumps(listed, indent=2, ensure_ascii=False))
        return 0
    width = max(map(len, FIGURES))
    for each in FIGURES.values():
        print(f"{each.name:<{width}}  {each.title} ({each.paper})")
    return 0


def _chosen(args: argparse.Namespace) -> "Figure":
    figure = _named(args.figure)
    if args.quick:
        figure = figure.shortened()
    if args.replications is None:
        return figure
    return figure.repeated(_at_least_one("replications", args.replications))


def _named(name: str) -> "Figure":
    from mobilesim.experiments.paper_figures.catalogue import FIGURES

    if name in FIGURES:
        return FIGURES[name]
    raise UserError(f"{name}: no such figure{suggestion(name, FIGURES)}")


def _workers(given: int | None) -> int:
    import os

    return (os.cpu_count() or 1) if given is None else _at_least_one("workers", given)


def _at_least_one(name: str, number: int) -> int:
    if number < 1:
        raise UserError(f"--{name} {number}: expected 1 or more")
    return number


def _measured(
    figure: "Figure", directory: Path, workers: int, stop: Callable[[], bool], args: argparse.Namespace
) -> "list[Found]":
    """Whatever of the figure is on file, once the rest has been measured or somebody has stopped it."""
    from mobilesim.cli.progress import Progress
    from mobilesim.experiments.paper_figures.findings import Found
    from mobilesim.experiments.paper_figures.point_cache import Points
    from mobilesim.experiments.paper_figures.worker_pool import measured

    runs = _runs(figure)
    with Points(directory, fresh=args.fresh) as points:
        missing = {run.id: run for _, run in runs if run.id not in points.known}
        with Progress(quiet=args.json).count_runs(figure.name, len(missing)) as count:
            for measurement in measured(list(missing.values()), workers, stop):
                points.add(measurement)
                count()
        known = points.known
    return [Found(point, run.replication, known[run.id]) for point, run in runs if run.id in known]


def _runs(figure: "Figure") -> "list[tuple[Point, Run]]":
    """Replication by replication: what there is after Ctrl-C can be compared."""
    from mobilesim.experiments.run import Run
    from mobilesim.scenario.bundled import find
    from mobilesim.scenario.loader import load

    path = find(figure.scenario)
    scenarios = [(point, load(path, point.settings)) for point in figure.points()]
    return [
        (point, Run(scenario, scenario.protocols[0], replication))
        for replication in range(figure.replications)
        for point, scenario in scenarios
    ]


def _asked(args: argparse.Namespace) -> list[str]:
    """The options by which a figure is less than whole, or more."""
    quick = ["--quick"] if args.quick else []
    return quick if args.replications is None else [*quick, f"--replications {args.replications}"]


def _settled(figure: "Figure", found: "list[Found]", directory: Path, asked: Sequence[str]) -> dict[str, Any]:
    """The document, and beside the points its file and its page."""
    from analysis.report.figure_page import page
    from mobilesim.experiments.paper_figures.findings import document
    from mobilesim.results.run_directory import write_files
    from mobilesim.statistics.intervals import half_width

    settled = document(figure, found, half_width)
    files = {"figure.json": _as_json(settled) + "\n", "figure.html": page(settled, asked)}
    write_files(directory, {name: text.encode() for name, text in files.items()})
    return settled


def _as_json(document: dict[str, Any]) -> str:
    import json

    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _as_text(document: dict[str, Any], directory: Path) -> str:
    from mobilesim.cli.figure_text import lines
    from mobilesim.cli.text_table import terminal_width

    return "\n".join([*lines(document, terminal_width()), f"figure: {directory / 'figure.html'}"])
