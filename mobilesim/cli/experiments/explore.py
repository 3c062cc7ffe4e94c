"""`mobilesim explore`: check every schedule of a small configuration."""

import argparse
import sys

from mobilesim.api.text_tables import as_json
from mobilesim.cli.arguments import local_path
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError

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

With --joins or --leaves, the network is static: --stations and --moves have no effect, a host that joins has a new
number, a message goes to hosts in the view of its source, and all orders of the packets of the membership service are
tried, without reduction.
"""
EPILOG = """\
Each additional message or move multiplies the number of states by about twenty. Start with two of each, and with one
for av3, whose hand-offs take the most packets.

examples:
  mobilesim explore av1 --stations 2 --hosts 2 --messages 2 --moves 2
  mobilesim explore fifo --hosts 3 --destinations 2 --moves 0 --out counter-example
  mobilesim explore unordered --hosts 3 --messages 3 --moves 0
  mobilesim explore fifo --hosts 3 --destinations 2 --moves 0 --judge-claims-only
  mobilesim explore rst --hosts 3 --destinations 2 --moves 1 --set location=lazy
  mobilesim explore av2 --messages 1 --moves 2 --switch-off drop
  mobilesim explore resident+ks --hosts 3 --leaves 1
  mobilesim explore resident+isis --hosts 3 --groups 0,1/1,2/2,0 --moves 0

exit status: 0 no fault in any schedule, 1 a fault, 2 bad input, 3 --limit reached without a verdict, 130 Ctrl-C
"""
STATUS = {
    "exhausted": ExitCode.OK,
    "fault": ExitCode.FAULT,
    "limit": ExitCode.NO_VERDICT,
    "interrupted": ExitCode.INTERRUPTED,
}


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
    for name, about in (("joins", "join"), ("leaves", "leave")):
        add(f"--{name}", type=int, default=0, metavar="N", help=f"hosts that {about} a static network (default 0)")
    about = "destinations of each message (default 1; all for an ordering of broadcasts)"
    add("--destinations", type=int, metavar="N", help=about)
    about = "the hosts of each group (default for an ordering of groups: two that overlap)"
    add("--groups", metavar="H,H,…/H,…", help=about)
    add("--homes", metavar="S,S,…", help="the first cell of each host (default: 0, 1, … in turn)")
    add("--set", action="append", default=[], metavar="OPTION=VALUE", help="an option of the protocol")
    add("--fifo", action="store_true", help="wired links are FIFO (default: not FIFO)")
    about = "hosts may announce that they switch off; messages are stored or dropped (a further kind of move)"
    add("--switch-off", choices=("store", "drop"), help=about)
    add("--judge-claims-only", action="store_true", help="check only the claims of the protocol")
    about = "stop after N states (default 20,000,000: 2 to 5 GB; with --no-reduction 2,000,000: about 0.4 GB)"
    add("--limit", type=int, metavar="N", help=about)
    add("--no-reduction", action="store_true", help="try every schedule; about ten times slower")
    add("--out", metavar="DIR", help="write a counter-example to this directory: listing, diagram, page and tape")
    add("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    from mobilesim.api.exploring import Size, question

    out = None if args.out is None else local_path(args.out)
    asked = question(
        args.protocol,
        args.set,
        Size(args.stations, args.hosts, args.messages, args.moves, args.joins, args.leaves),
        destinations=args.destinations,
        groups=_groups(args),
        homes=args.homes,
        fifo=args.fifo,
        switch_off=args.switch_off,
        judge_claims_only=args.judge_claims_only,
        limit=args.limit,
        reduction=not args.no_reduction,
    )
    found = asked.answer(progress=True)
    print(as_json(found.document) if args.json else found)
    if out is not None and found.fault is not None:
        for path in found.save(out):
            print(path, file=sys.stderr)
    return STATUS[found.ending]


def _groups(args: argparse.Namespace) -> list[list[int]] | None:
    from mobilesim.api.exploring import default_groups, written

    if args.groups is None:
        return None
    groups = [[name.strip() for name in group.split(",")] for group in args.groups.split("/")]
    if not all(name.isdecimal() for names in groups for name in names):
        usual = written(default_groups(args.hosts))
        advice = f"write the hosts of a group with commas, and '/' between groups, like {usual}"
        raise UserError(f"--groups {args.groups}: {advice}")
    return [list(map(int, names)) for names in groups]
