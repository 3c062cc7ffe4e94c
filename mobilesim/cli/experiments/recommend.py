"""`mobilesim recommend`: the protocol to choose for a scenario, with the reasons."""

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.cli.arguments import add_overrides, names, read_quantity, settings
from mobilesim.cli.sweep_execution import add_options, run_sweep
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.protocols.catalogue_rows import ProtocolRow
    from mobilesim.scenario.loader import Change, Overrides
    from mobilesim.scenario.sweeps.sweep_file import Sweep
    from mobilesim.scenario.sweeps.variants import Given

HELP: Final = "try protocols on a scenario, and recommend one with the reasons"

DESCRIPTION: Final = """\
Runs the protocols that have a name in the catalogue, and every ordering under the placement `proxy` (one process per
host, at the station of the host's cell). Protocols that claim no causal order or do not support the scenario's traffic
are not tried. The study is small: 5 replications of at most 1,000 messages, all on the same random numbers. The number
of messages is not reduced if an option sets it, if the scenario sets `deliveries`, or with batteries or a message file.

Protocols that another protocol dominates (see `mobilesim pareto --help`) are left out. The others are compared cost by
cost: by delay, then bytes, then energy. At each cost, a protocol is left out if another remaining one is significantly
lower in this cost, by more than 1 %. If several remain at the end, the lowest first cost decides. The output has the
differences behind the recommendation, the metrics in which other protocols are better, and the protocols that were not
tried.

Then the same protocols run under other assumptions, and the output says whether the recommendation holds, and what
turns it: other location services (home, lazy and free), a tenth and ten times the processing price of an integer, half
and twice the bandwidth, and one wireless channel for all hosts of a cell. --no-assumptions leaves this out, and so does
--quick.

  mobilesim recommend quickstart
  mobilesim recommend mine.yaml --costs joules delay    the most important cost first
  mobilesim recommend mine.yaml --max-header '500 B'    only protocols with a mean header of at most 500 B
  mobilesim recommend mine.yaml --fifo-only             if FIFO order between two hosts is enough
  mobilesim recommend mine.yaml --protocol av1 prs      only these protocols

--costs takes the metrics of `mobilesim pareto --costs`.

exit status: 0 every protocol kept its claims, 1 one did not or a run failed, 2 bad input, 130 Ctrl-C (finished runs are
kept)"""

MESSAGES: Final = 1_000
REPLICATIONS: Final = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("scenario", help="a YAML file, or the name of a bundled scenario")
    add("--costs", nargs="+", metavar="METRIC", help="the most important one first (default: delay bytes joules)")
    add("--fifo-only", action="store_true", help="FIFO order between two hosts is enough")
    add("--max-header", metavar="SIZE", help="largest mean size of a header, like '500 B'")
    add_overrides(parser)
    add("--protocol", nargs="+", metavar="NAME", help="compare these instead of the protocols of the catalogue")
    add("--replications", help=f"number of replications (default: {REPLICATIONS})")
    add("--no-assumptions", action="store_true", help="do not run the protocols under other assumptions")
    add_options(parser, "results/SCENARIO-recommendation")


def run(args: argparse.Namespace) -> int:
    from mobilesim.analysis.decisions.pareto_frontier import costs
    from mobilesim.analysis.decisions.recommendation import Requirements
    from mobilesim.analysis.decisions.recommendation_text import recommendation
    from mobilesim.scenario.values.units import SIZE

    chosen = costs(names(args.costs or ("delay", "bytes", "joules")), fewest=1)
    limit = None if args.max_header is None else float(read_quantity("max-header", args.max_header, SIZE))
    study, not_tried = _study(args)
    order, without = "FIFO order" if args.fifo_only else "causal order", _without_claim(study, fifo_only=args.fifo_only)
    requirements = Requirements(order=order, without_claim=without, max_header=limit)
    summarize = partial(recommendation, costs=chosen, requirements=requirements, not_tried=not_tried)
    return run_sweep(study, args, summarize)


def _without_claim(study: "Sweep", *, fifo_only: bool) -> frozenset[str]:
    """Return the protocols of the study that do not claim the required order. They are only shown for comparison."""
    from mobilesim.protocols import catalogue

    rows = {each.label: catalogue.pair(each.placement, each.ordering) for each in study.scenario().protocols}
    without = frozenset(label for label, row in rows.items() if not _claims(row, fifo_only=fifo_only))
    if without == rows.keys():
        instead = "" if fifo_only else ", or write --fifo-only"
        order = "FIFO order" if fifo_only else "causal order"
        raise UserError(f"--protocol: none of {', '.join(rows)} claims {order}; add one that does{instead}")
    return without


def _claims(row: "ProtocolRow", *, fifo_only: bool) -> bool:
    return row.claims.fifo if fifo_only else row.claims.causal


def _study(args: argparse.Namespace) -> "tuple[Sweep, dict[str, str]]":
    """Return the study, and the reasons for the protocols that are left out."""
    from mobilesim.scenario.bundled import find
    from mobilesim.scenario.sweeps.sweep_keys import OF_SWEEPS

    path, given = find(args.scenario), settings(args, args.set)
    base: dict[str, str | Change] = {"replications": str(REPLICATIONS), **given}
    base |= _smaller(path, {key: change for key, change in given.items() if key not in OF_SWEEPS})
    if "protocols" in given:
        return _varied(path, base, args), {}
    tried, not_tried = _candidates(path, base, fifo_only=args.fifo_only)
    if not tried:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(not_tried.items())[:3])
        raise UserError(f"{args.scenario}: no protocol supports it ({reasons}; …)")
    return _varied(path, {**base, "protocols": f"[{', '.join(tried)}]"}, args), not_tried


def _varied(path: Path, base: "Overrides", args: argparse.Namespace) -> "Sweep":
    """Return the study of a scenario, with the same scenario under other assumptions unless these are left out."""
    from mobilesim.scenario.assumptions import variants

    study = _of(path, base, quick=args.quick)
    if args.no_assumptions or args.quick:
        return study
    return _of(path, base, quick=False, given=variants(study.scenario()))


def _of(path: Path, base: "Overrides", *, quick: bool, given: "Given | None" = None) -> "Sweep":
    from mobilesim.scenario.sweeps.sweep_file import of

    return of(path, f"{path.stem}, recommendation", base, quick=quick, given=given or {})


def _smaller(path: Path, given: "Mapping[str, Change]") -> dict[str, str]:
    """Return an override of `messages`; {} for a small or given number, a message file, `deliveries` or batteries."""
    from mobilesim.scenario.loader import load

    scenario = load(path, given)
    fixed = scenario.workload.replay is not None or scenario.deliveries is not None or "messages" in given
    fixed |= scenario.energy.battery is not None
    few = scenario.messages is not None and scenario.messages <= MESSAGES
    return {} if fixed or few else {"messages": str(MESSAGES)}


def _candidates(path: Path, base: "Overrides", *, fifo_only: bool) -> tuple[list[str], dict[str, str]]:
    """Return the suitable protocols of those with a name in the catalogue and those under the placement `proxy`, and
    the reasons against the others.
    """
    from mobilesim.protocols import catalogue

    at_proxies = [row for row in catalogue.pairs() if row.placement == "proxy"]
    rows = {row.name: row for row in (*catalogue.ROWS.values(), *at_proxies)}
    reasons = {name: _unfit(path, base, row, fifo_only=fifo_only) for name, row in rows.items()}
    not_tried = {name: reason for name, reason in reasons.items() if reason}
    others = len([row for row in catalogue.pairs() if row.name not in rows])
    if others:
        title = f"{others} other pairs of placement and ordering"
        not_tried[title] = "listed by `mobilesim protocols`; add them with --protocol"
    return [name for name in rows if not reasons[name]], not_tried


def _unfit(path: Path, base: "Overrides", row: "ProtocolRow", *, fifo_only: bool) -> str:
    """Return the reason against a protocol; '' if it is suitable."""
    if not _claims(row, fifo_only=fifo_only):
        return f"claims no {'FIFO' if fifo_only else 'causal'} order"
    alone = _of(path, {**base, "protocols": f"[{row.name}]"}, quick=False)
    try:
        alone.scenario()
    except UserError as error:
        message = error.messages[0]
        return message.partition(f"{row.name} ")[2].partition(";")[0] or message
    return ""
