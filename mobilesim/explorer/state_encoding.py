"""State encoding: states of the untimed world as columns of small numbers, for many states at once.

A state is a column with the numbers of each machine's state, of the frames on each channel, of the multiset of wired
packets in transit, and of the oracle's state. The results of steps are memoized by such numbers, in tables for whole
arrays. Each step of a machine is run once (`mobilesim.explorer.step_cache`), when it is first needed. The rules are
those of `mobilesim.explorer.untimed_world.UntimedWorld`.
"""

from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.explorer.array_tables import IntArray, Interner, Ints, MemoTable
from mobilesim.explorer.machine_driver import Delivered, Dropped, InputKind, OracleCall, Sent, Transmitted
from mobilesim.explorer.step_cache import CachingDriver, MachineStep
from mobilesim.explorer.untimed_world import Bounds, Frames, InFlightPacket, multiset
from mobilesim.oracle.verdicts import judge_delivery, judge_drop
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.packets import Message

States = npt.NDArray[np.int64]

NUMBER_BITS: Final = 31
"""Two numbers make one key of 62 bits. Memory is exhausted before a number needs more than 31 bits."""

POSITION_BITS: Final = 9
MULTISET_BITS: Final = 27
"""A multiset, a position in it and another multiset make one key of 63 bits."""

OracleEvent: TypeAlias = tuple[OracleCall, int, Message]
JUDGES: Final[dict[type, OracleCall]] = {Delivered: judge_delivery, Dropped: judge_drop}


def pack_pair(first: Ints | int, second: Ints) -> Ints:
    return first << NUMBER_BITS | second


def unpack_pair(key: int) -> tuple[int, int]:
    return key >> NUMBER_BITS, key & (1 << NUMBER_BITS) - 1


class StateLayout:
    """The positions of a state's numbers. Cells are numbered from 1; 0 means disconnected."""

    def __init__(self, hosts: int, stations: int, shared: int) -> None:
        self.hosts, self.stations = range(hosts), range(stations)
        self.cell, self.sent, self.up, self.down, self.machine = (place * hosts for place in range(5))
        last = self.machine + hosts + stations
        self.in_flight, self.oracle, self.moves, self.shared = range(last, last + 4)
        self.size = self.shared + shared


class InFlightMultisets:
    """Multisets of wired packets in transit, by number; 0 is the empty multiset."""

    def __init__(self, *, fifo: bool) -> None:
        self.fifo = fifo
        self.numbers: Interner[tuple[InFlightPacket, ...]] = Interner()
        self.first, self.count, self.place, self.target, self.packet = (IntArray() for _ in range(5))
        self._after = MemoTable(self._afterwards)
        self.put([])

    def put(self, wires: list[InFlightPacket]) -> int:
        number = self.numbers.intern(multiset(wires, fifo=self.fifo))
        if number == len(self.first):
            self._list(self.numbers.values[number])
        return number

    def after(self, multisets: Ints, places: Ints, more: Ints) -> Ints:
        """Return the multisets without the packets at `places` (from 1; 0: none), and with all packets of `more`."""
        return self._after((multisets << POSITION_BITS | places) << MULTISET_BITS | more)

    def _list(self, wires: tuple[InFlightPacket, ...]) -> None:
        """List the packets that may arrive next, of equivalent packets only the first."""
        if len(wires) >> POSITION_BITS or len(self.first) >> MULTISET_BITS:
            raise OverflowError(
                f"{len(wires)} packets in transit, multiset {len(self.first)}: more than can be numbered"
            )
        self.first.append(len(self.place))
        seen = set()
        for place, wire in enumerate(wires):
            equivalent = (wire.source, wire.target) if self.fifo else (wire.target, wire.packet)
            if equivalent not in seen:
                seen.add(equivalent)
                self.place.append(place + 1)
                self.target.append(wire.target)
                self.packet.append(number_of(wire.packet))
        self.count.append(len(seen))

    def _afterwards(self, key: int) -> int:
        multisets, place = self.numbers.values, (key >> MULTISET_BITS) & (1 << POSITION_BITS) - 1
        wires = list(multisets[key >> MULTISET_BITS + POSITION_BITS])
        if place:
            del wires[place - 1]
        return self.put([*wires, *multisets[key & (1 << MULTISET_BITS) - 1]])


class FifoChannels:
    """The frames on a wireless channel, by number; 0 is the empty channel."""

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


class StepTable:
    """All steps that have been run, by number, with their results as numbers.

    A step may be incomplete. Then it `needs` the state of one more shared object.
    """

    def __init__(self, driver: CachingDriver, hosts: int, bounds: Bounds) -> None:
        self.driver, self.tolerated = driver, bounds.tolerated
        self.multisets, self.channels = InFlightMultisets(fifo=bounds.fifo), FifoChannels()
        self.incomplete: dict[int, StepKey] = {}
        self.messages: Interner[Message] = Interner()
        self.machine, self.sends, self.events, self.needs = (IntArray() for _ in range(4))
        self.broken, self.touches, self.only_buffers = (IntArray() for _ in range(3))
        self.shared = [IntArray() for _ in driver.shared]
        """By shared object: the number of its next state if the step touches it, else -1."""
        self.frames = [IntArray() for _ in range(hosts)]
        """By host: the frames that are transmitted to it or by it."""
        self.further = MemoTable(self._further)
        self.switches_off = MemoTable(self._switches_off)
        """By a host and its state: whether it has announced that it switches off."""
        self.kept = MemoTable(self._kept)
        """By a machine and its state: whether the machine still stores data if nothing more happens."""
        self.event_lists: Interner[tuple[OracleEvent, ...]] = Interner()
        self.judge = MemoTable(self._judge)
        """By the oracle's state and a list of events: twice the number of the next state, plus 1 for a fault."""
        self.lost = MemoTable(self._lost)
        self.event_lists.intern(())

    def first_runs(self, machine: int, kind: InputKind, actor: int) -> MemoTable:
        """Return the table of complete and incomplete steps, by a machine's state and an item."""
        return MemoTable(lambda key: self._run(StepKey(machine, kind, actor, *unpack_pair(key), ())))

    def resolved(self, number: Ints, shared: States) -> Ints:
        """Complete steps with the states of the shared objects."""
        while (rest := np.flatnonzero(self.needs[number] >= 0)).size:
            needs = self.needs[number[rest]]
            number[rest] = self.further(pack_pair(number[rest], shared[needs, rest]))
        return number

    def _further(self, key: int) -> int:
        number, state = unpack_pair(key)
        step_key = self.incomplete[number]
        return self._run(replace(step_key, known=(*step_key.known, (self.needs.items[number], state))))

    def _run(self, step_key: "StepKey") -> int:
        known, item = dict(step_key.known), self._item(step_key)
        step = self.driver.run(step_key.machine, step_key.state, known, step_key.kind, item)
        number = len(self.needs)
        if isinstance(step, MachineStep):
            self.needs.append(-1)
            self._note(step_key.machine - len(self.frames), step)
        else:
            self.needs.append(step)
            self.incomplete[number] = step_key
            self._note(0, MachineStep(0, (), ()))
        return number

    def _kept(self, key: int) -> int:
        machine, state = unpack_pair(key)
        self.driver.machines[machine] = state
        return bool(self.driver.kept(machine))

    def _switches_off(self, key: int) -> int:
        host, state = unpack_pair(key)
        self.driver.machines[host] = state
        return self.driver.switches_off(host)

    def _judge(self, key: int) -> int:
        self.driver.oracle, events = unpack_pair(key)
        faults = [self.driver.judged(*event) for event in self.event_lists.values[events]]
        return self.driver.oracle << 1 | any(fault and fault.kind not in self.tolerated for fault in faults)

    def _lost(self, oracle: int) -> int:
        self.driver.oracle = oracle
        return bool(self.driver.lost())

    def _item(self, step_key: "StepKey") -> object:
        if step_key.kind is InputKind.SUBMIT:
            return self.messages.values[step_key.item]
        if step_key.kind is InputKind.UP:
            return step_key.actor, step_key.item
        return step_key.item if step_key.kind in {InputKind.ENTER, InputKind.DOWN, InputKind.WIRED} else None

    def _note(self, station: int, step: MachineStep) -> None:
        self.machine.append(step.machine)
        self.broken.append(bool(step.broken))
        self.touches.append(bool(step.shared))
        self.only_buffers.append(step.only_buffers)
        changed = dict(step.shared)
        for place, numbers in enumerate(self.shared):
            numbers.append(changed.get(place, -1))
        sent = [effect for effect in step.effects if isinstance(effect, Sent)]
        packets = [InFlightPacket(effect.station, effect.packet, station) for effect in sent]
        self.sends.append(self.multisets.put(packets))
        judged = [effect for effect in step.effects if isinstance(effect, Delivered | Dropped)]
        events = tuple([(JUDGES[type(effect)], effect.host, effect.message) for effect in judged])
        self.events.append(self.event_lists.intern(events))
        for other, frames in enumerate(self.frames):
            on_air = [effect for effect in step.effects if isinstance(effect, Transmitted) and effect.host == other]
            frames.append(self.channels.put(tuple([effect.frame for effect in on_air])))


@value
class StepKey:
    """A machine's state and input, and the known states of shared objects. `actor` as in `InputBatch`."""

    machine: int
    kind: InputKind
    actor: int
    state: int
    item: int
    known: tuple[tuple[int, int], ...]


def number_of(packet: object) -> int:
    assert isinstance(packet, int)
    return packet
