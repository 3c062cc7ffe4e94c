"""`mobilesim clock-sizes`: the sizes of the clocks that a network of known links needs."""

import argparse
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from mobilesim.api.text_tables import aligned, as_json, terminal_width
from mobilesim.cli.arguments import at_least
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError, counted

if TYPE_CHECKING:
    from mobilesim.clocks.allocations import ClockCost
    from mobilesim.geometry.named_graphs import Graph

HELP: Final = "compare the sizes of clocks that order the messages to a process"

_PROCESSES: Final = 20
_BRANCHING: Final = 3

DESCRIPTION: Final = """\
If the links between processes are known, and only messages to the same process are compared, clocks smaller than vector
clocks can order them (Meldal, Sankar and Vera, 1991). For a graph of links, this command computes the clocks that each
process keeps (its ClockSet) and takes from messages (its ObsSet), by the five allocation algorithms of the paper, and
compares their costs with the vectors of Fidge and Mattern (FM).
"""

EPILOG: Final = """\
graphs (--n processes, numbered from 0):
  star                    0 in the middle, links both ways
  ring                    links in one direction
  bidirectional-ring      links both ways
  hierarchical-triangle   triangles of fully linked processes: an apex and a base of --branching processes, each
                          of which may be the apex of another triangle
  complete                a link from each process to every other process
  tree                    --branching children under each process, links both ways
  FILE.graphml            nodes in the order of the file; edges of an undirected graph lead both ways

columns:
  ClockSet, ObsSet  the mean size; `most`: the largest size; -: messages carry all clocks of their sender
  space             integers kept by all clocks together, and as a share of FM
  message           integers on a message, the mean over the links, and as a share of FM; with --unordered, a message
                    without the clock of its sender also has its sequence number
  gateways          processes that record arrival times; answers are correct only if messages arrive in causal order
  arrivals          links whose messages need a recorded arrival time
  sets              exact; superset: the search for acyclic paths reached --walks, so the sets may be larger than
                    necessary, which is safe

examples:
  mobilesim clock-sizes --graph star --n 20
  mobilesim clock-sizes --graph hierarchical-triangle --n 13 --sets 5
  mobilesim clock-sizes --graph backbone.graphml --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--graph", default="star", metavar="NAME|FILE", help="the links (default: star)")
    add("--n", type=int, help=f"processes of a named graph (default: {_PROCESSES})")
    add("--branching", type=int, metavar="N", help=f"children in triangles and trees (default: {_BRANCHING})")
    add("--unordered", action="store_true", help="count the sequence numbers of messages on links that keep no order")
    add("--sets", type=int, choices=range(1, 6), help="print the sets of this allocation, too")
    kept = "arrival times stored per link, for the comparison of costs in allocation 5 (default: 1)"
    add("--kept", type=int, default=1, metavar="N", help=kept)
    add("--walks", type=int, default=1_000_000, metavar="N", help="limit of the search for paths (default: 1000000)")
    add("--json", action="store_true", help="print one JSON document, sets included")


def run(args: argparse.Namespace) -> int:
    from mobilesim.clocks.allocations import NUMBERS, clock_cost, named_allocation
    from mobilesim.protocols.clocks.links import links_of

    for name in ("kept", "walks"):
        at_least(0, name, getattr(args, name))
    if args.json and args.sets:
        raise UserError(f"--sets {args.sets}: --json has the sets of every allocation; leave one of the two out")
    made = _graph(args)
    links = links_of(made.adjacency)
    allocations = ((name, named_allocation(name, links, args.kept, args.walks)) for name in NUMBERS)
    costs = (clock_cost(name, links, allocation, fifo=not args.unordered) for name, allocation in allocations)
    found = list(_with_progress(costs))
    if args.json:
        counts = {"graph": made.title, "processes": len(made.adjacency), "links": made.links}
        print(as_json({**counts, "clocks": [_entry(cost) for cost in found]}))
    else:
        print(*_table(made, found), *(_sets(found[args.sets]) if args.sets else ()), sep="\n")
    return ExitCode.OK


def _graph(args: argparse.Namespace) -> "Graph":
    """Return the graph that the options define; raise a UserError for options that have no effect on it."""
    from mobilesim.geometry.named_graphs import BRANCHED, KINDS, graph

    size = _PROCESSES if args.n is None else args.n
    branching = _BRANCHING if args.branching is None else args.branching
    made = graph(args.graph, size, branching)
    if args.n is not None and args.graph not in KINDS:
        raise UserError(
            f"--n {size}: {made.title} has {len(made.adjacency)} processes, one for each node; leave --n out"
        )
    if args.branching is not None and args.graph not in BRANCHED:
        raise UserError(f"--branching {branching}: without effect on {made.title}; it is for {' and '.join(BRANCHED)}")
    return made


def _with_progress(found: Iterator["ClockCost"]) -> Iterator["ClockCost"]:
    watched = sys.stderr.isatty()
    for cost in found:
        yield cost
        if watched:
            print(f"\r\x1b[K{cost.name} is done", end="", file=sys.stderr, flush=True)
    if watched:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


_HEAD: Final = (
    *("clocks", "ClockSet", "most", "ObsSet", "most", "space", "of FM", "message", "of FM"),
    *("gateways", "arrivals", "sets"),
)


def _table(made: "Graph", found: list["ClockCost"]) -> list[str]:
    rows = [_HEAD, *(_row(cost, found[0]) for cost in found)]
    title = f"{made.title}: {counted(len(made.adjacency), 'process')}, {counted(made.links, 'link')}"
    return [title, "", *aligned(rows, numbers=range(1, 11), width=terminal_width()), *_remarks(found)]


def _remarks(found: list["ClockCost"]) -> list[str]:
    """Return an explanation if no allocation keeps a clock, or if no allocation saves space."""
    vectors, *allocations = (cost.space for cost in found)
    if not any(allocations):
        reason = "of two messages that come to one process over different links, neither can depend on the other"
        return ["", f"Nothing to keep: {reason}."]
    if min(allocations) == vectors:
        return ["", "Nothing to save: on these links any clock may be needed by any process."]
    return []


def _row(cost: "ClockCost", vectors: "ClockCost") -> tuple[str, ...]:
    return (
        cost.name,
        *_sizes(cost.clock_sets),
        *(_sizes(cost.obs_sets) if cost.has_obs_sets else ("-", "-")),
        str(cost.space),
        f"{cost.space / vectors.space:.1%}",
        f"{cost.message:.1f}",
        f"{cost.message / vectors.message:.1%}" if vectors.messages else "-",
        str(cost.gateways),
        str(cost.arrivals),
        "exact" if cost.allocation.exact else "superset",
    )


def _sizes(sets: list[int]) -> tuple[str, str]:
    return f"{sum(sets) / len(sets):.1f}", str(max(sets))


def _sets(cost: "ClockCost") -> list[str]:
    allocation, rows = cost.allocation, [("process", "ClockSet", "ObsSet", "")]
    for p in range(len(allocation.clocks)):
        observed = _listed(allocation.obs_set(p)) if cost.has_obs_sets else "-"
        rows.append((str(p), _listed(allocation.clock_set(p)), observed, "gateway" * (allocation.gateways >> p & 1)))
    return ["", cost.name, *aligned(rows, numbers=(0,))]


def _listed(processes: frozenset[int]) -> str:
    """Return the numbers of processes as text. Three or more consecutive numbers become a range, like 3-7."""
    by_run = groupby(enumerate(sorted(processes)), key=lambda ranked: ranked[1] - ranked[0])
    runs = [[p for _, p in run] for _, run in by_run]
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs) or "-"


def _entry(cost: "ClockCost") -> dict[str, Any]:
    from mobilesim.protocols.clocks.links import members

    allocation, processes = cost.allocation, range(len(cost.allocation.clocks))
    return {
        "name": cost.name,
        "space": cost.space,
        "message": cost.message,
        "message_most": max(cost.messages, default=0),
        "gateways": list(members(allocation.gateways)),
        "arrivals": cost.arrivals,
        "exact": allocation.exact,
        "clock_sets": [sorted(allocation.clock_set(p)) for p in processes],
        "obs_sets": [sorted(allocation.obs_set(p)) for p in processes] if cost.has_obs_sets else None,
    }
