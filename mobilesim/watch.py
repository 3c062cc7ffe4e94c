"""Those who watch a run: the timelines, the hand-offs, the stations' load. Without a trace nobody watches."""

from collections.abc import Sequence
from typing import Any, Final

from mobilesim.handoffs import Disconnections, Handoffs
from mobilesim.journeys import Journeys, Sink
from mobilesim.ledger import Ledger
from mobilesim.oracle import Oracle
from mobilesim.scenario.model import Scenario
from mobilesim.world.reach import Reach
from protocols.machine import Milestone, Packet, Parcel, Phase, Purpose, Station

_OFTEN: Final = 32


class StationLoad:
    """State and queue of one station. The state is looked at when hosts come and go, and every so many packets."""

    __slots__ = ("_area", "_since", "_size", "packets", "peak", "pending")

    def __init__(self, size: int) -> None:
        self._size = self.peak = size
        self._since = self._area = 0
        self.packets = self.pending = 0

    def sample(self, size: int, now: int) -> None:
        self._area += self._size * (now - self._since)
        self._size, self._since = size, now
        self.peak = max(self.peak, size)

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
        self.journeys = Journeys(
            oracle, self.reach, len(homes), at_host=at_host, integer=scenario.sizes.integer, sink=sink
        )
        self.handoffs = Handoffs(scenario.sizes)
        self.disconnections = Disconnections()
        self.ledger = Ledger(scenario.sizes.integer, scenario.sizes.header)
        self.loads = [StationLoad(station.integers) for station in stations]
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
        """`cell`: where the host is now."""
        self.handoffs.reached(milestone, now)
        if milestone.phase not in (Phase.OVER, Phase.RESUMED):
            return
        if cell == station and milestone.visit == self.visits[milestone.host]:
            self.reach.regain(milestone.host, now)

    def heard_above(self, frame: Any, station: int, started: int, now: int) -> None:  # noqa: ANN401 - data has copies
        """A station has heard a frame, which had started at `started`."""
        if frame.purpose is Purpose.DATA:
            self.journeys.uplinked(frame.copies[0].message, station, started, now)

    def read(self, station: int, machine: Station, packet: Packet, now: int) -> None:
        """A station has read a packet."""
        load = self.loads[station]
        load.packets += 1
        pending = machine.pending
        load.pending = max(load.pending, pending)
        if type(packet) is not Parcel or not load.packets % _OFTEN:
            load.sample(machine.integers, now)
