"""A counter-example as a tape. Its times are the numbers of its steps, from 1, because a schedule has no time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from mobilesim.explorer.counterexample_text import Names, sentence
from mobilesim.explorer.machine_driver import Delivered, Dropped, Effect, InputKind, LiveDriver, Sent, Transmitted
from mobilesim.explorer.untimed_world import NO_CELL, Action, Bounds, UntimedWorld
from mobilesim.oracle.verdicts import Fault
from mobilesim.protocols.machine import System
from mobilesim.protocols.packets import Packet
from mobilesim.tape.events import Arrival, Tape, TapeHeader
from mobilesim.tape.packet_kinds import carried_host, carried_message
from mobilesim.tape.tape_builder import (
    DELIVERED,
    DROPPED,
    ENTERED,
    FAULT,
    FRAME,
    LEFT,
    PACKET,
    SUBMITTED,
    TapeBuilder,
)


def counterexample_tape(
    system: System, homes: Sequence[int], bounds: Bounds, schedule: Sequence[Action], protocol: str
) -> Tape:
    """Execute a schedule on new machines; return its tape, which ends with its faults."""
    recorder = _Recorder(UntimedWorld(LiveDriver(system), len(system.stations), tuple(homes), bounds))
    for action in schedule:
        recorder.step(action)
    recorder.end()
    header = TapeHeader(
        source="explorer",
        unit="step",
        network="cells",
        hosts=len(homes),
        stations=len(system.stations),
        cells=tuple(homes),
        run={"scenario": "counter-example", "protocol": protocol, "replication": 0, "id": ""},
    )
    return recorder.tape.tape(header)


@dataclass
class _Recorder:
    """`sent`: the step in which each packet or frame in transit was sent, by object and target node."""

    world: UntimedWorld
    tape: TapeBuilder = field(default_factory=TapeBuilder)
    sent: dict[tuple[int, int], int] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    """The number of each message, in the order of submission."""
    now: int = 0

    @property
    def driver(self) -> LiveDriver:
        driver = self.world.driver
        assert isinstance(driver, LiveDriver)
        return driver

    def node(self, host: int) -> int:
        return self.world.stations + host

    def step(self, action: Action) -> None:
        self.now += 1
        world, index = self.world, action.index
        station, faults = NO_CELL, len(world.faults)
        match action.kind:
            case InputKind.SUBMIT:
                station = self._submit(action)
            case InputKind.LEAVE:
                self._leave(index)
            case InputKind.ENTER:
                self.tape.add(ENTERED, *self.instant, self.node(index), action.targets[0], -1, index, 0, -1)
            case InputKind.UP:
                station = world.cells[index]
                self._frame(world.up[index][0], self.node(index), station, index, Arrival.RECEIVED)
            case InputKind.DOWN:
                self._frame(world.down[index][0], world.cells[index], self.node(index), index, Arrival.RECEIVED)
            case InputKind.WIRED:
                wire = world.wired[index]
                station = wire.target
                self._packet(wire.packet, wire.source, wire.target, Arrival.RECEIVED)
        world.apply(action)
        found = world.faults[faults:]
        for effect in self.driver.effects:
            self._effect(action.index, station, effect, found)
        for fault in found:
            self._fault(fault)

    @property
    def instant(self) -> tuple[int, int]:
        return self.now, self.now

    def end(self) -> None:
        """Add the packets and frames that are still in transit."""
        world = self.world
        self.now += 1
        for wire in world.wired:
            self._packet(wire.packet, wire.source, wire.target, Arrival.IN_TRANSIT)
        for host, station in enumerate(world.cells):
            for frame in world.up[host]:
                self._frame(frame, self.node(host), station, host, Arrival.IN_TRANSIT)
            for frame in world.down[host]:
                self._frame(frame, station, self.node(host), host, Arrival.IN_TRANSIT)

    def _submit(self, action: Action) -> int:
        """Record a submission; return the station that submits the message, if it is not a host."""
        world, source = self.world, action.index
        number = self.numbers[world.next_message(source)] = len(self.numbers)
        station = source - len(world.cells) if source >= len(world.cells) else NO_CELL
        node = self.node(source) if station == NO_CELL else station
        for host in action.targets:
            self.tape.add(SUBMITTED, *self.instant, node, -1, number, host, 0, 1)
        return station

    def _leave(self, host: int) -> None:
        world = self.world
        station = world.cells[host]
        for frame in world.up[host]:
            self._frame(frame, self.node(host), station, host, Arrival.LOST)
        for frame in world.down[host]:
            self._frame(frame, station, self.node(host), host, Arrival.LOST)
        name = self.tape.name("disconnects" if self.driver.switches_off(host) else "moves")
        self.tape.add(LEFT, *self.instant, self.node(host), station, -1, host, name, -1)

    def _effect(self, host: int, station: int, effect: Effect, faults: Sequence[Fault]) -> None:
        """Record an output of a station, or of a host if `station` is NO_CELL."""
        match effect:
            case Sent(target, packet):
                self.sent[id(packet), target] = self.now
            case Transmitted(to, frame) if station == NO_CELL:
                self.sent[id(frame), self.world.cells[to]] = self.now
            case Transmitted(to, frame):
                self.sent[id(frame), self.node(to)] = self.now
                if self.world.cells[to] != station:
                    self._frame(frame, station, self.node(to), to, Arrival.LOST)
            case Delivered(to, message):
                other = next((fault.other for fault in faults if fault.message == message.id and fault.host == to), -1)
                number, overtaken = self.numbers[message.id], self.numbers.get(other, -1)
                self.tape.add(DELIVERED, *self.instant, self.node(to), -1, number, to, 0, overtaken)
            case Dropped(to, message):
                self.tape.add(DROPPED, *self.instant, station, -1, self.numbers[message.id], to, 0, -1)

    def _fault(self, fault: Fault) -> None:
        names: Names = {message: f"m{number}" for message, number in self.numbers.items()}
        node = self.node(fault.host) if fault.host >= 0 else -1
        number, other = self.numbers.get(fault.message, -1), self.numbers.get(fault.other, -1)
        text = self.tape.name(sentence(fault, names))
        self.tape.add(FAULT, *self.instant, node, -1, number, fault.host, text, other)

    def _frame(self, frame: object, node: int, peer: int, host: int, arrival: Arrival) -> None:
        self._leg(FRAME, frame, (node, peer), host, arrival)

    def _packet(self, packet: object, source: int, target: int, arrival: Arrival) -> None:
        assert isinstance(packet, Packet)
        self._leg(PACKET, packet, (source, target), carried_host(packet), arrival)

    def _leg(self, kind: int, packet: object, ends: tuple[int, int], host: int, arrival: Arrival) -> None:
        assert isinstance(packet, Packet)
        started = self.sent.pop((id(packet), ends[1]), self.now)
        message = self.numbers.get(carried_message(packet), -1)
        self.tape.add(kind, started, self.now, *ends, message, host, self.tape.kind(packet), int(arrival))
