"""Drivers: they pass single inputs to machines, without time, and return the effects.

The untimed world (`mobilesim.explorer.untimed_world`) does not read packets. So a driver may return packets, or only
their numbers. `LiveDriver` runs real machines; `mobilesim.explorer.step_cache` memoizes every step of a machine.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.fault_attribution import failure
from mobilesim.oracle.verdicts import Fault, undelivered
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.handoff.wireless_hop import MobileHost
from mobilesim.protocols.machine import NO_TELEMETRY, Host, HostOutbox, Station, StationOutbox, System, Telemetry
from mobilesim.protocols.packets import Message, Packet


class InputKind(StrEnum):
    __hash__ = str.__hash__  # faster than the method of Enum, which is written in Python; inputs are keys of tables
    SUBMIT = "submits"
    SWITCH_OFF = "switches off"
    SWITCH_OFF_STORING = "switches off, messages are stored"
    LEAVE = "leaves"
    ENTER = "enters"
    UP = "up"
    DOWN = "down"
    WIRED = "wired"


@value
class Sent:
    station: int
    packet: object


@value
class Transmitted:
    """A frame on the wireless channel, to or from `host`."""

    host: int
    frame: object


@value
class Delivered:
    host: int
    message: Message


@value
class Dropped:
    host: int
    message: Message


Effect: TypeAlias = Sent | Transmitted | Delivered | Dropped
OracleCall: TypeAlias = Callable[[Oracle, int, Message], Fault | None]


def note_submission(oracle: Oracle, _: int, message: Message) -> None:
    oracle.submitted(message.id, message.source, message.destinations)


class MachineFailure(Exception):  # noqa: N818 - a verdict on a machine, not an error of the explorer
    """A machine raised a ProtocolError or another exception."""


class HostRecorder(HostOutbox):
    __slots__ = ("effects", "host", "timers")

    def __init__(self, host: int, telemetry: Telemetry) -> None:
        super().__init__(telemetry)
        self.host = host
        self.effects: list[Effect] = []
        self.timers: list[int] = []
        """The hosts of the timers that are set. There is no time, so timers expire immediately after the input."""

    def transmit(self, frame: Packet) -> None:
        self.effects.append(Transmitted(self.host, frame))

    def deliver(self, message: Message) -> None:
        self.effects.append(Delivered(self.host, message))

    def wake(self, after: int) -> None:
        self.timers.append(self.host)


class StationRecorder(StationOutbox):
    __slots__ = ("effects", "timers")

    def __init__(self, telemetry: Telemetry) -> None:
        super().__init__(telemetry)
        self.effects: list[Effect] = []
        self.timers: list[int] = []
        """The hosts of timers that are set, as in `HostRecorder`."""

    def send(self, station: int, packet: Packet) -> None:
        self.effects.append(Sent(station, packet))

    def drop(self, message: Message, host: int) -> None:
        self.effects.append(Dropped(host, message))

    def transmit(self, host: int, frame: Packet) -> None:
        self.effects.append(Transmitted(host, frame))

    def wake(self, host: int, after: int) -> None:
        self.timers.append(host)


def drive_host(out: HostRecorder, host: Host, kind: InputKind, item: Any) -> None:  # noqa: ANN401 - a message, a frame, a cell
    if kind is InputKind.DOWN:
        host.receive_frame(item, out)
    elif kind is InputKind.SUBMIT:
        host.submit(item, out)
    elif kind is InputKind.ENTER:
        host.attach(item, out)
    elif kind is InputKind.SWITCH_OFF or kind is InputKind.SWITCH_OFF_STORING:
        host.switch_off(out, stores=kind is InputKind.SWITCH_OFF_STORING)
    else:
        host.detach()
    while out.timers:
        out.timers.pop()
        host.wake(out)


def drive_station(out: StationRecorder, station: Station, kind: InputKind, item: Any) -> None:  # noqa: ANN401 - a packet, a message, a host's frame
    if kind is InputKind.WIRED:
        station.receive(item, out)
    elif kind is InputKind.SUBMIT:
        station.submit(item, out)
    else:
        host, frame = item
        station.receive_frame(host, frame, out)
    while out.timers:
        station.wake(out.timers.pop(), out)


def drive(
    index: int, machine: Host | Station, kind: InputKind, item: object, telemetry: Telemetry = NO_TELEMETRY
) -> Sequence[Effect]:
    out: HostRecorder | StationRecorder
    try:
        if isinstance(machine, Station):
            drive_station(out := StationRecorder(telemetry), machine, kind, item)
        else:
            drive_host(out := HostRecorder(index, telemetry), machine, kind, item)
    except Exception as error:
        raise MachineFailure(failure(error)) from error
    return out.effects


class LiveDriver:
    """A driver of real machines and an oracle. Machines are numbered: the hosts first, then the stations."""

    def __init__(self, system: System, telemetry: Telemetry = NO_TELEMETRY) -> None:
        self.machines: list[Host | Station] = [*system.hosts, *system.stations]
        self.oracle = Oracle(len(self.machines))
        self.telemetry = telemetry
        self.effects: Sequence[Effect] = ()
        """The effects of the last input."""

    def judge_short_chains(self) -> None:
        self.oracle.judge_short_chains()

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        """Process one input; raise MachineFailure if the machine fails."""
        self.effects = ()
        self.effects = drive(machine, self.machines[machine], kind, item, self.telemetry)
        return self.effects

    def judged(self, call: OracleCall, host: int, message: Message) -> Fault | None:
        """Report a submission, a delivery or a drop to the oracle, which checks it."""
        return call(self.oracle, host, message)

    def lost(self) -> Sequence[Fault]:
        """Return the messages that are lost if nothing more happens."""
        return undelivered(self.oracle)

    def kept(self, machine: int) -> str:
        """Return as text which data a station still stores or buffers; '' if there are none."""
        return leftovers(self.machines[machine])

    def switches_off(self, host: int) -> bool:
        """Return whether a host has announced that it switches off."""
        return has_announced(self.machines[host])


def has_announced(machine: Host | Station) -> bool:
    """Return whether a machine is a host that has announced that it switches off, and will leave its cell."""
    return isinstance(machine, MobileHost) and machine.off


def leftovers(machine: Host | Station) -> str:
    assert isinstance(machine, Station)
    copies, tombstones = machine.stored
    counts = ((machine.pending, "waiting"), (copies, "stored"), (tombstones, "tombstones"))
    return ", ".join(f"{count} {kind}" for count, kind in counts if count)
