"""The numbers that come first, alike on the terminal and in the report."""

from collections.abc import Sequence
from typing import Final

from analysis.summary.formatting import Unit, duration, show_bytes, show_energy, show_estimate, show_number, show_time
from analysis.summary.model import ProtocolSummary

_PAYLOADS: Final = Unit("x payload", 1.0)


def key_numbers(protocol: ProtocolSummary, *, has_handoffs: bool, has_energy: bool = False) -> Sequence[str]:
    """Deliveries; delay, its 95th percentile, inhibition; bytes of a header, and of all; energy; what a hand-off takes.

    Energy is for the terminal: the report has a section on it, and no room beside the others.
    """
    handoffs = (show_time(protocol["move.time"]), show_number(protocol["move.control_messages"]))
    return [
        f"{protocol.deliveries:,}",
        show_time(protocol["delay"]),
        duration(protocol["delay"].percentile(95)),
        show_time(protocol["inhibition"]),
        show_bytes(protocol["header_bytes"]),
        show_estimate(protocol["bytes_per_payload_byte"], _PAYLOADS),
        *((show_energy(protocol["host.energy"]),) if has_energy else ()),
        *(handoffs if has_handoffs else ()),
    ]
