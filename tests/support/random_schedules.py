"""Random schedules of the untimed world, biased towards what breaks hand-offs.

Between any two intentions of the application or of a user, a few of the packets under way arrive, in some schedules
many and in others hardly any. Users are nasty: they run through several cells before the first has heard of them, go
back and forth between two, come back to where they were, or stay away for long. At the end everybody is somewhere,
and everything under way arrives.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from mobilesim.explorer.machine_driver import InputKind, LiveDriver
from mobilesim.explorer.untimed_world import (
    NO_CELL,
    Action,
    Bounds,
    SystemBuilder,
    UntimedWorld,
    build_system,
    group_destinations,
)
from mobilesim.oracle.verdicts import FaultKind
from protocols.catalogue_rows import OptionValue
from protocols.frozen_value import value
from protocols.machine import System
from protocols.ordering import Groups

PATIENCE: Final = 100_000


@value
class Sizes:
    """From the least to the most that is drawn of everything."""

    stations: tuple[int, int] = (2, 5)
    hosts: tuple[int, int] = (2, 8)
    messages: tuple[int, int] = (5, 40)
    moves: tuple[int, int] = (0, 12)
    destinations: tuple[int, int] = (1, 7)
    drops: bool = False
    """Hosts may switch off before they leave."""
    originates: bool = False
    """Stations send, too."""
    groups: tuple[int, int] = (0, 0)
    """With some, all messages are for them; then stations send nothing."""
    members: tuple[int, int] = (2, 5)
    """Of each group."""


@value
class Drawn:
    """A schedule, the world at its end, and what it takes to replay it."""

    world: UntimedWorld
    homes: tuple[int, ...]
    schedule: tuple[Action, ...]


def random_schedule(
    build: SystemBuilder,
    random: Random,
    options: Mapping[str, OptionValue] | None = None,
    sizes: Sizes = Sizes(),  # noqa: B008 - a value
    *,
    driver: Callable[[System], LiveDriver] = LiveDriver,
    tolerated: frozenset[FaultKind] = frozenset(),
) -> Drawn:
    """Ends early at the first fault that is not `tolerated`."""
    stations, hosts = random.randint(*sizes.stations), random.randint(*sizes.hosts)
    homes = tuple(random.randrange(stations) for _ in range(hosts))
    messages, moves, fifo = random.randint(*sizes.messages), random.randint(*sizes.moves), random.random() < 0.25
    groups = overlapping(random, hosts, sizes) if sizes.groups[1] else ()
    bounds = Bounds(messages, moves, fifo=fifo, drops=sizes.drops, groups=groups, tolerated=tolerated)
    world = UntimedWorld(driver(build_system(build, stations, homes, options, groups)), stations, homes, bounds)
    storm = Storm(world, random, sizes)
    storm.blow()
    return Drawn(world, homes, tuple(storm.schedule))


def overlapping(random: Random, hosts: int, sizes: Sizes) -> Groups:
    """Any host may be in several, or in none; one group may be within another, or the same."""
    fewest, most = sizes.members
    return tuple(
        tuple(sorted(random.sample(range(hosts), min(hosts, random.randint(fewest, most)))))
        for _ in range(random.randint(*sizes.groups))
    )


class Storm:
    def __init__(self, world: UntimedWorld, random: Random, sizes: Sizes) -> None:
        self.world = world
        self.random = random
        self.schedule: list[Action] = []
        self.calm = random.choice((0.3, 1.0, 3.0, 8.0))
        self.spoken_to = 0
        self.widest = min(random.randint(*sizes.destinations), len(world.cells) - 1)
        self.narrowest = min(sizes.destinations[0], self.widest)
        self.sizes = sizes
        self.strokes: tuple[Callable[[int], None], ...] = (
            self.wander,
            self.rush,
            self.rush,
            self.return_at_once,
            self.swing,
            self.vanish,
        )

    def blow(self) -> None:
        bounds = self.world.bounds
        intentions = [self.submit] * bounds.messages + [self.move] * bounds.moves
        self.random.shuffle(intentions)
        for intention in intentions:
            intention(self.random.randrange(len(self.world.cells)))
            self.settle(self.calm)
        for host, cell in enumerate(self.world.cells):
            if cell == NO_CELL:
                self.enter(host, self.any_cell())
        self.drain()

    def apply(self, action: Action) -> None:
        if not self.world.faults:
            self.schedule.append(action)
            self.world.apply(action)

    def settle(self, mean: float) -> None:
        """Some of what is under way arrives."""
        for _ in range(int(self.random.expovariate(1 / mean))):
            self.deliver()

    def deliver(self) -> bool:
        choices = list(self.world.deliveries())
        if choices:
            action = self.random.choice(choices)
            self.spoken_to = action.index if action.kind is InputKind.DOWN else self.spoken_to
            self.apply(action)
        return bool(choices) and not self.world.faults

    def drain(self) -> None:
        for _ in range(PATIENCE):
            if not self.deliver():
                return
        raise RuntimeError("packets go on for ever")

    def submit(self, host: int) -> None:
        """Every other message is an answer: its source has just been spoken to. Stations send a third, if any."""
        source = self.random.choice((host, self.spoken_to))
        if self.world.bounds.groups:
            self.apply(self.to_group(source))
            return
        if self.sizes.originates and not self.random.randrange(3):
            source = len(self.world.cells) + self.any_cell()
        others = [other for other in range(len(self.world.cells)) if other != source]
        count = self.random.randint(self.narrowest, self.widest)
        self.apply(Action(InputKind.SUBMIT, source, tuple(sorted(self.random.sample(others, count)))))

    def to_group(self, source: int) -> Action:
        """Who is in no group leaves it to somebody who is."""
        groups = self.world.bounds.groups
        if not any(source in members for members in groups):
            source = self.random.choice(self.random.choice(groups))
        destinations, group = self.random.choice(list(group_destinations(groups, source)))
        return Action(InputKind.SUBMIT, source, destinations, group)

    def move(self, host: int) -> None:
        """Come back, if away; else do one of the things that users do."""
        if self.world.cells[host] == NO_CELL:
            self.enter(host, self.any_cell())
        else:
            self.random.choice(self.strokes)(host)

    def wander(self, host: int) -> None:
        self.leave(host)
        self.settle(self.calm)
        self.enter(host, self.any_cell())

    def rush(self, host: int) -> None:
        """Through several cells, out of some before the station has heard of it."""
        for _ in range(self.random.randint(2, 4)):
            self.leave(host)
            self.enter(host, self.any_cell())
            self.settle(0.5)

    def return_at_once(self, host: int) -> None:
        cell = self.world.cells[host]
        self.leave(host)
        self.settle(self.calm)
        self.enter(host, cell)

    def swing(self, host: int) -> None:
        """To another cell and back, perhaps more than once."""
        here, there = self.world.cells[host], self.any_cell()
        for cell in (there, here) * self.random.randint(1, 2):
            self.leave(host)
            self.enter(host, cell)
            self.settle(2.0)

    def vanish(self, host: int) -> None:
        """Until a later move, or the end."""
        self.leave(host)

    def any_cell(self) -> int:
        return self.random.randrange(self.world.stations)

    def leave(self, host: int) -> None:
        if self.sizes.drops and self.random.random() < 0.5:
            self.switch_off(host)
        self.apply(Action(InputKind.LEAVE, host))

    def switch_off(self, host: int) -> None:
        """Its station may have heard of it before it leaves, or not."""
        self.apply(Action(InputKind.SWITCH_OFF, host))
        if self.random.random() < 0.5:
            self.settle(self.calm)
            return
        while self.world.up[host] and not self.world.faults:
            self.apply(Action(InputKind.UP, host))
        self.settle(0.5)

    def enter(self, host: int, cell: int) -> None:
        self.apply(Action(InputKind.ENTER, host, (cell,)))
