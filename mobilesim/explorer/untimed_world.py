"""The untimed world: machines, channels, and every choice of what happens next.

The explorer tries all choices, random schedules and Hypothesis draw them. Wired packets arrive in any order (or per
channel in order, with `fifo`), frames in order; a host that leaves takes along nothing that is on the air, and what
is sent to it or by it while it is nowhere is lost. Packets are carried unopened. A machine that asks to be woken later
is woken at once: what is late by design is for runs with a clock.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from mobilesim.explorer.machine_driver import (
    Delivered,
    Dropped,
    InputKind,
    MachineDriver,
    MachineFailure,
    Sent,
    Transmitted,
)
from mobilesim.oracle.verdicts import Fault, FaultKind
from protocols.catalogue import OptionValue
from protocols.frozen_value import value
from protocols.machine import Message, System
from protocols.ordering import Groups

SystemBuilder = Callable[..., System]
"""Takes stations, homes and options; and `groups`, where there are some."""


@value
class Action:
    """What happens next. `index`: a machine, or a place among the wired packets; `targets`: a station, or destinations,
    all others of `group` if there is one.
    """

    kind: InputKind
    index: int
    targets: tuple[int, ...] = ()
    group: int = -1


class InFlightPacket(NamedTuple):
    """A packet on its way; a tuple, because the explorer sorts and hashes millions of them."""

    target: int
    packet: object
    source: int


@value
class Bounds:
    """How much may happen: messages and moves in all, and how many destinations a message has.

    `drops`: hosts may switch off before they leave, which counts as a move of its own; what a station drops is lost
    otherwise. What stations send is not among the choices; a schedule may have it. With `groups` a message is for all
    other members of a group of its source, and the number of `destinations` means nothing.
    """

    messages: int
    moves: int
    destinations: int = 1
    fifo: bool = False
    drops: bool = False
    groups: Groups = ()

    def addresses(self, hosts: int, source: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """To whom a host may send: destinations, and the group that they are of, or -1."""
        if self.groups:
            yield from group_destinations(self.groups, source)
            return
        others = [other for other in range(hosts) if other != source]
        yield from ((chosen, -1) for chosen in combinations(others, self.destinations))


def group_destinations(groups: Groups, source: int) -> Iterator[tuple[tuple[int, ...], int]]:
    for group, members in enumerate(groups):
        if source in members:
            yield tuple(sorted({*members} - {source})), group


Frames: TypeAlias = tuple[object, ...]
NO_CELL: Final = -1


class UntimedWorld:
    """One state of the untimed world; `apply` takes it to the next.

    A message is named by its source and how many that one sent before it, so that it is the same message in whichever
    order they submit. What is `tolerated` may be broken, and is no fault.
    """

    __slots__ = ("bounds", "cells", "down", "driver", "faults", "moves", "sent", "stations", "tolerated", "up", "wired")

    def __init__(self, driver: MachineDriver, stations: int, homes: tuple[int, ...], bounds: Bounds) -> None:
        self.driver = driver
        self.stations = stations
        self.bounds = bounds
        self.cells: list[int] = list(homes)
        self.up: list[Frames] = [() for _ in homes]
        self.down: list[Frames] = [() for _ in homes]
        self.wired: list[InFlightPacket] = []
        self.sent: list[int] = [0 for _ in range(len(homes) + stations)]
        """By machine."""
        self.moves = 0
        self.faults: list[Fault] = []
        self.tolerated: frozenset[FaultKind] = frozenset()

    def actions(self) -> Iterator[Action]:
        yield from self.deliveries()
        yield from self.submissions()
        yield from self.movements()

    def deliveries(self) -> Iterator[Action]:
        """The choices that only carry on with what is under way. Of packets that are alike, one is enough."""
        seen = set()
        for place, wire in enumerate(self.wired):
            alike = (wire.source, wire.target) if self.bounds.fifo else (wire.target, _name(wire.packet))
            if alike not in seen:
                seen.add(alike)
                yield Action(InputKind.WIRED, place)
        yield from (Action(InputKind.UP, host) for host, frames in enumerate(self.up) if frames)
        yield from (Action(InputKind.DOWN, host) for host, frames in enumerate(self.down) if frames)

    def submissions(self) -> Iterator[Action]:
        if sum(self.sent) == self.bounds.messages:
            return
        hosts = len(self.cells)
        for host in range(hosts):
            for destinations, group in self.bounds.addresses(hosts, host):
                yield Action(InputKind.SUBMIT, host, destinations, group)

    def movements(self) -> Iterator[Action]:
        for host, cell in enumerate(self.cells):
            if cell == NO_CELL:
                yield from (Action(InputKind.ENTER, host, (station,)) for station in range(self.stations))
            elif self.moves < self.bounds.moves:
                yield Action(InputKind.LEAVE, host)
                if self.bounds.drops:
                    yield Action(InputKind.SWITCH_OFF, host)

    def apply(self, action: Action) -> None:
        """Do it, and judge: at every delivery, and whenever nothing is under way any more."""
        try:
            HANDLERS[action.kind](self, action)
        except MachineFailure as broken:
            self.faults.append(Fault(FaultKind.FAILED, reason=str(broken)))
            return
        if self.quiet:
            self.faults.extend(self.driver.lost())
            self.faults.extend(self._kept())

    @property
    def quiet(self) -> bool:
        """Nothing is under way, and every host is somewhere.

        Whatever is still due then is lost, and what a station still keeps stays for ever: the application and the
        users need never do anything more.
        """
        return not (self.wired or any(self.up) or any(self.down) or NO_CELL in self.cells)

    def _kept(self) -> Iterator[Fault]:
        for station in range(self.stations):
            if kept := self.driver.kept(len(self.cells) + station):
                yield Fault(FaultKind.KEPT, reason=f"station {station} has {kept}")

    def submit(self, action: Action) -> None:
        source, hosts = action.index, len(self.cells)
        message = Message(self.next_message(source), source, action.targets, 1, action.group)
        self.sent[source] += 1
        self.driver.submitted(message)
        if source < hosts:
            self._host(source, InputKind.SUBMIT, message)
        else:
            self._station(source - hosts, InputKind.SUBMIT, message)

    def next_message(self, source: int) -> int:
        return source + len(self.sent) * self.sent[source]

    def switch_off(self, action: Action) -> None:
        self.moves += 1
        self._host(action.index, InputKind.SWITCH_OFF, None)

    def leave(self, action: Action) -> None:
        self.moves += 1
        self.cells[action.index] = NO_CELL
        self.up[action.index] = self.down[action.index] = ()
        self._host(action.index, InputKind.LEAVE, None)

    def enter(self, action: Action) -> None:
        self.cells[action.index] = action.targets[0]
        self._host(action.index, InputKind.ENTER, action.targets[0])

    def upwards(self, action: Action) -> None:
        host = action.index
        frame, *rest = self.up[host]
        self.up[host] = tuple(rest)
        self._station(self.cells[host], InputKind.UP, (host, frame))

    def downwards(self, action: Action) -> None:
        frame, *rest = self.down[action.index]
        self.down[action.index] = tuple(rest)
        self._host(action.index, InputKind.DOWN, frame)

    def wire(self, action: Action) -> None:
        wire = self.wired.pop(action.index)
        self._station(wire.target, InputKind.WIRED, wire.packet)

    def _host(self, host: int, kind: InputKind, item: object) -> None:
        for effect in self.driver.feed(host, kind, item):
            if type(effect) is Delivered:
                self._judged(self.driver.delivered(host, effect.message))
            elif type(effect) is Transmitted and self.cells[host] != NO_CELL:
                self.up[host] += (effect.frame,)

    def _station(self, station: int, kind: InputKind, item: object) -> None:
        for effect in self.driver.feed(len(self.cells) + station, kind, item):
            if type(effect) is Sent:
                self.wired.append(InFlightPacket(effect.station, effect.packet, station))
            elif type(effect) is Transmitted and self.cells[effect.host] == station:
                self.down[effect.host] += (effect.frame,)
            elif type(effect) is Dropped and self.bounds.drops:
                self._judged(self.driver.dropped(effect.host, effect.message))

    def _judged(self, fault: Fault | None) -> None:
        if fault and fault.kind not in self.tolerated:
            self.faults.append(fault)


def _name(packet: object) -> object:
    """A packet's name where the stage has names, else the packet itself, alike to none but itself."""
    return packet if type(packet) is int else id(packet)


def build_system(
    build: SystemBuilder,
    stations: int,
    homes: tuple[int, ...],
    options: Mapping[str, OptionValue] | None,
    groups: Groups,
) -> System:
    """What knows nothing of groups is not told of any unless there are some."""
    told = {"groups": groups} if groups else {}
    return build(stations, homes, options or {}, **told)


HANDLERS: Final[dict[InputKind, Callable[[UntimedWorld, Action], None]]] = {
    InputKind.SUBMIT: UntimedWorld.submit,
    InputKind.SWITCH_OFF: UntimedWorld.switch_off,
    InputKind.LEAVE: UntimedWorld.leave,
    InputKind.ENTER: UntimedWorld.enter,
    InputKind.UP: UntimedWorld.upwards,
    InputKind.DOWN: UntimedWorld.downwards,
    InputKind.WIRED: UntimedWorld.wire,
}
