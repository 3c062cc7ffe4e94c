"""Where machines play when time does not matter: one input at a time, and what comes of it.

The untimed world (`mobilesim.explorer.untimed_world`) carries packets unopened, so it does not care whether they are
packets or names of packets. `Live` has the machines themselves. `mobilesim.explorer.step_cache` remembers every step
that a machine ever made.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from mobilesim.oracle.causal_order import Oracle
from protocols.catalogue import Claims
from protocols.frozen_value import value
from protocols.machine import NO_TELEMETRY, Host, Message, Packet, ProtocolError, Station, System, Telemetry


class Act(StrEnum):
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


class Verdict(StrEnum):
    OVERTAKES = "overtakes"
    OUT_OF_TURN = "out of turn"
    NOT_DUE = "not due"
    LOST = "lost"
    KEPT = "kept"
    BROKEN = "broken"


@value
class Fault:
    """What went wrong at `host`; `message` overtook `other`, out of turn if both are of one source. A machine that gave
    up says why, and so does a station that keeps something for ever.
    """

    verdict: Verdict
    host: int = -1
    message: int = -1
    other: int = -1
    reason: str = ""


class Stage(Protocol):
    """Machines are numbered: the hosts first, then the stations."""

    def feed(self, machine: int, act: Act, item: object) -> Sequence[Effect]:
        """Play one input; `Broken` when the machine gives up."""

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


class Broken(Exception):  # noqa: N818 - no error of ours: a machine's, and a verdict
    """A machine gave up: it met what cannot happen, or what nobody thought of."""


class Recorder:
    """The outbox of any machine."""

    __slots__ = ("alarms", "effects", "host", "telemetry")

    def __init__(self, host: int, telemetry: Telemetry) -> None:
        self.host = host
        self.telemetry = telemetry
        self.effects: list[Effect] = []
        self.alarms: list[int] = []
        """The hosts that are to be woken, or about whom: time does not matter, so it is done as soon as may be."""

    def send(self, station: int, packet: Packet) -> None:
        self.effects.append(Sent(station, packet))

    def deliver(self, message: Message) -> None:
        self.effects.append(Delivered(self.host, message))

    def drop(self, message: Message, host: int) -> None:
        self.effects.append(Dropped(host, message))


class HostRecorder(Recorder):
    __slots__ = ()

    def transmit(self, frame: Packet) -> None:
        self.effects.append(Transmitted(self.host, frame))

    def wake(self, after: int) -> None:
        self.alarms.append(self.host)


class StationRecorder(Recorder):
    __slots__ = ()

    def transmit(self, host: int, frame: Packet) -> None:
        self.effects.append(Transmitted(host, frame))

    def wake(self, host: int, after: int) -> None:
        self.alarms.append(host)


def drive_host(out: HostRecorder, host: Host, act: Act, item: Any) -> None:  # noqa: ANN401 - a message, a frame, a cell
    if act is Act.DOWN:
        host.hear(item, out)
    elif act is Act.SUBMIT:
        host.submit(item, out)
    elif act is Act.ENTER:
        host.attach(item, out)
    elif act is Act.SWITCH_OFF:
        host.switch_off(out)
    else:
        host.detach()
    while out.alarms:
        out.alarms.pop()
        host.wake(out)


def drive_station(out: StationRecorder, station: Station, act: Act, item: Any) -> None:  # noqa: ANN401 - a packet, a message, a host's frame
    if act is Act.WIRED:
        station.receive(item, out)
    elif act is Act.SUBMIT:
        station.submit(item, out)
    else:
        host, frame = item
        station.hear(host, frame, out)
    while out.alarms:
        station.wake(out.alarms.pop(), out)


def drive(
    index: int, machine: Host | Station, act: Act, item: object, telemetry: Telemetry = NO_TELEMETRY
) -> Sequence[Effect]:
    out: HostRecorder | StationRecorder
    try:
        if isinstance(machine, Station):
            drive_station(out := StationRecorder(-1, telemetry), machine, act, item)
        else:
            drive_host(out := HostRecorder(index, telemetry), machine, act, item)
    except ProtocolError as error:
        raise Broken(str(error)) from error
    except Exception as error:
        raise Broken(f"{type(error).__name__}: {error}") from error
    return out.effects


class Live:
    """The machines and the judge themselves."""

    __slots__ = ("machines", "oracle", "telemetry")

    def __init__(self, system: System, telemetry: Telemetry = NO_TELEMETRY) -> None:
        self.machines: list[Host | Station] = [*system.hosts, *system.stations]
        self.oracle = Oracle(len(self.machines))
        self.telemetry = telemetry

    def feed(self, machine: int, act: Act, item: object) -> Sequence[Effect]:
        return drive(machine, self.machines[machine], act, item, self.telemetry)

    def submitted(self, message: Message) -> None:
        self.oracle.submitted(message.id, message.source, message.destinations)

    def delivered(self, host: int, message: Message) -> Fault | None:
        return judge(self.oracle, host, message)

    def dropped(self, host: int, message: Message) -> Fault | None:
        return judge_drop(self.oracle, host, message)

    def lost(self) -> Sequence[Fault]:
        return missing(self.oracle)

    def kept(self, machine: int) -> str:
        return remaining(self.machines[machine])


def judge(oracle: Oracle, host: int, message: Message) -> Fault | None:
    duplicates, fifo = oracle.duplicates, oracle.fifo
    overtaken = oracle.delivered(message.id, message.source, host)
    if oracle.duplicates > duplicates:
        return Fault(Verdict.NOT_DUE, host, message.id)
    if overtaken < 0:
        return None
    return Fault(Verdict.OUT_OF_TURN if oracle.fifo > fifo else Verdict.OVERTAKES, host, message.id, overtaken)


def judge_drop(oracle: Oracle, host: int, message: Message) -> Fault | None:
    due = oracle.dropped(message.id, message.source, host)
    return None if due else Fault(Verdict.NOT_DUE, host, message.id, reason="dropped")


def unclaimed(claims: Claims) -> frozenset[Verdict]:
    """What a protocol may break, as it never claimed to keep it."""
    kept = {Verdict.OVERTAKES: claims.causal, Verdict.OUT_OF_TURN: claims.fifo}
    return frozenset(verdict for verdict, claimed in kept.items() if not claimed)


def missing(oracle: Oracle) -> Sequence[Fault]:
    return [Fault(Verdict.LOST, host, message) for message, host in oracle.lost()]


def remaining(machine: Host | Station) -> str:
    if not isinstance(machine, Station):
        return ""
    copies, marks = machine.stored
    counts = ((machine.pending, "waiting"), (copies, "stored"), (marks, "marks of what is gone"))
    return ", ".join(f"{count} {what}" for count, what in counts if count)
