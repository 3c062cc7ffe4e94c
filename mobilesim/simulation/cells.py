"""The network of cells: it moves hosts and carries what the machines put out, on a SimPy clock.

Hosts talk and move until the scenario's end; then those who are away come back, and the run goes on until nothing is
under way.

A host that disconnects and wants nothing stored says so, and leaves when its station has heard that: its frames go up
in order, so that what it sent before has been heard too. It comes back when it would have come back anyway.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.recorder import Watch
from mobilesim.simulation import final_tables as census
from mobilesim.simulation.dispatch import Intake, WatchedIntake
from mobilesim.simulation.links import shared_lossy_wireless
from mobilesim.simulation.links.link_failures import FailingWires
from mobilesim.simulation.links.wired import Wires
from mobilesim.simulation.links.wireless import NOWHERE
from mobilesim.simulation.measured_processing import MeasuredIntake
from mobilesim.simulation.overload import Span, Workplace, workplaces
from mobilesim.simulation.simulation import Rows, Simulation
from mobilesim.world.mobility import host_actions
from mobilesim.world.mobility.actions import Departure, Idle
from mobilesim.world.replication import World
from mobilesim.world.traffic.messages import StationTrafficSource
from protocols.machine import Message, System

Move = tuple[int, Departure]
"""A host, and how it moves."""


class Cells(Simulation):
    def __init__(
        self, world: World, system: System, oracle: Oracle | None, watch: Watch | None, *, at_host: bool
    ) -> None:
        super().__init__(world, oracle, watch)
        scenario = world.scenario
        self.hosts = system.hosts
        self.stations = system.stations
        ledger = watch.ledger if watch is not None else None
        self.air = shared_lossy_wireless.air(self.engine, world, ledger)
        jitter = world.streams.stream("jitter")
        if scenario.backbone.failures is None:
            self.wires = Wires(self.engine, world.topology, scenario, jitter, ledger, reads_headers=not at_host)
        else:
            self.wires = FailingWires(self.engine, world, jitter, ledger, reads_headers=not at_host)
        intake = self.intake = _intake(self)
        self.air.up.heard, self.air.down.heard, self.wires.read = intake.above, intake.below, intake.read
        if watch is not None:
            self.air.tell(watch.repeated_above, watch.repeated_below)
        self.host_ports = intake.host_ports
        self.drops = scenario.mobility.disconnect.policy == "drop"
        self.wants_none_stored: set[int] = set()
        """Who has said so, now or earlier."""
        self.left_at = [NOWHERE] * scenario.hosts
        self.switched_off = [False] * scenario.hosts
        """Who has disconnected and been in no cell since: a host may miss the beacon of the cell that it returns to."""
        self._start()

    def _start(self) -> None:
        world = self.world
        self._start_talking()
        self._start_stations()
        self.wires.start(self._intend)
        self._walkers = host_actions(world)
        for host in range(len(self._walkers)):
            self._plan(host)

    def _start_stations(self) -> None:
        world, workload = self.world, self.world.scenario.workload
        if workload.stations is None:
            return
        hosts = world.scenario.hosts
        self._sources = [
            StationTrafficSource(workload, hosts, world.streams, station) for station in range(world.stations)
        ]
        for station, talker in enumerate(self._sources):
            self._intend(talker.pause(), self._originate, station)

    # Traffic

    def submit(self, host: int, message: Message) -> None:
        self.hosts[host].submit(message, self.host_ports[host])

    @property
    def intentions(self) -> tuple[Callable[[Any], None], ...]:
        return (*super().intentions, self._originate, self._plan, self._leave, *self.wires.intentions)

    def _originate(self, station: int) -> None:
        talker = self._sources[station]
        message = self._message(len(self.hosts) + station, *talker.address())
        self.intake.submit(station, message)
        if self.sent < self.limit:
            self._intend(self.engine.time + talker.pause(), self._originate, station)

    def dropped(self, message: Message, host: int) -> None:
        """A station gave a message up, which it may for a host that has said that it is going. Else it is lost."""
        if host not in self.wants_none_stored:
            return
        self.dropped_copies += 1
        if self.watch is not None:
            self.watch.dropped(message, host, self.engine.time)
        elif self.oracle is not None:
            self.oracle.dropped(message.id, message.source, host)

    # Machines that want to be woken

    def wake_host(self, host: int, after: int) -> None:
        self.engine.call_at(self.engine.time + after, self.hosts[host].wake, self.host_ports[host])

    def wake_station(self, station: int, host: int, after: int) -> None:
        self.engine.call_at(self.engine.time + after, self._wake_station, (station, host))

    def _wake_station(self, asked: tuple[int, int]) -> None:
        station, host = asked
        self.intake.wake(station, host)

    # Movement. A host's way does not depend on how long it takes to be heard: moments are planned from one another.

    def _plan(self, host: int) -> None:
        step = next(self._walkers[host], None)
        if isinstance(step, Idle):
            self._intend(max(step.until, self.engine.time), self._plan, host)
        elif step is not None:
            self._intend(max(step.left, self.engine.time), self._leave, (host, step))

    def _leave(self, move: Move) -> None:
        host, departure = move
        if departure.disconnects and self.drops and self.air.cells[host] != NOWHERE:
            self.wants_none_stored.add(host)
            self.hosts[host].switch_off(self.host_ports[host])
            heard = max(self.engine.time, self.air.up.free[host] + self.air.latency)
            self.engine.call_at(heard, self._depart, move)
        else:
            self._depart(move)

    def _depart(self, move: Move) -> None:
        host, departure = move
        now = self.engine.time
        if self.air.cells[host] != NOWHERE:
            self.left_at[host] = now
        self.air.leave(host)
        self.hosts[host].detach()
        self.switched_off[host] |= departure.disconnects
        if self.watch is not None:
            self.watch.left(host, now, disconnects=departure.disconnects)
        self.engine.call_at(max(now, departure.entered), self._enter, move)

    def _enter(self, move: Move) -> None:
        """The host is in the cell, and knows it when it hears the next beacon."""
        host, departure = move
        now = self.engine.time
        if departure.absent and now < self.end:
            self._seek(host)
            return
        if not departure.absent:
            self._plan(host)
        period = self.world.scenario.wireless.beacon
        if period == 0:
            self._attach((host, departure, self.air.entries[host], now))
        else:
            beacon = -(now // -period) * period
            self.engine.call_at(beacon, self._attach, (host, departure, self.air.entries[host], now))

    def _seek(self, host: int) -> None:
        """It is still away, and comes back as soon as its way allows, or the scenario is over."""
        step = next(self._walkers[host])
        assert isinstance(step, Departure)
        self.engine.call_at(max(self.engine.time, step.entered), self._enter, (host, step))

    def _attach(self, entry: tuple[int, Departure, int, int]) -> None:
        host, departure, entries, entered = entry
        if entries != self.air.entries[host]:
            return
        station = departure.target
        self.air.enter(host, station)
        if self.watch is not None:
            times = (self.left_at[host], entered)
            self.watch.entered(host, station, times, reconnection=self.switched_off[host])
        self.switched_off[host] = False
        self.hosts[host].attach(station, self.host_ports[host])

    @property
    def busiest(self) -> float:
        return max(self.wires.worked) / max(self.engine.time, 1)

    def workplaces(self, watch: Watch, during: Span) -> Iterable[Workplace]:
        return workplaces(self, watch, during)

    def census(self, watch: Watch) -> Mapping[str, Rows]:
        for host in range(len(self.hosts)):
            self.air.stop(host)  # something is under way in a run that was cut short
        links, hosts = census.links(self), census.hosts(self, watch)
        return {"links": links, "stations": census.stations(self, watch), "hosts": hosts}


def _intake(simulation: Cells) -> Intake:
    intake = Intake(simulation) if simulation.watch is None else WatchedIntake(simulation, simulation.watch)
    if simulation.world.scenario.processing.model == "measured":
        return MeasuredIntake(simulation, intake)
    return intake
