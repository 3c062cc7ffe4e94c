"""Where machines play when time does not matter: one input at a time, and what comes of it.

The untimed world (`mobilesim.explorer.untimed_world`) carries packets unopened, so it does not care whether they are
packets or names of packets. `LiveDriver` has the machines themselves. `mobilesim.explorer.step_cache` remembers every
step that a machine ever made.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.verdicts import Fault, judge_delivery, judge_drop, undelivered
from protocols.frozen_value import value
from protocols.machine import NO_TELEMETRY, Host, Message, Packet, ProtocolError, Station, System, Telemetry


class InputKind(StrEnum):
    SUBMIT = "submits"
    SWITCH_OFF = "switches off"
    LEAVE = "leaves"
    ENTER = "enters"
    UP = "up"
    DOWN = "down"
    WIRED = "wired"


@value
class Sent:
    """By wire, to a station."""

    station: int
    packet: object


@value
class Transmitted:
    """On the air: to `host`, or from it."""

    host: int
    frame: object


@value
class Delivered:
    host: int
    message: Message


@value
class Dropped:
    """Given up by a station."""

    host: int
    message: Message


Effect: TypeAlias = Sent | Transmitted | Delivered | Dropped


class MachineDriver(Protocol):
    """Machines are numbered: the hosts first, then the stations."""

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        """Play one input; `MachineFailure` when the machine gives up."""

    def submitted(self, message: Message) -> None:
        """Tell the judge."""

    def delivered(self, host: int, message: Message) -> Fault | None:
        """Ask the judge."""

    def dropped(self, host: int, message: Message) -> Fault | None:
        """Ask the judge."""

    def lost(self) -> Sequence[Fault]:
        """What is still due, if nothing more ever happens."""

    def kept(self, machine: int) -> str:
        """What a station still stores or lets wait, in words; nothing is the empty text."""


class MachineFailure(Exception):  # noqa: N818 - no error of ours: a machine's, and a verdict
    """A machine gave up: it met what cannot happen, or what nobody thought of."""


class EffectRecorder:
    """The outbox of any machine."""

    __slots__ = ("effects", "host", "telemetry", "timers")

    def __init__(self, host: int, telemetry: Telemetry) -> None:
        self.host = host
        self.telemetry = telemetry
        self.effects: list[Effect] = []
        self.timers: list[int] = []
        """The hosts that are to be woken, or about whom: time does not matter, so it is done as soon as may be."""

    def send(self, station: int, packet: Packet) -> None:
        self.effects.append(Sent(station, packet))

    def deliver(self, message: Message) -> None:
        self.effects.append(Delivered(self.host, message))

    def drop(self, message: Message, host: int) -> None:
        self.effects.append(Dropped(host, message))


class HostRecorder(EffectRecorder):
    __slots__ = ()

    def transmit(self, frame: Packet) -> None:
        self.effects.append(Transmitted(self.host, frame))

    def wake(self, after: int) -> None:
        self.timers.append(self.host)


class StationRecorder(EffectRecorder):
    __slots__ = ()

    def transmit(self, host: int, frame: Packet) -> None:
        self.effects.append(Transmitted(host, frame))

    def wake(self, host: int, after: int) -> None:
        self.timers.append(host)


def drive_host(out: HostRecorder, host: Host, kind: InputKind, item: Any) -> None:  # noqa: ANN401 - a message, a frame, a cell
    if kind is InputKind.DOWN:
        host.hear(item, out)
    elif kind is InputKind.SUBMIT:
        host.submit(item, out)
    elif kind is InputKind.ENTER:
        host.attach(item, out)
    elif kind is InputKind.SWITCH_OFF:
        host.switch_off(out)
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
        station.hear(host, frame, out)
    while out.timers:
        station.wake(out.timers.pop(), out)


def drive(
    index: int, machine: Host | Station, kind: InputKind, item: object, telemetry: Telemetry = NO_TELEMETRY
) -> Sequence[Effect]:
    out: HostRecorder | StationRecorder
    try:
        if isinstance(machine, Station):
            drive_station(out := StationRecorder(-1, telemetry), machine, kind, item)
        else:
            drive_host(out := HostRecorder(index, telemetry), machine, kind, item)
    except ProtocolError as error:
        raise MachineFailure(str(error)) from error
    except Exception as error:
        raise MachineFailure(f"{type(error).__name__}: {error}") from error
    return out.effects


class LiveDriver:
    """The machines and the judge themselves."""

    __slots__ = ("machines", "oracle", "telemetry")

    def __init__(self, system: System, telemetry: Telemetry = NO_TELEMETRY) -> None:
        self.machines: list[Host | Station] = [*system.hosts, *system.stations]
        self.oracle = Oracle(len(self.machines))
        self.telemetry = telemetry

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        return drive(machine, self.machines[machine], kind, item, self.telemetry)

    def submitted(self, message: Message) -> None:
        self.oracle.submitted(message.id, message.source, message.destinations)

    def delivered(self, host: int, message: Message) -> Fault | None:
        return judge_delivery(self.oracle, host, message)

    def dropped(self, host: int, message: Message) -> Fault | None:
        return judge_drop(self.oracle, host, message)

    def lost(self) -> Sequence[Fault]:
        return undelivered(self.oracle)

    def kept(self, machine: int) -> str:
        return leftovers(self.machines[machine])


def leftovers(machine: Host | Station) -> str:
    if not isinstance(machine, Station):
        return ""
    copies, tombstones = machine.stored
    counts = ((machine.pending, "waiting"), (copies, "stored"), (tombstones, "tombstones"))
    return ", ".join(f"{count} {what}" for count, what in counts if count)
