"""A system of any kind of station, host, ordering and directory, correct where nothing else is said."""

from collections.abc import Mapping

from protocols.catalogue import Setting
from protocols.handoff import Directory
from protocols.hostlink import MobileHost
from protocols.inbox import Inbox
from protocols.machine import System
from protocols.ordering import Ordering
from protocols.placements.proxy import ProxyStation
from protocols.values import value
from tests.protocols.dense_rst import Dense


@value
class Breed:
    station: type[ProxyStation] = ProxyStation
    host: type[MobileHost] = MobileHost
    ordering: type[Ordering] = Dense
    directory: type[Directory] = Directory

    def build(self, stations: int, homes: tuple[int, ...], options: Mapping[str, Setting]) -> System:
        known = self.directory(homes)
        lazy = options.get("location") == "lazy"
        machines = [self.station(index, self.directory(homes) if lazy else known) for index in range(stations)]
        processes = self.ordering(len(homes))
        for host, home in enumerate(homes):
            machines[home].settle(host, Inbox(processes.process(host)))
        return System(machines, [self.host(host, home) for host, home in enumerate(homes)])
