"""How a station learns in which cell a host is, if it has a message for the host, and hand-offs do not inform it.

Badrinath and Acharya count a search cost for a message to a mobile host (Badrinath, Acharya and Imielinski: Impact of
Mobility on Distributed Computations, 1993). The setting `location` says how it is paid:

- `home`. The home station of a host, which serves it at the start, is informed of every new cell, as in Mobile IP
  (Perkins, RFC 5944). A station with a message for a host of another cell asks the home station, and waits.
- `paging`. The stations are divided into areas. The home station is informed only when a host enters another area. If
  it is asked, it asks all stations of the area in which the host was last (a page). The station that serves the host
  answers.
- `lazy`. A station sends a message to the last location that it knows. A station that forwards the message informs its
  origin. So there is no search, but a message may follow the path of its destination.
- `free`. All stations know every location at once and without a packet, as in the simulation of Alagar and Venkatesan.

No station has to ask for a host of its own cell. An answer may be outdated when the message arrives: then the message
is forwarded, as in `mobilesim.protocols.placements.proxy`.

A page always finds the host. One station of the area, the one by which the home station knows the area, passes on the
page to the host's next station if the host has left its cell, and so does this station. The path ends where the host is
registered. All other stations that the host has left are silent.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from mobilesim.protocols.handoff.visits import HandoffStation, V, VisitState
from mobilesim.protocols.machine import ProtocolError, StationOutbox
from mobilesim.protocols.packets import Copy
from mobilesim.protocols.placements.location_packets import (
    LocationAnswer,
    LocationPacket,
    LocationQuery,
    LocationUpdate,
    Page,
)
from mobilesim.protocols.state import Shared

UNKNOWN: Final = -1


class Directory:
    """The locations that a station knows: of some hosts the newest visit, and the station of this visit."""

    __slots__ = ("advises", "homes", "newest")

    def __init__(self, homes: tuple[int, ...], *, advises: bool = True) -> None:
        """`advises`: whether a station that forwards a message informs the origin of the message."""
        self.homes = homes
        self.advises = advises
        self.newest: Shared[dict[int, tuple[int, int]]] = {}

    def find(self, host: int) -> int:
        """Return the station to which messages for a host are sent; UNKNOWN if the host's home must be asked."""
        known = self.newest.get(host)
        return self.homes[host] if known is None else known[1]

    def learn(self, host: int, visit: int, station: int) -> None:
        known = self.newest.get(host)
        if known is None or known[0] < visit:
            self.newest[host] = (visit, station)

    def home_to_inform(self, host: int, trail: tuple[int, ...]) -> int:
        """Return the station to inform of a host that has entered the cell after the cells in `trail`, or UNKNOWN."""
        return UNKNOWN

    def paged(self, host: int) -> tuple[int, range]:
        """Return the last known station of a host with its home here, and the stations that are asked for the host."""
        raise NotImplementedError


class HomeDirectory(Directory):
    """The directory of station `index` if stations ask home stations. It knows the hosts of its cell, and of the hosts
    with their home here the last station of which the home was informed.

    `area`: the number of stations of an area; 0 if all are in one area. With areas of one station, a home station knows
    the cells of its hosts, and answers at once.
    """

    __slots__ = ("area", "exact", "index", "stations")

    def __init__(self, homes: tuple[int, ...], index: int, stations: int, area: int, *, exact: bool) -> None:
        super().__init__(homes, advises=False)
        self.index, self.stations, self.exact = index, stations, exact
        self.area = area or stations

    def find(self, host: int) -> int:
        is_home = self.homes[host] == self.index
        known = self.newest.get(host)
        station = (self.index if is_home else UNKNOWN) if known is None else known[1]
        return station if station == self.index or (is_home and self.exact) else UNKNOWN

    def learn(self, host: int, visit: int, station: int) -> None:
        if station == self.index or self.homes[host] == self.index:
            super().learn(host, visit, station)
        elif (known := self.newest.get(host)) is not None and known[0] < visit:
            del self.newest[host]

    def home_to_inform(self, host: int, trail: tuple[int, ...]) -> int:
        home = self.homes[host]
        if home == self.index or not (
            self.exact or any(cell // self.area != self.index // self.area for cell in trail)
        ):
            return UNKNOWN
        return home

    def paged(self, host: int) -> tuple[int, range]:
        known = self.newest.get(host)
        last = self.index if known is None else known[1]
        first = last - last % self.area
        return last, range(first, min(first + self.area, self.stations))


class LocatingStation(HandoffStation[V]):
    """A station that finds the stations of its messages' destinations by its directory, and by searches."""

    __slots__ = ("directory", "searches", "started")

    def __init__(self, index: int, directory: Directory) -> None:
        super().__init__(index)
        self.directory: Shared[Directory] = directory
        self.searches: dict[int, Copy] = {}
        """By number of a search of this station: the copy that waits for the locations of its targets."""
        self.started = 0
        """The number of searches that this station has started."""

    @abstractmethod
    def send_copies(self, cells: Mapping[int, Sequence[int]], copy: Copy, out: StationOutbox) -> None:
        """Send a copy to stations. `cells`: by station, the targets of the copy that it serves."""

    def host_moved(self, host: int, visit: int, station: int) -> None:
        self.directory.learn(host, visit, station)

    def inform_home(self, visit: V, out: StationOutbox) -> None:
        if (home := self.directory.home_to_inform(visit.host, visit.trail)) != UNKNOWN:
            out.send(home, LocationUpdate(visit.host, visit.number, self.index))

    def advise(self, origin: int, visit: V, out: StationOutbox) -> None:
        """Inform the origin of a forwarded message of the station to which the host has gone after this visit."""
        if origin != self.index and self.directory.advises:
            out.send(origin, LocationUpdate(visit.host, visit.number + 1, visit.successor))

    def receive_location(self, packet: LocationPacket, out: StationOutbox) -> None:
        if type(packet) is LocationUpdate:
            self.directory.learn(packet.host, packet.visit, packet.station)
        elif type(packet) is LocationQuery:
            self._locate(packet, out)
        elif type(packet) is Page:
            self._page(packet, out)
        elif type(packet) is LocationAnswer:
            self._located(packet, out)

    def search(self, copy: Copy, out: StationOutbox) -> None:
        """Ask the homes of a copy's targets where they are. Each target is sent its copy when it is found."""
        out.telemetry.searching(copy)
        homes: dict[int, list[int]] = {}
        for target in copy.targets:
            homes.setdefault(self.directory.homes[target], []).append(target)
        for home, targets in homes.items():
            hosts = tuple(targets)
            query = LocationQuery(self.started, self.index, hosts)
            self.searches[self.started] = Copy(copy.message, hosts, copy.stamp)
            self.started += 1
            self.waiting += 1
            if home == self.index:
                self._locate(query, out)
            else:
                out.send(home, query)

    def _locate(self, query: LocationQuery, out: StationOutbox) -> None:
        """Answer a query about hosts with their home here. Page the hosts with unknown cells."""
        directory: Directory = self.directory
        found = [(host, directory.find(host)) for host in query.hosts]
        if known := [each for each in found if each[1] != UNKNOWN]:
            hosts, stations = zip(*known, strict=True)
            self._answer(query.asker, LocationAnswer(query.search, hosts, stations), out)
        for host, station in found:
            if station == UNKNOWN:
                last, area = directory.paged(host)
                for asked in area:
                    page = Page(query.search, query.asker, host, asked == last)
                    if asked == self.index:
                        self._page(page, out)
                    else:
                        out.send(asked, page)

    def _page(self, page: Page, out: StationOutbox) -> None:
        visit = self.newest.get(page.host)
        if visit is not None and visit.state is not VisitState.LEFT:
            self._answer(page.asker, LocationAnswer(page.search, (page.host,), (self.index,)), out)
        elif page.passed_on:
            if visit is None:
                raise ProtocolError(f"station {self.index} has no record of host {page.host} and received {page}")
            out.send(visit.successor, page)

    def _answer(self, asker: int, answer: LocationAnswer, out: StationOutbox) -> None:
        if asker == self.index:
            self._located(answer, out)
        else:
            out.send(asker, answer)

    def _located(self, answer: LocationAnswer, out: StationOutbox) -> None:
        """Send the copies for the hosts that are found. Two stations may answer a page: the first answer counts."""
        if (copy := self.searches.get(answer.search)) is None:
            return
        cells: dict[int, list[int]] = {}
        for host, station in zip(answer.hosts, answer.stations, strict=True):
            if host in copy.targets:
                cells.setdefault(station, []).append(host)
        rest = tuple([target for target in copy.targets if target not in answer.hosts])
        if rest:
            self.searches[answer.search] = Copy(copy.message, rest, copy.stamp)
        else:
            del self.searches[answer.search]
            self.waiting -= 1
        self.send_copies(cells, copy, out)


def directories(stations: int, homes: tuple[int, ...], location: str, area: int = 0) -> list[Directory]:
    """Return the directory of each station for a setting of `location`."""
    match location:
        case "free":
            return [Directory(homes, advises=False)] * stations
        case "lazy":
            return [Directory(homes) for _ in range(stations)]
        case "home" | "paging":
            exact = location == "home"
            return [HomeDirectory(homes, index, stations, area, exact=exact) for index in range(stations)]
    raise ValueError(f"there is no location service {location!r}; there are home, paging, lazy and free")
