"""The timed driver: it moves hosts, lets them talk, and carries what the machines put out, on a SimPy clock.

Hosts talk and move until the scenario's end; then those who are away come back, and the run goes on until nothing is
under way. `advance` runs a while and returns, so that whoever drives it can report, or stop.
"""

from collections.abc import Callable
from typing import Any, Final

from mobilesim.journeys import Tracked, Trip
from mobilesim.oracle import Oracle
from mobilesim.simulation.air import NOWHERE, Air
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.intake import Intake, WatchedIntake
from mobilesim.simulation.measured import MeasuredIntake
from mobilesim.simulation.wires import Wires
from mobilesim.watch import Watch
from mobilesim.world.movement import Departure, Walker
from mobilesim.world.place import Place
from mobilesim.world.traffic import Talker
from protocols.machine import Message, System

ENDLESS: Final = 1 << 62


class Simulation:
    def __init__(
        self, place: Place, system: System, oracle: Oracle | None, watch: Watch | None, *, at_host: bool
    ) -> None:
        scenario = place.scenario
        self.place = place
        self.oracle = oracle
        self.watch = watch
        self.hosts = system.hosts
        self.stations = system.stations
        self.engine = Engine()
        ledger = watch.ledger if watch is not None else None
        self.air = Air(self.engine, scenario.wireless, scenario.sizes, place.homes, ledger)
        jitter = place.streams.stream("jitter")
        self.wires = Wires(self.engine, place.topology, scenario, jitter, ledger, reads_headers=not at_host)
        intake = _intake(self)
        self.air.up.heard, self.air.down.heard, self.wires.read = intake.above, intake.below, intake.read
        self.host_ports = intake.host_ports
        self.payload = scenario.workload.payload
        self.end = ENDLESS if scenario.duration is None else scenario.duration
        self.limit = ENDLESS if scenario.messages is None else scenario.messages
        self.sent = self.delivered_copies = 0
        self.left_at = [NOWHERE] * scenario.hosts
        self.switched_off = [False] * scenario.hosts
        """Who has disconnected and been in no cell since: a host may miss the beacon of the cell that it returns to."""
        self._start()

    def _start(self) -> None:
        place, scenario = self.place, self.place.scenario
        senders = scenario.hosts if scenario.workload.senders is None else scenario.workload.senders
        self._talkers = [Talker(scenario.workload, scenario.hosts, place.streams, host) for host in range(senders)]
        for host, talker in enumerate(self._talkers):
            self._intend(talker.pause(), self._talk, host)
        if scenario.mobility.model == "static":
            return
        self._walkers = [
            Walker(scenario.mobility, place.neighbours, place.streams, host) for host in range(scenario.hosts)
        ]
        for host, home in enumerate(place.homes):
            self._plan(host, home)

    def _intend(self, moment: int, function: Callable[[Any], None], argument: object) -> None:
        """What hosts would do after the end is not even waited for: it would only lengthen the run."""
        if moment <= self.end:
            self.engine.call_at(moment, function, argument)

    def advance(self, steps: int) -> bool:
        """Run up to so many steps; whether there is more to do."""
        return self.engine.advance(steps)

    @property
    def progress(self) -> float:
        """How much of the scenario has been played, from 0 to 1."""
        return min(1.0, max(self.engine.time / (self.end or 1), self.sent / self.limit))

    # Traffic

    def _talk(self, host: int) -> None:
        now = self.engine.time
        talker = self._talkers[host]
        destinations = talker.destinations()
        number = self.sent
        self.sent += 1
        if self.sent == self.limit:
            self.end = now
            self.engine.forget(self._talk, self._leave)
        if self.oracle is not None:
            self.oracle.submitted(number, host, destinations)
        if self.watch is None:
            message = Message(number, host, destinations, self.payload)
        else:
            message = Tracked(number, host, destinations, self.payload, trip=Trip(now))
            self.watch.journeys.submitted(message)
            self.watch.submitted[host] += 1
        self.hosts[host].submit(message, self.host_ports[host])
        if self.sent < self.limit:
            self._intend(now + talker.pause(), self._talk, host)

    def delivered(self, message: Message, host: int) -> None:
        self.delivered_copies += 1
        if self.watch is not None:
            now = self.engine.time
            self.watch.journeys.delivered(message, host, now)
            self.watch.delivered[host] += 1
            self.watch.disconnections.delivered(host, message.id, now)
        elif self.oracle is not None:
            self.oracle.delivered(message.id, message.source, host)

    # Movement

    def _plan(self, host: int, cell: int) -> None:
        departure = self._walkers[host].depart(cell)
        self._intend(self.engine.time + departure.dwell, self._leave, (host, departure))

    def _leave(self, move: tuple[int, Departure]) -> None:
        host, departure = move
        now = self.engine.time
        if self.air.cells[host] != NOWHERE:
            self.left_at[host] = now
        self.air.leave(host)
        self.hosts[host].detach()
        self.switched_off[host] |= departure.disconnects
        if self.watch is not None:
            self.watch.left(host, now, disconnects=departure.disconnects)
        self.engine.call_at(now + departure.gap, self._enter, (host, departure))

    def _enter(self, move: tuple[int, Departure]) -> None:
        """The host is in the cell, and knows it when it hears the next beacon."""
        host, departure = move
        now = self.engine.time
        self._plan(host, departure.target)
        period = self.place.scenario.wireless.beacon
        if period == 0:
            self._attach((host, departure, self.air.entries[host], now))
        else:
            beacon = -(now // -period) * period
            self.engine.call_at(beacon, self._attach, (host, departure, self.air.entries[host], now))

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


def _intake(simulation: Simulation) -> Intake:
    intake = Intake(simulation) if simulation.watch is None else WatchedIntake(simulation, simulation.watch)
    if simulation.place.scenario.processing.model == "measured":
        return MeasuredIntake(simulation, intake)
    return intake
