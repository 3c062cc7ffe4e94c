"""The contract of an ordering: N processes, the stamps of their messages, and the condition of a delivery."""

from mobilesim.extensions.declarations import CONTRACT_VERSION, declares
from mobilesim.protocols.catalogue_rows import Claims, Option, OrderingRow
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.ordering import (
    NO_KEYS,
    ActiveProcess,
    Addressed,
    Groups,
    Key,
    Ordering,
    OrderingFactory,
    Process,
    RelayProcess,
    memberships,
)
from mobilesim.protocols.packets import UNSTAMPED, Stamp
from mobilesim.protocols.view import View

__all__ = [
    "CONTRACT_VERSION",
    "NO_KEYS",
    "UNSTAMPED",
    "ActiveProcess",
    "Addressed",
    "Claims",
    "Groups",
    "Key",
    "Option",
    "Ordering",
    "OrderingFactory",
    "OrderingRow",
    "Process",
    "ProtocolError",
    "RelayProcess",
    "Stamp",
    "View",
    "declares",
    "memberships",
    "value",
]
