"""Successor generation for many states of the untimed world at once, in arrays.

The rules are those of `mobilesim.explorer.untimed_world.UntimedWorld`.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from mobilesim.explorer.array_tables import Ints, MemoTable
from mobilesim.explorer.machine_driver import InputKind, note_submission
from mobilesim.explorer.state_encoding import StateLayout, States, StepTable, pack_pair
from mobilesim.explorer.step_cache import CachingDriver
from mobilesim.explorer.untimed_world import Bounds, Homes
from mobilesim.oracle.verdicts import short_chains_decide
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import System
from mobilesim.protocols.packets import Message

NOTHING: Final = np.zeros(0, np.int64)


@value
class InputBatch:
    """Inputs of one kind. In each of the states `parents`, `actor` processes the item at the same index of `items`.

    `actor`: a host, or the station that receives a packet. `places`: the positions of wired packets in the multisets.
    """

    kind: InputKind
    actor: int
    parents: Ints
    items: Ints
    places: Ints | None = None

    def only(self, chosen: Ints) -> "InputBatch":
        places = None if self.places is None else self.places[chosen]
        return InputBatch(self.kind, self.actor, self.parents[chosen], self.items[chosen], places)


@value
class Successors:
    """The successors of states. `changes`: the numbers that change, by position in the state. `faulty`: 1 or 0."""

    inputs: InputBatch
    changes: dict[int, Ints]
    faulty: Ints

    @property
    def parents(self) -> Ints:
        return self.inputs.parents


class BatchedWorld:
    """The untimed world for many states. A state is a column of an array of states. `columns`: the selected states."""

    def __init__(self, system: System, homes: Homes, bounds: Bounds) -> None:
        self.driver = CachingDriver(system)
        if short_chains_decide(bounds.tolerated):
            self.driver.judge_short_chains()
        self.homes, self.bounds = homes, bounds
        self.layout = StateLayout(len(homes), len(system.stations), len(self.driver.shared))
        self.steps = StepTable(self.driver, len(homes), bounds)
        self.multisets, self.channels = self.steps.multisets, self.steps.channels
        self.first_runs: dict[tuple[int, InputKind, int], MemoTable] = {}
        self.first = self._first()

    def _first(self) -> States:
        layout = self.layout
        row = np.zeros((layout.size, 1), np.int64)
        row[layout.cell : layout.sent, 0] = [home + 1 for home in self.homes]
        row[layout.machine : layout.in_flight, 0] = self.driver.machines
        row[layout.oracle, 0] = self.driver.oracle
        row[layout.shared :, 0] = self.driver.shared
        return row

    def messages_and_moves_left(self, states: States) -> tuple[Ints, Ints]:
        layout, bounds = self.layout, self.bounds
        return bounds.messages - states[layout.sent : layout.up].sum(axis=0), bounds.moves - states[layout.moves]

    def in_transit(self, states: States) -> npt.NDArray[np.bool_]:
        """Return for each state whether a frame is in transit, or a host is disconnected or will be."""
        layout = self.layout
        found = np.zeros(states.shape[1], np.bool_)
        for host in layout.hosts:
            found |= (states[layout.up + host] != 0) | (states[layout.down + host] != 0)
            found |= states[layout.cell + host] == 0
            found |= self._switches_off(states, host)
        return found

    def _switches_off(self, states: States, host: int) -> npt.NDArray[np.bool_]:
        """Return for each state whether a host has to leave, because it has announced that it switches off."""
        if not self.bounds.announces:
            return np.zeros(states.shape[1], np.bool_)
        found: npt.NDArray[np.bool_] = self.steps.switches_off(pack_pair(host, states[self.layout.machine + host])) != 0
        return found

    def faulty_at_rest(self, states: States) -> Ints:
        """Return the quiet states in which a message is still due, or a station still stores data."""
        layout = self.layout
        quiet = np.flatnonzero(~self.in_transit(states) & (states[layout.in_flight] == 0))
        wrong = self.steps.lost(states[layout.oracle, quiet])
        for station in range(layout.machine + len(layout.hosts), layout.in_flight):
            wrong |= self.steps.kept(pack_pair(station - layout.machine, states[station, quiet]))
        return quiet[np.flatnonzero(wrong)]

    def successors(self, states: States, columns: Ints, *, reduced: bool) -> Iterator[Successors]:
        messages, moves = self.messages_and_moves_left(states)
        arrivals = list(self._wired_arrivals(states, columns))
        for inputs, step in self._timely(states, arrivals) if reduced else arrivals:
            yield self._at_station(states, inputs.actor, inputs, step)
        for host in self.layout.hosts:
            away = states[self.layout.cell + host, columns] == 0
            yield from self._uplink_arrivals(states, columns, host)
            yield self.downlink_arrivals(states, columns, host)
            yield from self._submissions(states, columns[messages[columns] > 0], host)
            yield from self._entries(states, columns[away], host)
            yield from self._departures(states, columns[~away], moves, host)

    def _wired_arrivals(self, states: States, columns: Ints) -> Iterator[tuple[InputBatch, Ints]]:
        """Yield for each station the arrivals of wired packets, and the steps of the station."""
        multisets, multiset = self.multisets, states[self.layout.in_flight, columns]
        count = multisets.count[multiset]
        ends = np.cumsum(count)
        packets = np.arange(count.sum()) + np.repeat(multisets.first[multiset] - ends + count, count)
        parents, targets = np.repeat(columns, count), multisets.target[packets]
        for station in self.layout.stations:
            chosen = np.flatnonzero(targets == station)
            items, places = multisets.packet[packets[chosen]], multisets.place[packets[chosen]]
            inputs = InputBatch(InputKind.WIRED, station, parents[chosen], items, places)
            yield inputs, self._steps(states, len(self.layout.hosts) + station, inputs)

    def _timely(self, states: States, arrivals: list[tuple[InputBatch, Ints]]) -> Iterator[tuple[InputBatch, Ints]]:
        """Omit packets that would only be buffered, unless nothing else is in transit."""
        busy, only_buffers = self.in_transit(states), self.steps.only_buffers
        for inputs, step in arrivals:
            busy[inputs.parents[only_buffers[step] == 0]] = True
        for inputs, step in arrivals:
            chosen = np.flatnonzero((only_buffers[step] == 0) | ~busy[inputs.parents])
            yield inputs.only(chosen), step[chosen]

    def _uplink_arrivals(self, states: States, columns: Ints, host: int) -> Iterator[Successors]:
        layout, channels = self.layout, self.channels
        up, cell = states[layout.up + host], states[layout.cell + host]
        busy = columns[up[columns] != 0]
        for station in layout.stations:
            parents = busy[cell[busy] == station + 1]
            frames = up[parents]
            inputs = InputBatch(InputKind.UP, host, parents, channels.head[frames])
            step = self._steps(states, len(layout.hosts) + station, inputs)
            found = self._at_station(states, station, inputs, step)
            found.changes[layout.up + host] = channels.rest[frames]
            yield found

    def downlink_arrivals(self, states: States, columns: Ints, host: int) -> Successors:
        inputs = self._downlink_inputs(states, columns, host)
        found = self._at_host(states, inputs)
        down = self.layout.down + host
        found.changes[down] = self.channels.rest[states[down, inputs.parents]]
        return found

    def touches_shared(self, states: States, columns: Ints, host: int) -> Ints:
        """Return, by state with a frame on the host's downlink, whether the frame's arrival touches a shared object."""
        return self.steps.touches[self._steps(states, host, self._downlink_inputs(states, columns, host))]

    def _downlink_inputs(self, states: States, columns: Ints, host: int) -> InputBatch:
        down = states[self.layout.down + host]
        parents = columns[down[columns] != 0]
        return InputBatch(InputKind.DOWN, host, parents, self.channels.head[down[parents]])

    def _submissions(self, states: States, parents: Ints, host: int) -> Iterator[Successors]:
        layout, machines = self.layout, len(self.layout.hosts) + len(self.layout.stations)
        sent = states[layout.sent + host, parents]
        numbers = [host + machines * count for count in range(self.bounds.messages)]
        for destinations, group in self.bounds.destination_choices(len(layout.hosts), host):
            messages = [Message(number, host, destinations, 1, group) for number in numbers]
            items = np.array([self.steps.messages.intern(message) for message in messages], np.int64)[sent]
            calls = [((note_submission, host, message),) for message in messages]
            submitted = np.array([self.steps.event_lists.intern(call) for call in calls], np.int64)[sent]
            found = self._at_host(states, InputBatch(InputKind.SUBMIT, host, parents, items), submitted)
            found.changes[layout.sent + host] = sent + 1
            yield found

    def _entries(self, states: States, parents: Ints, host: int) -> Iterator[Successors]:
        for station in self.layout.stations:
            yield self._at_host(states, InputBatch(InputKind.ENTER, host, parents, np.full(len(parents), station)))

    def _departures(self, states: States, columns: Ints, moves: Ints, host: int) -> Iterator[Successors]:
        may_move = moves[columns] > 0
        may_leave = may_move | self._switches_off(states[:, columns], host)
        for kind in self.bounds.departures:
            parents = columns[may_leave if kind is InputKind.LEAVE else may_move]
            found = self._at_host(states, InputBatch(kind, host, parents, np.zeros_like(parents)))
            found.changes[self.layout.moves] = states[self.layout.moves, parents] + 1
            yield found

    def _at_station(self, states: States, station: int, inputs: InputBatch, step: Ints) -> Successors:
        layout, steps, parents = self.layout, self.steps, inputs.parents
        changes = self._changed(states, parents, len(layout.hosts) + station, step)
        for host in layout.hosts:
            frames = steps.frames[host][step]
            if frames.any():
                frames[states[layout.cell + host, parents] != station + 1] = 0
                down = layout.down + host
                changes[down] = self.channels.append(pack_pair(states[down, parents], frames))
        sends = steps.sends[step]
        if inputs.places is not None or sends.any():
            places = np.zeros_like(parents) if inputs.places is None else inputs.places
            changes[layout.in_flight] = self.multisets.after(states[layout.in_flight, parents], places, sends)
        return self._judged(states, inputs, changes, step)

    def _at_host(self, states: States, inputs: InputBatch, submitted: Ints = NOTHING) -> Successors:
        layout, steps, parents, host = self.layout, self.steps, inputs.parents, inputs.actor
        step = self._steps(states, host, inputs)
        changes = self._changed(states, parents, host, step)
        frames = steps.frames[host][step]
        if inputs.kind is InputKind.LEAVE:
            none = np.zeros_like(parents)
            changes[layout.cell + host] = changes[layout.up + host] = changes[layout.down + host] = none
            frames[:] = 0
        elif inputs.kind is InputKind.ENTER:
            changes[layout.cell + host] = inputs.items + 1
        else:
            frames[states[layout.cell + host, parents] == 0] = 0
        if frames.any():
            changes[layout.up + host] = self.channels.append(pack_pair(states[layout.up + host, parents], frames))
        return self._judged(states, inputs, changes, step, submitted)

    def _steps(self, states: States, machine: int, inputs: InputBatch) -> Ints:
        name = (machine, inputs.kind, inputs.actor)
        if name not in self.first_runs:
            self.first_runs[name] = self.steps.first_runs(*name)
        layout = self.layout
        number = self.first_runs[name](pack_pair(states[layout.machine + machine, inputs.parents], inputs.items))
        return self.steps.resolved(number, states[layout.shared :, inputs.parents])

    def _changed(self, states: States, parents: Ints, machine: int, step: Ints) -> dict[int, Ints]:
        layout, steps = self.layout, self.steps
        changes = {layout.machine + machine: steps.machine[step]}
        for place, numbers in enumerate(steps.shared, layout.shared):
            becomes = numbers[step]
            touched = becomes >= 0
            if touched.any():
                changes[place] = np.where(touched, becomes, states[place, parents])
        return changes

    def _judged(
        self, states: States, inputs: InputBatch, changes: dict[int, Ints], step: Ints, submitted: Ints = NOTHING
    ) -> Successors:
        """Apply the submissions in `submitted`, and then the events of the steps, to the oracle."""
        faulty, place = self.steps.broken[step], self.layout.oracle
        for events in (submitted, self.steps.events[step]):
            if events.any():
                oracle = changes.get(place, states[place, inputs.parents])
                verdicts = self.steps.judge(pack_pair(oracle, events))
                changes[place] = verdicts >> 1
                faulty |= verdicts & 1
        return Successors(inputs, changes, faulty)
