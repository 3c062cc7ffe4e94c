"""The placement `proxy`, in which a station announces every hand-off to all other stations.

Under `proxy` with `location: lazy`, a station learns the new location of a host when it has sent a message to the old
one. Here, the station that has received a host's state tells all stations. So fewer messages are forwarded, and every
hand-off costs one packet for each station: two for the state, and one for each of the n_s - 2 stations that do not take
part in the hand-off.
"""

from typing import ClassVar

from mobilesim.contract.placements import (
    HandoffPacket,
    HandoffPacketKind,
    MobileHost,
    OrderingFactory,
    Packet,
    PlacementRow,
    ProxyStation,
    ProxyVisit,
    StationOutbox,
    System,
    declares,
    directories,
    mailbox_for,
    value,
)

ROW = PlacementRow(
    "announcing-proxy",
    "a process per host, at its station, which announces each hand-off to all stations",
    "-",
    "n_s",
    "by false dependencies only",
    carries_control=True,
)


@value
class Announcement(HandoffPacket):
    """Visit number `visit` of `host` is at `station`."""

    kind: ClassVar[HandoffPacketKind] = HandoffPacketKind.NOTIFY
    control: ClassVar[int] = 3
    station: int


class AnnouncingStation(ProxyStation):
    __slots__ = ("stations",)

    def __init__(self, index: int, stations: int, homes: tuple[int, ...]) -> None:
        super().__init__(index, directories(1, homes, "lazy")[0])
        self.stations = stations

    def receive(self, packet: Packet, out: StationOutbox) -> None:
        if isinstance(packet, Announcement):
            self.host_moved(packet.host, packet.visit, packet.station)
        else:
            super().receive(packet, out)

    def state_arrived(self, visit: ProxyVisit, buffered: int, out: StationOutbox) -> None:
        for station in range(self.stations):
            if station not in {self.index, visit.trail[-1]}:
                out.send(station, Announcement(visit.host, visit.number, self.index))
        super().state_arrived(visit, buffered, out)


@declares(ROW, contract=1)
def build(stations: int, homes: tuple[int, ...], ordering: OrderingFactory) -> System:
    machines = [AnnouncingStation(index, stations, homes) for index in range(stations)]
    processes = ordering(len(homes))
    for host, home in enumerate(homes):
        machines[home].start(host, mailbox_for(processes.process(host)))
    return System(machines, [MobileHost(host, home) for host, home in enumerate(homes)])
