"""The key figures of a protocol: those that come first on the terminal and in the report."""

from typing import Final

from analysis.summary.formatting import show_number
from analysis.summary.metrics import METRICS
from analysis.summary.model import ProtocolSummary

_ALWAYS: Final = ("delay", "delay.p95", "inhibition", "header_bytes", "bytes_per_payload_byte")
_PACKETS: Final = METRICS["move.control_messages"]


def key_figures(protocol: ProtocolSummary, *, has_handoffs: bool, has_energy: bool = False) -> dict[str, str]:
    """Return the values by their headings.

    Energy is for the terminal: the report has a section on it, and its table would become too wide.
    """
    energy, handoffs = ("host.energy",) if has_energy else (), ("move.time",) if has_handoffs else ()
    return {
        "deliveries": f"{protocol.deliveries:,}",
        **{METRICS[name].label: METRICS[name].show(protocol) for name in (*_ALWAYS, *energy, *handoffs)},
        **({_PACKETS.label: show_number(_PACKETS.value(protocol))} if has_handoffs else {}),
    }
