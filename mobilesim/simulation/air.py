"""The air: a FIFO up-link and a FIFO down-link for each host. What is under way when a host leaves is lost.

A link is arithmetic: it is free again at some moment, and a frame costs one call in the engine, at its arrival.
"""

from collections.abc import Callable, Sequence
from typing import Final

from mobilesim.ledger import Ledger, Links
from mobilesim.scenario.model import Sizes, Wireless
from mobilesim.simulation.engine import Engine
from protocols.hostlink import Ack
from protocols.machine import Packet

NOWHERE: Final = -1
_SECOND: Final = 1_000_000_000

Heard = Callable[[int, int, Packet, int], None]
"""Takes host, station, frame, and the moment at which the frame had started."""


def transmission(size: int, bandwidth: int) -> int:
    """Whole nanoseconds, rounded up."""
    return -(size * 8 * _SECOND // -bandwidth)


class Direction:
    """All up-links, or all down-links: one for each host, in the cell where it is."""

    __slots__ = ("air", "bandwidth", "free", "heard", "links")

    def __init__(self, air: "Air", bandwidth: int, hosts: int) -> None:
        self.air = air
        self.bandwidth = bandwidth
        self.free = [0] * hosts
        self.links: Links = {}
        self.heard: Heard

    def transmit(self, host: int, station: int, frame: Packet) -> None:
        air = self.air
        engine = air.engine
        now = engine.time
        size = air.size(frame)
        busy = -(size * 8 * _SECOND // -self.bandwidth)
        if air.cells[host] != station:
            air.unheard(self.links, (host, station), frame, now, busy)
            return
        free = self.free[host]
        start = free if free > now else now
        self.free[host] = start + busy
        if air.ledger is not None:
            air.ledger.sent(self.links, (host, station), frame, (now, start, busy))
        flight = (host, station, air.entries[host], frame, start)
        engine.call_at(start + busy + air.latency, self._arrive, flight)

    def _arrive(self, flight: tuple[int, int, int, Packet, int]) -> None:
        host, station, entry, frame, start = flight
        if entry == self.air.entries[host]:
            self.heard(host, station, frame, start)
        else:
            self._lose(host, station, frame)

    def _lose(self, host: int, station: int, frame: Packet) -> None:
        """Its host had left before it arrived, perhaps before it had started."""
        air = self.air
        if air.ledger is not None:
            air.ledger.lost(self.links, (host, station), frame, transmission(air.size(frame), self.bandwidth))

    def cut(self, host: int, station: int, now: int) -> None:
        """A host leaves; frames are sent without a gap until the link is free."""
        rest = self.free[host] - now
        if rest > 0 and (host, station) in self.links:
            self.links[host, station].cut(rest)


class Air:
    __slots__ = ("cells", "down", "engine", "entries", "header", "integer", "latency", "ledger", "up")

    def __init__(self, engine: Engine, wireless: Wireless, sizes: Sizes, homes: Sequence[int], ledger: Ledger | None) -> None:
        self.engine = engine
        self.latency = wireless.latency
        self.integer = sizes.integer
        self.header = sizes.header
        self.cells = list(homes)
        self.entries = [0] * len(homes)
        self.up = Direction(self, wireless.up, len(homes))
        self.down = Direction(self, wireless.down, len(homes))
        self.ledger = ledger

    def leave(self, host: int) -> None:
        station = self.cells[host]
        if station != NOWHERE:
            for direction in (self.up, self.down):
                direction.cut(host, station, self.engine.time)
        self.cells[host] = NOWHERE
        self.entries[host] += 1

    def enter(self, host: int, station: int) -> None:
        self.cells[host] = station
        self.up.free[host] = self.down.free[host] = 0

    def size(self, frame: Packet) -> int:
        if type(frame) is Ack:
            return self.header + self.integer
        return self.header + frame.payload + self.integer * (frame.header + frame.control)

    def unheard(self, links: Links, link: tuple[int, int], frame: Packet, now: int, busy: int) -> None:
        """A station does not know that a host has gone: the frame goes out, and nobody hears it."""
        if self.ledger is not None:
            self.ledger.sent(links, link, frame, (now, now, busy))
            self.ledger.lost(links, link, frame, busy)
