"""The pages on protocols, orderings and placements, made from the catalogue and the docstrings of the modules."""

import inspect
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from typing import Final

from mobilesim.cli.main import main
from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS
from mobilesim.protocols.catalogue_rows import OrderingRow, PlacementRow, ProtocolRow, yaml_text
from tests.house.reference.markdown import code, page, prose, table

FOLDER: Final = "docs/protocols"
INDEX: Final = """\
# Protocols

A protocol is a pair: an *ordering* tracks causality between processes, and a *placement* determines where these
processes run and how their state survives a hand-off. Some pairs have names. Any other pair is written as placement
and ordering, such as `proxy+ks`. `mobilesim protocols proxy+ks` shows its claims and options. A pair that cannot work
is refused with the reason.

n_h is the number of hosts, n_s of stations, k of logical stations in a station; for an ordering, N is the number of
processes, m the total number of members of all groups, and g the number of groups. The integers are the control
information of a message.
"""


def pages() -> dict[str, str]:
    found = {f"{FOLDER}/README.md": _index()}
    found |= {f"{FOLDER}/{name}.md": _protocol(row) for name, row in ROWS.items()}
    found |= {f"{FOLDER}/orderings/{name}.md": _ordering(row) for name, row in ORDERINGS.items()}
    found |= {f"{FOLDER}/placements/{name}.md": _placement(row) for name, row in PLACEMENTS.items()}
    return found


def _index() -> str:
    named = (
        (f"[{row.name}]({row.name}.md)", _place(row), _order(row), row.cited, row.claims.header, row.claims.handoff)
        for row in ROWS.values()
    )
    orders = (
        (f"[{name}](orderings/{name}.md)", row.title, row.cited, row.header, row.serves)
        for name, row in ORDERINGS.items()
    )
    places = ((f"[{name}](placements/{name}.md)", row.title, row.cited) for name, row in PLACEMENTS.items())
    return page(
        INDEX,
        "## Pairs with a name",
        table(("name", "placement", "ordering", "paper", "integers", "packets per hand-off"), named),
        "## Placements",
        table(("name", "processes", "paper"), places),
        "## Orderings",
        table(("name", "method", "paper", "integers", "messages"), orders),
    )


def _protocol(row: ProtocolRow) -> str:
    about = f"{row.cited}: `{row.name}`" if row.cited else f"`{row.name}`"
    text = (
        f"{about} is the ordering {_order(row)} ({row.ordering_row.title}) under the placement {_place(row)} "
        f"({row.placement_row.title}). Their pages have the theory."
    )
    return page(f"# {row.name}", text, f"`mobilesim protocols {row.name}` prints:", code(_printed(row.name)))


def _printed(name: str) -> str:
    shown = StringIO()
    with redirect_stdout(shown):
        main(["protocols", name])
    return shown.getvalue()


def _place(row: ProtocolRow) -> str:
    return f"[{row.placement}](placements/{row.placement}.md)"


def _order(row: ProtocolRow) -> str:
    return f"[{row.ordering}](orderings/{row.ordering}.md)"


def _ordering(row: OrderingRow) -> str:
    facts = {
        "ordering": row.about,
        "integers of a stamp": row.header,
        "causal order": _causal_order(row),
        "FIFO order": "yes" if row.fifo else "no",
        "messages": row.serves,
        "stamps": f"one for each {row.stamps}",
        "processes may join and leave": _membership(row),
        "protocols": _links(each for each in ROWS.values() if each.ordering == row.name),
    }
    module = inspect.getmodule(row.load())
    assert module is not None
    return page(f"# Ordering {row.name}", _facts(facts), *_options(row), prose(inspect.getdoc(module) or ""))


def _membership(row: OrderingRow) -> str:
    if row.membership is None:
        return f"no{row.fixed_reason}"
    if row.views == "flushed":
        return "yes, with a flush between views"
    settings = [f"`{name}: {yaml_text(setting)}`" for name, setting in row.membership]
    return f"with {' and '.join(settings)}" if settings else "yes"


def _causal_order(row: OrderingRow) -> str:
    if row.short_chains:
        return "along chains of at most two messages"
    return "yes" if row.causal else "no"


def _placement(row: PlacementRow) -> str:
    facts = {
        "placement": row.about,
        "processes": row.processes,
        "packets per hand-off": row.handoff,
        "orders messages at the": row.orders_at,
        "protocols": _links(each for each in ROWS.values() if each.placement == row.name),
    }
    module = import_module(row.module or f"mobilesim.protocols.placements.{row.name}")
    return page(f"# Placement {row.name}", _facts(facts), *_options(row), prose(inspect.getdoc(module) or ""))


def _facts(facts: dict[str, str]) -> str:
    return "\n".join(f"- **{name}**: {text}" for name, text in facts.items() if text)


def _options(row: OrderingRow | PlacementRow) -> Iterator[str]:
    if row.options:
        rows = (
            (f"`{name}`", option.choices.replace("|", ", "), yaml_text(option.default), option.help)
            for name, option in row.options
        )
        yield table(("option", "values", "default", "meaning"), rows)


def _links(rows: Iterable[ProtocolRow]) -> str:
    return ", ".join(f"[{row.name}](../{row.name}.md)" for row in rows)
