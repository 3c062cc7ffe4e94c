"""What may happen next in many states of the untimed world at once, and what becomes of them.

The rules are those of `mobilesim.explorer.untimed_world.UntimedWorld`, choice by choice.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from mobilesim.explorer.array_tables import Ints, MemoTable
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.state_encoding import (
    FifoChannels,
    InFlightMultisets,
    OracleTable,
    StateLayout,
    States,
    StepTable,
    pack_pair,
)
from mobilesim.explorer.step_cache import CachingDriver
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.oracle.verdicts import FaultKind
from protocols.frozen_value import value
from protocols.machine import Message, System

Bools = npt.NDArray[np.bool_]
NOTHING: Final = np.zeros(0, np.int64)


@value
class InputBatch:
    """In the states at `parents`, `actor` (a host, or the station that gets a packet) acts on `items`."""

    kind: InputKind
    actor: int
    parents: Ints
    items: Ints


@value
class Successors:
    """What becomes of states: the numbers that change, by where they stand. `faulty` says which are at fault."""

    inputs: InputBatch
    changes: dict[int, Ints]
    faulty: Ints

    @property
    def parents(self) -> Ints:
        return self.inputs.parents


@value
class StationInputs:
    """At a station, from the air or the wire (then `places` are those in the bags), and the steps that it makes."""

    station: int
    inputs: InputBatch
    places: Ints
    step: Ints

    def only(self, which: Ints) -> "StationInputs":
        inputs = self.inputs
        left = InputBatch(inputs.kind, inputs.actor, inputs.parents[which], inputs.items[which])
        return StationInputs(self.station, left, self.places[which], self.step[which])


class BatchedWorld:
    """Rows of states: a column is a state, and `among` says which columns are meant."""

    def __init__(self, system: System, homes: tuple[int, ...], bounds: Bounds, tolerated: frozenset[FaultKind]) -> None:
        self.driver = CachingDriver(system)
        self.homes, self.bounds = homes, bounds
        self.layout = StateLayout(len(homes), len(system.stations), len(self.driver.shared))
        self.multisets, self.channels = InFlightMultisets(fifo=bounds.fifo), FifoChannels()
        self.oracle = OracleTable(self.driver, tolerated)
        self.steps = StepTable(self.driver, len(homes), self.multisets, self.channels, self.oracle)
        self.asked: dict[tuple[int, InputKind, int], MemoTable] = {}
        self.first = self._first()

    def _first(self) -> States:
        form = self.layout
        row = np.zeros((form.size, 1), np.int64)
        row[form.cell : form.sent, 0] = [home + 1 for home in self.homes]
        row[form.machine : form.bag, 0] = self.driver.machines
        row[form.oracle, 0] = self.driver.oracle
        row[form.shared :, 0] = self.driver.shared
        return row

    def intentions_left(self, rows: States) -> tuple[Ints, Ints]:
        """How many messages and moves may follow."""
        form, bounds = self.layout, self.bounds
        return bounds.messages - rows[form.sent : form.up].sum(axis=0), bounds.moves - rows[form.moves]

    def stirring(self, rows: States) -> Bools:
        """Where a host is nowhere, or something is on the air."""
        form = self.layout
        stirring = np.zeros(rows.shape[1], np.bool_)
        for host in form.hosts:
            stirring |= (rows[form.up + host] != 0) | (rows[form.down + host] != 0) | (rows[form.cell + host] == 0)
        return stirring

    def quiet(self, rows: States) -> Ints:
        return np.flatnonzero(~self.stirring(rows) & (rows[self.layout.bag] == 0))

    def wrong(self, rows: States) -> Ints:
        """Which are quiet though something is due, or kept for ever."""
        form = self.layout
        quiet = self.quiet(rows)
        wrong = self.oracle.lost(rows[form.oracle, quiet])
        for station in range(form.machine + len(form.hosts), form.bag):
            wrong |= self.steps.kept(pack_pair(station - form.machine, rows[station, quiet]))
        return quiet[np.flatnonzero(wrong)]

    def offspring(self, rows: States, among: Ints, *, reduced: bool) -> Iterator[Successors]:
        messages, moves = self.intentions_left(rows)
        arrivals = list(self._arrivals(rows, among))
        for arrival in self._timely(rows, arrivals) if reduced else arrivals:
            yield self._at_station(rows, arrival)
        for host in self.layout.hosts:
            away = rows[self.layout.cell + host, among] == 0
            yield from self._upwards(rows, among, host)
            yield self.downwards(rows, among, host)
            yield from self._submissions(rows, among[messages[among] > 0], host)
            yield from self._enters(rows, among[away], host)
            yield from self._leaves(rows, among[~away & (moves[among] > 0)], host)

    def _arrivals(self, rows: States, among: Ints) -> Iterator["StationInputs"]:
        bags, held = self.multisets, rows[self.layout.bag, among]
        count = bags.count[held]
        ends = np.cumsum(count)
        ways = np.arange(count.sum()) + np.repeat(bags.first[held] - ends + count, count)
        parents, targets = np.repeat(among, count), bags.target[ways]
        for station in self.layout.stations:
            here = np.flatnonzero(targets == station)
            taken = ways[here]
            inputs = InputBatch(InputKind.WIRED, station, parents[here], bags.packet[taken])
            yield self._arrival(rows, station, inputs, bags.place[taken])

    def _arrival(self, rows: States, station: int, inputs: InputBatch, places: Ints) -> "StationInputs":
        return StationInputs(station, inputs, places, self._steps(rows, len(self.layout.hosts) + station, inputs))

    def _timely(self, rows: States, arrivals: list["StationInputs"]) -> Iterator["StationInputs"]:
        """Without those that come too early, unless nothing else happens any more."""
        stirring, early = self.stirring(rows), self.steps.only_buffers
        for arrival in arrivals:
            stirring[arrival.inputs.parents[early[arrival.step] == 0]] = True
        for arrival in arrivals:
            yield arrival.only(np.flatnonzero((early[arrival.step] == 0) | ~stirring[arrival.inputs.parents]))

    def _upwards(self, rows: States, among: Ints, host: int) -> Iterator[Successors]:
        form, airs = self.layout, self.channels
        up, cell = rows[form.up + host], rows[form.cell + host]
        busy = among[up[among] != 0]
        for station in form.stations:
            parents = busy[cell[busy] == station + 1]
            frames = up[parents]
            inputs = InputBatch(InputKind.UP, host, parents, airs.head[frames])
            found = self._at_station(rows, self._arrival(rows, station, inputs, np.zeros_like(frames)))
            found.changes[form.up + host] = airs.rest[frames]
            yield found

    def downwards(self, rows: States, among: Ints, host: int) -> Successors:
        inputs = self._hearing(rows, among, host)
        found = self._at_host(rows, inputs)
        down = self.layout.down + host
        found.changes[down] = self.channels.rest[rows[down, inputs.parents]]
        return found

    def touching(self, rows: States, among: Ints, host: int) -> Ints:
        """Of those that have a frame coming, whether hearing it touches what machines share."""
        return self.steps.touches[self._steps(rows, host, self._hearing(rows, among, host))]

    def _hearing(self, rows: States, among: Ints, host: int) -> InputBatch:
        down = rows[self.layout.down + host]
        parents = among[down[among] != 0]
        return InputBatch(InputKind.DOWN, host, parents, self.channels.head[down[parents]])

    def _submissions(self, rows: States, parents: Ints, host: int) -> Iterator[Successors]:
        form, machines = self.layout, len(self.layout.hosts) + len(self.layout.stations)
        sent = rows[form.sent + host, parents]
        numbers = [host + machines * count for count in range(self.bounds.messages)]
        for destinations, group in self.bounds.addresses(len(form.hosts), host):
            mails = [Message(number, host, destinations, 1, group) for number in numbers]
            items = np.array([self.steps.messages.intern(mail) for mail in mails], np.int64)[sent]
            told = np.array([self.oracle.told.intern((mail,)) for mail in mails], np.int64)[sent]
            found = self._at_host(rows, InputBatch(InputKind.SUBMIT, host, parents, items), told)
            found.changes[form.sent + host] = sent + 1
            yield found

    def _enters(self, rows: States, parents: Ints, host: int) -> Iterator[Successors]:
        for station in self.layout.stations:
            yield self._at_host(rows, InputBatch(InputKind.ENTER, host, parents, np.full(len(parents), station)))

    def _leaves(self, rows: States, parents: Ints, host: int) -> Iterator[Successors]:
        acts = (InputKind.LEAVE, InputKind.SWITCH_OFF) if self.bounds.drops else (InputKind.LEAVE,)
        for kind in acts:
            found = self._at_host(rows, InputBatch(kind, host, parents, np.zeros_like(parents)))
            found.changes[self.layout.moves] = rows[self.layout.moves, parents] + 1
            yield found

    def _at_station(self, rows: States, arrival: "StationInputs") -> Successors:
        form, steps, station, step = self.layout, self.steps, arrival.station, arrival.step
        parents, places = arrival.inputs.parents, arrival.places
        changes = self._becoming(rows, parents, len(form.hosts) + station, step)
        for host in form.hosts:
            frames = steps.frames[host][step]
            if frames.any():
                frames[rows[form.cell + host, parents] != station + 1] = 0
                changes[form.down + host] = self.channels.append(pack_pair(rows[form.down + host, parents], frames))
        sends = steps.sends[step]
        if places.any() or sends.any():
            changes[form.bag] = self.multisets.after(rows[form.bag, parents], places, sends)
        return self._judged(rows, arrival.inputs, changes, step)

    def _at_host(self, rows: States, inputs: InputBatch, told: Ints = NOTHING) -> Successors:
        form, steps, parents, host = self.layout, self.steps, inputs.parents, inputs.actor
        step = self._steps(rows, host, inputs)
        changes = self._becoming(rows, parents, host, step)
        frames = steps.frames[host][step]
        if inputs.kind is InputKind.LEAVE:
            changes[form.cell + host] = changes[form.up + host] = changes[form.down + host] = np.zeros_like(parents)
            frames[:] = 0
        elif inputs.kind is InputKind.ENTER:
            changes[form.cell + host] = inputs.items + 1
        else:
            frames[rows[form.cell + host, parents] == 0] = 0
        if frames.any():
            changes[form.up + host] = self.channels.append(pack_pair(rows[form.up + host, parents], frames))
        return self._judged(rows, inputs, changes, step, told)

    def _steps(self, rows: States, machine: int, inputs: InputBatch) -> Ints:
        name = (machine, inputs.kind, inputs.actor)
        if name not in self.asked:
            self.asked[name] = self.steps.asking(*name)
        form = self.layout
        number = self.asked[name](pack_pair(rows[form.machine + machine, inputs.parents], inputs.items))
        return self.steps.resolved(number, rows[form.shared :, inputs.parents])

    def _becoming(self, rows: States, parents: Ints, machine: int, step: Ints) -> dict[int, Ints]:
        form, steps = self.layout, self.steps
        changes = {form.machine + machine: steps.machine[step]}
        for place, numbers in enumerate(steps.shared, form.shared):
            becomes = numbers[step]
            touched = becomes >= 0
            if touched.any():
                changes[place] = np.where(touched, becomes, rows[place, parents])
        return changes

    def _judged(
        self, rows: States, inputs: InputBatch, changes: dict[int, Ints], step: Ints, told: Ints = NOTHING
    ) -> Successors:
        """What is submitted is `told` first, then what the step brings."""
        faulty, place = self.steps.broken[step], self.layout.oracle
        for tells in (told, self.steps.tells[step]):
            if tells.any():
                judge = changes.get(place, rows[place, inputs.parents])
                said = self.oracle.tell(pack_pair(judge, tells))
                changes[place] = said >> 1
                faulty |= said & 1
        return Successors(inputs, changes, faulty)
