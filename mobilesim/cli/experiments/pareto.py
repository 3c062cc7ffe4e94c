"""`mobilesim pareto`: which protocols are beaten by nobody, by several costs at once."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.cli.sweep_execution import add_options, planned, print_view, run_plan
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from analysis.summary.metrics import Metric
    from mobilesim.results.location import Location
    from mobilesim.scenario.sweeps.sweep_file import Overrides, Sweep

NAME: Final = "pareto"
HELP: Final = "compare protocols by several costs at once, and name those that are beaten by nobody"

_TEACH: Final = """\
Compares protocols by inhibition, bytes on all links and joules of the hosts, or by any other means. One beats another
where it costs clearly less in one of them, and clearly more in none. Clearly: the 95% interval of the difference, by
pairs of runs, does not hold zero; a lower mean within such an interval saves nobody. Whom nobody beats is on the
frontier, and all are off whom one on it beats: which of those on it is best depends on what somebody would rather pay
with. Only protocols that claim causal order, and keep it, compete.

  mobilesim pareto quickstart                  runs it, 10 replications at the least
  mobilesim pareto quickstart --protocol av1 av2 rst prs --set hosts=20
  mobilesim pareto results/quickstart          of what `mobilesim run` has written
  mobilesim pareto results/mobility            of a sweep, point by point
  mobilesim pareto results/mobility --by header inhibition delay

The report has a figure for every two of the costs; of results that are there already it is pareto.html, beside their
own. --by takes delay, inhibition, header, bytes, air, wires, joules,
handoff, and every other mean of summary/protocols by its name there.

exit status: 0 every protocol kept what it claims, 1 one did not or a run failed, 2 bad input, 130 Ctrl-C (what is
finished is kept)"""

_OF_SCENARIOS: Final = ("set", "protocol", "replications", "out", "quick", "dry_run", "fresh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _TEACH
    add = parser.add_argument
    add("what", metavar="DIR|SCENARIO", help="a directory with results of a run or a sweep, or a scenario to run")
    add("--by", nargs="+", metavar="MEAN", help="the costs (default: inhibition bytes joules)")
    add_scenario_options(parser)
    add_options(parser, "results/SCENARIO-frontier, results/NAME of a sweep")


def add_scenario_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="override a key of the scenario")
    add("--protocol", nargs="+", metavar="NAME", help="run these instead of the scenario's protocols")
    add("--replications", help="how often (default: as the scenario says, and 10 at the least)")


def run(args: argparse.Namespace) -> int:
    from functools import partial

    from analysis.decisions.cost_names import USUAL, costs
    from mobilesim.results.layout import REPORT

    wanted = costs(args.by or USUAL)
    directory = _results(args.what)
    if directory is not None:
        return _of_results(directory, wanted, args)
    from analysis.decisions.pareto_frontier import frontier

    return run_plan(*planned(_study(args), args.out), args, partial(frontier, costs=wanted, name=REPORT))


def _results(what: str) -> "Location | None":
    """A directory never hides a shipped scenario, unless there are results in it."""
    from mobilesim.results.location import Remote, checked_location

    if "://" not in what and not Path(what).is_dir():
        return None
    found = checked_location(what)
    return found if isinstance(found, Remote) or (found / "runs").is_dir() else None


def _of_results(directory: "Location", costs: "tuple[Metric, ...]", args: argparse.Namespace) -> int:
    from analysis.decisions.pareto_frontier import frontier
    from mobilesim.cli.progress import Progress

    if idle := next((option for option in _OF_SCENARIOS if getattr(args, option)), None):
        raise UserError(f"--{idle.replace('_', '-')}: {args.what} holds results already, and nothing runs")
    found = frontier(
        directory, args.master, report=not args.no_report, progress=Progress(quiet=args.json).say, costs=costs
    )
    print_view(found, args)
    return 0 if found.sound else 1


def _study(args: argparse.Namespace) -> "Sweep":
    from mobilesim.cli.arguments import settings
    from mobilesim.scenario.bundled import find
    from mobilesim.scenario.sweeps.sweep_file import is_sweep, load

    path, base = find(args.what), settings(args, args.set)
    return load(path, base, quick=args.quick) if is_sweep(path) else repeated(path, NAME, base, quick=args.quick)


def repeated(path: Path, suffix: str, base: "Overrides", *, quick: bool) -> "Sweep":
    """A scenario with enough replications to tell protocols apart."""
    from dataclasses import replace

    from mobilesim.experiments.sweep.plan import DEFAULT_REPLICATIONS
    from mobilesim.scenario.sweeps.replications import fixed
    from mobilesim.scenario.sweeps.sweep_file import of

    found = of(path, f"{path.stem}, {suffix}", base, quick=quick)
    if found.replications is not None:
        return found
    return replace(found, replications=fixed(max(found.scenario().replications, DEFAULT_REPLICATIONS)))
