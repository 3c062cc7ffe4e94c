"""The untimed world: machines, channels, and all possible next actions.

The explorer tries all actions. Tests also choose random actions, or use Hypothesis. Frames arrive in order. Wired
packets arrive in any order or, with `fifo`, in order on each channel. When a host leaves its cell, all frames on its
wireless channels are lost, as are all frames to or from a host in no cell. Packets are not read here. Timers expire at
once, so delays by timers are tested only in simulations with time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from mobilesim.explorer.machine_driver import (
    Delivered,
    Dropped,
    InputKind,
    LiveDriver,
    MachineFailure,
    OracleCall,
    Sent,
    Transmitted,
    note_submission,
)
from mobilesim.explorer.step_cache import CachingDriver
from mobilesim.oracle.verdicts import Fault, FaultKind, judge_delivery, judge_drop, short_chains_decide
from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Groups
from mobilesim.protocols.packets import Message

SystemBuilder = Callable[..., System]
"""Builds machines. Arguments: the number of stations, homes, options, and `groups` if there are groups."""
Homes: TypeAlias = tuple[int, ...]
"""The starting cell of each host."""
Options: TypeAlias = Mapping[str, OptionValue]


@value
class Action:
    """`index`: a machine, or the position of a wired packet. `targets`: a station, or a message's destinations, which
    are all other members of `group` if there is one.
    """

    kind: InputKind
    index: int
    targets: tuple[int, ...] = ()
    group: int = -1


class InFlightPacket(NamedTuple):
    """A wired packet in transit; a tuple, because the explorer sorts and hashes millions of them."""

    target: int
    packet: Any
    source: int

    def canonical(self, *, fifo: bool) -> "InFlightPacket":
        """Return the packet, without its source if channels are not FIFO."""
        return self if fifo or self.source < 0 else InFlightPacket(self.target, self.packet, -1)


def multiset(packets: Iterable[InFlightPacket], *, fifo: bool) -> tuple[InFlightPacket, ...]:
    """Return the packets in a canonical order; on FIFO channels, packets stay in the order of sending."""
    if fifo:
        return tuple(sorted(packets, key=attrgetter("source", "target")))
    return tuple(sorted([packet.canonical(fifo=False) for packet in packets]))


@value
class Bounds:
    """The bounds of the state space: messages and moves in total, and destinations of a message.

    `drops`, `stores`: hosts may announce that they switch off, and that messages are to be dropped or stored, which
    counts as a move. Then the host leaves, even if it has no move left. Without `drops`, dropped messages are lost. The
    actions contain no messages of stations, but a schedule may contain them. With `groups`, a message is for all other
    members of a group of its source, and `destinations` is not used.
    """

    messages: int
    moves: int
    destinations: int = 1
    fifo: bool = False
    drops: bool = False
    groups: Groups = ()
    tolerated: frozenset[FaultKind] = frozenset()
    """The kinds of faults that are not recorded."""
    joins: int = 0
    leaves: int = 0
    """The numbers of processes that join and leave (`mobilesim.explorer.members`)."""
    stores: bool = False

    @property
    def announces(self) -> bool:
        return self.drops or self.stores

    @property
    def departures(self) -> tuple[InputKind, ...]:
        """The ways in which a host may begin a move."""
        announced = (InputKind.SWITCH_OFF,) * self.drops + (InputKind.SWITCH_OFF_STORING,) * self.stores
        return (InputKind.LEAVE, *announced)

    @property
    def changes(self) -> int:
        return self.joins + self.leaves

    def destination_choices(self, hosts: int, source: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the possible destinations of a host's message, each with its group or -1."""
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
    """A state of the untimed world. `apply` changes it to the next state.

    A message's id is computed from its source and its number at the source, so it does not depend on other sources.
    """

    __slots__ = ("bounds", "cells", "down", "driver", "faults", "moves", "sent", "stations", "up", "wired")

    def __init__(self, driver: LiveDriver | CachingDriver, stations: int, homes: Homes, bounds: Bounds) -> None:
        if short_chains_decide(bounds.tolerated):
            driver.judge_short_chains()
        self.driver = driver
        self.stations = stations
        self.bounds = bounds
        self.cells: list[int] = list(homes)
        self.up: list[Frames] = [() for _ in homes]
        self.down: list[Frames] = [() for _ in homes]
        self.wired: list[InFlightPacket] = []
        self.sent: list[int] = [0 for _ in range(len(homes) + stations)]
        """The number of messages that each machine has submitted."""
        self.moves = 0
        self.faults: list[Fault] = []

    def actions(self) -> Iterator[Action]:
        yield from self.deliveries()
        yield from self.submissions()
        yield from self.movements()

    def deliveries(self) -> Iterator[Action]:
        """Yield the arrivals of all packets and frames in transit, of equivalent packets only one."""
        wired, up, down = self.in_transit()
        yield from (Action(InputKind.WIRED, index) for index in wired)
        yield from (Action(InputKind.UP, host) for host in up)
        yield from (Action(InputKind.DOWN, host) for host in down)

    def in_transit(self) -> tuple[Sequence[int], list[int], list[int]]:
        """Return the positions of the wired packets, of equivalent packets only the first, and the hosts with frames on
        the uplink and on the downlink.
        """
        up = [host for host, frames in enumerate(self.up) if frames]
        down = [host for host, frames in enumerate(self.down) if frames]
        return self._distinct_packets(), up, down

    def _distinct_packets(self) -> Sequence[int]:
        if self.bounds.fifo:
            names = [(source, target) for target, _, source in self.wired]
        else:
            # `CachingDriver` represents a packet by a number.
            names = [(target, packet if type(packet) is int else id(packet)) for target, packet, _ in self.wired]
        if len(set(names)) == len(names):
            return range(len(names))
        first: dict[tuple[int, int], int] = {}
        for index, name in enumerate(names):
            first.setdefault(name, index)
        return list(first.values())

    def submissions(self) -> Iterator[Action]:
        if sum(self.sent) == self.bounds.messages:
            return
        hosts = len(self.cells)
        for host in range(hosts):
            for destinations, group in self.bounds.destination_choices(hosts, host):
                yield Action(InputKind.SUBMIT, host, destinations, group)

    def movements(self) -> Iterator[Action]:
        for host, cell in enumerate(self.cells):
            if cell == NO_CELL:
                yield from (Action(InputKind.ENTER, host, (station,)) for station in range(self.stations))
            elif self.moves < self.bounds.moves:
                yield from (Action(kind, host) for kind in self.bounds.departures)
            elif self._switches_off(host):
                yield Action(InputKind.LEAVE, host)

    def apply(self, action: Action) -> None:
        """Perform an action, and record faults of its deliveries. If nothing is in transit afterwards, also record lost
        messages and the data that stations still store.
        """
        try:
            self._perform(action)
        except MachineFailure as failure:
            self.faults.append(Fault(FaultKind.FAILED, reason=str(failure)))
            return
        if self.quiet:
            self.faults.extend(self.driver.lost())
            for station in range(self.stations):
                if kept := self.driver.kept(len(self.cells) + station):
                    self.faults.append(Fault(FaultKind.KEPT, reason=f"station {station} has {kept}"))

    @property
    def quiet(self) -> bool:
        """Return whether nothing is in transit, and every host is in a cell and stays there.

        In such a state, applications and users may stop for ever. Then messages that are still due are lost, and
        stations keep their data for ever.
        """
        if self.wired or any(self.up) or any(self.down) or NO_CELL in self.cells:
            return False
        return not any(map(self._switches_off, range(len(self.cells))))

    def _switches_off(self, host: int) -> bool:
        """Return whether a host has to leave, because it has announced that it switches off."""
        return self.bounds.announces and self.driver.switches_off(host)

    def _perform(self, action: Action) -> None:
        index = action.index
        match action.kind:
            case InputKind.WIRED:
                packet = self.wired.pop(index)
                self._station(packet.target, InputKind.WIRED, packet.packet)
            case InputKind.UP:
                frame, *rest = self.up[index]
                self.up[index] = tuple(rest)
                self._station(self.cells[index], InputKind.UP, (index, frame))
            case InputKind.DOWN:
                frame, *rest = self.down[index]
                self.down[index] = tuple(rest)
                self._host(index, InputKind.DOWN, frame)
            case InputKind.SUBMIT:
                self._submit(action)
            case InputKind.ENTER:
                self.cells[index] = action.targets[0]
                self._host(index, InputKind.ENTER, action.targets[0])
            case InputKind.LEAVE:
                self.moves += 1
                self.cells[index] = NO_CELL
                self.up[index] = self.down[index] = ()
                self._host(index, InputKind.LEAVE, None)
            case InputKind.SWITCH_OFF | InputKind.SWITCH_OFF_STORING:
                self.moves += 1
                self._host(index, action.kind, None)

    def _submit(self, action: Action) -> None:
        source, hosts = action.index, len(self.cells)
        message = Message(self.next_message(source), source, action.targets, 1, action.group)
        self.sent[source] += 1
        self.driver.judged(note_submission, source, message)
        if source < hosts:
            self._host(source, InputKind.SUBMIT, message)
        else:
            self._station(source - hosts, InputKind.SUBMIT, message)

    def next_message(self, source: int) -> int:
        return source + len(self.sent) * self.sent[source]

    def _host(self, host: int, kind: InputKind, item: object) -> None:
        for effect in self.driver.feed(host, kind, item):
            if type(effect) is Delivered:
                self._judge(judge_delivery, host, effect.message)
            elif type(effect) is Transmitted and self.cells[host] != NO_CELL:
                self.up[host] += (effect.frame,)

    def _station(self, station: int, kind: InputKind, item: object) -> None:
        for effect in self.driver.feed(len(self.cells) + station, kind, item):
            if type(effect) is Sent:
                self.wired.append(InFlightPacket(effect.station, effect.packet, station))
            elif type(effect) is Transmitted and self.cells[effect.host] == station:
                self.down[effect.host] += (effect.frame,)
            elif type(effect) is Dropped and self.bounds.drops:
                self._judge(judge_drop, effect.host, effect.message)

    def _judge(self, call: OracleCall, host: int, message: Message) -> None:
        fault = self.driver.judged(call, host, message)
        if fault and fault.kind not in self.bounds.tolerated:
            self.faults.append(fault)


def build_system(build: SystemBuilder, stations: int, homes: Homes, options: Options | None, groups: Groups) -> System:
    # Some builders in tests take no `groups`, so this argument is passed only if there are groups.
    keywords = {"groups": groups} if groups else {}
    return build(stations, homes, options or {}, **keywords)
