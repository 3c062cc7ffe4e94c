"""Those who watch a run: the timelines, the hand-offs, the stations' load. Without a trace nobody watches."""

from collections.abc import Sequence
from typing import Any, Final

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.handoff_log import Disconnections, Handoffs
from mobilesim.recording.link_counters import Ledger
from mobilesim.recording.message_timeline import Journeys, Sink
from mobilesim.recording.reachability import Reach
from mobilesim.scenario.model import Scenario
from protocols.machine import HandoffPacket, HandoffPacketKind, Message, Milestone, Packet, Phase, Purpose, Station

_OFTEN: Final = 32

# Looked up once: it is asked for with every packet.
_DATA: Final = Purpose.DATA

_COMES_AND_GOES: Final = (HandoffPacketKind.REQUEST, HandoffPacketKind.STATE_TRANSFER)
_SERVING: Final = (Phase.COMPLETE, Phase.ENABLED, Phase.RESUMED)


class StationLoad:
    """State, store and queue of a station. The state is looked at when hosts come and go and every so many packets."""

    __slots__ = ("_area", "_since", "_size", "copies", "packets", "peak", "pending", "stores", "tombstones")

    def __init__(self, station: Station) -> None:
        self._size = self.peak = station.integers
        self._since = self._area = 0
        self.packets = self.pending = self.copies = self.tombstones = 0
        self.stores = type(station).stored is not Station.stored

    def sample(self, station: Station, now: int) -> None:
        self._area += self._size * (now - self._since)
        self._size, self._since = station.integers, now
        self.peak = max(self.peak, self._size)

    def look(self, station: Station) -> None:
        copies, tombstones = station.stored
        self.copies = max(self.copies, copies)
        self.tombstones = max(self.tombstones, tombstones)

    def mean(self, now: int) -> float:
        return (self._area + self._size * (now - self._since)) / now if now else float(self._size)


class Watch:
    __slots__ = (
        "cells",
        "delivered",
        "disconnections",
        "handoffs",
        "journeys",
        "ledger",
        "loads",
        "reach",
        "submitted",
        "visits",
    )

    def __init__(
        self,
        scenario: Scenario,
        oracle: Oracle,
        stations: Sequence[Station],
        homes: tuple[int, ...],
        sink: Sink,
        *,
        at_host: bool,
    ) -> None:
        self.reach = Reach(len(homes))
        self.journeys = Journeys(oracle, self.reach, homes, at_host=at_host, integer=scenario.sizes.integer, sink=sink)
        self.handoffs = Handoffs(scenario.sizes, len(homes))
        self.disconnections = Disconnections()
        self.ledger = Ledger(scenario.sizes.integer, scenario.sizes.header)
        self.loads = [StationLoad(station) for station in stations]
        self.visits = [0] * len(homes)
        self.submitted = [0] * len(homes)
        self.delivered = [0] * len(homes)
        self.cells = list(homes)
        """The last cell of each host; unlike the air's, it stays while the host is away."""

    def left(self, host: int, now: int, *, disconnects: bool) -> None:
        self.reach.lose(host, now)
        if disconnects:
            self.disconnections.left(host, self.cells[host], now)

    def entered(self, host: int, station: int, times: tuple[int, int], *, reconnection: bool) -> None:
        """`times`: when the host left its cell, and now."""
        if reconnection:
            self.disconnections.returned(host, station, times[1], set(self.journeys.open[host]))
        if station != self.cells[host]:
            self.visits[host] += 1
            cells = (self.cells[host], station)
            self.handoffs.entered(host, self.visits[host], cells, times, reconnection=reconnection)
            self.cells[host] = station

    def reached(self, milestone: Milestone, station: int, now: int, cell: int) -> None:
        """`cell`: where the host is now. Its station can reach it as soon as it has what it needs for old messages."""
        self.handoffs.reached(milestone, now)
        host, visit, phase = milestone.host, milestone.visit, milestone.phase
        if phase is Phase.REQUEST:
            self.journeys.withdrawn(host, visit, station)
        if phase is Phase.COMPLETE:
            self.journeys.installed(host, visit, station, now)
        if phase in _SERVING and cell == station and visit == self.visits[host]:
            self.reach.regain(host, now)

    def landed(self, packet: Any, station: int, came: int, now: int) -> None:  # noqa: ANN401 - cargo
        """A station has read a packet of data."""
        if packet.floods:
            self.journeys.lay(packet.copies, station, came, now)
        else:
            for copy in packet.copies:
                self.journeys.landed(copy, station, came, now)

    def dropped(self, message: Message, host: int, now: int) -> None:
        self.journeys.dropped(message, host, now)
        self.disconnections.dropped(host, message.id, now)

    def heard_above(self, frame: Any, station: int, started: int, now: int) -> None:  # noqa: ANN401 - data has copies
        """A station has heard a frame, which had started at `started`."""
        if frame.purpose is _DATA:
            self.journeys.uplinked(frame.copies[0].message, station, started, now)

    def repeated_above(self, _host: int, frame: Any, times: int) -> None:  # noqa: ANN401 - likewise
        """A host sends a frame so much more often, since it is not heard."""
        if frame.purpose is _DATA:
            self.journeys.repeated_above(frame.copies[0].message, times)

    def repeated_below(self, host: int, frame: Any, times: int) -> None:  # noqa: ANN401 - likewise
        """A station does."""
        if frame.purpose is _DATA:
            self.journeys.repeated_below(frame.copies[0].message, host, times)

    def read(self, station: int, machine: Station, packet: Packet, now: int) -> None:
        """A station has read a packet."""
        load = self.loads[station]
        load.packets += 1
        pending = machine.pending
        load.pending = max(load.pending, pending)
        if load.stores:
            load.look(machine)
        if not load.packets % _OFTEN or (isinstance(packet, HandoffPacket) and packet.kind in _COMES_AND_GOES):
            load.sample(machine, now)
