"""`mobilesim explore`: check every schedule of a small configuration."""

import argparse
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mobilesim.api.progress import Progress
from mobilesim.api.text_tables import as_json
from mobilesim.cli.arguments import at_least
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.cli.protocol_arguments import chosen_options, named_row
from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.explorer.exploration import Exploration, Search
    from mobilesim.explorer.untimed_world import Bounds
    from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow
    from mobilesim.protocols.ordering import Groups

HELP = "check every schedule of a small network, and show a shortest failing schedule"
DESCRIPTION = """\
Tries all orders of messages, hand-offs and packets in a small configuration, breadth first, and checks causal order and
exactly-once delivery. After a fault, a shortest failing schedule is printed step by step; if --limit ends the search
for it, the printed schedule may be longer. Causal order is checked for every protocol; if the protocol does not claim
it, the answer says so. With --judge-claims-only only the claims of the protocol are checked.

The search uses partial-order reduction: of schedules that differ only in the order of independent steps, it tries one
and counts its states. For av2 and av3, this assumes that the inbox of a station delivers every message that may be
delivered. --no-reduction tries and counts all schedules, one state after another. Time is abstracted: delayed actions
of a protocol, like the resynchronisations of mr with resynch_delay, happen at once.

A message has --destinations N, and every choice of N other hosts is tried; under an ordering of broadcasts, a message
goes to all other hosts. With --groups it goes to all other members of one of its sender's groups, and hosts outside of
groups send nothing. By default, an ordering of groups has two groups that overlap in one host (one group if there are
two hosts).
"""
EPILOG = """\
Each additional message or move multiplies the number of states by about twenty. Start with two of each, and with one
for av3, whose hand-offs take the most packets.

examples:
  mobilesim explore av1 --stations 2 --hosts 2 --messages 2 --moves 2
  mobilesim explore unordered --hosts 3 --messages 3 --moves 0
  mobilesim explore fifo --hosts 3 --destinations 2 --moves 0 --judge-claims-only
  mobilesim explore rst --hosts 3 --destinations 2 --moves 1 --set location=lazy
  mobilesim explore av2 --messages 1 --moves 2 --switch-off
  mobilesim explore resident+isis --hosts 3 --groups 0,1/1,2/2,0 --moves 0

exit status: 0 no fault in any schedule, 1 a fault, 2 bad input, 3 --limit reached without a verdict, 130 Ctrl-C
"""
STATUS = {
    "exhausted": ExitCode.OK,
    "fault": ExitCode.FAULT,
    "limit": ExitCode.NO_VERDICT,
    "interrupted": ExitCode.INTERRUPTED,
}

MOST_MACHINES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("protocol", help="a name that `mobilesim protocols` lists, or placement+ordering")
    for name, about in (
        ("stations", "number of stations, each with its cell"),
        ("hosts", "number of hosts"),
        ("messages", "total number of messages"),
        ("moves", "total number of moves: a host leaves its cell and enters another"),
    ):
        add(f"--{name}", type=int, default=2, metavar="N", help=f"{about} (default 2)")
    about = "destinations of each message (default 1; all for an ordering of broadcasts)"
    add("--destinations", type=int, metavar="N", help=about)
    about = "the hosts of each group (default for an ordering of groups: two that overlap)"
    add("--groups", metavar="H,H,…/H,…", help=about)
    add("--homes", metavar="S,S,…", help="the first cell of each host (default: 0, 1, … in turn)")
    add("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the protocol")
    add("--fifo", action="store_true", help="wired links are FIFO (default: not FIFO)")
    about = "hosts may switch off, which discards their stored messages (a further kind of move)"
    add("--switch-off", action="store_true", help=about)
    add("--judge-claims-only", action="store_true", help="check only the claims of the protocol")
    about = "stop after N states (default 20,000,000: 2 to 5 GB; with --no-reduction 2,000,000: about 0.4 GB)"
    add("--limit", type=int, metavar="N", help=about)
    add("--no-reduction", action="store_true", help="try every schedule; about ten times slower")
    add("--json", action="store_true", help="print one JSON document")


@dataclass(frozen=True, slots=True)
class _Question:
    row: "ProtocolRow"
    options: dict[str, "OptionValue"]
    stations: int
    homes: tuple[int, ...]
    bounds: "Bounds"


def run(args: argparse.Namespace) -> int:
    from mobilesim.explorer.api import explore

    row = named_row(args.protocol)
    homes = _homes(args)
    options, bounds = chosen_options(row, args.set), _bounds(row, args)
    asked = _Question(row, options, args.stations, homes, bounds)
    limit = None if args.limit is None else at_least(1, "limit", args.limit)
    search = partial(explore, row.build, args.stations, homes, bounds, options, limit=limit)
    with Progress().meter(row.name) as meter:
        found = search(on_progress=lambda *far: meter.show(None, _rate(*far)), reduced=not args.no_reduction)
    listing = _listing(asked, found)
    print(as_json(_document(asked, found, listing)) if args.json else "\n".join([_summary(asked, found), *listing]))
    return STATUS[found.ending]


def _rate(search: "Search", waiting: int) -> str:
    rate = search.states / search.seconds
    return f"{search.states:,} states ({waiting:,} to visit), depth {search.depth}, {rate:,.0f} states/s"


def _homes(args: argparse.Namespace) -> tuple[int, ...]:
    from mobilesim.explorer.api import homes_of

    for name, least in (("stations", 1), ("hosts", 2)):
        if at_least(least, name, number := getattr(args, name)) > MOST_MACHINES:
            remedy = "every schedule is tried, so start with 2 or 3"
            raise UserError(f"--{name} {number}: expected at most {MOST_MACHINES}; {remedy}")
    usual = homes_of(args.stations, args.hosts)
    if args.homes is None:
        return usual
    homes = tuple(int(home) if home.strip().isdecimal() else -1 for home in args.homes.split(","))
    if len(homes) != args.hosts or not all(0 <= home < args.stations for home in homes):
        expected = f"expected {args.hosts} station numbers from 0 to {args.stations - 1}"
        raise UserError(f"--homes {args.homes}: {expected}, such as {','.join(map(str, usual))}")
    return homes


def _bounds(row: "ProtocolRow", args: argparse.Namespace) -> "Bounds":
    from mobilesim.explorer.untimed_world import Bounds
    from mobilesim.oracle.verdicts import tolerated_faults

    for name in ("messages", "moves"):
        at_least(0, name, getattr(args, name))
    in_groups = row.serves == "groups" or args.groups is not None
    destinations, groups = (1, _groups(row, args)) if in_groups else (_destinations(row, args), ())
    tolerated = tolerated_faults(row.claims) if args.judge_claims_only else frozenset()
    return Bounds(args.messages, args.moves, destinations, args.fifo, args.switch_off, groups, tolerated)


def _listing(asked: _Question, found: "Exploration") -> list[str]:
    from mobilesim.explorer.counterexample_text import LEGEND, listing

    if found.ending != "fault":
        return []
    start = " ".join(f"h{host}@s{home}" for host, home in enumerate(asked.homes))
    system = asked.row.build(asked.stations, asked.homes, asked.options, asked.bounds.groups)
    steps = listing(system, asked.homes, asked.bounds, found.schedule)
    return [f"({LEGEND}; start: {start})", *steps]


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
            perhaps = "" if found.shortest else ", perhaps not the minimum"
            return f"a fault after {len(found.schedule)} steps{perhaps}{_unclaimed_order(row, found)}"
        case "limit":
            return "not exhausted; no fault so far, which proves nothing: raise --limit, or reduce the configuration"
        case _:
            return "interrupted; no fault so far, which proves nothing"


def _unclaimed_order(row: "ProtocolRow", found: "Exploration") -> str:
    from mobilesim.oracle.verdicts import FaultKind, tolerated_faults

    if found.fault_kind not in tolerated_faults(row.claims):
        return ""
    if row.claims.violation_rate is not None:
        return f" ({row.name} claims causal order for all but {row.claims.violation_rate:.3%} of deliveries)"
    return f" ({row.name} claims no {'FIFO' if found.fault_kind is FaultKind.OUT_OF_TURN else 'causal'} order)"


def _document(asked: _Question, found: "Exploration", listing: list[str]) -> dict[str, Any]:
    from dataclasses import asdict

    bounds = asdict(asked.bounds)
    tolerated = sorted(bounds.pop("tolerated"))
    return {
        "protocol": asked.row.name,
        "options": asked.options,
        "stations": asked.stations,
        "hosts": len(asked.homes),
        "homes": asked.homes,
        **bounds,
        **({"destinations": None} if asked.bounds.groups else {}),
        "claims_causal": asked.row.claims.causal,
        "claims_fifo": asked.row.claims.fifo,
        "tolerated": tolerated,
        **{key: getattr(found, key) for key in ("ending", "reduced", "shortest", "states", "transitions", "depth")},
        "seconds": round(found.seconds, 3),
        "fault_kind": found.fault_kind,
        "fault": listing[-1].removeprefix("fault: ") if listing else None,
        "listing": listing[1:-1],
    }


def _destinations(row: "ProtocolRow", args: argparse.Namespace) -> int:
    most: int = args.hosts - 1
    only = {"unicasts": 1, "broadcasts": most}.get(row.serves)
    wanted: int = (only or 1) if args.destinations is None else args.destinations
    if not 1 <= wanted <= most:
        raise UserError(f"--destinations {wanted}: expected 1 to {most} with {args.hosts} hosts")
    if only not in {None, wanted}:
        remedy = f"write --destinations {only} for {args.hosts} hosts"
        raise UserError(
            f"--destinations {wanted}: {row.name} orders {row.serves} only; {remedy}, or leave this option out"
        )
    return wanted


def _groups(row: "ProtocolRow", args: argparse.Namespace) -> "Groups":
    if row.serves in {"unicasts", "broadcasts"}:
        raise UserError(f"--groups {args.groups}: {row.name} orders {row.serves} only; leave this option out")
    if args.destinations is not None:
        reason = "a message to a group goes to all its other members; leave this option out"
        raise UserError(f"--destinations {args.destinations}: {reason}")
    if args.groups is None:
        return default_groups(args.hosts)
    return tuple(_members(group, args) for group in args.groups.split("/"))


def default_groups(hosts: int) -> "Groups":
    """Return two groups that share the middle host; one group if there are two hosts."""
    middle = hosts // 2
    halves = tuple(range(middle + 1)), tuple(range(middle, hosts))
    return tuple(half for half in halves if len(half) > 1)


def _members(text: str, args: argparse.Namespace) -> tuple[int, ...]:
    where = f"--groups {args.groups}"
    names = [name.strip() for name in text.split(",")]
    if not all(name.isdecimal() for name in names):
        usual = written(default_groups(args.hosts))
        raise UserError(f"{where}: write the hosts of a group with commas, and '/' between groups, like {usual}")
    members = [int(name) for name in names]
    for member in members:
        if member >= args.hosts:
            raise UserError(f"{where}: there is no host {member}; there are 0 to {args.hosts - 1}")
        if members.count(member) > 1:
            raise UserError(f"{where}: host {member} occurs twice in a group")
    if len(members) < 2:
        raise UserError(f"{where}: host {members[0]} is alone in its group; write two hosts or more")
    return tuple(sorted(members))


def written(groups: "Groups") -> str:
    return "/".join(",".join(map(str, members)) for members in groups)
