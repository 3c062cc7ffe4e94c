"""Checks of an ordering or a placement of another package, when its declaration is read."""

from collections.abc import Sequence
from typing import Final, get_args

from mobilesim.errors import UserError, did_you_mean
from mobilesim.extensions.formulas import FormulaError, evaluate
from mobilesim.extensions.resolution import Extension
from mobilesim.protocols.catalogue_rows import AT_MOST, Options, OrderingRow, PlacementRow, Serves
from mobilesim.protocols.packets import Stamp
from mobilesim.protocols.state import mutable_fields

_VARIABLES: Final = ("n_h", "n_s", "d")
"""The numbers of hosts, of stations and of destinations, which every formula may have."""

_SIZE: Final = 3


def check_ordering(found: Extension, row: OrderingRow) -> None:
    if row.serves not in (kinds := get_args(Serves)):
        meant = did_you_mean(row.serves, kinds)
        raise UserError(f"{found.name}: serves: {row.serves!r} is not one of {', '.join(kinds)}{meant}")
    variables = ("N", *_VARIABLES, *(("g", "m") if row.serves == "groups" else ()))
    _check_formula(found, "header", row.header, (*variables, *_whole_numbers(row.options)))
    for stamp in _first_stamps(found, row):
        if fault := mutable_stamp(stamp):
            raise UserError(f"{found.name}: {fault}")


def check_placement(found: Extension, row: PlacementRow) -> None:
    for field, formula in (("processes", row.processes), ("handoff", row.handoff)):
        _check_formula(found, field, formula, (*_VARIABLES, *_whole_numbers(row.options)))


def mutable_stamp(stamp: object) -> str | None:
    """Return the fault of a stamp with a part that may change after the message was sent; None if it has none."""
    kind = type(stamp).__name__
    for field, part in mutable_fields(stamp):
        instead = {"set": "a frozenset", "bytearray": "bytes"}.get(part, "a tuple")
        return f"the field '{field}' of its stamp {kind} has a {part}, which may change later; write {instead}"
    return None


def _first_stamps(found: Extension, row: OrderingRow) -> list[Stamp]:
    """Return the stamps of the first message of a small ordering. A run or a check reports what it raises."""
    try:
        groups = {"groups": (tuple(range(_SIZE)),)} if row.serves == "groups" else {}
        destinations = (1,) if row.serves == "unicasts" else tuple(range(1, _SIZE))
        process = found.load()(_SIZE, **groups).process(0)
        return [stamp for _, stamp in process.send(destinations, 0 if groups else -1)]
    except Exception:  # noqa: BLE001 - an ordering may raise anything
        return []


def _whole_numbers(options: Options) -> list[str]:
    """Return the options with whole numbers, which are variables of formulas."""
    return [name for name, option in options if type(option.default) is int]


def _check_formula(part: Extension, field: str, formula: str, variables: Sequence[str]) -> None:
    try:
        evaluate(formula.removeprefix(AT_MOST), dict.fromkeys(variables, 1))
    except FormulaError as error:
        raise UserError(f"{part.name}: {field}: {error}") from None
