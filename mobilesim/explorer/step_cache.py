"""State compression and step memoisation: SPIN's COLLAPSE, with every step of a machine run only once.

A single machine has few states, but their combinations are many. So every state of a machine is stored once and has a
number, a state of the world is a few small numbers, and a repeated step (the same state and the same input) is looked
up. A number represents a key of 128 bits (`protocols.state.key`). It is assumed that keys do not collide.

The machines of a run may share mutable objects. Objects that are reachable in several ways at the start
(`shared_objects`) are states with their own numbers. A step depends only on the shared objects that it touches
(`mobilesim.explorer.shared_state_probe`). Shared objects may refer to one another, but not in a cycle. Later, machines
do not begin to share other objects, because sent packets are values. Every new packet is checked: its sender must not
keep a part of it.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from mobilesim.explorer.machine_driver import (
    Delivered,
    Dropped,
    Effect,
    InputKind,
    MachineFailure,
    OracleCall,
    Sent,
    Transmitted,
    drive,
    leftovers,
)
from mobilesim.explorer.shared_state_probe import DependencyFound, SharedStateProbe
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.verdicts import Fault, undelivered
from protocols.frozen_value import value
from protocols.machine import Message, Station, System
from protocols.state import key, restore, shared_objects, snapshot


class StateStore:
    """Numbered states; states with equal keys have the same number."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.numbers: dict[bytes, int] = {}
        self.written: dict[bytes, int] = {}
        """Numbers by digest of the snapshot. Digests are faster than keys, but equal states may have several."""

    def put(self, state: object, shared: Sequence[object] = ()) -> int:
        blob = snapshot(state, shared)
        digest = blake2b(blob, digest_size=16).digest()
        number = self.written.get(digest)
        if number is None:
            number = self.written[digest] = self.numbers.setdefault(key(state, shared), len(self.blobs))
            if number == len(self.blobs):
                self.blobs.append(blob)
        return number

    def put_shared(self, index: int, shared: Sequence[object]) -> int:
        """Store a shared object. Its references to other shared objects are stored as indices."""
        return self.put(shared[index], [*shared[:index], object(), *shared[index + 1 :]])

    def load(self, number: int, shared: Sequence[object] = ()) -> Any:  # noqa: ANN401 - whatever was put in
        return restore(self.blobs[number], shared)


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
        self.needs_all = not self._accept_placeholders()
        """Whether every step needs all shared objects, since machines cannot hold placeholders."""

    def _accept_placeholders(self) -> bool:
        """Return whether machines can hold placeholders. A typed attribute of a compiled machine cannot."""
        try:
            for machine in self.machines:
                self.store.load(machine, self._probe({}))
        except TypeError:
            return False
        return True

    def _probe(self, known: Mapping[int, int]) -> SharedStateProbe:
        return SharedStateProbe(self.store.load, known, len(self.shared))

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
        if self.needs_all and len(known) < len(self.shared):
            return len(known)
        probe = self._probe(known)
        try:
            return self._run(machine, self.store.load(state, probe), probe, kind, item)
        except DependencyFound as touched:
            return touched.index

    def _run(self, machine: int, subject: Any, probe: SharedStateProbe, kind: InputKind, item: object) -> MachineStep:  # noqa: ANN401 - a machine
        input_ = self._opened(kind, item, probe)
        only_buffers = kind is InputKind.WIRED and _is_early(subject, input_)
        try:
            effects = drive(machine, subject, kind, input_)
        except MachineFailure as broken:
            return MachineStep(-1, (), (), str(broken))
        shared, known = probe.all(), len(self.store.blobs)
        named = tuple([self._named(effect, shared) for effect in effects])
        if len(self.store.blobs) > known and shared_objects([subject, *effects], shared):
            raise RuntimeError(f"{type(subject).__name__} keeps a part of its output: {effects}")
        changed = tuple([(index, self.store.put_shared(index, shared)) for index in probe.known])
        return MachineStep(self.store.put(subject, shared), changed, named, only_buffers=only_buffers)

    def _opened(self, kind: InputKind, item: Any, probe: SharedStateProbe) -> object:  # noqa: ANN401 - as in `LiveDriver.feed`
        if kind is InputKind.UP:
            host, frame = item
            return host, self.store.load(frame, probe)
        return self.store.load(item, probe) if kind in {InputKind.DOWN, InputKind.WIRED} else item

    def _named(self, effect: Effect, shared: Sequence[object]) -> Effect:
        match effect:
            case Sent(station, packet):
                return Sent(station, self.store.put(packet, shared))
            case Transmitted(host, frame):
                return Transmitted(host, self.store.put(frame, shared))
            case Delivered() | Dropped():
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
            try:
                known = dict(enumerate(self.shared)) if self.needs_all else {}
                subject = self.store.load(state, self._probe(known))
                self.leftovers[state] = leftovers(subject)
            except DependencyFound as touched:
                raise RuntimeError("the data that a station keeps depend on a shared object") from touched
        return self.leftovers[state]


def _is_early(station: Station, packet: Any) -> bool:  # noqa: ANN401 - as in `LiveDriver.feed`
    try:
        return station.only_buffers(packet)
    except Exception:  # noqa: BLE001 - the step itself raises it again
        return False
