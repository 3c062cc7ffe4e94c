"""The untimed world: machines, channels, and every choice of what happens next.

The explorer tries all choices, random schedules and Hypothesis draw them. Wired packets arrive in any order (or per channel in
order, with `fifo`), frames in order; a host that leaves takes along nothing that is on the air.
"""

from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import combinations

from mobilesim.oracle import Oracle
from protocols.machine import Host, Message, Milestone, Packet, Station, System
from protocols.state import freeze
from protocols.values import value


class Act(Enum):
    SUBMIT = "submits"
    LEAVE = "leaves"
    ENTER = "enters"
    UP = "up"
    DOWN = "down"
    WIRED = "wired"


@value
class Choice:
    """What happens next. `who`: a host, or a place in the list of wired packets; `where`: a station, or destinations."""

    act: Act
    who: int
    where: tuple[int, ...] = ()


@value
class Wired:
    source: int
    target: int
    packet: Packet


@value
class Scope:
    """How much may happen: messages and moves in all, and how many destinations a message has."""

    messages: int
    moves: int
    destinations: int = 1
    fifo: bool = False


class World:
    """One state of the untimed world; `apply` takes it to the next."""

    __slots__ = ("air_down", "air_up", "cells", "faults", "moves", "oracle", "scope", "sent", "system", "wired")

    def __init__(self, system: System, homes: tuple[int, ...], scope: Scope) -> None:
        self.system = system
        self.scope = scope
        self.cells: list[int] = list(homes)
        self.wired: list[Wired] = []
        self.air_up: list[deque[Packet]] = [deque() for _ in homes]
        self.air_down: list[deque[Packet]] = [deque() for _ in homes]
        self.sent = self.moves = 0
        self.oracle = Oracle(len(homes))
        self.faults: list[str] = []

    def choices(self) -> Iterator[Choice]:
        yield from self.deliveries()
        hosts = range(len(self.cells))
        if self.sent < self.scope.messages:
            for host in hosts:
                others = [other for other in hosts if other != host]
                for group in combinations(others, self.scope.destinations):
                    yield Choice(Act.SUBMIT, host, group)
        for host, cell in enumerate(self.cells):
            if cell < 0:
                yield from (Choice(Act.ENTER, host, (station,)) for station in range(len(self.system.stations)))
            elif self.moves < self.scope.moves:
                yield Choice(Act.LEAVE, host)

    def deliveries(self) -> Iterator[Choice]:
        """The choices that only carry on with what is under way."""
        channels = set()
        for place, wire in enumerate(self.wired):
            if self.scope.fifo and (wire.source, wire.target) in channels:
                continue
            channels.add((wire.source, wire.target))
            yield Choice(Act.WIRED, place)
        yield from (Choice(Act.UP, host) for host, frames in enumerate(self.air_up) if frames)
        yield from (Choice(Act.DOWN, host) for host, frames in enumerate(self.air_down) if frames)

    def apply(self, choice: Choice) -> None:
        ACTIONS[choice.act](self, choice)

    def submit(self, choice: Choice) -> None:
        message = Message(self.sent, choice.who, choice.where, 1)
        self.sent += 1
        self.oracle.submitted(message.id, message.source, message.destinations)
        self._host(choice.who).submit(message, HostEffects(self, choice.who))

    def leave(self, choice: Choice) -> None:
        self.moves += 1
        self.cells[choice.who] = -1
        self.air_up[choice.who].clear()
        self.air_down[choice.who].clear()
        self._host(choice.who).detach()

    def enter(self, choice: Choice) -> None:
        (station,) = choice.where
        self.cells[choice.who] = station
        self._host(choice.who).attach(station, HostEffects(self, choice.who))

    def up(self, choice: Choice) -> None:
        frame = self.air_up[choice.who].popleft()
        station = self.cells[choice.who]
        self._station(station).hear(choice.who, frame, StationEffects(self, station))

    def down(self, choice: Choice) -> None:
        frame = self.air_down[choice.who].popleft()
        self._host(choice.who).hear(frame, HostEffects(self, choice.who))

    def wire(self, choice: Choice) -> None:
        wire = self.wired.pop(choice.who)
        self._station(wire.target).receive(wire.packet, StationEffects(self, wire.target))

    def _host(self, index: int) -> Host:
        return self.system.hosts[index]

    def _station(self, index: int) -> Station:
        return self.system.stations[index]

    def finish(self) -> None:
        """Nothing is under way any more: what has not been delivered is lost."""
        self.faults.extend(f"m{message} never reaches host {host}" for message, host in self.oracle.lost())

    def frozen(self) -> object:
        """What makes two states the same; the order of wired packets matters only on FIFO channels."""
        seen: dict[int, int] = {}
        wired = [freeze(wire, {}) for wire in self.wired]
        return (
            freeze((self.system, self.oracle, self.air_up, self.air_down, self.cells), seen),
            tuple(wired if self.scope.fifo else sorted(wired, key=repr)),
            self.sent,
            self.moves,
        )


class HostEffects:
    __slots__ = ("host", "world")

    def __init__(self, world: World, host: int) -> None:
        self.world = world
        self.host = host

    def transmit(self, frame: Packet) -> None:
        if self.world.cells[self.host] >= 0:
            self.world.air_up[self.host].append(frame)

    def deliver(self, message: Message) -> None:
        world = self.world
        duplicates = world.oracle.duplicates
        overtaken = world.oracle.delivered(message.id, message.source, self.host)
        if overtaken >= 0:
            world.faults.append(f"host {self.host} delivers m{message.id} before m{overtaken}, which happened before it")
        if world.oracle.duplicates > duplicates:
            world.faults.append(f"host {self.host} delivers m{message.id}, which is not due there")


class StationEffects:
    __slots__ = ("station", "world")

    def __init__(self, world: World, station: int) -> None:
        self.world = world
        self.station = station

    def send(self, station: int, packet: Packet) -> None:
        self.world.wired.append(Wired(self.station, station, packet))

    def transmit(self, host: int, frame: Packet) -> None:
        if self.world.cells[host] == self.station:
            self.world.air_down[host].append(frame)

    def reached(self, milestone: Milestone) -> None:
        pass


ACTIONS: dict[Act, Callable[[World, Choice], None]] = {
    Act.SUBMIT: World.submit,
    Act.LEAVE: World.leave,
    Act.ENTER: World.enter,
    Act.UP: World.up,
    Act.DOWN: World.down,
    Act.WIRED: World.wire,
}
