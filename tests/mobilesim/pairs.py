"""What schedules are drawn for: every placement, under an ordering that keeps causal order and one that does not."""

from collections.abc import Mapping
from random import Random
from typing import Final

from protocols.catalogue import PLACEMENTS, Option, PlacementRow, Row, Setting, pair

PAIRS: Final = [pair(placement, ordering) for placement in PLACEMENTS for ordering in ("rst", "unordered")]

_MANY: Final = 4


def options(row: Row, random: Random) -> Mapping[str, Setting]:
    """Drawn for each option; of numbers, the small ones."""
    return {name: random.choice(_values(option)) for name, option in row.options.items()}


def _values(option: Option) -> tuple[Setting, ...]:
    return tuple(option.values)[:_MANY]


def placed(row: Row) -> PlacementRow:
    return PLACEMENTS[row.placement]
