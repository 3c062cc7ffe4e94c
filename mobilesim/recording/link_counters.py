"""Bytes, packets and busy time by purpose: for each pair of host and cell, and for each direction of a wired link."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from protocols.machine import Packet, Purpose

# Members of an enumeration are slow to look up, and these are needed for every packet.
_ACK: Final = Purpose.ACK
_CONTROL: Final = Purpose.CONTROL
_HANDOFF: Final = Purpose.HANDOFF


class LinkCounter:
    """The traffic of one link in one direction."""

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
        """`missed`: the part of `busy` spent on frames for a host that had left."""
        self.gone: LinkCounter | None = None
        """The part that was lost on the wireless channel or on a failed link."""
        self._starts: deque[int] | None = None

    def count(  # noqa: PLR0917 - keywords would cost at every packet
        self, purpose: Purpose, payload: int, ordering: int, control: int, framing: int, size: int, busy: int
    ) -> None:
        """Count a packet: its bytes by kind, its size on the link, and how long it keeps the link busy."""
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
        """Count a packet that waits until `start` for earlier ones."""
        starts = self._starts
        if starts is None:
            starts = self._starts = deque()
        while starts and starts[0] <= now:
            starts.popleft()
        starts.append(start)
        self.queue_peak = max(self.queue_peak, len(starts))

    def emptied(self) -> None:
        """Empty the queue."""
        self._starts = None

    def recall(  # noqa: PLR0917 - as for `count`
        self, purpose: Purpose, payload: int, ordering: int, control: int, framing: int, size: int, busy: int
    ) -> None:
        """Take back a packet that was counted: it only waited, and is rerouted."""
        self.count(purpose, -payload, -ordering, -control, -framing, -size, -busy)
        self.packets -= 2

    def lost(self) -> "LinkCounter":
        """Return the counter of frames that are lost, in transit or before they start."""
        if self.gone is None:
            self.gone = LinkCounter()
        return self.gone

    def miss(self, busy: int) -> None:
        """Count busy time spent on frames for a host that has left."""
        self.missed += busy

    def cut(self, rest: int) -> None:
        """Subtract the busy time of frames that are not sent because the host has left."""
        self.busy -= rest

    @property
    def received(self) -> int:
        """Return the busy time spent on frames for a host that was present."""
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


def total(counters: Sequence[LinkCounter]) -> LinkCounter:
    whole = LinkCounter()
    for counter in counters:
        whole.packets += counter.packets
        whole.bytes += counter.bytes
        whole.payload += counter.payload
        whole.ordering += counter.ordering
        whole.handoff += counter.handoff
        whole.control += counter.control
        whole.ack += counter.ack
        whole.framing += counter.framing
        whole.busy += counter.busy
        whole.missed += counter.missed
        whole.queue_peak = max(whole.queue_peak, counter.queue_peak)
    gone = [counter.gone for counter in counters if counter.gone is not None]
    if gone:
        whole.gone = total(gone)
    return whole


Links = dict[tuple[int, int], LinkCounter]
"""By (host, station), or (source, target)."""


class LinkCounters:
    """Creates counters with the bytes of an integer and of a fixed header."""

    __slots__ = ("header", "integer")

    def __init__(self, integer: int, header: int) -> None:
        self.integer = integer
        self.header = header

    def counter(self) -> LinkCounter:
        return LinkCounter()

    def count(self, counter: LinkCounter, packet: Packet, busy: int, times: int = 1) -> None:
        payload, framing = times * packet.payload, times * self.header
        ordering, control = times * self.integer * packet.header, times * self.integer * packet.control
        size = framing + payload + ordering + control
        counter.count(packet.purpose, payload, ordering, control, framing, size, times * busy)
        counter.packets += times - 1


class _NullCounter(LinkCounter):
    """Counts nothing."""

    __slots__ = ()

    def count(  # noqa: PLR0917 - as for `LinkCounter.count`
        self, purpose: Purpose, payload: int, ordering: int, control: int, framing: int, size: int, busy: int
    ) -> None: ...

    def recall(  # noqa: PLR0917 - as for `LinkCounter.count`
        self, purpose: Purpose, payload: int, ordering: int, control: int, framing: int, size: int, busy: int
    ) -> None: ...

    def queued(self, start: int, now: int) -> None: ...

    def miss(self, busy: int) -> None: ...

    def cut(self, rest: int) -> None: ...

    def lost(self) -> LinkCounter:
        return self


class _NullCounters(LinkCounters):
    __slots__ = ()

    def counter(self) -> LinkCounter:
        return _NULL

    def count(self, counter: LinkCounter, packet: Packet, busy: int, times: int = 1) -> None: ...


_NULL: Final = _NullCounter()
NO_COUNTERS: Final = _NullCounters(0, 0)
