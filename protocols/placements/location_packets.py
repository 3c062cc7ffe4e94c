"""The packets by which stations learn in which cell a host is (`protocols.placements.location`)."""

from typing import ClassVar

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.packets import LOCATION, Packet, Purpose


@value
class LocationPacket(Packet):
    purpose: ClassVar[Purpose] = LOCATION


@value
class LocationUpdate(LocationPacket):
    """Informs a station that `visit` of `host` is at `station`."""

    host: int
    visit: int
    station: int
    control: ClassVar[int] = 3


@value
class LocationQuery(LocationPacket):
    """Asks the home station of `hosts` for their locations, for search number `search` of the station `asker`."""

    search: int
    asker: int
    hosts: tuple[int, ...]

    @property
    def control(self) -> int:
        return 2 + len(self.hosts)


@value
class Page(LocationPacket):
    """Asks a station whether it serves `host`. `passed_on`: if the host has left its cell, it asks the next station."""

    search: int
    asker: int
    host: int
    passed_on: bool
    control: ClassVar[int] = 4


@value
class LocationAnswer(LocationPacket):
    """Answers search number `search`: each of `hosts` is in the cell of the station at the same index."""

    search: int
    hosts: tuple[int, ...]
    stations: tuple[int, ...]

    @property
    def control(self) -> int:
        return 1 + 2 * len(self.hosts)
