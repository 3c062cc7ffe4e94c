"""Protocols whose ordering or placement another package declares: they become rows of the catalogue by their names."""

import sys
from dataclasses import replace
from typing import Final

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
    if name in LOADED:
        parts = {kind: symbol for symbol, kind in reversed(declared_in(sys.modules[name]).items())}
        if Kind.ORDERING.row in parts:
            return f"proxy+{name}:{parts[Kind.ORDERING.row]}"
        return f"{name}:{parts[Kind.PLACEMENT.row]}+rst" if Kind.PLACEMENT.row in parts else None
    if is_path(name) or name in installed(Kind.ORDERING):
        return f"proxy+{name}"
    return f"{name}+rst" if name in installed(Kind.PLACEMENT) else None


def outside_ordering(name: str) -> Extension | None:
    if name in catalogue.ORDERINGS or (found := find(Kind.ORDERING, name)) is None:
        return None
    row: OrderingRow = found.row
    if _CHECKED.get(name) is not found:
        check_ordering(found, row)
        _CHECKED[name] = found
    catalogue.OUTSIDE_ORDERINGS[name] = replace(row, name=name, module=found.module, symbol=found.symbol)
    return found


def outside_placement(name: str) -> Extension | None:
    if name in catalogue.PLACEMENTS or (found := find(Kind.PLACEMENT, name)) is None:
        return None
    row: PlacementRow = found.row
    if _CHECKED.get(name) is not found:
        check_placement(found, row)
        _CHECKED[name] = found
    catalogue.OUTSIDE_PLACEMENTS[name] = replace(row, name=name, module=found.module, symbol=found.symbol)
    return found
