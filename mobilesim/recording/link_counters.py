"""Bytes, packets and time, by what they were for: per pair of host and cell, and per wired link; added up at last."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from protocols.machine import Packet, Purpose

# Members of an enumeration are slow to look up, and these are asked for with every packet.
_ACK: Final = Purpose.ACK
_CONTROL: Final = Purpose.CONTROL
_HANDOFF: Final = Purpose.HANDOFF


class Tally:
    """What went over one link in one direction."""

    __slots__ = (
        "_starts",
        "ack",
        "busy",
        "bytes",
        "control",
        "framing",
        "gone",
        "handoff",
        "missed",
        "ordering",
        "packets",
        "payload",
        "queue_peak",
    )

    def __init__(self) -> None:
        self.packets = self.payload = self.ordering = self.handoff = self.control = self.ack = self.framing = 0
        self.bytes = self.busy = self.missed = self.queue_peak = 0
        """`missed`: the part of `busy` in which it sent to a host that was not there."""
        self.gone: Tally | None = None
        """Of all that, what was lost on the air, or on a link that failed."""
        self._starts: deque[int] | None = None

    def count(  # noqa: PLR0917 - words would cost at every packet
        self, purpose: Purpose, payload: int, ordering: int, control: int, framing: int, size: int, busy: int
    ) -> None:
        """A packet by its bytes, how many those are on the link, and how long they keep it busy."""
        self.packets += 1
        self.bytes += size
        self.busy += busy
        self.framing += framing
        if purpose is _ACK:
            self.ack += control
        elif purpose is _HANDOFF:
            self.handoff += payload + ordering + control
        elif purpose is _CONTROL:
            self.control += payload + ordering + control
        else:
            self.payload += payload
            self.ordering += ordering
            self.control += control

    def queued(self, start: int, now: int) -> None:
        """A packet has to wait until `start` for those before it."""
        starts = self._starts
        if starts is None:
            starts = self._starts = deque()
        while starts and starts[0] <= now:
            starts.popleft()
        starts.append(start)
        self.queue_peak = max(self.queue_peak, len(starts))

    def emptied(self) -> None:
        """Nothing waits any more."""
        self._starts = None

    def recall(  # noqa: PLR0917 - as above
        self, purpose: Purpose, payload: int, ordering: int, control: int, framing: int, size: int, busy: int
    ) -> None:
        """A packet that was counted has only waited, and goes another way."""
        self.count(purpose, -payload, -ordering, -control, -framing, -size, -busy)
        self.packets -= 2

    def lost(self) -> "Tally":
        """Where to count a frame that is lost on the air, on its way or before it has started."""
        if self.gone is None:
            self.gone = Tally()
        return self.gone

    def cut(self, rest: int) -> None:
        """The host has left, and what was still to be sent keeps the link busy no longer."""
        self.busy -= rest

    @property
    def received(self) -> int:
        """How long there was something for somebody who was there."""
        return self.busy - self.missed

    def row(self) -> dict[str, int]:
        return {
            "queue_peak": self.queue_peak,
            "packets": self.packets,
            "bytes": self.bytes,
            "payload_bytes": self.payload,
            "ordering_bytes": self.ordering,
            "handoff_bytes": self.handoff,
            "control_bytes": self.control,
            "ack_bytes": self.ack,
            "framing_bytes": self.framing,
            "lost_packets": self.gone.packets if self.gone else 0,
            "lost_bytes": self.gone.bytes if self.gone else 0,
            "busy": self.busy,
        }


def total(tallies: Sequence[Tally]) -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.packets += tally.packets
        whole.bytes += tally.bytes
        whole.payload += tally.payload
        whole.ordering += tally.ordering
        whole.handoff += tally.handoff
        whole.control += tally.control
        whole.ack += tally.ack
        whole.framing += tally.framing
        whole.busy += tally.busy
        whole.missed += tally.missed
        whole.queue_peak = max(whole.queue_peak, tally.queue_peak)
    gone = [tally.gone for tally in tallies if tally.gone is not None]
    if gone:
        whole.gone = total(gone)
    return whole


Links = dict[tuple[int, int], Tally]
"""(host, station), or (source, target)."""


class Ledger:
    """How to count: the bytes of an integer and of a fixed header."""

    __slots__ = ("header", "integer")

    def __init__(self, integer: int, header: int) -> None:
        self.integer = integer
        self.header = header

    def count(self, tally: Tally, packet: Packet, busy: int, times: int = 1) -> None:
        payload, framing = times * packet.payload, times * self.header
        ordering, control = times * self.integer * packet.header, times * self.integer * packet.control
        size = framing + payload + ordering + control
        tally.count(packet.purpose, payload, ordering, control, framing, size, times * busy)
        tally.packets += times - 1
