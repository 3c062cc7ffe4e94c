"""`mobilesim pareto`: the Pareto-optimal protocols by several costs."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.api.progress import Progress
from mobilesim.cli.arguments import add_overrides, names, refuse_idle, settings
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.cli.sweep_execution import add_options, print_view, run_sweep
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.results.location import Location
    from mobilesim.scenario.loader import Overrides
    from mobilesim.scenario.sweeps.sweep_file import Sweep

HELP: Final = "compare protocols by several costs, and name the Pareto-optimal ones"

DESCRIPTION: Final = """\
Compares protocols by inhibition, bytes on all links and energy of the hosts, or by other metrics. A protocol dominates
another protocol if it is significantly lower in one of these costs, and significantly higher in none. Significant: the
95 % interval of the difference, by pairs of runs, does not contain zero. A protocol is Pareto-optimal if no other
protocol dominates it. Which Pareto-optimal protocol is best depends on the weights of the costs. Only protocols that
claim causal order, and keep it, are compared.

  mobilesim pareto quickstart                  run a scenario, with at least 10 replications
  mobilesim pareto quickstart --protocol av1 av2 rst prs --set hosts=20
  mobilesim pareto quickstart --assumptions    also with other locations, processing prices and wireless channels
  mobilesim pareto results/quickstart          use the results of `mobilesim run`
  mobilesim pareto results/mobility            use the results of a sweep, point by point
  mobilesim pareto results/mobility --costs header inhibition delay

The report has a figure for each pair of costs; for existing results it is pareto.html in the results directory.
--costs takes delay, inhibition, header, bytes, air, wires, joules, handoff, and the name of any other mean in the
table summary/protocols.

exit status: 0 every protocol kept its claims, 1 one did not or a run failed, 2 bad input, 130 Ctrl-C (finished runs are
kept)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("what", metavar="DIR|SCENARIO", help="results directory of a run or a sweep, or a scenario to run")
    add("--costs", nargs="+", metavar="METRIC", help="costs to compare by (default: inhibition bytes joules)")
    add_overrides(parser)
    add("--protocol", nargs="+", metavar="NAME", help="run these instead of the scenario's protocols")
    add("--replications", help="number of replications (default: that of the scenario, at least 10)")
    add("--assumptions", action="store_true", help="run the scenario under other assumptions, too")
    add_options(parser, "results/SCENARIO-pareto, or results/NAME for a sweep")


def run(args: argparse.Namespace) -> int:
    from mobilesim.analysis.decisions.pareto_frontier import DEFAULT_COSTS, costs, pareto
    from mobilesim.results.layout import REPORT

    chosen, directory = costs(names(args.costs or DEFAULT_COSTS)), _results(args.what)
    if directory is None:
        return run_sweep(_study(args), args, partial(pareto, costs=chosen, name=REPORT))
    of_runs = ("set", "protocol", "replications", "assumptions", "out", "quick", "dry_run", "fresh")
    refuse_idle(args, of_runs, f"{args.what} holds results, so nothing runs")
    progress = Progress(quiet=args.json).show_stage
    found = pareto(directory, args.master, report=not args.no_report, progress=progress, costs=chosen)
    print_view(found, args)
    return ExitCode.OK if found.sound else ExitCode.FAULT


def _results(what: str) -> "Location | None":
    """Return the directory `what` if it has results; else None, because `what` may be a bundled scenario."""
    from mobilesim.results.location import Remote, checked_location

    if "://" not in what and not Path(what).is_dir():
        return None
    found = checked_location(what)
    return found if isinstance(found, Remote) or (found / "runs").is_dir() else None


def _study(args: argparse.Namespace) -> "Sweep":
    from mobilesim.scenario.bundled import find
    from mobilesim.scenario.sweeps.sweep_file import is_sweep, load

    path, base = find(args.what), settings(args, args.set)
    if is_sweep(path):
        if args.assumptions:
            raise UserError(f"--assumptions: {args.what} is a sweep; write a scenario, or the assumptions as variants")
        return load(path, base, quick=args.quick)
    return _repeated(path, base, quick=args.quick, assumptions=args.assumptions)


def _repeated(path: Path, base: "Overrides", *, quick: bool, assumptions: bool) -> "Sweep":
    """Return a sweep with one point, and with enough replications for a comparison. `assumptions`: and with a point for
    each other assumption.
    """
    from dataclasses import replace

    from mobilesim.experiments.sweep.plan import DEFAULT_REPLICATIONS
    from mobilesim.scenario.assumptions import variants
    from mobilesim.scenario.sweeps.replications import fixed
    from mobilesim.scenario.sweeps.sweep_file import of

    found = of(path, f"{path.stem}, pareto", base, quick=quick)
    if assumptions:
        found = of(path, f"{path.stem}, pareto", base, quick=quick, given=variants(found.scenario()))
    if found.replications is not None:
        return found
    return replace(found, replications=fixed(max(found.scenario().replications, DEFAULT_REPLICATIONS)))
