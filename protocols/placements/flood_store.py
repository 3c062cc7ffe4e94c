"""The copies of flooded messages at one station, by origin and by destination (`protocols.placements.flood`)."""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final, TypeAlias

from mobilesim.protocols.packets import Copy
from mobilesim.protocols.placements.flood_packets import Flooded

Queue: TypeAlias = list[tuple[int, Copy, int]]
"""The copies of one origin for one host, each with its number and its rank in the order of arrival for this host. They
are sorted by their numbers.
"""

_NUMBER: Final = itemgetter(0)
_NO_QUEUES: Final[Mapping[int, Queue]] = {}


class OriginStore:
    """The messages of one origin known to one station."""

    __slots__ = ("complete", "copies", "floor", "tombstones")

    def __init__(self) -> None:
        self.copies: dict[int, Flooded] = {}
        self.tombstones: set[int] = set()
        """The numbers of the deleted messages, without the numbers below `floor`."""
        self.floor = 0
        """All messages below this number are deleted."""
        self.complete = 0
        """All messages below this number have arrived or are deleted."""

    def has(self, number: int) -> bool:
        return number < self.complete or number in self.copies or number in self.tombstones

    def add(self, packet: Flooded) -> bool:
        """Store a packet, unless its deletion arrived earlier; return whether it is stored."""
        if packet.number < self.floor or packet.number in self.tombstones:
            return False
        self.copies[packet.number] = packet
        self._advance()
        return True

    def delete(self, number: int) -> Flooded | None:
        self.tombstones.add(number)
        while self.floor in self.tombstones:
            self.tombstones.remove(self.floor)
            self.floor += 1
        self.complete = max(self.complete, self.floor)
        self._advance()
        return self.copies.pop(number, None)

    def _advance(self) -> None:
        while self.complete in self.copies or self.complete in self.tombstones:
            self.complete += 1


class CopyStore:
    """All copies at one station. `copies` and `tombstones` are the sums of their numbers over all origins."""

    __slots__ = ("arrivals", "copies", "origins", "queues", "tombstones")

    def __init__(self, stations: int) -> None:
        self.arrivals: dict[int, int] = {}
        """By host: the number of copies that were added to its queues, since it had none."""
        self.origins = [OriginStore() for _ in range(stations)]
        self.copies = self.tombstones = 0
        self.queues: dict[int, dict[int, Queue]] = {}
        """By host of any cell, and by origin: the copies that the host may not have received yet."""

    def add(self, packet: Flooded) -> bool:
        added = self.origins[packet.origin].add(packet)
        self.copies += added
        return added

    def delete(self, origin: int, number: int) -> None:
        store = self.origins[origin]
        self.tombstones -= len(store.tombstones)
        packet = store.delete(number)
        self.tombstones += len(store.tombstones)
        if packet is not None:
            self.copies -= 1
            for host in packet.parts[0].message.destinations:
                self.dequeue(host, origin, number)

    def queues_of(self, host: int) -> Mapping[int, Queue]:
        return self.queues.get(host, _NO_QUEUES)

    def enqueue(self, host: int, origin: int, number: int, copy: Copy) -> None:
        rank = self.arrivals.get(host, 0)
        self.arrivals[host] = rank + 1
        insort(self.queues.setdefault(host, {}).setdefault(origin, []), (number, copy, rank), key=_NUMBER)

    def dequeue(self, host: int, origin: int, number: int) -> None:
        if (queue := self.queues_of(host).get(origin)) is None:
            return
        index = bisect_left(queue, number, key=_NUMBER)
        if index < len(queue) and queue[index][0] == number:
            del queue[index]
            if not queue:
                self._remove(host, origin)

    def discard_received(self, host: int, received: Sequence[int]) -> None:
        """Discard the copies that a host with this h_RECD has received."""
        for origin, queue in list(self.queues_of(host).items()):
            del queue[: bisect_left(queue, received[origin], key=_NUMBER)]
            if not queue:
                self._remove(host, origin)

    def _remove(self, host: int, origin: int) -> None:
        queues = self.queues[host]
        del queues[origin]
        if not queues:
            del self.queues[host], self.arrivals[host]
