"""The size of the states of stations and hosts over time, and the load of stations."""

from operator import truediv
from typing import Final

from mobilesim.protocols.machine import Station
from mobilesim.protocols.packets import LOCATION, REQUEST, STATE_TRANSFER, HandoffPacket, Packet
from mobilesim.protocols.placements.location_packets import LocationUpdate

SAMPLE_EVERY: Final = 32
"""The number of packets that a station receives, or of deliveries to a host, after which the size of its state is
sampled. That of a station is also sampled when a host's state moves.
"""


class StateSize:
    """The integers of a state over time, from `now` on."""

    def __init__(self, size: int, now: int) -> None:
        self._size = self.peak = size
        self._area = 0
        self._begin = self._since = now
        self.mean = 0.0

    def sample(self, size: int, now: int) -> None:
        self._area += self._size * (now - self._since)
        self._size, self._since = size, now
        self.peak = max(self.peak, size)

    def finish(self, size: int, now: int) -> None:
        self.sample(size, now)
        length = now - self._begin
        # The operator `/` of compiled code is not exact for integers above 2^53.
        self.mean = truediv(self._area, length) if length else float(size)


class StationLoad(StateSize):
    """The size of the state, the message store and the queue of a station over time, from `now` on."""

    def __init__(self, station: Station, now: int) -> None:
        super().__init__(station.integers, now)
        self._stores = type(station).stored is not Station.stored
        self.packets, self.pending = 0, station.pending
        self.searches = self.search_packets = self.location_updates = 0
        self.copies, self.tombstones = self.copies_end, self.tombstones_end = station.stored

    def packet_processed(self, station: Station, packet: Packet, now: int) -> None:
        self.packets += 1
        if (pending := station.pending) > self.pending:
            self.pending = pending
        if packet.purpose is LOCATION:
            if isinstance(packet, LocationUpdate):
                self.location_updates += 1
            else:
                self.search_packets += 1
        if self._stores:
            copies, tombstones = station.stored
            self.copies = max(self.copies, copies)
            self.tombstones = max(self.tombstones, tombstones)
        if not self.packets % SAMPLE_EVERY or _moves_state(packet):
            self.sample(station.integers, now)

    def close(self, station: Station, now: int) -> None:
        self.finish(station.integers, now)
        self.copies_end, self.tombstones_end = station.stored
        # A station also stores the messages of its own hosts, which arrive without a wired packet.
        self.copies, self.tombstones = max(self.copies, self.copies_end), max(self.tombstones, self.tombstones_end)


def _moves_state(packet: Packet) -> bool:
    if not isinstance(packet, HandoffPacket):
        return False
    kind = packet.kind
    return kind is REQUEST or kind is STATE_TRANSFER
