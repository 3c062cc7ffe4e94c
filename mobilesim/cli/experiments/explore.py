"""`mobilesim explore`: every schedule of a small configuration."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mobilesim.cli.destination_options import audience, written
from mobilesim.cli.progress import Progress
from mobilesim.cli.protocol_arguments import chosen_options, named_row
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.explorer.exploration import Exploration, SearchProgress
    from mobilesim.explorer.untimed_world import Bounds
    from mobilesim.oracle.verdicts import FaultKind
    from protocols.catalogue import OptionValue, ProtocolRow

NAME = "explore"
HELP = "try every schedule of a small configuration and show the shortest that goes wrong"
DESCRIPTION = """\
Tries every order in which messages, hand-offs and packets can follow one another in a small configuration, breadth
first, and judges every delivery: causal order, exactly once, nothing lost. If something goes wrong, the shortest
schedule that leads there is printed step by step. Causal order is asked of every protocol, also of one that does not
claim it: the answer says so then. With --claimed a protocol is judged by its own claims only.

Short schedules are tried first, all of them. Then what only differs in the order of steps that cannot matter is tried
once, and the states of that are counted; for stations of av2 and av3 that counts on their inboxes to let go what may
go. --full tries and counts everything, one state after another. Nothing has a duration: what a protocol puts off for a
while, like the resynchronisations of mr with resynch_delay, it does at once.

A message goes to any --destinations of the other hosts; to all of them under an ordering of broadcasts. With --groups
it goes to all other members of one of its sender's groups, and nobody else sends. Where only groups are ordered and
none are given, there are two that overlap in one host (one, of two hosts); the answer says which.
"""
EPILOG = """\
The number of states grows some twentyfold with every message or move: start with two of each, and for av3, whose
hand-offs take the most packets, with one.

examples:
  mobilesim explore av1 --stations 2 --hosts 2 --messages 2 --moves 2
  mobilesim explore unordered --hosts 3 --messages 3 --moves 0
  mobilesim explore fifo --hosts 3 --destinations 2 --moves 0 --claimed
  mobilesim explore rst --hosts 3 --destinations 2 --moves 1 --set location=lazy
  mobilesim explore av2 --messages 1 --moves 2 --drops
  mobilesim explore resident+isis --hosts 3 --groups 0,1/1,2/2,0 --moves 0

exit status: 0 no fault in any schedule, 1 a fault, 2 bad usage, 3 stopped at --limit without a verdict, 130 Ctrl-C
"""
STATUS = {"exhausted": 0, "fault": 1, "limit": 3, "interrupted": 130}

MOST_MACHINES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("protocol", help="a name that `mobilesim protocols` lists, or placement+ordering")
    counts = (
        ("stations", 2, "how many stations, each with its cell"),
        ("hosts", 2, "how many hosts"),
        ("messages", 2, "how many messages are sent in all"),
        ("moves", 2, "how often a host leaves its cell, in all; it comes back anywhere"),
    )
    for name, default, text in counts:
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{text} (default {default})")
    parser.add_argument(
        "--destinations",
        type=int,
        metavar="N",
        help="how many destinations each message has (default 1, or all where only broadcasts are ordered)",
    )
    parser.add_argument(
        "--groups",
        metavar="H,H,…/H,…",
        help="which hosts are in which group (default where only groups are ordered: two that overlap)",
    )
    parser.add_argument("--homes", metavar="S,S,…", help="in which cell each host starts (default: round the stations)")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the protocol")
    parser.add_argument("--fifo", action="store_true", help="wired channels keep order (default: they do not)")
    parser.add_argument(
        "--drops",
        action="store_true",
        help="a host may say before it leaves that it wants nothing stored (one more move)",
    )
    parser.add_argument("--claimed", action="store_true", help="judge only what the protocol claims")
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="give up after N states (default 20,000,000: 2 to 5 GB; with --full 2,000,000: about 0.4 GB)",
    )
    parser.add_argument("--full", action="store_true", help="leave nothing out; some ten times slower")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


@dataclass(frozen=True, slots=True)
class _Question:
    row: "ProtocolRow"
    options: dict[str, "OptionValue"]
    stations: int
    homes: tuple[int, ...]
    bounds: "Bounds"
    tolerated: "frozenset[FaultKind]"
    reduced: bool

    def answered(self, limit: int | None, watch: Callable[["SearchProgress"], None]) -> "Exploration":
        from mobilesim.explorer.api import explore

        build = self.row.build
        asked = build, self.stations, self.homes, self.bounds, self.options
        return explore(*asked, tolerated=self.tolerated, limit=limit, on_progress=watch, reduced=self.reduced)

    def listing(self, found: "Exploration") -> list[str]:
        from mobilesim.explorer.counterexample_text import LEGEND, listing

        if found.ending != "fault":
            return []
        start = " ".join(f"h{host}@s{home}" for host, home in enumerate(self.homes))
        system = self.row.build(self.stations, self.homes, self.options, self.bounds.groups)
        return [
            f"({LEGEND}; start: {start})",
            *listing(system, self.homes, self.bounds, found.schedule, self.tolerated),
        ]


def run(args: argparse.Namespace) -> int:
    from mobilesim.oracle.verdicts import tolerated_faults

    row = named_row(args.protocol)
    excused = tolerated_faults(row.claims) if args.claimed else frozenset()
    homes = _homes(args)
    options, bounds = chosen_options(row, args.set), _scope(row, args)
    asked = _Question(row, options, args.stations, homes, bounds, excused, not args.full)
    limit = None if args.limit is None else _at_least(1, "limit", args.limit)
    with Progress().meter(row.name) as meter:
        found = asked.answered(limit, lambda far: meter.show(None, _rate(far)))
    lines = asked.listing(found)
    if args.json:
        _print_json(asked, found, lines)
    else:
        print("\n".join([_summary(asked, found), *lines]))
    return STATUS[found.ending]


def _rate(far: "SearchProgress") -> str:
    rate = far.states / far.seconds
    return f"{far.states:,} states ({far.waiting:,} to visit), depth {far.depth}, {rate:,.0f} states/s"


def _homes(args: argparse.Namespace) -> tuple[int, ...]:
    from mobilesim.explorer.api import homes_of

    _few("stations", _at_least(1, "stations", args.stations))
    _few("hosts", _at_least(2, "hosts", args.hosts))
    if args.homes is None:
        return homes_of(args.stations, args.hosts)
    homes = [int(home) if home.strip().isdecimal() else -1 for home in args.homes.split(",")]
    if len(homes) != args.hosts or not all(0 <= home < args.stations for home in homes):
        raise UserError(
            f"--homes {args.homes}: expected {args.hosts} station numbers from 0 to {args.stations - 1}, such as "
            + ",".join(map(str, homes_of(args.stations, args.hosts)))
        )
    return tuple(homes)


def _scope(row: "ProtocolRow", args: argparse.Namespace) -> "Bounds":
    from mobilesim.explorer.untimed_world import Bounds

    for name in ("messages", "moves"):
        _at_least(0, name, getattr(args, name))
    destinations, groups = audience(row, args)
    return Bounds(args.messages, args.moves, destinations, args.fifo, args.drops, groups)


def _few(name: str, number: int) -> None:
    if number > MOST_MACHINES:
        raise UserError(
            f"--{name} {number}: expected at most {MOST_MACHINES}; every schedule is tried, so start with 2 or 3"
        )


def _at_least(least: int, name: str, number: int) -> int:
    if number < least:
        raise UserError(f"--{name} {number}: expected {least} or more")
    return number


def _summary(asked: _Question, found: "Exploration") -> str:
    row, groups = asked.row, asked.bounds.groups
    title = f"{row.name} in groups {written(groups)}" if groups else row.name
    counts = f"{title}: {found.states:,} states, {found.transitions:,} transitions, depth {found.depth}"
    return f"{counts}, {found.seconds:.1f} s: {_verdict(row, found)}"


def _verdict(row: "ProtocolRow", found: "Exploration") -> str:
    match found.ending:
        case "exhausted":
            return "no fault"
        case "fault":
            perhaps = "" if found.shortest else ", perhaps not the fewest"
            return f"a fault after {len(found.schedule)} steps{perhaps}{_excuse(row, found)}"
        case "limit":
            return "not exhausted; no fault so far, which proves nothing: raise --limit, or ask for less"
        case _:
            return "interrupted; no fault so far, which proves nothing"


def _excuse(row: "ProtocolRow", found: "Exploration") -> str:
    from mobilesim.oracle.verdicts import FaultKind, tolerated_faults

    if found.fault_kind not in tolerated_faults(row.claims):
        return ""
    return f" ({row.name} claims no {'FIFO' if found.fault_kind is FaultKind.OUT_OF_TURN else 'causal'} order)"


def _print_json(asked: _Question, found: "Exploration", lines: list[str]) -> None:
    import json
    from dataclasses import asdict

    document = {
        "protocol": asked.row.name,
        "options": asked.options,
        "stations": asked.stations,
        "hosts": len(asked.homes),
        "homes": asked.homes,
        **asdict(asked.bounds),
        **({"destinations": None} if asked.bounds.groups else {}),
        "claims_causal": asked.row.claims.causal,
        "claims_fifo": asked.row.claims.fifo,
        "tolerated": sorted(asked.tolerated),
        "ending": found.ending,
        "reduced": found.reduced,
        "shortest": found.shortest,
        "states": found.states,
        "transitions": found.transitions,
        "depth": found.depth,
        "seconds": round(found.seconds, 3),
        "fault_kind": found.fault_kind,
        "fault": lines[-1].removeprefix("fault: ") if lines else None,
        "listing": lines[1:-1],
    }
    print(json.dumps(document, indent=2, ensure_ascii=False))
