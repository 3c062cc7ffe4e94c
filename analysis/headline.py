"""The numbers that come first, alike on the terminal and in the report."""

from collections.abc import Sequence

from analysis.model import Protocol
from analysis.tidy import percentile
from analysis.units import NONE, duration, number, show_bytes, show_time


def key_numbers(protocol: Protocol, *, handed_off: bool) -> Sequence[str]:
    """Deliveries; delay, its 95th percentile, inhibition; bytes of a header, and of all; what a hand-off takes."""
    return [
        f"{protocol.deliveries:,}",
        show_time(protocol["delay"]),
        duration(percentile(protocol["delay"], 95)),
        show_time(protocol["inhibition"]),
        show_bytes(protocol["header_bytes"]),
        _times(protocol["bytes_per_payload_byte"].mean),
        *(_of_a_handoff(protocol) if handed_off else ()),
    ]


def _times(payload: float | None) -> str:
    return NONE if payload is None else f"{number(payload)} x payload"


def _of_a_handoff(protocol: Protocol) -> tuple[str, str]:
    messages = protocol["move.control_messages"].mean
    return show_time(protocol["move.time"]), NONE if messages is None else number(messages)
