"""`mobilesim reproduce-figure`: reproduce a figure of a paper and check the paper's statements about it."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mobilesim.api.text_tables import as_json, indented, terminal_width
from mobilesim.cli.arguments import at_least, local_path, refuse_idle
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError, counted, suggestion

if TYPE_CHECKING:
    from mobilesim.experiments.executors import Executor
    from mobilesim.experiments.paper_figures.figure import PaperFigure

HELP: Final = "reproduce a figure of a paper and check the statements of the paper about it"

DESCRIPTION: Final = """\
Runs a bundled scenario at every point of a figure, under every protocol, in several replications; all protocols use
the same random numbers. Prints means with 95% confidence intervals (Student's t over replications), differences paired
by replication, and whether the statements of the paper are confirmed; draws the figure into one offline HTML file.

  mobilesim reproduce-figure                            list the figures
  mobilesim reproduce-figure av-figure-1                reproduce a figure, into results/av-figure-1
  mobilesim reproduce-figure av-figure-1 --quick        a short version, for a first test
  mobilesim reproduce-figure av-figure-2 --replications 20
  mobilesim reproduce-figure --all --quick              reproduce all figures, one after another

Finished runs are kept in the results directory: after Ctrl-C, or with more replications, the same command (without
--fresh) continues with the missing runs.

exit status: 0 reproduced, whether or not the figure confirms the paper; 1 a protocol violated its claims, 2 bad input,
130 Ctrl-C (finished runs are shown)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("figure", nargs="?", help="the name of a figure (default: list the figures)")
    add("--all", action="store_true", help="reproduce all figures; --out is the parent of their directories")
    add("--quick", action="store_true", help="few points, few replications, short runs: some seconds")
    add("--out", type=local_path, metavar="DIR", help="results directory (default: results/FIGURE)")
    add("--replications", type=int, metavar="N", help="runs of each protocol at each point (default: the figure's)")
    add("--workers", type=int, metavar="N", help="worker processes (default: one per core)")
    add("--fresh", action="store_true", help="remove finished runs and start again")
    add("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    if args.figure is None and not args.all:
        return _list(args)
    from mobilesim.api.interrupts import Interruption
    from mobilesim.experiments.executors import cores, process_pool

    figures = _chosen(args)
    executor = process_pool(cores() if args.workers is None else at_least(1, "workers", args.workers))
    parent = args.out or Path("results")
    documents: list[Document] = []
    with Interruption().noted() as stop:
        for figure in figures:
            directory = parent / figure.name if args.all or args.out is None else parent
            documents.append(_reproduced(figure, directory, executor, stop, args))
            if not args.json:
                lines = figure_lines(documents[-1], terminal_width())
                print(
                    *[""] * (len(documents) > 1), *lines, f"figure: {directory / 'figure.html'}", sep="\n", flush=True
                )
            if stop():
                break
    if args.json:
        print(as_json(documents if args.all else documents[0]))
    if stop():
        hint = f"finished runs are kept in {directory}; the same command without --fresh continues with the other runs"
        print(f"mobilesim: interrupted; {hint}", file=sys.stderr)
        return ExitCode.INTERRUPTED
    return ExitCode.FAULT if any(document["faults"] for document in documents) else ExitCode.OK


def _reproduced(
    figure: "PaperFigure", directory: Path, executor: "Executor", stop: Callable[[], bool], args: argparse.Namespace
) -> "Document":
    """Execute the missing runs of a figure, and write its document and its page."""
    from mobilesim.api.progress import Progress
    from mobilesim.experiments.paper_figures.figure_document import figure_document
    from mobilesim.experiments.paper_figures.figure_runs import run_figure

    display = Progress(quiet=args.json)
    runs = run_figure(figure, directory, executor, fresh=args.fresh, stop=stop, display=display)
    document = figure_document(figure, runs)
    _write(document, directory, args)
    return document


def _list(args: argparse.Namespace) -> int:
    from mobilesim.experiments.paper_figures.figure import FIGURES

    reason = f"the name of a figure is missing; there are {', '.join(FIGURES)}"
    refuse_idle(args, ("quick", "out", "replications", "workers", "fresh"), reason)
    if args.json:
        print(as_json([{"figure": each.name, "paper": each.paper, "title": each.title} for each in FIGURES.values()]))
        return ExitCode.OK
    width = max(map(len, FIGURES))
    for each in FIGURES.values():
        print(f"{each.name:<{width}}  {each.title} ({each.paper})")
    return ExitCode.OK


def _chosen(args: argparse.Namespace) -> "list[PaperFigure]":
    from mobilesim.experiments.paper_figures.figure import FIGURES

    if args.all and args.figure is not None:
        raise UserError(f"{args.figure}: --all has every figure; leave one of the two out")
    if not args.all and args.figure not in FIGURES:
        raise UserError(f"{args.figure}: no such figure{suggestion(args.figure, FIGURES)}")
    figures = list(FIGURES.values()) if args.all else [FIGURES[args.figure]]
    if args.quick:
        figures = [figure.quick_version() for figure in figures]
    if args.replications is None:
        return figures
    replications = at_least(1, "replications", args.replications)
    return [figure.with_replications(replications) for figure in figures]


def _write(document: dict[str, Any], directory: Path, args: argparse.Namespace) -> None:
    """Write the document and the page. The page names the options that make the figure incomplete."""
    from mobilesim.analysis.report.figure_page import page
    from mobilesim.results.run_directory import write_files

    options = ["--quick"] * args.quick
    if args.replications is not None:
        options.append(f"--replications {args.replications}")
    files = {"figure.json": as_json(document) + "\n", "figure.html": page(document, options)}
    write_files(directory, {name: text.encode() for name, text in files.items()})


_OVERLOADED: Final = 0.9

Document = Mapping[str, Any]


def figure_lines(document: Document, width: int | None = None) -> Iterator[str]:
    metric = document["metric"]
    unit = f", in {metric['unit']}" if metric["unit"] else ""
    yield f"{document['title']} ({document['paper']})"
    replications = counted(document["replications"], "replication")
    yield f"{metric['label']}{unit}, ± half of a 95% confidence interval over {replications}"
    yield from (f"  {symbol}  {meaning}" for symbol, meaning in document["symbols"].items())
    for panel in document["panels"]:
        yield from _panel(document, panel, width)
    yield from _statements(document["panels"])
    yield ""
    yield document["conclusion"] or document["incomplete"]
    for fault in document["faults"]:
        yield f"FAULT: the protocol violated its claims ({fault})"


def _panel(document: Document, panel: Document, width: int | None) -> Iterator[str]:
    yield from ("", panel["label"])
    head, rows = _head(document, panel), list(_rows(document, panel))
    yield from indented([head, *rows], range(len(head)), width)
    if any(cell.endswith("*") for row in rows for cell in row):
        yield f"  * a station was busy for more than {_OVERLOADED:.0%} of the time: the delay depends on the run length"


def _statements(panels: Sequence[Document]) -> Iterator[str]:
    """Yield the lines of each statement, with its verdict in every panel to which it applies."""
    answers = [(panel["label"], each) for panel in panels for each in panel["statements"]]
    width = max((len(label) for label, _ in answers), default=0)
    for source, paper in dict.fromkeys((each["source"], each["paper"]) for _, each in answers):
        yield from ("", f"{source}: {paper}")
        for label, answer in answers:
            if (answer["source"], answer["paper"]) == (source, paper):
                yield f"  {label:<{width}}  {answer['verdict']}: {answer['text']}"


def _head(document: Document, panel: Document) -> list[str]:
    head = [document["x"]["symbol"]]
    for series in panel["series"]:
        head += [series["label"], *(f"({part.replace('_', ' ')})" for part in document["parts"])]
    gap = panel["difference"]
    return [*head, f"{gap['left']} - {gap['right']}"] if gap else head


def _rows(document: Document, panel: Document) -> Iterator[list[str]]:
    for x in sorted({point["x"] for series in panel["series"] for point in series["points"]}):
        row = [str(x)]
        for series in panel["series"]:
            row += _cells(document["parts"], _point_at(series["points"], x))
        if panel["difference"]:
            row.append(_estimate(_point_at(panel["difference"]["points"], x), sign="+"))
        yield row


def _point_at(points: Sequence[Document], x: int) -> Document | None:
    return next((point for point in points if point["x"] == x), None)


def _cells(parts: Sequence[str], point: Document | None) -> list[str]:
    if point is None:
        return ["-"] * (1 + len(parts))
    mark = "*" if point["utilisation"] > _OVERLOADED else ""
    return [_estimate(point) + mark, *(f"{point['parts'][part]['mean']:.2f}" for part in parts)]


def _estimate(estimate: Document | None, sign: str = "") -> str:
    from mobilesim.analysis.summary.formatting import number, plus_minus

    if estimate is None:
        return "-"
    mean, low, high = estimate["mean"], estimate["low"], estimate["high"]
    text = number(mean) if low is None else plus_minus(mean, low, high)
    return f"{sign}{text}" if mean > 0 else text
