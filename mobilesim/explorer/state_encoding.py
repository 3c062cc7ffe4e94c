"""The untimed world in numbers, many states at once.

A state is a column of small numbers: what a host or station looks like, what is on the air, the bag of wired packets.
What follows from what is looked up for whole arrays; each step of a machine is played once
(`mobilesim.explorer.step_cache`), when it is first asked for. The rules are those of
`mobilesim.explorer.untimed_world`, whose world is the plain twin of this one.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.explorer.array_tables import IntArray, Interner, Ints, MemoTable
from mobilesim.explorer.machine_driver import Delivered, Dropped, InputKind, Sent, Transmitted
from mobilesim.explorer.step_cache import CachingDriver, MachineStep
from mobilesim.explorer.untimed_world import Frames, InFlightPacket
from mobilesim.oracle.verdicts import Fault, FaultKind
from protocols.frozen_value import value
from protocols.machine import Message

States = npt.NDArray[np.int64]

NUMBER_BITS: Final = 31
"""Two numbers are looked up together; there is not the memory for more than 31 bits can count."""

POSITION_BITS: Final = 9
MULTISET_BITS: Final = 27
"""A bag, a place in it and another bag are looked up together."""

OracleEvent: TypeAlias = Message | Delivered | Dropped
"""What the judge is told: a message is one that is submitted."""


def pack_pair(first: Ints | int, second: Ints) -> Ints:
    return first << NUMBER_BITS | second


def unpack_pair(key: int) -> tuple[int, int]:
    return key >> NUMBER_BITS, key & (1 << NUMBER_BITS) - 1


class StateLayout:
    """Where the numbers of a state stand. Cells are counted from 1; 0 is nowhere."""

    __slots__ = (
        "bag",
        "cell",
        "down",
        "hosts",
        "machine",
        "moves",
        "oracle",
        "sent",
        "shared",
        "size",
        "stations",
        "up",
    )

    def __init__(self, hosts: int, stations: int, shared: int) -> None:
        self.hosts, self.stations = range(hosts), range(stations)
        self.cell, self.sent, self.up, self.down, self.machine = (place * hosts for place in range(5))
        last = self.machine + hosts + stations
        self.bag, self.oracle, self.moves, self.shared = range(last, last + 4)
        self.size = self.shared + shared


class InFlightMultisets:
    """Wired packets under way, by number; 0 is none."""

    __slots__ = ("_after", "count", "fifo", "first", "numbers", "packet", "place", "target")

    def __init__(self, *, fifo: bool) -> None:
        self.fifo = fifo
        self.numbers: Interner[tuple[InFlightPacket, ...]] = Interner()
        self.first, self.count, self.place, self.target, self.packet = (IntArray() for _ in range(5))
        self._after = MemoTable(self._afterwards)
        self.put([])

    def put(self, wires: list[InFlightPacket]) -> int:
        number = self.numbers.intern(self._canonical(wires))
        if number == len(self.first):
            self._list(self.numbers.values[number])
        return number

    def after(self, bags: Ints, places: Ints, more: Ints) -> Ints:
        """Without what is at a place (counted from 1; 0 is nothing), and with what is in another bag."""
        return self._after((bags << POSITION_BITS | places) << MULTISET_BITS | more)

    def _canonical(self, wires: list[InFlightPacket]) -> tuple[InFlightPacket, ...]:
        if self.fifo:
            return tuple(sorted(wires, key=lambda wire: (wire.source, wire.target)))
        return tuple(sorted([InFlightPacket(wire.target, wire.packet, -1) for wire in wires]))

    def _list(self, wires: tuple[InFlightPacket, ...]) -> None:
        """Which of them may arrive next: of those that are alike, the first."""
        if len(wires) >> POSITION_BITS or len(self.first) >> MULTISET_BITS:
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
        bags, place = self.numbers.values, (key >> MULTISET_BITS) & (1 << POSITION_BITS) - 1
        wires = list(bags[key >> MULTISET_BITS + POSITION_BITS])
        if place:
            del wires[place - 1]
        return self.put([*wires, *bags[key & (1 << MULTISET_BITS) - 1]])


class FifoChannels:
    """Frames on the air in one direction, by number; 0 is none."""

    __slots__ = ("append", "head", "numbers", "rest")

    def __init__(self) -> None:
        self.numbers: Interner[Frames] = Interner()
        self.head, self.rest = IntArray(), IntArray()
        self.append = MemoTable(self._append)
        self.put(())

    def put(self, frames: Frames) -> int:
        rest = self.put(frames[1:]) if frames else 0
        number = self.numbers.intern(frames)
        if number == len(self.head):
            self.head.append(number_of(frames[0]) if frames else 0)
            self.rest.append(rest)
        return number

    def _append(self, key: int) -> int:
        one, other = unpack_pair(key)
        return self.put(self.numbers.values[one] + self.numbers.values[other])


class OracleTable:
    """What the judge says, and what it looks like afterwards."""

    __slots__ = ("driver", "lost", "tell", "told", "tolerated")

    def __init__(self, driver: CachingDriver, tolerated: frozenset[FaultKind]) -> None:
        self.driver = driver
        self.tolerated = tolerated
        self.told: Interner[tuple[OracleEvent, ...]] = Interner()
        self.tell = MemoTable(self._tell)
        """Of what the judge looks like and what happens: twice what it looks like then, and one more for a fault."""
        self.lost = MemoTable(self._lost)
        self.told.intern(())

    def _tell(self, key: int) -> int:
        self.driver.oracle, told = unpack_pair(key)
        faults = [self._one(happening) for happening in self.told.values[told]]
        return self.driver.oracle << 1 | any(fault and fault.kind not in self.tolerated for fault in faults)

    def _one(self, happening: OracleEvent) -> Fault | None:
        match happening:
            case Message():
                self.driver.submitted(happening)
                return None
            case Delivered(host, message):
                return self.driver.delivered(host, message)
            case Dropped(host, message):
                return self.driver.dropped(host, message)

    def _lost(self, judge: int) -> int:
        self.driver.oracle = judge
        return bool(self.driver.lost())


class StepTable:
    """Every step that was ever played, by number: which numbers come of it.

    A number may also stand for a step of which too little is known: it `needs` the number of one more of the commons.
    """

    __slots__ = (
        "asked",
        "broken",
        "channels",
        "driver",
        "frames",
        "further",
        "kept",
        "machine",
        "messages",
        "multisets",
        "needs",
        "only_buffers",
        "oracle",
        "sends",
        "shared",
        "tells",
        "touches",
    )

    def __init__(
        self, driver: CachingDriver, hosts: int, bags: InFlightMultisets, airs: FifoChannels, judge: OracleTable
    ) -> None:
        self.driver, self.multisets, self.channels, self.oracle = driver, bags, airs, judge
        self.asked: dict[int, StepKey] = {}
        self.messages: Interner[Message] = Interner()
        self.machine, self.sends, self.tells, self.needs = (IntArray() for _ in range(4))
        self.broken, self.touches, self.only_buffers = (IntArray() for _ in range(3))
        self.shared = [IntArray() for _ in driver.shared]
        """By place: what it becomes, if it is touched, else -1."""
        self.frames = [IntArray() for _ in range(hosts)]
        """By host: what goes on the air to it, or from it."""
        self.further = MemoTable(self._further)
        self.kept = MemoTable(self._kept)
        """Of a machine and what it looks like: whether it keeps something for ever, if nothing more happens."""

    def asking(self, machine: int, kind: InputKind, who: int) -> MemoTable:
        """Of what the machine looks like and the input."""
        return MemoTable(lambda key: self._play(StepKey(machine, kind, who, *unpack_pair(key), ())))

    def resolved(self, number: Ints, shared: States) -> Ints:
        """With the numbers of all commons, the steps that are meant."""
        while (open_ := np.flatnonzero(self.needs[number] >= 0)).size:
            needs = self.needs[number[open_]]
            number[open_] = self.further(pack_pair(number[open_], shared[needs, open_]))
        return number

    def _further(self, key: int) -> int:
        number, common = unpack_pair(key)
        asked = self.asked[number]
        known = (*asked.known, (self.needs.items[number], common))
        return self._play(StepKey(asked.machine, asked.kind, asked.actor, asked.state, asked.item, known))

    def _play(self, asked: "StepKey") -> int:
        step = self.driver.play(asked.machine, asked.state, dict(asked.known), asked.kind, self._item(asked))
        number = len(self.needs)
        if isinstance(step, MachineStep):
            self.needs.append(-1)
            self._note(asked.machine - len(self.frames), step)
        else:
            self.needs.append(step)
            self.asked[number] = asked
            self._note(0, MachineStep(0, (), ()))
        return number

    def _kept(self, key: int) -> int:
        machine, state = unpack_pair(key)
        self.driver.machines[machine] = state
        return bool(self.driver.kept(machine))

    def _item(self, asked: "StepKey") -> object:
        if asked.kind is InputKind.SUBMIT:
            return self.messages.values[asked.item]
        if asked.kind is InputKind.UP:
            return asked.actor, asked.item
        return None if asked.kind in {InputKind.LEAVE, InputKind.SWITCH_OFF} else asked.item

    def _note(self, station: int, step: MachineStep) -> None:
        self.machine.append(step.machine)
        self.broken.append(bool(step.broken))
        self.touches.append(bool(step.shared))
        self.only_buffers.append(step.only_buffers)
        changed = dict(step.shared)
        for place, numbers in enumerate(self.shared):
            numbers.append(changed.get(place, -1))
        sent = [effect for effect in step.effects if isinstance(effect, Sent)]
        self.sends.append(
            self.multisets.put([InFlightPacket(effect.station, effect.packet, station) for effect in sent])
        )
        told = tuple([effect for effect in step.effects if isinstance(effect, Delivered | Dropped)])
        self.tells.append(self.oracle.told.intern(told))
        for other, frames in enumerate(self.frames):
            on_air = [effect for effect in step.effects if isinstance(effect, Transmitted) and effect.host == other]
            frames.append(self.channels.put(tuple([effect.frame for effect in on_air])))


@value
class StepKey:
    """A machine's input, `actor` made it, and those of the commons whose numbers are known."""

    machine: int
    kind: InputKind
    actor: int
    state: int
    item: int
    known: tuple[tuple[int, int], ...]


def number_of(packet: object) -> int:
    assert isinstance(packet, int)
    return packet
