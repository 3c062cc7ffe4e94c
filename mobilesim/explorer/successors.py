"""What may happen next in many states of the untimed world at once, and what becomes of them.

The rules are those of `mobilesim.explorer.untimed_world.World`, choice by choice.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from mobilesim.explorer.array_tables import Ints, Lookup
from mobilesim.explorer.machine_driver import Act, Verdict
from mobilesim.explorer.state_encoding import Airs, Bags, Form, Judge, Rows, Steps, paired
from mobilesim.explorer.step_cache import Collapsed
from mobilesim.explorer.untimed_world import Scope
from protocols.frozen_value import value
from protocols.machine import Message, System

Truths = npt.NDArray[np.bool_]
NOTHING: Final = np.zeros(0, np.int64)


@value
class Inputs:
    """In the states at `parents`, `who` (a host, or the station that gets a packet) acts on `items`."""

    act: Act
    who: int
    parents: Ints
    items: Ints


@value
class Offspring:
    """What becomes of states: the numbers that change, by where they stand. `faulty` says which are at fault."""

    inputs: Inputs
    changes: dict[int, Ints]
    faulty: Ints

    @property
    def parents(self) -> Ints:
        return self.inputs.parents


@value
class Arrival:
    """At a station, from the air or the wire (then `places` are those in the bags), and the steps that it makes."""

    station: int
    inputs: Inputs
    places: Ints
    step: Ints

    def only(self, which: Ints) -> "Arrival":
        inputs = self.inputs
        left = Inputs(inputs.act, inputs.who, inputs.parents[which], inputs.items[which])
        return Arrival(self.station, left, self.places[which], self.step[which])


class Worlds:
    """Rows of states: a column is a state, and `among` says which columns are meant."""

    def __init__(self, system: System, homes: tuple[int, ...], scope: Scope, unclaimed: frozenset[Verdict]) -> None:
        self.stage = Collapsed(system)
        self.homes, self.scope = homes, scope
        self.form = Form(len(homes), len(system.stations), len(self.stage.commons))
        self.bags, self.airs = Bags(fifo=scope.fifo), Airs()
        self.judge = Judge(self.stage, unclaimed)
        self.steps = Steps(self.stage, len(homes), self.bags, self.airs, self.judge)
        self.asked: dict[tuple[int, Act, int], Lookup] = {}
        self.first = self._first()

    def _first(self) -> Rows:
        form = self.form
        row = np.zeros((form.size, 1), np.int64)
        row[form.cell : form.sent, 0] = [home + 1 for home in self.homes]
        row[form.machine : form.bag, 0] = self.stage.machines
        row[form.judge, 0] = self.stage.judge
        row[form.commons :, 0] = self.stage.commons
        return row

    def intentions_left(self, rows: Rows) -> tuple[Ints, Ints]:
        """How many messages and moves may follow."""
        form, scope = self.form, self.scope
        return scope.messages - rows[form.sent : form.up].sum(axis=0), scope.moves - rows[form.moves]

    def stirring(self, rows: Rows) -> Truths:
        """Where a host is nowhere, or something is on the air."""
        form = self.form
        stirring = np.zeros(rows.shape[1], np.bool_)
        for host in form.hosts:
            stirring |= (rows[form.up + host] != 0) | (rows[form.down + host] != 0) | (rows[form.cell + host] == 0)
        return stirring

    def quiet(self, rows: Rows) -> Ints:
        return np.flatnonzero(~self.stirring(rows) & (rows[self.form.bag] == 0))

    def wrong(self, rows: Rows) -> Ints:
        """Which are quiet though something is due, or kept for ever."""
        form = self.form
        quiet = self.quiet(rows)
        wrong = self.judge.lost(rows[form.judge, quiet])
        for station in range(form.machine + len(form.hosts), form.bag):
            wrong |= self.steps.kept(paired(station - form.machine, rows[station, quiet]))
        return quiet[np.flatnonzero(wrong)]

    def offspring(self, rows: Rows, among: Ints, *, reduced: bool) -> Iterator[Offspring]:
        messages, moves = self.intentions_left(rows)
        arrivals = list(self._arrivals(rows, among))
        for arrival in self._timely(rows, arrivals) if reduced else arrivals:
            yield self._at_station(rows, arrival)
        for host in self.form.hosts:
            away = rows[self.form.cell + host, among] == 0
            yield from self._upwards(rows, among, host)
            yield self.downwards(rows, among, host)
            yield from self._submissions(rows, among[messages[among] > 0], host)
            yield from self._enters(rows, among[away], host)
            yield from self._leaves(rows, among[~away & (moves[among] > 0)], host)

    def _arrivals(self, rows: Rows, among: Ints) -> Iterator["Arrival"]:
        bags, held = self.bags, rows[self.form.bag, among]
        count = bags.count[held]
        ends = np.cumsum(count)
        ways = np.arange(count.sum()) + np.repeat(bags.first[held] - ends + count, count)
        parents, targets = np.repeat(among, count), bags.target[ways]
        for station in self.form.stations:
            here = np.flatnonzero(targets == station)
            taken = ways[here]
            inputs = Inputs(Act.WIRED, station, parents[here], bags.packet[taken])
            yield self._arrival(rows, station, inputs, bags.place[taken])

    def _arrival(self, rows: Rows, station: int, inputs: Inputs, places: Ints) -> "Arrival":
        return Arrival(station, inputs, places, self._steps(rows, len(self.form.hosts) + station, inputs))

    def _timely(self, rows: Rows, arrivals: list["Arrival"]) -> Iterator["Arrival"]:
        """Without those that come too early, unless nothing else happens any more."""
        stirring, early = self.stirring(rows), self.steps.only_buffers
        for arrival in arrivals:
            stirring[arrival.inputs.parents[early[arrival.step] == 0]] = True
        for arrival in arrivals:
            yield arrival.only(np.flatnonzero((early[arrival.step] == 0) | ~stirring[arrival.inputs.parents]))

    def _upwards(self, rows: Rows, among: Ints, host: int) -> Iterator[Offspring]:
        form, airs = self.form, self.airs
        up, cell = rows[form.up + host], rows[form.cell + host]
        busy = among[up[among] != 0]
        for station in form.stations:
            parents = busy[cell[busy] == station + 1]
            frames = up[parents]
            inputs = Inputs(Act.UP, host, parents, airs.head[frames])
            found = self._at_station(rows, self._arrival(rows, station, inputs, np.zeros_like(frames)))
            found.changes[form.up + host] = airs.rest[frames]
            yield found

    def downwards(self, rows: Rows, among: Ints, host: int) -> Offspring:
        inputs = self._hearing(rows, among, host)
        found = self._at_host(rows, inputs)
        down = self.form.down + host
        found.changes[down] = self.airs.rest[rows[down, inputs.parents]]
        return found

    def touching(self, rows: Rows, among: Ints, host: int) -> Ints:
        """Of those that have a frame coming, whether hearing it touches what machines share."""
        return self.steps.touches[self._steps(rows, host, self._hearing(rows, among, host))]

    def _hearing(self, rows: Rows, among: Ints, host: int) -> Inputs:
        down = rows[self.form.down + host]
        parents = among[down[among] != 0]
        return Inputs(Act.DOWN, host, parents, self.airs.head[down[parents]])

    def _submissions(self, rows: Rows, parents: Ints, host: int) -> Iterator[Offspring]:
        form, machines = self.form, len(self.form.hosts) + len(self.form.stations)
        sent = rows[form.sent + host, parents]
        numbers = [host + machines * count for count in range(self.scope.messages)]
        for destinations, group in self.scope.addresses(len(form.hosts), host):
            mails = [Message(number, host, destinations, 1, group) for number in numbers]
            items = np.array([self.steps.messages.number(mail) for mail in mails], np.int64)[sent]
            told = np.array([self.judge.told.number((mail,)) for mail in mails], np.int64)[sent]
            found = self._at_host(rows, Inputs(Act.SUBMIT, host, parents, items), told)
            found.changes[form.sent + host] = sent + 1
            yield found

    def _enters(self, rows: Rows, parents: Ints, host: int) -> Iterator[Offspring]:
        for station in self.form.stations:
            yield self._at_host(rows, Inputs(Act.ENTER, host, parents, np.full(len(parents), station)))

    def _leaves(self, rows: Rows, parents: Ints, host: int) -> Iterator[Offspring]:
        acts = (Act.LEAVE, Act.SWITCH_OFF) if self.scope.drops else (Act.LEAVE,)
        for act in acts:
            found = self._at_host(rows, Inputs(act, host, parents, np.zeros_like(parents)))
            found.changes[self.form.moves] = rows[self.form.moves, parents] + 1
            yield found

    def _at_station(self, rows: Rows, arrival: "Arrival") -> Offspring:
        form, steps, station, step = self.form, self.steps, arrival.station, arrival.step
        parents, places = arrival.inputs.parents, arrival.places
        changes = self._becoming(rows, parents, len(form.hosts) + station, step)
        for host in form.hosts:
            frames = steps.frames[host][step]
            if frames.any():
                frames[rows[form.cell + host, parents] != station + 1] = 0
                changes[form.down + host] = self.airs.append(paired(rows[form.down + host, parents], frames))
        sends = steps.sends[step]
        if places.any() or sends.any():
            changes[form.bag] = self.bags.after(rows[form.bag, parents], places, sends)
        return self._judged(rows, arrival.inputs, changes, step)

    def _at_host(self, rows: Rows, inputs: Inputs, told: Ints = NOTHING) -> Offspring:
        form, steps, parents, host = self.form, self.steps, inputs.parents, inputs.who
        step = self._steps(rows, host, inputs)
        changes = self._becoming(rows, parents, host, step)
        frames = steps.frames[host][step]
        if inputs.act is Act.LEAVE:
            changes[form.cell + host] = changes[form.up + host] = changes[form.down + host] = np.zeros_like(parents)
            frames[:] = 0
        elif inputs.act is Act.ENTER:
            changes[form.cell + host] = inputs.items + 1
        else:
            frames[rows[form.cell + host, parents] == 0] = 0
        if frames.any():
            changes[form.up + host] = self.airs.append(paired(rows[form.up + host, parents], frames))
        return self._judged(rows, inputs, changes, step, told)

    def _steps(self, rows: Rows, machine: int, inputs: Inputs) -> Ints:
        name = (machine, inputs.act, inputs.who)
        if name not in self.asked:
            self.asked[name] = self.steps.asking(*name)
        form = self.form
        number = self.asked[name](paired(rows[form.machine + machine, inputs.parents], inputs.items))
        return self.steps.resolved(number, rows[form.commons :, inputs.parents])

    def _becoming(self, rows: Rows, parents: Ints, machine: int, step: Ints) -> dict[int, Ints]:
        form, steps = self.form, self.steps
        changes = {form.machine + machine: steps.machine[step]}
        for place, numbers in enumerate(steps.commons, form.commons):
            becomes = numbers[step]
            touched = becomes >= 0
            if touched.any():
                changes[place] = np.where(touched, becomes, rows[place, parents])
        return changes

    def _judged(
        self, rows: Rows, inputs: Inputs, changes: dict[int, Ints], step: Ints, told: Ints = NOTHING
    ) -> Offspring:
        """What is submitted is `told` first, then what the step brings."""
        faulty, place = self.steps.broken[step], self.form.judge
        for tells in (told, self.steps.tells[step]):
            if tells.any():
                judge = changes.get(place, rows[place, inputs.parents])
                said = self.judge.tell(paired(judge, tells))
                changes[place] = said >> 1
                faulty |= said & 1
        return Offspring(inputs, changes, faulty)
