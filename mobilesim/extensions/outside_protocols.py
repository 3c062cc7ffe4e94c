"""Protocols whose ordering or placement another package declares: they become rows of the catalogue by their names."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, get_args

from mobilesim.errors import UserError, did_you_mean
from mobilesim.extensions.formulas import FormulaError, evaluate
from mobilesim.extensions.resolution import Extension, Kind, find
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import AT_MOST, Options, OrderingRow, PlacementRow, ProtocolRow, Serves


def pair(placement: str, ordering: str) -> ProtocolRow:
    """Return the row of a pair, as `catalogue.pair` does, also if another package declares one of the two."""
    extensions_of(placement, ordering)
    return catalogue.pair(placement, ordering)


def extensions_of(placement: str, ordering: str) -> tuple[Extension, ...]:
    """Return those of the two parts that other packages declare, and add their rows to the catalogue."""
    return tuple(found for found in (outside_placement(placement), outside_ordering(ordering)) if found is not None)


def outside_ordering(name: str) -> Extension | None:
    if name in catalogue.ORDERINGS or (found := find(Kind.ORDERING, name)) is None:
        return None
    row: OrderingRow = found.row
    if row.serves not in (kinds := get_args(Serves)):
        raise UserError(
            f"{name}: serves: {row.serves!r} is not one of {', '.join(kinds)}{did_you_mean(row.serves, kinds)}"
        )
    variables = ("N", *_VARIABLES, *(("g", "m") if row.serves == "groups" else ()))
    _check_formula(found, "header", row.header, (*variables, *_whole_numbers(row.options)))
    catalogue.OUTSIDE_ORDERINGS[name] = replace(row, name=name, module=found.module, symbol=found.symbol)
    return found


def outside_placement(name: str) -> Extension | None:
    if name in catalogue.PLACEMENTS or (found := find(Kind.PLACEMENT, name)) is None:
        return None
    row: PlacementRow = found.row
    for field, formula in (("processes", row.processes), ("handoff", row.handoff)):
        _check_formula(found, field, formula, (*_VARIABLES, *_whole_numbers(row.options)))
    catalogue.OUTSIDE_PLACEMENTS[name] = replace(row, name=name, module=found.module, symbol=found.symbol)
    return found


_VARIABLES: Final = ("n_h", "n_s", "d")
"""The numbers of hosts, of stations and of destinations, which every formula may have."""


def _whole_numbers(options: Options) -> list[str]:
    """Return the options with whole numbers, which are variables of formulas."""
    return [name for name, option in options if type(option.default) is int]


def _check_formula(part: Extension, field: str, formula: str, variables: Sequence[str]) -> None:
    try:
        evaluate(formula.removeprefix(AT_MOST), dict.fromkeys(variables, 1))
    except FormulaError as error:
        raise UserError(f"{part.name}: {field}: {error}") from None
