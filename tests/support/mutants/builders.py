"""Builders of systems with a given station, host, ordering or directory. The default of each part is correct."""

from collections.abc import Mapping

from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.wireless_hop import MobileHost
from mobilesim.protocols.machine import System
from mobilesim.protocols.mailbox import mailbox_for
from mobilesim.protocols.ordering import OrderingFactory
from mobilesim.protocols.placements import logical
from mobilesim.protocols.placements.flood import FloodStation
from mobilesim.protocols.placements.flood_packets import FloodHost
from mobilesim.protocols.placements.location import Directory
from mobilesim.protocols.placements.logical import LogicalStation
from mobilesim.protocols.placements.proxy import ProxyStation
from tests.support.protocols.dense_rst import Dense


@value
class ProxyBuilder:
    station: type[ProxyStation] = ProxyStation
    host: type[MobileHost] = MobileHost
    ordering: OrderingFactory = Dense
    directory: type[Directory] = Directory

    def build(self, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue]) -> System:
        known = self.directory(homes, advises=False)
        lazy = options.get("location") == "lazy"
        machines = [self.station(index, self.directory(homes) if lazy else known) for index in range(stations)]
        processes = self.ordering(len(homes))
        for host, home in enumerate(homes):
            machines[home].start(host, mailbox_for(processes.process(host)))
        return System(machines, [self.host(host, home) for host, home in enumerate(homes)])


@value
class FlushBuilder:
    """Systems of algorithms 2 and 3."""

    station: type[LogicalStation] = LogicalStation
    host: type[MobileHost] = MobileHost
    k: int = 1
    ordering: OrderingFactory = Dense

    def build(self, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue]) -> System:
        k = self.k
        places = logical.initial_addresses(stations, homes, k)
        ordering = self.ordering(k * stations)
        machines = [self.station(index, k, k * stations, places, ordering) for index in range(stations)]
        for host, (_, process) in enumerate(places):
            machines[process // k].start(host, process)
        return System(machines, [self.host(host, home) for host, home in enumerate(homes)])


@value
class FloodBuilder:
    station: type[FloodStation] = FloodStation
    host: type[FloodHost] = FloodHost
    ordering: OrderingFactory = Dense

    def build(self, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue]) -> System:
        hosts = len(homes)
        batched = options.get("acknowledge") == "cell"
        processes = self.ordering(hosts + stations).with_stations(stations)
        machines = [
            self.station(index, hosts, stations, processes.process(hosts + index), batched=batched)
            for index in range(stations)
        ]
        for host, home in enumerate(homes):
            machines[home].start(host, processes.process(host))
        return System(machines, [self.host(host, home) for host, home in enumerate(homes)])
