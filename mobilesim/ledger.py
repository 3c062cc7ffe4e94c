"""Bytes, packets and time, by what they were for. Counted per pair of host and cell, and per wired link; added up at the end."""

from collections import deque
from collections.abc import Sequence

from protocols.machine import Packet, Purpose


class Tally:
    """What went over one link in one direction. Class attributes are defaults."""

    packets = 0
    payload = 0
    ordering = 0
    control = 0
    ack = 0
    framing = 0
    busy = 0
    unsent = 0
    queue_peak = 0
    gone: "Tally | None" = None
    """Of all that, what was lost on the air."""

    def __init__(self) -> None:
        self._starts: deque[int] = deque()

    def count(self, packet: Packet, integer: int, header: int, busy: int) -> None:
        purpose = packet.purpose
        self.packets += 1
        self.busy += busy
        self.framing += header
        if purpose is Purpose.ACK:
            self.ack += integer * packet.control
        elif purpose is Purpose.DATA:
            self.payload += packet.payload
            self.ordering += integer * packet.header
            self.control += integer * packet.control
        else:
            self.control += packet.payload + integer * (packet.control + packet.header)

    def queued(self, start: int, now: int) -> None:
        """A packet has to wait until `start` for those before it."""
        starts = self._starts
        while starts and starts[0] <= now:
            starts.popleft()
        starts.append(start)
        self.queue_peak = max(self.queue_peak, len(starts))

    def lose(self, packet: Packet, integer: int, header: int, busy: int) -> None:
        """A frame was lost on the air, on its way or before it had started."""
        if self.gone is None:
            self.gone = Tally()
        self.gone.count(packet, integer, header, busy)

    def cut(self, rest: int) -> None:
        """The host has left, and what was still to be sent keeps the link busy no longer."""
        self.busy -= rest
        self.unsent += rest

    @property
    def bytes(self) -> int:
        return self.payload + self.ordering + self.control + self.ack + self.framing

    def row(self) -> dict[str, int]:
        return {
            "queue_peak": self.queue_peak,
            "packets": self.packets,
            "bytes": self.bytes,
            "payload_bytes": self.payload,
            "ordering_bytes": self.ordering,
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
        whole.payload += tally.payload
        whole.ordering += tally.ordering
        whole.control += tally.control
        whole.ack += tally.ack
        whole.framing += tally.framing
        whole.busy += tally.busy
        whole.unsent += tally.unsent
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

    def lost(self, links: Links, link: tuple[int, int], packet: Packet, busy: int) -> None:
        links[link].lose(packet, self.integer, self.header, busy)

    def sent(self, links: Links, link: tuple[int, int], packet: Packet, times: tuple[int, int, int]) -> None:
        """`times`: when it was offered, when it starts, how long it keeps the link busy."""
        tally = links.get(link)
        if tally is None:
            tally = links[link] = Tally()
        now, start, busy = times
        tally.count(packet, self.integer, self.header, busy)
        if start > now:
            tally.queued(start, now)
