"""Protocols whose ordering or placement another package declares: they become rows of the catalogue by their names."""

import sys
from dataclasses import replace
from typing import Final

from mobilesim.errors import UserError
from mobilesim.extensions.part_checks import check_ordering, check_placement
from mobilesim.extensions.plugin_files import LOADED
from mobilesim.extensions.resolution import Extension, Kind, declared_in, find, installed, is_path
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import OrderingRow, PlacementRow, ProtocolRow

_CHECKED: Final[dict[str, Extension]] = {}
"""The parts that were checked, by name. `find` returns the same object again, unless its package may have changed."""


def pair(placement: str, ordering: str) -> ProtocolRow:
    """Return the row of a pair, as `catalogue.pair` does, also if another package declares one of the two."""
    extensions_of(placement, ordering)
    return catalogue.pair(placement, ordering)


def extensions_of(placement: str, ordering: str) -> tuple[Extension, ...]:
    """Return those of the two parts that other packages declare, and add their rows to the catalogue."""
    return tuple(found for found in (outside_placement(placement), outside_ordering(ordering)) if found is not None)


def outside_part(name: str) -> str | None:
    """Return an example of a pair with this path, with this name of a part that an installed package declares, or with
    the first part in the plug-in file of this name; None for other names.
    """
    if (path := part_in_plugin(Kind.ORDERING, name)) is not None:
        return f"proxy+{path}"
    if (path := part_in_plugin(Kind.PLACEMENT, name)) is not None:
        return f"{path}+rst"
    if is_path(name) or name in installed(Kind.ORDERING):
        return f"proxy+{name}"
    return f"{name}+rst" if name in installed(Kind.PLACEMENT) else None


def part_in_plugin(kind: Kind, name: str) -> str | None:
    """Return the path of the first part of this kind in the plug-in file of this name."""
    parts = declared_in(sys.modules[name]) if name in LOADED else {}
    return next((f"{name}:{symbol}" for symbol, row in parts.items() if row == kind.row), None)


def refuse_plugin_name(name: str, *kinds: Kind) -> None:
    """Raise a UserError if this is the name of a plug-in file with a part of one of these kinds."""
    for path in filter(None, (part_in_plugin(kind, name) for kind in kinds)):
        raise UserError(f"{name}: this is a plug-in file; write the part with its class or function, like {path}")


def outside_ordering(name: str) -> Extension | None:
    if name in catalogue.ORDERINGS or (found := find(Kind.ORDERING, name)) is None:
        refuse_plugin_name(name, Kind.ORDERING)
        return None
    row: OrderingRow = found.row
    if _CHECKED.get(name) is not found:
        check_ordering(found, row)
        _CHECKED[name] = found
    catalogue.OUTSIDE_ORDERINGS[name] = replace(row, name=name, module=found.module, symbol=found.symbol)
    return found


def outside_placement(name: str) -> Extension | None:
    if name in catalogue.PLACEMENTS or (found := find(Kind.PLACEMENT, name)) is None:
        refuse_plugin_name(name, Kind.PLACEMENT)
        return None
    row: PlacementRow = found.row
    if _CHECKED.get(name) is not found:
        check_placement(found, row)
        _CHECKED[name] = found
    catalogue.OUTSIDE_PLACEMENTS[name] = replace(row, name=name, module=found.module, symbol=found.symbol)
    return found
