"""The declaration of an ordering, a placement, a mobility model or a workload by the package that defines it.

The row is that of the catalogue or of the list of models, as for the shipped ones. `declares` attaches it to the class
or function, so that a path to this class or function is enough to use it.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from mobilesim.protocols.frozen_value import value

CONTRACT_VERSION: Final = 1
"""The version of `mobilesim.contract`. It is increased by every change that breaks a package that follows it."""

ATTRIBUTE: Final = "mobilesim_declaration"

T = TypeVar("T")


@value
class Declaration:
    """`contract`: the version of the contract for which the class or function was written."""

    row: object
    contract: int


def declares(row: object, *, contract: int = CONTRACT_VERSION) -> Callable[[T], T]:
    """Return a decorator that declares a class or function with its row: an `OrderingRow`, `PlacementRow`,
    `MobilityRow` or `WorkloadRow`.
    """

    def declare(target: T) -> T:
        setattr(target, ATTRIBUTE, Declaration(row, contract))
        return target

    return declare
