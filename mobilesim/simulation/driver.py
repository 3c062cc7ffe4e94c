"""The timed driver: it moves hosts, lets them talk, and carries what the machines put out, on a SimPy clock.

Hosts talk and move until the scenario's end; then those who are away come back, and the run goes on until nothing is
under way. `advance` runs a while and returns, so that whoever drives it can report, or stop.

A host that disconnects and wants nothing stored says so, and leaves when its station has heard that: its frames go up
in order, so that what it sent before has been heard too. It comes back when it would have come back anyway.
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
from mobilesim.world.traffic import StationTalker, Talker
from protocols.machine import Message, System

ENDLESS: Final = 1 << 62

Move = tuple[int, Departure, int]
"""A host, how it moves, and when it enters its next cell."""


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
        intake = self.intake = _intake(self)
        self.air.up.heard, self.air.down.heard, self.wires.read = intake.above, intake.below, intake.read
        self.host_ports = intake.host_ports
        self.drops = scenario.mobility.disconnect.policy == "drop"
        self.wants_none_stored: set[int] = set()
        """Who has said so, now or earlier."""
        self.payload = scenario.workload.payload
        self.end = ENDLESS if scenario.duration is None else scenario.duration
        self.limit = ENDLESS if scenario.messages is None else scenario.messages
        self.sent = self.delivered_copies = self.dropped_copies = 0
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
        self._start_stations()
        if scenario.mobility.model == "static":
            return
        self._walkers = [
            Walker(scenario.mobility, place.neighbours, place.streams, host) for host in range(scenario.hosts)
        ]
        for host, home in enumerate(place.homes):
            self._plan(host, home, 0)

    def _start_stations(self) -> None:
        place, workload = self.place, self.place.scenario.workload.stations
        if workload is None:
            return
        hosts = place.scenario.hosts
        self._sources = [StationTalker(workload, hosts, place.streams, station) for station in range(place.stations)]
        for station, talker in enumerate(self._sources):
            self._intend(talker.pause(), self._originate, station)

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

    @property
    def measured(self) -> tuple[int, int]:
        """The messages that were sent, and their deliveries."""
        return self.sent, self.delivered_copies

    # Traffic

    def _talk(self, host: int) -> None:
        talker = self._talkers[host]
        message = self._message(host, talker.destinations())
        if self.watch is not None:
            self.watch.submitted[host] += 1
        self.hosts[host].submit(message, self.host_ports[host])
        if self.sent < self.limit:
            self._intend(self.engine.time + talker.pause(), self._talk, host)

    def _originate(self, station: int) -> None:
        talker = self._sources[station]
        message = self._message(len(self.hosts) + station, talker.destinations())
        self.intake.submit(station, message)
        if self.sent < self.limit:
            self._intend(self.engine.time + talker.pause(), self._originate, station)

    def _message(self, source: int, destinations: tuple[int, ...]) -> Message:
        number = self.sent
        self.sent += 1
        if self.sent == self.limit:
            self.end = self.engine.time
            self.engine.forget(self._talk, self._originate, self._leave)
        if self.oracle is not None:
            self.oracle.submitted(number, source, destinations)
        if self.watch is None:
            return Message(number, source, destinations, self.payload)
        message = Tracked(number, source, destinations, self.payload, trip=Trip(self.engine.time))
        self.watch.journeys.submitted(message)
        return message

    def delivered(self, message: Message, host: int) -> None:
        self.delivered_copies += 1
        if self.watch is not None:
            now = self.engine.time
            self.watch.journeys.delivered(message, host, now)
            self.watch.delivered[host] += 1
            self.watch.disconnections.delivered(host, message.id, now)
        elif self.oracle is not None:
            self.oracle.delivered(message.id, message.source, host)

    def dropped(self, message: Message, host: int) -> None:
        """A station gave a message up, which it may for a host that has said that it is going. Else it is lost."""
        if host not in self.wants_none_stored:
            return
        self.dropped_copies += 1
        if self.watch is not None:
            self.watch.dropped(message, host, self.engine.time)
        elif self.oracle is not None:
            self.oracle.dropped(message.id, message.source, host)

    # Movement. A host's way does not depend on how long it takes to be heard: moments are planned from one another.

    def _plan(self, host: int, cell: int, since: int) -> None:
        departure = self._walkers[host].depart(cell)
        moment = since + departure.dwell
        self._intend(max(moment, self.engine.time), self._leave, (host, departure, moment + departure.gap))

    def _leave(self, move: Move) -> None:
        host, departure, _ = move
        if departure.disconnects and self.drops and self.air.cells[host] != NOWHERE:
            self.wants_none_stored.add(host)
            self.hosts[host].switch_off(self.host_ports[host])
            heard = max(self.engine.time, self.air.up.free[host] + self.air.latency)
            self.engine.call_at(heard, self._depart, move)
        else:
            self._depart(move)

    def _depart(self, move: Move) -> None:
        host, departure, back = move
        now = self.engine.time
        if self.air.cells[host] != NOWHERE:
            self.left_at[host] = now
        self.air.leave(host)
        self.hosts[host].detach()
        self.switched_off[host] |= departure.disconnects
        if self.watch is not None:
            self.watch.left(host, now, disconnects=departure.disconnects)
        self.engine.call_at(max(now, back), self._enter, move)

    def _enter(self, move: Move) -> None:
        """The host is in the cell, and knows it when it hears the next beacon."""
        host, departure, back = move
        now = self.engine.time
        self._plan(host, departure.target, back)
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
