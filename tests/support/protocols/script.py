"""Hand-written schedules. A step names its packet or host, and not an index in a queue."""

import re
from collections.abc import Mapping
from typing import Final

from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action, Bounds, SystemBuilder, UntimedWorld
from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow
from mobilesim.protocols.machine import System
from mobilesim.protocols.packets import Packet
from tests.support.protocols.recording import ObservedMachines

SCOPE: Final = Bounds(messages=0, moves=0, drops=True)
"""The bounds of a script, which do not matter, since the script chooses its steps itself."""


FREE: Final = {"location": "free"}
"""The options with which stations know all locations, so that a message takes one packet."""


def free_location(row: ProtocolRow) -> Mapping[str, OptionValue]:
    """Return `FREE` for a protocol that has this option."""
    return FREE if "location" in row.options else {}


class Script:
    def __init__(
        self,
        build: SystemBuilder,
        stations: int,
        homes: tuple[int, ...],
        options: Mapping[str, OptionValue] | None = None,
    ) -> None:
        self.build, self.stations, self.homes, self.options = build, stations, homes, options or {}
        self.world = UntimedWorld(ObservedMachines(self.new_system()), stations, homes, SCOPE)
        self.schedule: list[Action] = []

    def new_system(self) -> System:
        return self.build(self.stations, self.homes, self.options)

    def submit(self, host: int, *destinations: int, group: int = -1) -> "Script":
        return self.apply(Action(InputKind.SUBMIT, host, destinations, group))

    def originate(self, station: int, *destinations: int) -> "Script":
        """Let the application of a station submit a message."""
        return self.submit(len(self.homes) + station, *destinations)

    def switch_off(self, host: int, *, stores: bool = False) -> "Script":
        return self.apply(Action(InputKind.SWITCH_OFF_STORING if stores else InputKind.SWITCH_OFF, host))

    def leave(self, *hosts: int) -> "Script":
        for host in hosts:
            self.apply(Action(InputKind.LEAVE, host))
        return self

    def enter(self, host: int, station: int) -> "Script":
        return self.apply(Action(InputKind.ENTER, host, (station,)))

    def move(self, host: int, station: int) -> "Script":
        return self.leave(host).enter(host, station)

    def up(self, *hosts: int) -> "Script":
        """Let the next uplink frame of each of these hosts arrive."""
        for host in hosts:
            self.apply(Action(InputKind.UP, host))
        return self

    def down(self, *hosts: int) -> "Script":
        for host in hosts:
            self.apply(Action(InputKind.DOWN, host))
        return self

    def wire(self, kind: str, target: int, source: int | None = None, *, place: int = 0) -> "Script":
        """Let a packet of this kind arrive at this station: the oldest one, or the one at index `place`."""
        places = [
            place
            for place, wire in enumerate(self.world.wired)
            if (type(wire.packet).__name__, wire.target) == (kind, target) and source in {None, wire.source}
        ]
        return self.apply(Action(InputKind.WIRED, places[place]))

    def wires(self, target: int, source: int | None = None) -> "Script":
        """Let all packets in transit to this station arrive, in the order of their sends."""
        for wire in [wire for wire in self.world.wired if wire.target == target and source in {None, wire.source}]:
            places = [place for place, other in enumerate(self.world.wired) if other is wire]
            self.apply(Action(InputKind.WIRED, places[0]))
        return self

    def air(self) -> "Script":
        """Let all frames arrive, until no frame is in transit."""
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
        return listing(self.new_system(), self.homes, SCOPE, self.schedule)

    def deliveries(self) -> list[str]:
        """Return the deliveries in their order. Each one is a text like `h1 delivers m0`."""
        outcomes = [line[5:] for line in self.lines() if not line.startswith("fault")]
        return re.findall(r"h\d+ delivers m\d+", "\n".join(outcomes))

    def sent(self, steps: slice = slice(None)) -> list[str]:
        """Return a text like `s0 -> s1 Packet` for each packet that was sent in these steps."""
        outcomes = [line for line in self.lines() if not line.startswith("fault")][steps]
        return re.findall(r"s\d+ -> s\d+ \w+", "\n".join(outcomes))

    @property
    def driver(self) -> ObservedMachines:
        assert isinstance(self.world.driver, ObservedMachines)
        return self.world.driver

    def packets(self, kind: str) -> list[Packet]:
        """Return the packets of this kind in transit between stations."""
        packets = [wire.packet for wire in self.world.wired]
        return [packet for packet in packets if isinstance(packet, Packet) and type(packet).__name__ == kind]
