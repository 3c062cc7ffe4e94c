"""The options `--destinations` and `--groups`, checked against the message kinds that the protocol orders."""

import argparse
from typing import TYPE_CHECKING

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from protocols.catalogue_rows import ProtocolRow
    from protocols.ordering import Groups


def destinations_and_groups(row: "ProtocolRow", args: argparse.Namespace) -> "tuple[int, Groups]":
    """Return the number of destinations of each message and the groups; without groups, the tuple is empty."""
    if row.serves == "groups" or args.groups is not None:
        return 1, _groups(row, args)
    return _destinations(row, args), ()


def _destinations(row: "ProtocolRow", args: argparse.Namespace) -> int:
    most: int = args.hosts - 1
    only = {"unicasts": 1, "broadcasts": most}.get(row.serves)
    wanted: int = (only or 1) if args.destinations is None else args.destinations
    if not 1 <= wanted <= most:
        raise UserError(f"--destinations {wanted}: expected 1 to {most} with {args.hosts} hosts")
    if only not in {None, wanted}:
        remedy = f"write --destinations {only} for {args.hosts} hosts"
        raise UserError(f"--destinations {wanted}: {row.name} orders {row.serves} only; {remedy}, or leave it out")
    return wanted


def _groups(row: "ProtocolRow", args: argparse.Namespace) -> "Groups":
    if row.serves in {"unicasts", "broadcasts"}:
        raise UserError(f"--groups {args.groups}: {row.name} orders {row.serves} only; leave it out")
    if args.destinations is not None:
        reason = "a message to a group goes to all its other members; leave it out"
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
