"""`mobilesim clocks`: list the logical clocks, compare them in the runs of a scenario, or compute their sizes."""

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mobilesim.api.text_tables import as_json
from mobilesim.cli.arguments import add_overrides, at_least, overrides, refuse_idle
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from mobilesim.clocks.allocations import ClockCost, Pairs
    from mobilesim.geometry.named_graphs import Graph

HELP: Final = "list the logical clocks, and compare their sizes and wrong answers"

_PROCESSES: Final = 20
_BRANCHING: Final = 3
_WALKS: Final = 1_000_000

DESCRIPTION: Final = """\
Logical clocks timestamp messages, and tell from two timestamps which message was sent before the other one. An exact
clock takes up to N integers on a message between N processes. Smaller clocks give some wrong answers, or know the links
between processes in advance.

  mobilesim clocks                          list the clocks
  mobilesim clocks plausible                describe one of them, with its options
  mobilesim clocks papers/msv-topologies    run a scenario once under each of its protocols, with all clocks beside it:
                                            the integers on messages, and the wrong answers by the oracle
  mobilesim clocks papers/msv-topologies --set clocks='[FM, {clock: plausible, entries: 8}]'
                                            compare these clocks only
  mobilesim clocks --graph star --n 20      compute the sets of the clocks of known links (Meldal, Sankar and Vera 1991)

All clocks see the same messages and arrivals, and delay none.
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

columns of a comparison:
  message, largest        integers of 32 bits on a message: the mean, and the largest
  of FM                   the mean, as a share of the vector clock of Fidge and Mattern
  process                 integers that a process keeps for its clock at the end, the mean
  wrong                   the share of wrong answers: ordered messages that are reported as concurrent (missed) or in
                          the reverse order (reversed), and concurrent messages that are reported as ordered (spurious)
  claim                   exact: no answer is wrong; exact if FIFO, exact if causal: if messages arrive in this order

columns with --graph:
  ClockSet, ObsSet  the clocks that a process keeps, and those that it takes from messages: the mean size; `most`: the
                    largest size; -: messages carry all clocks of their sender
  space             integers kept by all clocks together, and as a share of FM
  message           integers on a message, the mean over the links, and as a share of FM; with --unordered, a message
                    without the clock of its sender also has its sequence number
  gateways          processes that record arrival times; answers are correct only if messages arrive in causal order
  arrivals          links whose messages need a recorded arrival time
  sets              exact; superset: the search for acyclic paths reached --walks, so the sets may be larger than
                    necessary, which is safe

more examples:
  mobilesim clocks --graph hierarchical-triangle --n 13 --sets 5
  mobilesim clocks --graph backbone.graphml --json
  mobilesim clocks --graph tree --n 15 --pairs 3,4
  mobilesim clocks 'allocation 5'
"""

_OF_GRAPHS: Final = ("n", "branching", "unordered", "sets", "kept", "pairs", "walks")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    about = (
        "compare clocks in the runs of this scenario (a YAML file, or the name of a bundled one), or describe a clock"
    )
    add("scenario", nargs="?", metavar="SCENARIO|CLOCK", help=about)
    add_overrides(parser, "override a key of the scenario, like clocks='[FM, lamport]'; may be given again")
    add("--replication", type=int, metavar="N", help="the number of the replication of the scenario (default: 0)")
    add("--graph", metavar="NAME|FILE", help="compute the sizes of the clocks of known links on this graph")
    add("--n", type=int, help=f"processes of a named graph (default: {_PROCESSES})")
    add("--branching", type=int, metavar="N", help=f"children in triangles and trees (default: {_BRANCHING})")
    add("--unordered", action="store_true", help="count the sequence numbers of messages on links that keep no order")
    add("--sets", type=int, choices=range(1, 6), help="print the sets of this allocation, too")
    kept = "arrival times stored per link, for the comparison of costs in allocation 5 (default: 1)"
    add("--kept", type=int, metavar="N", help=kept)
    pairs = "compare any events of these pairs of processes (section 6), instead of messages to one process"
    add("--pairs", metavar="P,Q/P,Q", help=pairs)
    add("--walks", type=int, metavar="N", help=f"limit of the search for paths (default: {_WALKS})")
    add("--json", action="store_true", help="print one JSON document; with --graph, it has all sets")


def run(args: argparse.Namespace) -> int:
    from mobilesim.protocols.clocks.catalogue import CLOCKS

    if args.graph is not None:
        if args.scenario is not None:
            raise UserError(f"--graph {args.graph}: a scenario has its own links; leave one of the two out")
        refuse_idle(args, ("set", "replication"), "it is for scenarios; leave it out, or --graph")
        return _sizes(args)
    refuse_idle(args, _OF_GRAPHS, "it needs --graph")
    if args.scenario is None or args.scenario in CLOCKS:
        refuse_idle(args, ("set", "replication"), "it is for scenarios; name one")
        return _catalogue(args)
    return _compare(args)


def _catalogue(args: argparse.Namespace) -> int:
    from mobilesim.cli.text.clock_catalogue import details, entry, overview
    from mobilesim.protocols.clocks.catalogue import CLOCKS

    row = None if args.scenario is None else CLOCKS[args.scenario]
    if args.json:
        print(as_json([entry(each) for each in CLOCKS.values()] if row is None else entry(row)))
    else:
        print(overview() if row is None else details(row))
    return ExitCode.OK


def _compare(args: argparse.Namespace) -> int:
    from mobilesim.api.progress import Progress
    from mobilesim.cli.text.clock_catalogue import comparison, comparison_document
    from mobilesim.experiments.clock_runs import compared, load_with_clocks

    scenario = load_with_clocks(_path(args.scenario), overrides(args.set))
    with Progress().count_runs(scenario.name, len(scenario.protocols)) as counted:
        outcomes = []
        for outcome in compared(scenario, args.replication or 0):
            outcomes.append(outcome)
            counted()
    shown = as_json(comparison_document(scenario, outcomes)) if args.json else comparison(scenario, outcomes)
    print(shown)
    return ExitCode.OK


def _path(name: str) -> "Path":
    """Return the file of a scenario. A name that is similar to that of a clock, or in its title, gets a hint."""
    from mobilesim.protocols.clocks.catalogue import CLOCKS
    from mobilesim.scenario.bundled import find

    try:
        return find(name)
    except UserError:
        named = [each.name for each in CLOCKS.values() if name.lower() in each.title.lower()]
        if hint := (f"; did you mean {' or '.join(map(repr, named))}?" if named else did_you_mean(name, CLOCKS)):
            raise UserError(f"{name}: there is no such clock or scenario{hint}") from None
        raise


def _sizes(args: argparse.Namespace) -> int:
    from mobilesim.cli.text.clock_sets import as_document, as_text
    from mobilesim.clocks.allocations import NUMBERS, clock_cost, named_allocation
    from mobilesim.protocols.clocks.links import links_of

    kept = 1 if args.kept is None else at_least(0, "kept", args.kept)
    walks = _WALKS if args.walks is None else at_least(0, "walks", args.walks)
    if args.json and args.sets:
        raise UserError(f"--sets {args.sets}: --json has the sets of every allocation; leave one of the two out")
    made = _graph(args)
    links = links_of(made.adjacency)
    pairs = _pairs(args.pairs, links.size)
    allocations = ((name, named_allocation(name, links, kept, walks, pairs)) for name in NUMBERS)
    costs = (clock_cost(name, links, allocation, fifo=not args.unordered) for name, allocation in allocations)
    found = list(_with_progress(costs))
    print(as_json(as_document(made, found)) if args.json else as_text(made, found, args.sets, pairs=bool(pairs)))
    return ExitCode.OK


def _pairs(text: str | None, processes: int) -> "Pairs":
    """Read pairs of processes, like 1,2/0,3."""
    if text is None:
        return ()
    pairs = [pair.split(",") for pair in text.split("/")]
    if not all(len(pair) == 2 and all(name.strip().isdecimal() for name in pair) for pair in pairs):
        raise UserError(f"--pairs {text}: write two processes with a comma, and '/' between pairs, like 1,2/0,3")
    found = tuple((int(one), int(other)) for one, other in pairs)
    for one, other in found:
        if one == other:
            raise UserError(f"--pairs {text}: a pair has two different processes, not twice {one}")
        if max(one, other) >= processes:
            last = processes - 1
            raise UserError(
                f"--pairs {text}: there is no process {max(one, other)}; they are numbered from 0 to {last}"
            )
        if sum({one, other} == {*pair} for pair in found) > 1:
            raise UserError(f"--pairs {text}: names the pair {one},{other} twice")
    return found


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
