"""The numbers that come first, alike on the terminal and in the report."""

from analysis.model import Protocol
from analysis.tidy import percentile
from analysis.units import NONE, duration, number, show_bytes, show_time


def key_numbers(protocol: Protocol) -> list[str]:
    """Deliveries; delay, its 95th percentile, inhibition; header bytes; time and messages of a hand-off."""
    messages = protocol["move.control_messages"].mean
    return [
        f"{protocol.deliveries:,}",
        show_time(protocol["delay"]),
        duration(percentile(protocol["delay"], 95)),
        show_time(protocol["inhibition"]),
        show_bytes(protocol["header_bytes"]),
        show_time(protocol["move.time"]),
        NONE if messages is None else number(messages),
    ]
