"""One process per station: `protocols.placements.logical` with one logical station in each cell.

Alagar and Venkatesan: Causally Ordered Message Delivery in Mobile Systems (1994), section 5 (algorithm 2, with `rst`).
"""

from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import OrderingFactory
from mobilesim.protocols.placements import logical


def build(stations: int, homes: tuple[int, ...], ordering: OrderingFactory) -> System:
    return logical.build(stations, homes, ordering, k=1)
