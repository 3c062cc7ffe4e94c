"""What the numbers of a figure are of, in words that stand beside them."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Quantity:
    """`noun`: the numbers of a curve, in short. `amount`: one of them, with a place for it, and what it is."""

    noun: str
    amount: str

    def of(self, number: str) -> str:
        return self.amount.format(number)


QUANTITIES: Final = {
    "header_integers": Quantity("integers", "{} integers in a header"),
    "header_units": Quantity("units", "{} units in a header"),
    "link_packets": Quantity("packets", "{} packets for each delivery"),
    "allocation_5_factor": Quantity("factor", "a factor of {} on a message"),
    "allocation_5_space_factor": Quantity("factor", "a factor of {} in a process"),
    "allocation_5_wrong_percent": Quantity("wrong answers", "{}% of its answers wrong"),
}
"""Of means that are shown as they are measured."""
