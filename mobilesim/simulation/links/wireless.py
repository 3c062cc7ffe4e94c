"""The air: a FIFO up-link and a FIFO down-link for each host. What is under way when a host leaves is lost.

A link is arithmetic: it is free again at some moment, and a frame costs one call in the engine, at its arrival.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mobilesim.recording.link_counters import Ledger, Links, Tally
from mobilesim.scenario.model import Sizes, Wireless
from mobilesim.simulation.engine import Engine
from protocols.machine import Packet

NOWHERE: Final = -1
BYTE: Final = 8 * 1_000_000_000
"""What a byte takes at 1 bit/s, in nanoseconds."""

Heard = Callable[[int, int, Any, int], None]
"""Takes host, station, frame, and the moment at which the frame had started."""

Again = Callable[[int, Any, int], None]
"""Takes host, frame, and how often it is sent besides the first time."""


def transmission(size: int, bandwidth: int) -> int:
    """Whole nanoseconds, rounded up."""
    return -(size * BYTE // -bandwidth)


class Direction:
    """All up-links, or all down-links: one for each host, in the cell where it is."""

    __slots__ = (
        "bandwidth",
        "both",
        "cells",
        "engine",
        "entries",
        "framing",
        "free",
        "heard",
        "integer",
        "latency",
        "ledger",
        "links",
        "opposite",
        "present",
    )

    def __init__(self, air: "Air", bandwidth: int, sizes: Sizes, ledger: Ledger | None) -> None:
        self.engine = air.engine
        self.cells, self.entries, self.both = air.cells, air.entries, air.both
        self.latency = air.latency
        self.bandwidth = bandwidth
        self.integer, self.framing = sizes.integer, sizes.header
        self.ledger = ledger
        self.free = [0] * len(air.cells)
        self.links: Links = {}
        self.present: list[Tally | None] = [None] * len(air.cells)
        """The tally of each host in its present cell, once there is one."""
        self.heard: Heard
        self.opposite: Direction
        """The other direction of the same links."""

    def transmit(self, host: int, station: int, frame: Packet) -> None:
        engine, integer = self.engine, self.integer
        now = engine.time
        payload, ordering, control = frame.payload, integer * frame.header, integer * frame.control
        # `transmission`, written out: this runs four times for every message.
        size = self.framing + payload + ordering + control
        busy = -(size * BYTE // -self.bandwidth)
        if self.cells[host] != station:
            self.miss(host, station, frame)
            return
        start = self.free[host]
        start = max(start, now)
        self.free[host] = start + busy
        if self.ledger is not None:
            tally = self.present[host] or self._open(host, station)
            tally.count(frame.purpose, payload, ordering, control, self.framing, size, busy)
            if start > now:
                tally.queued(start, now)
            # The opposite link is busy without a gap from now until it is free.
            until = self.opposite.free[host]
            if until > start:
                self.both[host] += min(until, start + busy) - start
        flight = (host, station, self.entries[host], frame, start)
        engine.call_at(start + busy + self.latency, self._arrive, flight)

    def _open(self, host: int, station: int) -> Tally:
        tally = self.present[host] = self._tally(host, station)
        return tally

    def _tally(self, host: int, station: int) -> Tally:
        tally = self.links.get((host, station))
        if tally is None:
            tally = self.links[host, station] = Tally()
        return tally

    def _arrive(self, flight: tuple[int, int, int, Packet, int]) -> None:
        host, station, entry, frame, start = flight
        if entry == self.entries[host]:
            self.heard(host, station, frame, start)
        elif self.ledger is not None:
            # Its host had left before it arrived, perhaps before it had started.
            self.ledger.count(self._tally(host, station).lost(), frame, self._busy(frame, station))

    def miss(self, host: int, station: int, frame: Packet) -> None:
        """A station does not know that a host has gone: the frame goes out, and nobody hears it."""
        if self.ledger is not None:
            tally, busy = self._tally(host, station), self._busy(frame, station)
            tally.missed += busy
            self.ledger.count(tally, frame, busy)
            self.ledger.count(tally.lost(), frame, busy)

    def occupied(self) -> Mapping[int, int]:
        """How long each host's own link was. What a station sends to a host that has left keeps it from nothing."""
        found: dict[int, int] = defaultdict(int)
        for (host, _), tally in self.links.items():
            found[host] += tally.busy - tally.missed
        return found

    def _busy(self, frame: Packet, station: int) -> int:
        return transmission(self._size(frame), self.bandwidth)

    def _size(self, frame: Packet) -> int:
        return self.framing + frame.payload + self.integer * (frame.header + frame.control)

    def leave(self, host: int, station: int) -> None:
        """Frames are sent without a gap until the link is free; the rest is not."""
        rest = self.free[host] - self.engine.time
        if rest > 0 and (host, station) in self.links:
            self.links[host, station].cut(rest)
        self.present[host] = None

    def enter(self, host: int) -> None:
        self.free[host] = 0


class Air:
    """`both`: how long each host has been sending and receiving at once."""

    __slots__ = ("both", "cells", "down", "engine", "entries", "latency", "shared", "up")

    def __init__(
        self, engine: Engine, wireless: Wireless, sizes: Sizes, homes: Sequence[int], ledger: Ledger | None
    ) -> None:
        self.engine = engine
        self.latency = wireless.latency
        self.shared = wireless.medium == "shared"
        self.cells = list(homes)
        self.entries = [0] * len(homes)
        self.both = [0] * len(homes)
        self.up = Direction(self, wireless.up, sizes, ledger)
        self.down = Direction(self, wireless.down, sizes, ledger)
        self.up.opposite, self.down.opposite = self.down, self.up

    def tell(self, up: Again, down: Again) -> None:
        """Of frames that are sent again; here each is heard at once."""

    def leave(self, host: int) -> None:
        self.stop(host)
        self.cells[host] = NOWHERE
        self.entries[host] += 1

    def stop(self, host: int) -> None:
        """Nothing of what is still to be sent is on the air any more."""
        station = self.cells[host]
        if station != NOWHERE:
            self.both[host] -= max(0, min(self.up.free[host], self.down.free[host]) - self.engine.time)
            self.up.leave(host, station)
            self.down.leave(host, station)

    def dozed(self, host: int) -> tuple[int, int]:
        """How long a host has dozed, and how often it woke up."""
        return 0, 0

    def enter(self, host: int, station: int) -> None:
        self.cells[host] = station
        self.up.enter(host)
        self.down.enter(host)
