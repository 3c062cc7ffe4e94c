"""State, message store and queue of a station over time."""

from typing import Final

from protocols.machine import HandoffPacket, HandoffPacketKind, Packet, Station

_SAMPLE_EVERY: Final = 32
"""The size of the state is sampled after this many packets, and when the state of a host leaves or arrives."""

_MOVES_STATE: Final = (HandoffPacketKind.REQUEST, HandoffPacketKind.STATE_TRANSFER)


class StationLoad:
    def __init__(self, station: Station) -> None:
        self._size = self.peak = station.integers
        self._since = self._area = 0
        self._stores = type(station).stored is not Station.stored
        self.packets = self.pending = self.copies = self.tombstones = 0

    def packet_processed(self, station: Station, packet: Packet, now: int) -> None:
        self.packets += 1
        self.pending = max(self.pending, station.pending)
        if self._stores:
            copies, tombstones = station.stored
            self.copies = max(self.copies, copies)
            self.tombstones = max(self.tombstones, tombstones)
        if not self.packets % _SAMPLE_EVERY or (isinstance(packet, HandoffPacket) and packet.kind in _MOVES_STATE):
            self.sample(station, now)

    def sample(self, station: Station, now: int) -> None:
        self._area += self._size * (now - self._since)
        self._size, self._since = station.integers, now
        self.peak = max(self.peak, self._size)

    def mean(self, now: int) -> float:
        return (self._area + self._size * (now - self._since)) / now if now else float(self._size)
