"""Schedules written by hand: what happens next is named by what it is, not by where it lies."""

import re
from collections.abc import Mapping
from typing import Final

from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds, SystemBuilder, UntimedWorld
from protocols.catalogue_rows import OptionValue
from protocols.machine import Packet, System
from tests.support.protocols.recording import ObservedMachines

SCOPE: Final = Bounds(messages=0, moves=0, drops=True)
"""Of no interest to those who choose themselves."""


class Script:
    def __init__(
        self,
        build: SystemBuilder,
        stations: int,
        homes: tuple[int, ...],
        options: Mapping[str, OptionValue] | None = None,
    ) -> None:
        self.build, self.stations, self.homes, self.options = build, stations, homes, options or {}
        self.world = UntimedWorld(ObservedMachines(self.fresh()), stations, homes, SCOPE)
        self.schedule: list[Action] = []

    def fresh(self) -> System:
        return self.build(self.stations, self.homes, self.options)

    def submit(self, host: int, *destinations: int, group: int = -1) -> "Script":
        return self.apply(Action(InputKind.SUBMIT, host, destinations, group))

    def originate(self, station: int, *destinations: int) -> "Script":
        """The station itself submits."""
        return self.submit(len(self.homes) + station, *destinations)

    def switch_off(self, host: int) -> "Script":
        return self.apply(Action(InputKind.SWITCH_OFF, host))

    def leave(self, *hosts: int) -> "Script":
        for host in hosts:
            self.apply(Action(InputKind.LEAVE, host))
        return self

    def enter(self, host: int, station: int) -> "Script":
        return self.apply(Action(InputKind.ENTER, host, (station,)))

    def move(self, host: int, station: int) -> "Script":
        return self.leave(host).enter(host, station)

    def up(self, *hosts: int) -> "Script":
        """The next frame of each of these hosts arrives."""
        for host in hosts:
            self.apply(Action(InputKind.UP, host))
        return self

    def down(self, *hosts: int) -> "Script":
        for host in hosts:
            self.apply(Action(InputKind.DOWN, host))
        return self

    def wire(self, kind: str, target: int, source: int | None = None, *, place: int = 0) -> "Script":
        """The oldest packet of that kind arrives at that station, or one that was sent later."""
        places = [
            place
            for place, wire in enumerate(self.world.wired)
            if (type(wire.packet).__name__, wire.target) == (kind, target) and source in {None, wire.source}
        ]
        return self.apply(Action(InputKind.WIRED, places[place]))

    def wires(self, target: int, source: int | None = None) -> "Script":
        """All that is on the wire for that station arrives, in the order in which it was sent."""
        for wire in [wire for wire in self.world.wired if wire.target == target and source in {None, wire.source}]:
            places = [place for place, other in enumerate(self.world.wired) if other is wire]
            self.apply(Action(InputKind.WIRED, places[0]))
        return self

    def air(self) -> "Script":
        """All that is on the air arrives, until nothing is."""
        while any(self.world.up) or any(self.world.down):
            self.up(*(host for host, frames in enumerate(self.world.up) if frames))
            self.down(*(host for host, frames in enumerate(self.world.down) if frames))
        return self

    def drain(self) -> "Script":
        while action := next(self.world.deliveries(), None):
            self.apply(action)
        return self

    def apply(self, action: Action) -> "Script":
        self.schedule.append(action)
        self.world.apply(action)
        return self

    def lines(self) -> list[str]:
        return listing(self.fresh(), self.homes, SCOPE, self.schedule)

    def deliveries(self) -> list[str]:
        """`h1 delivers m0` and so on, in the order in which they happened."""
        outcomes = [line[5:] for line in self.lines() if not line.startswith("fault")]
        return re.findall(r"h\d+ delivers m\d+", "\n".join(outcomes))

    def sent(self, steps: slice = slice(None)) -> list[str]:
        """`s0 -> s1 Packet` for each packet that was put on the wire in these steps."""
        outcomes = [line for line in self.lines() if not line.startswith("fault")][steps]
        return re.findall(r"s\d+ -> s\d+ \w+", "\n".join(outcomes))

    @property
    def driver(self) -> ObservedMachines:
        assert isinstance(self.world.driver, ObservedMachines)
        return self.world.driver

    def packets(self, kind: str) -> list[Packet]:
        """Those of that kind that are on the wire."""
        packets = [wire.packet for wire in self.world.wired]
        return [packet for packet in packets if isinstance(packet, Packet) and type(packet).__name__ == kind]
