"""The air where it is out of the ordinary: shared in a cell, slower in some cells than in others, or with losses.

A frame that is not heard is sent again, and keeps its channel until it is: a channel stays reliable and FIFO. A frame
is known to be lost as soon as it ends, and its host listens while it waits to send it again.

A cell that its hosts share has one channel up and one down, which serve frames in the order in which they were ready. A
turn that somebody has been given up passes unused when he leaves before; down, the station sends on, to nobody.

What comes down for a host that dozes waits at its station for the next beacon, even if the host wakes up before.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from math import expm1, log, log1p
from random import Random
from typing import Final, NamedTuple

from mobilesim.errors import UserError
from mobilesim.recording.link_counters import Ledger, Tally
from mobilesim.scenario.model import Wireless
from mobilesim.simulation.engine import Engine
from mobilesim.simulation.links.power_save import Dozing
from mobilesim.simulation.links.wireless import NOWHERE, Again, Air, Direction, transmission
from mobilesim.world.replication import World
from protocols.machine import Packet

Span = tuple[int, int]
"""From when to when a frame is on the air."""

_LEAST: Final = 0.001
"""Of a frame that is heard less often, nobody wants to see all attempts."""


def air(engine: Engine, world: World, ledger: Ledger | None) -> Air:
    """As the scenario wants it."""
    scenario = world.scenario
    if scenario.wireless.plain and scenario.energy.battery is None:
        return Air(engine, scenario.wireless, scenario.sizes, world.starting_cells, ledger)
    return RadioAir(engine, world, ledger)


class Luck:
    """How often the frames of each host are sent until one is heard. Each host has a stream of its own."""

    __slots__ = ("_bit", "_loss", "_streams")

    def __init__(self, wireless: Wireless, streams: Sequence[Random]) -> None:
        self._loss = wireless.loss
        self._bit = log1p(-wireless.bit_error_rate)
        self._streams = streams

    def attempts(self, host: int, size: int) -> int:
        lost = self._loss or -expm1(8 * size * self._bit)
        if lost > 1 - _LEAST:
            raise UserError(f"wireless.bit_error_rate: of a frame of {size} B, fewer than one in 1000 would be heard")
        return 1 + int(log(1.0 - self._streams[host].random()) / log(lost)) if lost else 1


class Repeated(NamedTuple):
    """A frame that is not heard at once."""

    frame: Packet
    busy: int
    every: int
    start: int
    attempts: int

    @property
    def over(self) -> int:
        return self.start + self.attempts * self.every

    def unbegun(self, now: int) -> int:
        """How many attempts have not begun by then. A frame counts once where its host leaves before the first."""
        begun = -((self.start - now) // self.every)
        return self.attempts - min(max(begun, 1), self.attempts)


class Channels(Direction):
    """`turns`: when the channel of each cell is free, if hosts share it. `spans`: what is on the air, and will be.

    `repeated`: frames of each host that are under way, of those with more than one attempt.
    """

    __slots__ = (
        "again",
        "bandwidths",
        "dozing",
        "luck",
        "queues",
        "repeated",
        "retry",
        "spans",
        "taken",
        "total",
        "turns",
    )

    def __init__(self, air: "RadioAir", world: World, ledger: Ledger | None, luck: Luck | None, *, up: bool) -> None:
        wireless = world.scenario.wireless
        super().__init__(air, 0, world.scenario.sizes, ledger)
        self.bandwidths = bandwidths = _bandwidths(wireless, world.stations, up=up)
        self.luck = luck
        self.again: Again | None = None
        self.repeated: list[deque[Repeated]] = [deque() for _ in air.cells]
        self.dozing = air.dozing
        self.retry = wireless.retry
        self.turns = [0] * len(bandwidths) if wireless.medium == "shared" else None
        self.queues: dict[int, Tally] = {}
        self.taken = [0] * len(self.turns or air.cells)
        """How long the channel of each cell was, or the one of each host: also while a frame waits to be sent again."""
        self.spans: list[deque[Span]] = [deque() for _ in air.cells]
        self.total = [0] * len(air.cells)
        """How long each host is on the air in all, with what is still to come."""

    def transmit(self, host: int, station: int, frame: Packet) -> None:
        if self.cells[host] == station:
            self.put(host, station, frame)
        else:
            self.miss(host, station, frame)

    def put(self, host: int, station: int, frame: Packet) -> None:
        """On the air, for somebody who is there."""
        engine = self.engine
        busy = self._busy(frame, station)
        attempts = 1 if self.luck is None else self.luck.attempts(host, self._size(frame))
        start = self._turn(host, station)
        spans = _attempts(start, busy, attempts, self.retry)
        end = self.free[host] = spans[-1][1]
        if self.turns is not None:
            self.turns[station] = end
        self._take(host, station, end - start)
        self.both[host] += overlap(spans, self.opposite_spans(host))
        self._keep(host, spans)
        if self.ledger is not None:
            tally = self._count(host, station, frame, busy, start)
            if attempts > 1:
                self._repeat(host, tally, Repeated(frame, busy, busy + self.retry, start, attempts))
        if self.dozing is not None:
            self.dozing.stir(host, engine.time, end)
        engine.call_at(end + self.latency, self._arrive, (host, station, self.entries[host], frame, start))

    def _take(self, host: int, station: int, time: int) -> None:
        self.taken[host if self.turns is None else station] += time

    def occupied(self) -> Mapping[int, int]:
        """Of each host, or of each cell if its hosts share it: then with turns that pass unused."""
        return dict(enumerate(self.taken))

    def opposite_spans(self, host: int) -> Iterable[Span]:
        assert isinstance(self.opposite, Channels)
        return self.opposite.spans[host]

    def _turn(self, host: int, station: int) -> int:
        """When what is ready now can start."""
        free = self.free[host] if self.turns is None else self.turns[station]
        return max(free, self.engine.time)

    def _keep(self, host: int, spans: list[Span]) -> None:
        pending, now = self.spans[host], self.engine.time
        while pending and pending[0][1] <= now:
            pending.popleft()
        pending.extend(spans)
        self.total[host] += _length(spans)

    def _count(self, host: int, station: int, frame: Packet, busy: int, start: int) -> Tally:
        assert self.ledger is not None
        tally = self.present[host] or self._open(host, station)
        self.ledger.count(tally, frame, busy)
        now = self.engine.time
        if start > now:
            queue = tally if self.turns is None else self.queues.setdefault(station, Tally())
            queue.queued(start, now)
            tally.queue_peak = max(tally.queue_peak, queue.queue_peak)
        return tally

    def _repeat(self, host: int, tally: Tally, found: Repeated) -> None:
        pending, now = self.repeated[host], self.engine.time
        while pending and pending[0].over <= now:
            pending.popleft()
        pending.append(found)
        self._count_again(host, tally, found, found.attempts - 1)

    def _count_again(self, host: int, tally: Tally, found: Repeated, times: int) -> None:
        """Those before the one that is heard are lost. `times`: below zero, those that never begin."""
        assert self.ledger is not None
        for each in (tally, tally.lost()):
            self.ledger.count(each, found.frame, found.busy, times)
        if self.again is not None:
            self.again(host, found.frame, times)

    def miss(self, host: int, station: int, frame: Packet) -> None:
        super().miss(host, station, frame)
        if self.turns is not None:
            busy = self._busy(frame, station)
            self.turns[station] = max(self.turns[station], self.engine.time) + busy
            self._take(host, station, busy)

    def _busy(self, frame: Packet, station: int) -> int:
        return transmission(self._size(frame), self.bandwidths[station])

    def rest(self, host: int) -> list[Span]:
        """What is still to come."""
        now = self.engine.time
        return [(max(start, now), end) for start, end in self.spans[host] if end > now]

    def break_off(self, host: int, station: int, *, sends_on: bool) -> None:
        rest = _length(self.rest(host))
        if self.turns is None and self.free[host] > (now := self.engine.time):
            self._take(host, station, now - self.free[host])
            self.free[host] = now
        self.spans[host].clear()
        self.total[host] -= rest
        tally = self.links.get((host, station))
        if tally is not None and sends_on:
            tally.missed += rest
        elif tally is not None:
            tally.cut(rest - self._recall(host, tally))
        self.repeated[host].clear()
        self.present[host] = None

    def _recall(self, host: int, tally: Tally) -> int:
        """Attempts that will not be made; how long they would have been on the air."""
        recalled = 0
        for found in self.repeated[host]:
            if never := found.unbegun(self.engine.time):
                self._count_again(host, tally, found, -never)
                recalled += never * found.busy
        return recalled


class Beacons(Channels):
    """The down-links, where hosts doze. `waiting`: what waits for a beacon, by host."""

    __slots__ = ("waiting",)

    def __init__(self, air: "RadioAir", world: World, ledger: Ledger | None, luck: Luck | None) -> None:
        super().__init__(air, world, ledger, luck, up=False)
        self.waiting: dict[int, list[Packet]] = {}

    def transmit(self, host: int, station: int, frame: Packet) -> None:
        assert self.dozing is not None
        now = self.engine.time
        if self.cells[host] != station:
            self.miss(host, station, frame)
        elif host in self.waiting:
            self.waiting[host].append(frame)
        elif self.dozing.asleep(host, now):
            frames = self.waiting[host] = [frame]
            self.engine.call_at(self.dozing.beacon(now), self._beacon, (host, station, self.entries[host], frames))
        else:
            self.put(host, station, frame)

    def _beacon(self, waited: tuple[int, int, int, list[Packet]]) -> None:
        host, station, entry, frames = waited
        there = entry == self.entries[host]
        if there:
            del self.waiting[host]
        for frame in frames:
            (self.put if there else self.miss)(host, station, frame)

    def break_off(self, host: int, station: int, *, sends_on: bool) -> None:
        self.waiting.pop(host, None)
        super().break_off(host, station, sends_on=sends_on)


class RadioAir(Air):
    __slots__ = ("dozing",)

    up: Channels
    down: Channels

    def __init__(self, engine: Engine, world: World, ledger: Ledger | None) -> None:
        scenario = world.scenario
        wireless = scenario.wireless
        super().__init__(engine, wireless, scenario.sizes, world.starting_cells, ledger)
        self.dozing = None if wireless.doze is None else Dozing(wireless.doze, wireless.beacon, scenario.hosts)
        self.up = Channels(self, world, ledger, _luck(world, "lost-up"), up=True)
        if self.dozing is None:
            self.down = Channels(self, world, ledger, _luck(world, "lost-down"), up=False)
        else:
            self.down = Beacons(self, world, ledger, _luck(world, "lost-down"))
        self.up.opposite, self.down.opposite = self.down, self.up

    def tell(self, up: Again, down: Again) -> None:
        self.up.again, self.down.again = up, down

    def leave(self, host: int) -> None:
        if self.dozing is not None:
            self.dozing.leave(host, self.engine.time)
        self._break_off(host, sends_on=self.shared)
        super().leave(host)

    def enter(self, host: int, station: int) -> None:
        if self.dozing is not None:
            self.dozing.enter(host, self.engine.time)
        super().enter(host, station)

    def so_far(self, host: int) -> tuple[int, int, int]:
        """How long a host has sent and received, and both at once."""
        sends, gets = self.up.rest(host), self.down.rest(host)
        both = self.both[host] - overlap(sends, gets)
        return self.up.total[host] - _length(sends), self.down.total[host] - _length(gets), both

    def dozed(self, host: int) -> tuple[int, int]:
        return (0, 0) if self.dozing is None else self.dozing.so_far(host, self.engine.time)

    def stop(self, host: int) -> None:
        self._break_off(host, sends_on=False)

    def _break_off(self, host: int, *, sends_on: bool) -> None:
        station = self.cells[host]
        if station == NOWHERE:
            return
        self.both[host] -= overlap(self.up.rest(host), self.down.rest(host))
        self.up.break_off(host, station, sends_on=False)
        self.down.break_off(host, station, sends_on=sends_on)


def _bandwidths(wireless: Wireless, stations: int, *, up: bool) -> list[int]:
    """By cell. Only now a file may have told how many there are."""
    found = [wireless.up if up else wireless.down] * stations
    for one in wireless.cells:
        if one.cell >= stations:
            raise UserError(f"wireless.cells: there is no cell {one.cell}; they are numbered from 0 to {stations - 1}")
        found[one.cell] = (one.uplink if up else one.downlink) or one.bandwidth or found[one.cell]
    return found


def _luck(world: World, purpose: str) -> Luck | None:
    wireless, hosts = world.scenario.wireless, world.scenario.hosts
    if not (wireless.loss or wireless.bit_error_rate):
        return None
    return Luck(wireless, [world.streams.stream(purpose, host) for host in range(hosts)])


def _attempts(start: int, busy: int, attempts: int, retry: int) -> list[Span]:
    if not retry:
        return [(start, start + attempts * busy)]
    return [(start + done * (busy + retry), start + done * (busy + retry) + busy) for done in range(attempts)]


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def overlap(these: Iterable[Span], others: Iterable[Span]) -> int:
    """How long both last at once; either in order of time."""
    mine, theirs = list(these), list(others)
    shared = place = other = 0
    while place < len(mine) and other < len(theirs):
        (start, end), (first, last) = mine[place], theirs[other]
        shared += max(0, min(end, last) - max(start, first))
        if end <= last:
            place += 1
        else:
            other += 1
    return shared
