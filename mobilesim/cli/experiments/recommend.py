"""`mobilesim recommend`: which protocol to take for a scenario, and why."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mobilesim.cli.sweep_execution import add_options, planned, run_plan
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.scenario.sweeps.sweep_file import Overrides, Sweep
    from mobilesim.scenario.sweeps.variants import Change
    from protocols.catalogue import ProtocolRow

NAME: Final = "recommend"
HELP: Final = "try protocols on a scenario in a small study, and say which to take, why, and what it costs"

_TEACH: Final = """\
Tries the protocols of the catalogue that claim causal order and can order the scenario's messages, in a small study: at
most 1,000 messages (with batteries, as many as it has), 5 replications, all of them on the same random numbers. Whom
another one beats in delay, bytes and joules at once, as `mobilesim pareto` has it, is left out. Of the rest it goes
by what matters: the least mean delay; of those of whom nobody has clearly less, by more than 1 %, the fewest bytes on
all links; of those the fewest joules. Who is left then is alike, as far as can be told, and the least mean delay
decides. It shows the differences that this rests on, in what others are better, and what it has not tried.

  mobilesim recommend quickstart
  mobilesim recommend mine.yaml --by joules delay       what matters, the first one most
  mobilesim recommend mine.yaml --most-header '500 B'   of those whose header is no longer than that
  mobilesim recommend mine.yaml --fifo-only             where order between two hosts is enough
  mobilesim recommend mine.yaml --protocol av1 prs      of these

--by takes what `mobilesim pareto --by` takes.

exit status: 0 every protocol kept what it claims, 1 one did not or a run failed, 2 bad input, 130 Ctrl-C (what is
finished is kept)"""

MESSAGES: Final = 1_000
REPLICATIONS: Final = 5
USUAL: Final = ("delay", "bytes", "joules")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _TEACH
    add = parser.add_argument
    add("scenario", help="a YAML file, or the name of a shipped scenario")
    add("--by", nargs="+", metavar="MEAN", help="what matters, the first most (default: delay bytes joules)")
    add("--fifo-only", action="store_true", help="order between two hosts is enough")
    add("--most-header", metavar="SIZE", help="how long a header may be on the mean, like '500 B'")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="override a key of the scenario")
    add("--protocol", nargs="+", metavar="NAME", help="try these instead of the catalogue's")
    add("--replications", help=f"how often (default: {REPLICATIONS})")
    add_options(parser, "results/SCENARIO-advice")


def run(args: argparse.Namespace) -> int:
    from functools import partial

    from analysis.decisions.cost_names import costs
    from analysis.decisions.recommendation import advice

    by, most = costs(args.by or USUAL, fewest=1), _size(args.most_header)
    study, not_tried = _study(args)
    needs = "FIFO order" if args.fifo_only else "causal order"
    less = _claim_less(study, fifo_only=args.fifo_only)
    told = partial(advice, costs=by, needs=needs, most_header=most, not_tried=not_tried, claim_less=less)
    return run_plan(*planned(study, args.out), args, told)


def _claim_less(study: "Sweep", *, fifo_only: bool) -> frozenset[str]:
    """Protocols that somebody wants to see among the others, and that do not keep the order that is needed."""
    from protocols import catalogue

    rows = {each.label: catalogue.pair(each.placement, each.ordering) for each in study.scenario().protocols}
    less = frozenset(label for label, row in rows.items() if not _claims(row, fifo_only=fifo_only))
    if less == rows.keys():
        order = "FIFO order" if fifo_only else "causal order, and --fifo-only asks for less"
        raise UserError(f"--protocol: none of {', '.join(rows)} claims {order}; add one that does")
    return less


def _claims(row: "ProtocolRow", *, fifo_only: bool) -> bool:
    return row.claims.fifo if fifo_only else row.claims.causal


def _size(text: str | None) -> float | None:
    from mobilesim.scenario.values.units import SIZE

    if text is None:
        return None
    try:
        return float(SIZE.read(text))
    except ValueError as error:
        raise UserError(f"--most-header: {error}") from None


def _study(args: argparse.Namespace) -> "tuple[Sweep, dict[str, str]]":
    """With the reasons for which other protocols are not in it."""
    from mobilesim.cli.arguments import settings
    from mobilesim.scenario.bundled import find
    from mobilesim.scenario.sweeps.sweep_file import OF_SWEEPS

    path, given = find(args.scenario), settings(args, args.set)
    base: dict[str, str | Change] = {"replications": str(REPLICATIONS), **given}
    base |= _smaller(path, {key: change for key, change in given.items() if key not in OF_SWEEPS})
    if "protocols" in given:
        return _of(path, base, quick=args.quick), {}
    tried, not_tried = _candidates(path, base, fifo_only=args.fifo_only)
    if not tried:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(not_tried.items())[:3])
        raise UserError(f"{args.scenario}: no protocol suits it ({reasons}; …)")
    return _of(path, {**base, "protocols": f"[{', '.join(tried)}]"}, quick=args.quick), not_tried


def _of(path: Path, base: "Overrides", *, quick: bool) -> "Sweep":
    from mobilesim.scenario.sweeps.sweep_file import of

    return of(path, f"{path.stem}, advice", base, quick=quick)


def _smaller(path: Path, given: "Mapping[str, Change]") -> dict[str, str]:
    """No more messages than it takes, unless somebody says how many, or they stand in a file; batteries take time."""
    from mobilesim.cli.arguments import loaded

    scenario = loaded(path, given)
    fixed = scenario.workload.replay is not None or scenario.deliveries is not None or "messages" in given
    fixed |= scenario.energy.battery is not None
    few = scenario.messages is not None and scenario.messages <= MESSAGES
    return {} if fixed or few else {"messages": str(MESSAGES)}


def _candidates(path: Path, base: "Overrides", *, fifo_only: bool) -> tuple[list[str], dict[str, str]]:
    """Those of the catalogue that have a name, and every ordering at the stations where hosts are served by one."""
    from protocols import catalogue

    rows = {row.name: row for row in (*catalogue.ROWS.values(), *_at_proxies())}
    tried, not_tried = [], {}
    for name, row in rows.items():
        reason = _unfit(path, base, row, fifo_only=fifo_only)
        if reason is None:
            tried.append(name)
        else:
            not_tried[name] = reason
    others = len([row for row in catalogue.pairs() if row.name not in rows])
    if others:
        not_tried[f"{others} other pairs"] = "`mobilesim protocols` lists them; --protocol tries them"
    return tried, not_tried


def _at_proxies() -> "list[ProtocolRow]":
    from protocols import catalogue

    return [row for row in catalogue.pairs() if row.placement == "proxy"]


def _unfit(path: Path, base: "Overrides", row: "ProtocolRow", *, fifo_only: bool) -> str | None:
    if not _claims(row, fifo_only=fifo_only):
        return f"claims no {'FIFO' if fifo_only else 'causal'} order"
    alone = _of(path, {**base, "protocols": f"[{row.name}]"}, quick=False)
    try:
        alone.scenario()
    except UserError as error:
        said = str(error)
        return said.partition(f"{row.name} ")[2].partition(";")[0] or said
    return None
