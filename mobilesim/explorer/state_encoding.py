"""The untimed world in numbers, many states at once.

A state is a column of small numbers: what a host or station looks like, what is on the air, the bag of wired packets.
What follows from what is looked up for whole arrays; each step of a machine is played once
(`mobilesim.explorer.step_cache`), when it is first asked for. The rules are those of
`mobilesim.explorer.untimed_world`, whose world is the plain twin of this one.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.explorer.array_tables import Column, Ints, Lookup, Numbers
from mobilesim.explorer.machine_driver import Act, Delivered, Dropped, Fault, Sent, Transmitted, Verdict
from mobilesim.explorer.step_cache import Collapsed, Step
from mobilesim.explorer.untimed_world import Air, Wire
from protocols.frozen_value import value
from protocols.machine import Message

Rows = npt.NDArray[np.int64]

WIDTH: Final = 31
"""Two numbers are looked up together; there is not the memory for more than 31 bits can count."""

PLACES: Final = 9
BAGS: Final = 27
"""A bag, a place in it and another bag are looked up together."""

Happening: TypeAlias = Message | Delivered | Dropped
"""What the judge is told: a message is one that is submitted."""


def paired(first: Ints | int, second: Ints) -> Ints:
    return first << WIDTH | second


def parted(key: int) -> tuple[int, int]:
    return key >> WIDTH, key & (1 << WIDTH) - 1


class Form:
    """Where the numbers of a state stand. Cells are counted from 1; 0 is nowhere."""

    __slots__ = (
        "bag",
        "cell",
        "commons",
        "down",
        "hosts",
        "judge",
        "machine",
        "moves",
        "sent",
        "size",
        "stations",
        "up",
    )

    def __init__(self, hosts: int, stations: int, commons: int) -> None:
        self.hosts, self.stations = range(hosts), range(stations)
        self.cell, self.sent, self.up, self.down, self.machine = (place * hosts for place in range(5))
        last = self.machine + hosts + stations
        self.bag, self.judge, self.moves, self.commons = range(last, last + 4)
        self.size = self.commons + commons


class Bags:
    """Wired packets under way, by number; 0 is none."""

    __slots__ = ("_after", "count", "fifo", "first", "numbers", "packet", "place", "target")

    def __init__(self, *, fifo: bool) -> None:
        self.fifo = fifo
        self.numbers: Numbers[tuple[Wire, ...]] = Numbers()
        self.first, self.count, self.place, self.target, self.packet = (Column() for _ in range(5))
        self._after = Lookup(self._afterwards)
        self.put([])

    def put(self, wires: list[Wire]) -> int:
        number = self.numbers.number(self._canonical(wires))
        if number == len(self.first):
            self._list(self.numbers.things[number])
        return number

    def after(self, bags: Ints, places: Ints, more: Ints) -> Ints:
        """Without what is at a place (counted from 1; 0 is nothing), and with what is in another bag."""
        return self._after((bags << PLACES | places) << BAGS | more)

    def _canonical(self, wires: list[Wire]) -> tuple[Wire, ...]:
        if self.fifo:
            return tuple(sorted(wires, key=lambda wire: (wire.source, wire.target)))
        return tuple(sorted([Wire(wire.target, wire.packet, -1) for wire in wires]))

    def _list(self, wires: tuple[Wire, ...]) -> None:
        """Which of them may arrive next: of those that are alike, the first."""
        if len(wires) >> PLACES or len(self.first) >> BAGS:
            raise OverflowError(f"{len(wires)} packets under way, in bag {len(self.first)}: more than can be numbered")
        self.first.append(len(self.place))
        seen = set()
        for place, wire in enumerate(wires):
            alike = (wire.source, wire.target) if self.fifo else (wire.target, wire.packet)
            if alike not in seen:
                seen.add(alike)
                self.place.append(place + 1)
                self.target.append(wire.target)
                self.packet.append(number_of(wire.packet))
        self.count.append(len(seen))

    def _afterwards(self, key: int) -> int:
        bags, place = self.numbers.things, (key >> BAGS) & (1 << PLACES) - 1
        wires = list(bags[key >> BAGS + PLACES])
        if place:
            del wires[place - 1]
        return self.put([*wires, *bags[key & (1 << BAGS) - 1]])


class Airs:
    """Frames on the air in one direction, by number; 0 is none."""

    __slots__ = ("append", "head", "numbers", "rest")

    def __init__(self) -> None:
        self.numbers: Numbers[Air] = Numbers()
        self.head, self.rest = Column(), Column()
        self.append = Lookup(self._append)
        self.put(())

    def put(self, frames: Air) -> int:
        rest = self.put(frames[1:]) if frames else 0
        number = self.numbers.number(frames)
        if number == len(self.head):
            self.head.append(number_of(frames[0]) if frames else 0)
            self.rest.append(rest)
        return number

    def _append(self, key: int) -> int:
        one, other = parted(key)
        return self.put(self.numbers.things[one] + self.numbers.things[other])


class Judge:
    """What the judge says, and what it looks like afterwards."""

    __slots__ = ("lost", "stage", "tell", "told", "unclaimed")

    def __init__(self, stage: Collapsed, unclaimed: frozenset[Verdict]) -> None:
        self.stage = stage
        self.unclaimed = unclaimed
        self.told: Numbers[tuple[Happening, ...]] = Numbers()
        self.tell = Lookup(self._tell)
        """Of what the judge looks like and what happens: twice what it looks like then, and one more for a fault."""
        self.lost = Lookup(self._lost)
        self.told.number(())

    def _tell(self, key: int) -> int:
        self.stage.judge, told = parted(key)
        faults = [self._one(happening) for happening in self.told.things[told]]
        return self.stage.judge << 1 | any(fault and fault.verdict not in self.unclaimed for fault in faults)

    def _one(self, happening: Happening) -> Fault | None:
        match happening:
            case Message():
                self.stage.submitted(happening)
                return None
            case Delivered(host, message):
                return self.stage.delivered(host, message)
            case Dropped(host, message):
                return self.stage.dropped(host, message)

    def _lost(self, judge: int) -> int:
        self.stage.judge = judge
        return bool(self.stage.lost())


class Steps:
    """Every step that was ever played, by number: which numbers come of it.

    A number may also stand for a step of which too little is known: it `needs` the number of one more of the commons.
    """

    __slots__ = (
        "airs",
        "asked",
        "bags",
        "broken",
        "commons",
        "frames",
        "further",
        "judge",
        "kept",
        "machine",
        "messages",
        "needs",
        "only_buffers",
        "sends",
        "stage",
        "tells",
        "touches",
    )

    def __init__(self, stage: Collapsed, hosts: int, bags: Bags, airs: Airs, judge: Judge) -> None:
        self.stage, self.bags, self.airs, self.judge = stage, bags, airs, judge
        self.asked: dict[int, Asked] = {}
        self.messages: Numbers[Message] = Numbers()
        self.machine, self.sends, self.tells, self.needs = (Column() for _ in range(4))
        self.broken, self.touches, self.only_buffers = (Column() for _ in range(3))
        self.commons = [Column() for _ in stage.commons]
        """By place: what it becomes, if it is touched, else -1."""
        self.frames = [Column() for _ in range(hosts)]
        """By host: what goes on the air to it, or from it."""
        self.further = Lookup(self._further)
        self.kept = Lookup(self._kept)
        """Of a machine and what it looks like: whether it keeps something for ever, if nothing more happens."""

    def asking(self, machine: int, act: Act, who: int) -> Lookup:
        """Of what the machine looks like and the input."""
        return Lookup(lambda key: self._play(Asked(machine, act, who, *parted(key), ())))

    def resolved(self, number: Ints, commons: Rows) -> Ints:
        """With the numbers of all commons, the steps that are meant."""
        while (open_ := np.flatnonzero(self.needs[number] >= 0)).size:
            needs = self.needs[number[open_]]
            number[open_] = self.further(paired(number[open_], commons[needs, open_]))
        return number

    def _further(self, key: int) -> int:
        number, common = parted(key)
        asked = self.asked[number]
        known = (*asked.known, (self.needs.items[number], common))
        return self._play(Asked(asked.machine, asked.act, asked.who, asked.state, asked.item, known))

    def _play(self, asked: "Asked") -> int:
        step = self.stage.play(asked.machine, asked.state, dict(asked.known), asked.act, self._item(asked))
        number = len(self.needs)
        if isinstance(step, Step):
            self.needs.append(-1)
            self._note(asked.machine - len(self.frames), step)
        else:
            self.needs.append(step)
            self.asked[number] = asked
            self._note(0, Step(0, (), ()))
        return number

    def _kept(self, key: int) -> int:
        machine, state = parted(key)
        self.stage.machines[machine] = state
        return bool(self.stage.kept(machine))

    def _item(self, asked: "Asked") -> object:
        if asked.act is Act.SUBMIT:
            return self.messages.things[asked.item]
        if asked.act is Act.UP:
            return asked.who, asked.item
        return None if asked.act in {Act.LEAVE, Act.SWITCH_OFF} else asked.item

    def _note(self, station: int, step: Step) -> None:
        self.machine.append(step.machine)
        self.broken.append(bool(step.broken))
        self.touches.append(bool(step.commons))
        self.only_buffers.append(step.only_buffers)
        changed = dict(step.commons)
        for place, numbers in enumerate(self.commons):
            numbers.append(changed.get(place, -1))
        sent = [effect for effect in step.effects if isinstance(effect, Sent)]
        self.sends.append(self.bags.put([Wire(effect.station, effect.packet, station) for effect in sent]))
        told = tuple([effect for effect in step.effects if isinstance(effect, Delivered | Dropped)])
        self.tells.append(self.judge.told.number(told))
        for other, frames in enumerate(self.frames):
            on_air = [effect for effect in step.effects if isinstance(effect, Transmitted) and effect.host == other]
            frames.append(self.airs.put(tuple([effect.frame for effect in on_air])))


@value
class Asked:
    """A machine's input, `who` made it, and those of the commons whose numbers are known."""

    machine: int
    act: Act
    who: int
    state: int
    item: int
    known: tuple[tuple[int, int], ...]


def number_of(packet: object) -> int:
    assert isinstance(packet, int)
    return packet
