"""A counter-example as a space-time listing: a line for each step, and a sentence for the fault at the end.

Messages are named m0, m1, … in the order of submission. The text of a packet is made from its fields, so a new kind of
packet needs no code here. Stamps, and fields for which `_field` has no rule, are omitted.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Final

from mobilesim.errors import counted
from mobilesim.explorer.exploration import Exploration
from mobilesim.explorer.machine_driver import Delivered, Dropped, Effect, InputKind, LiveDriver, Sent, Transmitted
from mobilesim.explorer.untimed_world import NO_CELL, Action, Bounds, UntimedWorld
from mobilesim.oracle.verdicts import Fault, FaultKind, tolerated_faults
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.machine import System
from mobilesim.protocols.packets import Copy, Message

LEGEND: Final = (
    "h: host, s: station, l: logical station, v: visit, e: registration, #: frame number; "
    "-> wired packet, ~> wireless frame"
)

Names = dict[int, str]
SHORT: Final[dict[str, Callable[[Any], str]]] = {
    "host": "h{}".format,
    "visit": "v{}".format,
    "station": "at s{}".format,
    "logical": lambda logical: f"l{logical}" if logical >= 0 else "",
    "number": "#{}".format,
    "registration": "e{}".format,
    "trail": lambda trail: " ".join(["via", *map("s{}".format, trail)]) if trail else "",
    "last_received": lambda number: f"received #{number}" if number >= 0 else "",
}
NOT_DUE: Final = "although {} was already delivered to host {}, was dropped, or is for other hosts"
SILENT: Final = frozenset({"addresses", "bytes", "inbox", "integers", "origin", "receiver", "stamp"})


def listing(system: System, homes: Sequence[int], bounds: Bounds, schedule: Iterable[Action]) -> list[str]:
    """Replay a schedule on new machines; return a line for each step, and one for each fault."""
    narrator = Narrator(system, homes, bounds)
    return step_lines([narrator.step(action) for action in schedule], narrator.world.faults, narrator.names)


def step_lines(steps: Sequence[tuple[str, str]], faults: Iterable[Fault], names: Names) -> list[str]:
    """Return a line for each step, from its cause and its outcome, and one for each fault."""
    width = max((len(cause) for cause, _ in steps), default=0)
    lines = [f"{number:3}  {cause:{width}}  {outcome}".rstrip() for number, (cause, outcome) in enumerate(steps, 1)]
    return [*lines, *(f"fault: {sentence(fault, names)}" for fault in faults)]


def sentence(fault: Fault, names: Names) -> str:
    message, other = names.get(fault.message), names.get(fault.other)
    match fault.kind:
        case FaultKind.OVERTAKES:
            return f"host {fault.host} delivers {message} before {other}, which happened before it"
        case FaultKind.SHORT_CHAIN:
            return f"host {fault.host} delivers {message} before {other}, which precedes it by a chain of two messages"
        case FaultKind.OUT_OF_TURN:
            return f"host {fault.host} delivers {message} before {other}, which the same host sent before it"
        case FaultKind.NOT_DUE if fault.reason:
            return f"a station drops {message} for host {fault.host}, {NOT_DUE.format(message, fault.host)}"
        case FaultKind.NOT_DUE:
            return f"host {fault.host} delivers {message}, {NOT_DUE.format(message, fault.host)}"
        case FaultKind.LOST:
            return f"no packet is in transit, and {message} was not delivered to host {fault.host}"
        case FaultKind.KEPT:
            return f"no packet is in transit, and {fault.reason}"
        case FaultKind.FAILED:
            return f"the protocol raised an exception: {fault.reason}"


class Narrator:
    def __init__(self, system: System, homes: Sequence[int], bounds: Bounds) -> None:
        self.driver = LiveDriver(system)
        self.world = UntimedWorld(self.driver, len(system.stations), tuple(homes), bounds)
        self.names: Names = {}

    def step(self, action: Action) -> tuple[str, str]:
        if action.kind is InputKind.SUBMIT:
            self.names[self.world.next_message(action.index)] = f"m{len(self.names)}"
        cause, station = self._cause(action)
        lost = list(self._lost_frames(action.index)) if action.kind is InputKind.LEAVE else []
        self.world.apply(action)
        outcomes = [self._outcome(station, effect) for effect in self.driver.effects]
        return cause, "; ".join([*lost, *outcomes])

    def _cause(self, action: Action) -> tuple[str, int]:
        """Return the action as text, and the station that acts; NO_CELL if a host acts."""
        world, index = self.world, action.index
        match action.kind:
            case InputKind.SUBMIT:
                station = index - len(world.cells) if index >= len(world.cells) else NO_CELL
                source = f"h{index}" if station == NO_CELL else f"s{station}"
                group = f" in group {action.group}" if action.group >= 0 else ""
                message = f"{self.names[world.next_message(index)]} to {' '.join(map('h{}'.format, action.targets))}"
                return f"{source} submits {message}{group}", station
            case InputKind.SWITCH_OFF | InputKind.SWITCH_OFF_STORING:
                return f"h{index} {action.kind.value}", NO_CELL
            case InputKind.LEAVE:
                return f"h{index} leaves s{world.cells[index]}", NO_CELL
            case InputKind.ENTER:
                return f"h{index} enters s{action.targets[0]}", NO_CELL
            case InputKind.UP:
                cell = world.cells[index]
                return f"s{cell} receives from h{index}: {self._described(world.up[index][0])}", cell
            case InputKind.DOWN:
                return f"h{index} receives from s{world.cells[index]}: {self._described(world.down[index][0])}", NO_CELL
            case InputKind.WIRED:
                wire = world.wired[index]
                return f"s{wire.target} receives from s{wire.source}: {self._described(wire.packet)}", wire.target

    def _lost_frames(self, host: int) -> Iterator[str]:
        station = self.world.cells[host]
        yield from (f"lost: h{host} ~> s{station} {self._described(frame)}" for frame in self.world.up[host])
        yield from (f"lost: s{station} ~> h{host} {self._described(frame)}" for frame in self.world.down[host])

    def _outcome(self, station: int, effect: Effect) -> str:
        match effect:
            case Sent(target, packet):
                return f"s{station} -> s{target} {self._described(packet)}"
            case Delivered(host, message):
                return f"h{host} delivers {self.names[message.id]}"
            case Dropped(host, message):
                return f"s{station} drops {self.names[message.id]} for h{host}"
            case Transmitted(host, frame):
                return self._on_air(host, station, frame)

    def _on_air(self, host: int, station: int, frame: object) -> str:
        cell = self.world.cells[host]
        if station == NO_CELL:
            return f"{'lost: ' if cell == NO_CELL else ''}h{host} ~> s{cell} {self._described(frame)}"
        return f"{'' if cell == station else 'lost: '}s{station} ~> h{host} {self._described(frame)}"

    def _described(self, packet: object) -> str:
        return described(packet, self.names)


def described(packet: object, names: Names) -> str:
    parts = [_field(field.name, getattr(packet, field.name), names) for field in fields(packet)]  # type: ignore[arg-type]
    return f"{type(packet).__name__}({' '.join(filter(None, parts))})"


def _field(name: str, part: Any, names: Names) -> str:  # noqa: ANN401 - a field of any type
    if name in SILENT:
        return ""
    if name in SHORT:
        return SHORT[name](part)
    if isinstance(part, Copy | Message):
        return _message(part, names)
    if isinstance(part, tuple) and all(isinstance(copy, Copy) for copy in part):
        return " ".join(_message(copy, names) for copy in part)
    frames = getattr(part, "unacknowledged", ())
    return " ".join(f"#{frame.number} {_message(frame.copies[0], names)}" for frame in frames)


def _message(part: Copy | Message, names: Names) -> str:
    if isinstance(part, Message):
        return names[part.id]
    name = type(part.stamp).__name__ if part.is_control else names[part.message.id]
    return name if len(part.targets) == 1 else f"{name} for {' '.join(map('h{}'.format, part.targets))}"


def verdict_text(row: ProtocolRow, found: Exploration) -> str:
    """Return the outcome of an exploration as a part of a sentence."""
    match found.ending:
        case "exhausted":
            return "no fault"
        case "fault":
            perhaps = "" if found.shortest else ", perhaps not the minimum"
            return f"a fault after {counted(len(found.schedule), 'step')}{perhaps}{_unclaimed_order(row, found)}"
        case "limit":
            return "not exhausted; no fault so far, which proves nothing: raise --limit, or reduce the configuration"
        case _:
            return "interrupted; no fault so far, which proves nothing"


def _unclaimed_order(row: ProtocolRow, found: Exploration) -> str:
    if found.fault_kind not in tolerated_faults(row.claims):
        return ""
    if row.claims.violation_rate is not None:
        return f" ({row.name} claims causal order for all but {row.claims.violation_rate:.3%} of deliveries)"
    return f" ({row.name} claims no {'FIFO' if found.fault_kind is FaultKind.OUT_OF_TURN else 'causal'} order)"
