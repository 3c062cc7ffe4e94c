"""Every protocol with a name, with each value of its options. For a range of numbers, the first three values."""

from collections.abc import Mapping
from itertools import product
from typing import Final

from mobilesim.protocols.catalogue import PLACEMENTS, ROWS, pair
from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow, option_without_effect
from mobilesim.protocols.frozen_value import value

PLACES: Final = tuple(pair(placement, "rst") for placement in PLACEMENTS)
"""For each placement, its pair with RST."""


@value
class Variant:
    row: ProtocolRow
    settings: tuple[tuple[str, OptionValue], ...]

    @property
    def options(self) -> Mapping[str, OptionValue]:
        return dict(self.settings)

    @property
    def name(self) -> str:
        return "-".join([self.row.name, *(str(setting) for _, setting in self.settings)])


def variants(row: ProtocolRow) -> list[Variant]:
    names = list(row.options)
    values = [each.values[:3] if isinstance(each.values, range) else each.values for each in row.options.values()]
    drawn = [tuple(zip(names, chosen, strict=True)) for chosen in product(*values)]
    return [Variant(row, settings) for settings in drawn if option_without_effect(row.options, dict(settings)) is None]


VARIANTS: Final = tuple(variant for row in ROWS.values() for variant in variants(row))
