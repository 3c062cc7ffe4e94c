"""Random schedules of the untimed world that make faults of hand-offs likely.

Between two inputs of applications or users, a random number of packets arrive. The mean of this number differs between
schedules. Hosts cross several cells before their registrations arrive, move to another cell and back, leave and return
to the same cell, or stay away for long. At the end, every host enters a cell, and every packet in transit arrives.
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
from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Groups

MAX_DELIVERIES: Final = 100_000


@value
class Sizes:
    """The smallest and the largest value of each drawn number."""

    stations: tuple[int, int] = (2, 5)
    hosts: tuple[int, int] = (2, 8)
    messages: tuple[int, int] = (5, 40)
    moves: tuple[int, int] = (0, 12)
    destinations: tuple[int, int] = (1, 7)
    drops: bool = False
    stores: bool = False
    """Whether hosts may announce that they switch off before they leave, and messages are dropped, or else stored."""
    originates: bool = False
    """Whether stations send messages of their own."""
    groups: tuple[int, int] = (0, 0)
    """The number of groups. If there are groups, every message goes to a group, and stations send no messages."""
    members: tuple[int, int] = (2, 5)
    """The number of members of each group."""


@value
class Drawn:
    """A schedule, the world at its end, and the first cells of the hosts for a replay."""

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
    """Return a random schedule. It ends at the first fault that is not `tolerated`."""
    stations, hosts = random.randint(*sizes.stations), random.randint(*sizes.hosts)
    homes = tuple(random.randrange(stations) for _ in range(hosts))
    messages, moves, fifo = random.randint(*sizes.messages), random.randint(*sizes.moves), random.random() < 0.25
    groups = overlapping(random, hosts, sizes) if sizes.groups[1] else ()
    bounds = Bounds(
        messages, moves, fifo=fifo, drops=sizes.drops, groups=groups, tolerated=tolerated, stores=sizes.stores
    )
    world = UntimedWorld(driver(build_system(build, stations, homes, options, groups)), stations, homes, bounds)
    draw = RandomSchedule(world, random, sizes)
    draw.complete()
    return Drawn(world, homes, tuple(draw.schedule))


def overlapping(random: Random, hosts: int, sizes: Sizes) -> Groups:
    """Return random groups. A host may be in several groups or in none, and groups may be equal or nested."""
    fewest, most = sizes.members
    return tuple(
        tuple(sorted(random.sample(range(hosts), min(hosts, random.randint(fewest, most)))))
        for _ in range(random.randint(*sizes.groups))
    )


class RandomSchedule:
    def __init__(self, world: UntimedWorld, random: Random, sizes: Sizes) -> None:
        self.world = world
        self.random = random
        self.schedule: list[Action] = []
        self.deliveries_between = random.choice((0.3, 1.0, 3.0, 8.0))
        self.last_receiver = 0
        self.widest = min(random.randint(*sizes.destinations), len(world.cells) - 1)
        self.narrowest = min(sizes.destinations[0], self.widest)
        self.sizes = sizes
        self.movements: tuple[Callable[[int], None], ...] = (
            self.change_cell,
            self.cross_several_cells,
            self.cross_several_cells,
            self.leave_and_return,
            self.move_and_return,
            self.stay_away,
        )

    def complete(self) -> None:
        bounds = self.world.bounds
        intentions = [self.submit] * bounds.messages + [self.move] * bounds.moves
        self.random.shuffle(intentions)
        for intention in intentions:
            intention(self.random.randrange(len(self.world.cells)))
            self.deliver_some(self.deliveries_between)
        for host, cell in enumerate(self.world.cells):
            if cell == NO_CELL:
                self.enter(host, self.random_cell())
        self.drain()

    def apply(self, action: Action) -> None:
        if not self.world.faults:
            self.schedule.append(action)
            self.world.apply(action)

    def deliver_some(self, mean: float) -> None:
        """Deliver a random number of packets in transit."""
        for _ in range(int(self.random.expovariate(1 / mean))):
            self.deliver()

    def deliver(self) -> bool:
        """Let a random packet in transit arrive; return False if no packet was in transit or the world has a fault."""
        wired, up, down = self.world.in_transit()
        count = len(wired) + len(up) + len(down)
        if not count:
            return False
        # Only the chosen action is built, since most steps are arrivals, and each is chosen from many packets.
        number = self.random.randrange(count)
        if number < len(wired):
            action = Action(InputKind.WIRED, wired[number])
        elif number < len(wired) + len(up):
            action = Action(InputKind.UP, up[number - len(wired)])
        else:
            self.last_receiver = down[number - len(wired) - len(up)]
            action = Action(InputKind.DOWN, self.last_receiver)
        self.apply(action)
        return not self.world.faults

    def drain(self) -> None:
        for _ in range(MAX_DELIVERIES):
            if not self.deliver():
                return
        raise RuntimeError("packets are sent without end")

    def submit(self, host: int) -> None:
        """Submit a message of the host or, in half of the cases, of the host that has received the last downlink frame.
        If stations can send, a station submits a third of the messages instead.
        """
        source = self.random.choice((host, self.last_receiver))
        if self.world.bounds.groups:
            self.apply(self.to_group(source))
            return
        if self.sizes.originates and not self.random.randrange(3):
            source = len(self.world.cells) + self.random_cell()
        others = [other for other in range(len(self.world.cells)) if other != source]
        count = self.random.randint(self.narrowest, self.widest)
        self.apply(Action(InputKind.SUBMIT, source, tuple(sorted(self.random.sample(others, count)))))

    def to_group(self, source: int) -> Action:
        """Return a send to a group. If the source is in no group, a random member of a group sends instead."""
        groups = self.world.bounds.groups
        if not any(source in members for members in groups):
            source = self.random.choice(self.random.choice(groups))
        destinations, group = self.random.choice(list(group_destinations(groups, source)))
        return Action(InputKind.SUBMIT, source, destinations, group)

    def move(self, host: int) -> None:
        """Reconnect the host if it is disconnected. Otherwise start a random movement."""
        if self.world.cells[host] == NO_CELL:
            self.enter(host, self.random_cell())
        else:
            self.random.choice(self.movements)(host)

    def change_cell(self, host: int) -> None:
        self.leave(host)
        self.deliver_some(self.deliveries_between)
        self.enter(host, self.random_cell())

    def cross_several_cells(self, host: int) -> None:
        """Cross several cells. Leave some of them before the registration arrives."""
        for _ in range(self.random.randint(2, 4)):
            self.leave(host)
            self.enter(host, self.random_cell())
            self.deliver_some(0.5)

    def leave_and_return(self, host: int) -> None:
        cell = self.world.cells[host]
        self.leave(host)
        self.deliver_some(self.deliveries_between)
        self.enter(host, cell)

    def move_and_return(self, host: int) -> None:
        """Move to another cell and back, once or twice."""
        here, there = self.world.cells[host], self.random_cell()
        for cell in (there, here) * self.random.randint(1, 2):
            self.leave(host)
            self.enter(host, cell)
            self.deliver_some(2.0)

    def stay_away(self, host: int) -> None:
        """Disconnect until a later move or until the end of the schedule."""
        self.leave(host)

    def random_cell(self) -> int:
        return self.random.randrange(self.world.stations)

    def leave(self, host: int) -> None:
        if (self.sizes.drops or self.sizes.stores) and self.random.random() < 0.5:
            self.switch_off(host)
        self.apply(Action(InputKind.LEAVE, host))

    def switch_off(self, host: int) -> None:
        """Switch off. The notification may arrive before the host leaves, or be lost."""
        self.apply(Action(InputKind.SWITCH_OFF if self.sizes.drops else InputKind.SWITCH_OFF_STORING, host))
        if self.random.random() < 0.5:
            self.deliver_some(self.deliveries_between)
            return
        while self.world.up[host] and not self.world.faults:
            self.apply(Action(InputKind.UP, host))
        self.deliver_some(0.5)

    def enter(self, host: int, cell: int) -> None:
        self.apply(Action(InputKind.ENTER, host, (cell,)))
