"""The untimed world: machines, channels, and every choice of what happens next.

The explorer tries all choices, random schedules and Hypothesis draw them. Wired packets arrive in any order (or per
channel in order, with `fifo`), frames in order; a host that leaves takes along nothing that is on the air, and what
is sent to it or by it while it is nowhere is lost. Packets are carried unopened. A machine that asks to be woken later
is woken at once: what is late by design is for runs with a clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from mobilesim.explorer.machine_driver import (
    Act,
    Broken,
    Delivered,
    Dropped,
    Fault,
    Live,
    Sent,
    Stage,
    Transmitted,
    Verdict,
)
from protocols.catalogue import OptionValue
from protocols.frozen_value import value
from protocols.machine import Message, System
from protocols.ordering import Groups

Build = Callable[..., System]
"""Takes stations, homes and options; and `groups`, where there are some."""


@value
class Choice:
    """What happens next. `who`: a machine, or a place among the wired packets; `where`: a station, or destinations, all
    others of `group` if there is one.
    """

    act: Act
    who: int
    where: tuple[int, ...] = ()
    group: int = -1


class Wire(NamedTuple):
    """A packet on its way; a tuple, because the explorer sorts and hashes millions of them."""

    target: int
    packet: object
    source: int


@value
class Scope:
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
            yield from addressed(self.groups, source)
            return
        others = [other for other in range(hosts) if other != source]
        yield from ((chosen, -1) for chosen in combinations(others, self.destinations))


def addressed(groups: Groups, source: int) -> Iterator[tuple[tuple[int, ...], int]]:
    for group, members in enumerate(groups):
        if source in members:
            yield tuple(sorted({*members} - {source})), group


Air: TypeAlias = tuple[object, ...]
NOWHERE: Final = -1


class World:
    """One state of the untimed world; `apply` takes it to the next.

    A message is named by its source and how many that one sent before it, so that it is the same message in whichever
    order they submit. What is `unclaimed` may be broken, and is no fault.
    """

    __slots__ = ("cells", "down", "faults", "moves", "scope", "sent", "stage", "stations", "unclaimed", "up", "wired")

    def __init__(self, stage: Stage, stations: int, homes: tuple[int, ...], scope: Scope) -> None:
        self.stage = stage
        self.stations = stations
        self.scope = scope
        self.cells: list[int] = list(homes)
        self.up: list[Air] = [() for _ in homes]
        self.down: list[Air] = [() for _ in homes]
        self.wired: list[Wire] = []
        self.sent: list[int] = [0 for _ in range(len(homes) + stations)]
        """By machine."""
        self.moves = 0
        self.faults: list[Fault] = []
        self.unclaimed: frozenset[Verdict] = frozenset()

    def choices(self) -> Iterator[Choice]:
        yield from self.deliveries()
        yield from self.submissions()
        yield from self.movements()

    def deliveries(self) -> Iterator[Choice]:
        """The choices that only carry on with what is under way. Of packets that are alike, one is enough."""
        seen = set()
        for place, wire in enumerate(self.wired):
            alike = (wire.source, wire.target) if self.scope.fifo else (wire.target, _name(wire.packet))
            if alike not in seen:
                seen.add(alike)
                yield Choice(Act.WIRED, place)
        yield from (Choice(Act.UP, host) for host, frames in enumerate(self.up) if frames)
        yield from (Choice(Act.DOWN, host) for host, frames in enumerate(self.down) if frames)

    def submissions(self) -> Iterator[Choice]:
        if sum(self.sent) == self.scope.messages:
            return
        hosts = len(self.cells)
        for host in range(hosts):
            for destinations, group in self.scope.addresses(hosts, host):
                yield Choice(Act.SUBMIT, host, destinations, group)

    def movements(self) -> Iterator[Choice]:
        for host, cell in enumerate(self.cells):
            if cell == NOWHERE:
                yield from (Choice(Act.ENTER, host, (station,)) for station in range(self.stations))
            elif self.moves < self.scope.moves:
                yield Choice(Act.LEAVE, host)
                if self.scope.drops:
                    yield Choice(Act.SWITCH_OFF, host)

    def apply(self, choice: Choice) -> None:
        """Do it, and judge: at every delivery, and whenever nothing is under way any more."""
        try:
            ACTIONS[choice.act](self, choice)
        except Broken as broken:
            self.faults.append(Fault(Verdict.BROKEN, reason=str(broken)))
            return
        if self.quiet:
            self.faults.extend(self.stage.lost())
            self.faults.extend(self._kept())

    @property
    def quiet(self) -> bool:
        """Nothing is under way, and every host is somewhere.

        Whatever is still due then is lost, and what a station still keeps stays for ever: the application and the
        users need never do anything more.
        """
        return not (self.wired or any(self.up) or any(self.down) or NOWHERE in self.cells)

    def _kept(self) -> Iterator[Fault]:
        for station in range(self.stations):
            if kept := self.stage.kept(len(self.cells) + station):
                yield Fault(Verdict.KEPT, reason=f"station {station} has {kept}")

    def submit(self, choice: Choice) -> None:
        source, hosts = choice.who, len(self.cells)
        message = Message(self.next_message(source), source, choice.where, 1, choice.group)
        self.sent[source] += 1
        self.stage.submitted(message)
        if source < hosts:
            self._host(source, Act.SUBMIT, message)
        else:
            self._station(source - hosts, Act.SUBMIT, message)

    def next_message(self, source: int) -> int:
        return source + len(self.sent) * self.sent[source]

    def switch_off(self, choice: Choice) -> None:
        self.moves += 1
        self._host(choice.who, Act.SWITCH_OFF, None)

    def leave(self, choice: Choice) -> None:
        self.moves += 1
        self.cells[choice.who] = NOWHERE
        self.up[choice.who] = self.down[choice.who] = ()
        self._host(choice.who, Act.LEAVE, None)

    def enter(self, choice: Choice) -> None:
        self.cells[choice.who] = choice.where[0]
        self._host(choice.who, Act.ENTER, choice.where[0])

    def upwards(self, choice: Choice) -> None:
        host = choice.who
        frame, *rest = self.up[host]
        self.up[host] = tuple(rest)
        self._station(self.cells[host], Act.UP, (host, frame))

    def downwards(self, choice: Choice) -> None:
        frame, *rest = self.down[choice.who]
        self.down[choice.who] = tuple(rest)
        self._host(choice.who, Act.DOWN, frame)

    def wire(self, choice: Choice) -> None:
        wire = self.wired.pop(choice.who)
        self._station(wire.target, Act.WIRED, wire.packet)

    def _host(self, host: int, act: Act, item: object) -> None:
        for effect in self.stage.feed(host, act, item):
            if type(effect) is Delivered:
                self._judged(self.stage.delivered(host, effect.message))
            elif type(effect) is Transmitted and self.cells[host] != NOWHERE:
                self.up[host] += (effect.frame,)

    def _station(self, station: int, act: Act, item: object) -> None:
        for effect in self.stage.feed(len(self.cells) + station, act, item):
            if type(effect) is Sent:
                self.wired.append(Wire(effect.station, effect.packet, station))
            elif type(effect) is Transmitted and self.cells[effect.host] == station:
                self.down[effect.host] += (effect.frame,)
            elif type(effect) is Dropped and self.scope.drops:
                self._judged(self.stage.dropped(effect.host, effect.message))

    def _judged(self, fault: Fault | None) -> None:
        if fault and fault.verdict not in self.unclaimed:
            self.faults.append(fault)


def _name(packet: object) -> object:
    """A packet's name where the stage has names, else the packet itself, alike to none but itself."""
    return packet if type(packet) is int else id(packet)


def built(
    build: Build, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue] | None, groups: Groups
) -> System:
    """What knows nothing of groups is not told of any unless there are some."""
    told = {"groups": groups} if groups else {}
    return build(stations, homes, options or {}, **told)


def live(system: System, homes: Sequence[int], scope: Scope) -> World:
    return World(Live(system), len(system.stations), tuple(homes), scope)


ACTIONS: Final[dict[Act, Callable[[World, Choice], None]]] = {
    Act.SUBMIT: World.submit,
    Act.SWITCH_OFF: World.switch_off,
    Act.LEAVE: World.leave,
    Act.ENTER: World.enter,
    Act.UP: World.upwards,
    Act.DOWN: World.downwards,
    Act.WIRED: World.wire,
}
