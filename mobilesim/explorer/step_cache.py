"""State compression and step memoisation: SPIN's COLLAPSE, with every step of a machine run only once.

A single machine has few states, but their combinations are many. So every state of a machine is stored once and has a
number, a state of the world is a few small numbers, and a repeated step (the same state and the same input) is looked
up.

The machines of a run may share mutable objects. Objects that are reachable on several paths from the machines at the
start (`shared_objects`) are states with their own numbers. A step depends only on the shared objects that it touches
(`mobilesim.explorer.shared_state_probe`). Shared objects may refer to one another, but not in a cycle. Later, machines
do not begin to share other objects, because sent packets are values. Every new packet is checked: its sender must not
keep a part of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mobilesim.errors import UserError
from mobilesim.explorer.machine_driver import (
    Effect,
    InputKind,
    MachineFailure,
    OracleCall,
    Sent,
    Transmitted,
    drive,
    has_announced,
    leftovers,
)
from mobilesim.explorer.shared_state_probe import DependencyFound, HiddenAttributes, SharedStateProbe
from mobilesim.explorer.state_store import StateStore
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.verdicts import Fault, undelivered
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import Station, System
from mobilesim.protocols.packets import Message
from mobilesim.protocols.state import common_objects, shared_objects


@value
class MachineStep:
    """The next state of a machine and of the shared objects that it touched. `broken`: the exception of the machine."""

    machine: int
    shared: tuple[tuple[int, int], ...]
    effects: tuple[Effect, ...]
    broken: str = ""
    only_buffers: bool = False
    """Whether the input is a packet that the machine only buffers."""


class CachingDriver:
    """A driver of memoized steps. `machines`, `shared` and `oracle`: numbers of the present state."""

    def __init__(self, system: System) -> None:
        self.store = StateStore()
        machines = [*system.hosts, *system.stations]
        shared = shared_objects(machines)
        self.shared = tuple([self.store.put_shared(index, shared) for index in range(len(shared))])
        self.machines = [self.store.put(machine, shared) for machine in machines]
        self.oracle = self.store.put(Oracle(len(machines)))
        self.steps: dict[tuple[object, ...], MachineStep | int] = {}
        """By a machine's state, its input and the numbers of the shared objects touched before: the step, or the index
        of the next shared object that the step touches.
        """
        self.judgements: dict[tuple[int, OracleCall, int, Message], tuple[int, Fault | None]] = {}
        self.losses: dict[int, Sequence[Fault]] = {}
        self.leftovers: dict[int, str] = {}
        self.announced: dict[int, bool] = {}

    def judge_short_chains(self) -> None:
        oracle = Oracle(len(self.machines))
        oracle.judge_short_chains()
        self.oracle = self.store.put(oracle)

    def _probe(self, known: Mapping[int, int]) -> SharedStateProbe:
        return SharedStateProbe(self.store.load_shared, known, len(self.shared))

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        step = self._step(machine, kind, item)
        if step.broken:
            raise MachineFailure(step.broken)
        self.machines[machine] = step.machine
        if step.shared:
            self.shared = tuple((dict(enumerate(self.shared)) | dict(step.shared)).values())
        return step.effects

    def _step(self, machine: int, kind: InputKind, item: object) -> MachineStep:
        step_key: tuple[object, ...] = (machine, self.machines[machine], kind, item)
        known: dict[int, int] = {}
        while True:
            step = self.steps.get(step_key)
            if step is None:
                step = self.steps[step_key] = self.run(machine, self.machines[machine], known, kind, item)
            if isinstance(step, MachineStep):
                return step
            known[step] = self.shared[step]
            step_key = (*step_key, known[step])

    def run(self, machine: int, state: int, known: dict[int, int], kind: InputKind, item: object) -> MachineStep | int:
        """Run a step with the `known` shared objects; return it, or the index of one more object that it needs."""
        probe = self._probe(known)
        try:
            return self._run(machine, self.store.load(state, probe, probe.hidden), probe, kind, item)
        except DependencyFound as touched:
            return touched.index

    def _run(self, machine: int, subject: Any, probe: SharedStateProbe, kind: InputKind, item: object) -> MachineStep:  # noqa: ANN401 - a machine
        input_ = self._opened(kind, item, probe)
        only_buffers = kind is InputKind.WIRED and _is_early(subject, input_, probe.hidden)
        try:
            effects = drive(machine, subject, kind, input_)
        except MachineFailure as broken:
            _raise_if_hidden(broken.__context__, probe.hidden)  # compiled code sets no __cause__
            return MachineStep(-1, (), (), str(broken))
        shared, known = probe.all(), len(self.store.blobs)
        named = tuple([self._named(effect, shared, probe.hidden) for effect in effects])
        if len(self.store.blobs) > known and common_objects([subject, *effects], shared):
            name = type(subject).__name__
            raise UserError(f"{name} keeps a mutable part of what it sends; let it send values, such as tuples")
        changed = tuple([(index, self.store.put_shared(index, shared, probe.hidden)) for index in probe.known])
        return MachineStep(self.store.put(subject, shared, probe.hidden), changed, named, only_buffers=only_buffers)

    def _opened(self, kind: InputKind, item: Any, probe: SharedStateProbe) -> object:  # noqa: ANN401 - as in `LiveDriver.feed`
        if kind is InputKind.UP:
            host, frame = item
            return host, self.store.load(frame, probe, probe.hidden)
        return self.store.load(item, probe, probe.hidden) if kind in {InputKind.DOWN, InputKind.WIRED} else item

    def _named(self, effect: Effect, shared: Sequence[object], hidden: HiddenAttributes) -> Effect:
        if isinstance(effect, Sent):
            return Sent(effect.station, self.store.put(effect.packet, shared, hidden))
        if isinstance(effect, Transmitted):
            return Transmitted(effect.host, self.store.put(effect.frame, shared, hidden))
        return effect

    def judged(self, call: OracleCall, host: int, message: Message) -> Fault | None:
        call_key = (self.oracle, call, host, message)
        if call_key not in self.judgements:
            oracle = self.store.load(self.oracle)
            fault = call(oracle, host, message)
            self.judgements[call_key] = self.store.put(oracle), fault
        self.oracle, found = self.judgements[call_key]
        return found

    def lost(self) -> Sequence[Fault]:
        if self.oracle not in self.losses:
            self.losses[self.oracle] = undelivered(self.store.load(self.oracle))
        return self.losses[self.oracle]

    def kept(self, machine: int) -> str:
        """Return the data that a station keeps, as text. The text is memoized by the station's state alone."""
        state = self.machines[machine]
        if state not in self.leftovers:
            probe = self._probe({})
            try:
                self.leftovers[state] = _leftovers(self.store.load(state, probe, probe.hidden), probe.hidden)
            except DependencyFound as touched:
                raise RuntimeError("the data that a station keeps depend on a shared object") from touched
        return self.leftovers[state]

    def switches_off(self, host: int) -> bool:
        """Return whether a host has announced that it switches off."""
        state = self.machines[host]
        if state not in self.announced:
            probe = self._probe({})
            self.announced[state] = has_announced(self.store.load(state, probe, probe.hidden))
        return self.announced[state]


def _leftovers(station: Station, hidden: HiddenAttributes) -> str:
    try:
        return leftovers(station)
    except (AttributeError, TypeError) as error:
        _raise_if_hidden(error, hidden)
        raise


def _is_early(station: Station, packet: Any, hidden: HiddenAttributes) -> bool:  # noqa: ANN401 - as in `LiveDriver.feed`
    try:
        return station.only_buffers(packet)
    except Exception as error:  # noqa: BLE001 - the step itself raises it again
        _raise_if_hidden(error, hidden)
        return False


def _raise_if_hidden(error: BaseException | None, hidden: HiddenAttributes) -> None:
    """Raise DependencyFound if the exception is due to a shared object that is not known."""
    index = hidden.needed(error)
    if index is not None:
        raise DependencyFound(index)
