"""`mobilesim protocols`: list the protocols, or describe one."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from mobilesim.api.protocol_choices import named_row
from mobilesim.api.text_tables import aligned, as_json, indented, terminal_width
from mobilesim.cli.arguments import print_unreadable_packages
from mobilesim.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from mobilesim.extensions.resolution import Kind
    from mobilesim.protocols.catalogue_rows import Claims, Option, ProtocolRow

HELP = "list the protocols, or describe one of them"
DESCRIPTION = """\
Lists the protocols. Each is an ordering, which tracks causality, under a placement, which determines where the
ordering's processes run and how they survive a hand-off. Then come the orderings, placements, mobility models and
workloads that installed packages declare, each with its package. With a name, prints the claims of this protocol, its
options, its hand-off as a state table, and the lines that select it in a scenario file.
"""
EPILOG = """\
n_h is the number of hosts, n_s of stations, k of logical stations in a cell, d of a message's destinations; g is the
number of groups, and m the total number of their members.

examples:
  mobilesim protocols
  mobilesim protocols av1
  mobilesim protocols resident+fifo
"""

_SERVED: Final = {
    "unicasts": "messages to one host",
    "broadcasts": "messages to all other hosts",
    "groups": "messages to all other members of a group",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="one protocol: a name of the list, or placement+ordering")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    from mobilesim.protocols.catalogue import ROWS

    rows = [named_row(args.name)] if args.name else list(ROWS.values())
    if args.json:
        documents = [_document(row) for row in rows]
        print(as_json(documents[0] if args.name else documents))
    else:
        print("\n".join(_details(rows[0]) if args.name else _overview(rows)))
    if not args.name:
        print_unreadable_packages()
    return ExitCode.OK


def _overview(rows: list["ProtocolRow"]) -> list[str]:
    from mobilesim.extensions.resolution import Kind
    from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS

    table = [("name", "placement", "ordering", "causal", "header", "hand-off", "description")]
    for row in rows:
        what = "; ".join(filter(None, (row.ordering_row.title, row.cited)))
        causal, claims = "yes" if row.claims.causal else "no", row.claims
        table.append((row.name, row.placement, row.ordering, causal, claims.header, claims.handoff, what))
    orderings = [
        (order.name, order.title + ("" if order.serves == "all" else f"; {order.serves} only"))
        for order in ORDERINGS.values()
    ]
    return [
        *aligned(table, width=terminal_width()),
        "",
        "other protocols: placement+ordering, like proxy+ks",
        "placements:",
        *indented([*((place.name, place.title) for place in PLACEMENTS.values()), *_installed(Kind.PLACEMENT)]),
        "orderings:",
        *indented([*orderings, *_installed(Kind.ORDERING)]),
        *_models("mobility models of packages:", Kind.MOBILITY),
        *_models("workloads of packages:", Kind.WORKLOAD),
    ]


def _installed(kind: "Kind") -> Iterator[tuple[str, str]]:
    """Yield the names that installed packages declare, without those of the catalogue, which they cannot replace."""
    from mobilesim.extensions.resolution import installed
    from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS

    for name, origin in installed(kind).items():
        if name not in ORDERINGS and name not in PLACEMENTS:
            yield name, f"of {origin}"


def _models(title: str, kind: "Kind") -> list[str]:
    found = list(_installed(kind))
    return [title, *indented(found)] if found else []


def _details(row: "ProtocolRow") -> list[str]:
    claims = row.claims
    kept = {
        "causal order": claims.causal,
        "causal order along chains of two messages": claims.short_chains,
        "FIFO order": claims.fifo,
        "exactly once": claims.exactly_once,
    }
    facts = {
        "paper": row.cited,
        "ordering": f"{row.ordering}: {row.ordering_row.about}",
        "placement": f"{row.placement}: {row.placement_row.about}",
        "claims": ", ".join([*_rate(claims), *(name for name, holds in kept.items() if holds)]) or "nothing",
        "header": f"{claims.header} integers a message",
        "hand-off": f"{claims.handoff} wired messages",
        "inhibition": claims.inhibition,
        "serves": f"{row.serves} only: {_SERVED[row.serves]}" if row.serves in _SERVED else "",
    }
    table = indented([(name, text) for name, text in facts.items() if text])
    return [row.name, *table, *_options(row), *_handoff(row), *in_a_scenario(row)]


def _rate(claims: "Claims") -> list[str]:
    return [] if claims.violation_rate is None else [f"at most {claims.violation_rate:.3%} causal violations"]


def _options(row: "ProtocolRow") -> list[str]:
    from mobilesim.protocols.catalogue_rows import yaml_text

    lines = [
        (f"{name}={option.choices}", f"{option.help} (default: {yaml_text(option.default)})")
        for name, option in row.options.items()
    ]
    return ["", "options", *indented(lines)] if lines else []


def _handoff(row: "ProtocolRow") -> list[str]:
    steps = [(step["state"], step["event"], step["target"], " ".join(step["actions"])) for step in _steps(row)]
    table = indented([("state", "event", "then", "actions"), *steps])
    return ["", "hand-off: the states of a host at a station, during one stay in its cell", *table] if steps else []


def _steps(row: "ProtocolRow") -> list[dict[str, Any]]:
    """Return the state table of the hand-off, which stations of the protocol have; [] if the placement has none."""
    (station,) = row.build(1, (0,)).stations
    table = getattr(station, "table", {})
    return [
        {"state": state.value, "event": event.value, "target": step.target.value, "actions": list(step.actions)}
        for (state, event), step in table.items()
    ]


def in_a_scenario(row: "ProtocolRow") -> list[str]:
    from mobilesim.protocols.catalogue_rows import yaml_text

    named = "+" not in row.name
    entry = [("name", row.name)] if named else [("placement", row.placement), ("ordering", row.ordering)]
    options = [(name, yaml_text(option.default)) for name, option in row.options.items()]
    mapping = ", ".join(f"{name}: {setting}" for name, setting in [*entry, *options])
    return ["", "in a scenario", "  protocols:", *([f"    - {row.name}"] if named else []), f"    - {{{mapping}}}"]


def _document(row: "ProtocolRow") -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "name": row.name,
        "placement": row.placement,
        "ordering": row.ordering,
        "title": row.ordering_row.title,
        "paper": row.paper,
        "serves": row.serves,
        "claims": asdict(row.claims),
        "options": {name: _described(option) for name, option in row.options.items()},
        "handoff": _steps(row),
    }


def _described(option: "Option") -> dict[str, Any]:
    values = option.values
    described = {"from": values[0], "to": values[-1]} if isinstance(values, range) else list(values)
    return {"help": option.help, "values": described, "default": option.default}
