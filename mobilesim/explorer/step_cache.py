"""The explorer's stage: every state of every machine is kept once and has a number, and every step is played once.

A machine alone has few states; what explodes is how they combine. So a state of the world is a handful of small
numbers, and a step that a machine has made before, from the same state on the same input, is looked up. Numbers stand
for keys of 128 bits (`protocols.state.key`): all that is approximated is that no two of those collide.

Machines of one run may share objects that change. Those that can be reached in several ways at the start
(`shared_objects`) are states with numbers of their own. A step depends on those that it touches, and on no others
(`mobilesim.explorer.shared_state_probe`). They may refer to one another, though not in a circle. No machine may begin
to share another object later on, as packets are values once they are sent; that is checked for every new packet.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

from mobilesim.explorer.machine_driver import (
    Delivered,
    Dropped,
    Effect,
    InputKind,
    MachineFailure,
    Sent,
    Transmitted,
    drive,
    leftovers,
)
from mobilesim.explorer.shared_state_probe import DependencyFound, SharedStateProbe
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.verdicts import Fault, judge_delivery, judge_drop, undelivered
from protocols.frozen_value import value
from protocols.machine import Message, Station, System
from protocols.state import key, restore, shared_objects, snapshot

OracleCall: TypeAlias = Callable[[Oracle, int, Message], Fault | None]


class StateStore:
    """States by number; states with equal keys have one number."""

    __slots__ = ("blobs", "numbers", "written")

    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.numbers: dict[bytes, int] = {}
        self.written: dict[bytes, int] = {}
        """By snapshots: to compare those is quicker than to make a key, though equal states may have several."""

    def put(self, state: object, shared: Sequence[object] = ()) -> int:
        blob = snapshot(state, shared)
        digest = blake2b(blob, digest_size=16).digest()
        number = self.written.get(digest)
        if number is None:
            number = self.written[digest] = self._put(key(state, shared), blob)
        return number

    def _put(self, name: bytes, blob: bytes) -> int:
        number = self.numbers.setdefault(name, len(self.blobs))
        if number == len(self.blobs):
            self.blobs.append(blob)
        return number

    def put_common(self, place: int, shared: Sequence[object]) -> int:
        """One of the commons, which names the others by their places but not itself."""
        return self.put(shared[place], [*shared[:place], object(), *shared[place + 1 :]])

    def take(self, number: int, shared: Sequence[object] = ()) -> Any:  # noqa: ANN401 - whatever was put in
        return restore(self.blobs[number], shared)


@value
class MachineStep:
    """Where a machine goes from one state on one input, and what becomes of those of the commons that it touched."""

    machine: int
    shared: tuple[tuple[int, int], ...]
    effects: tuple[Effect, ...]
    broken: str = ""
    only_buffers: bool = False
    """A packet came too early and was put aside."""


class CachingDriver:
    """`machines`, `shared` and `oracle` are the numbers of the present state; set them to go to any other."""

    __slots__ = (
        "judgements",
        "losses",
        "machines",
        "oracle",
        "remains",
        "shared",
        "steps",
        "store",
    )

    def __init__(self, system: System) -> None:
        self.store = StateStore()
        machines = [*system.hosts, *system.stations]
        shared = shared_objects(machines)
        self.shared = tuple([self.store.put_common(place, shared) for place in range(len(shared))])
        self.machines = [self.store.put(machine, shared) for machine in machines]
        self.oracle = self.store.put(Oracle(len(machines)))
        self.steps: dict[tuple[object, ...], MachineStep | int] = {}
        """An input to a machine, and the numbers of what it touches in turn; a place is the next that it touches."""
        self.judgements: dict[tuple[int, OracleCall, int, Message], tuple[int, Fault | None]] = {}
        self.losses: dict[int, Sequence[Fault]] = {}
        self.remains: dict[int, str] = {}

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        step = self._step(machine, kind, item)
        if step.broken:
            raise MachineFailure(step.broken)
        self.machines[machine] = step.machine
        if step.shared:
            self.shared = tuple((dict(enumerate(self.shared)) | dict(step.shared)).values())
        return step.effects

    def _step(self, machine: int, kind: InputKind, item: object) -> MachineStep:
        name: tuple[object, ...] = (machine, self.machines[machine], kind, item)
        known: dict[int, int] = {}
        while True:
            step = self.steps.get(name)
            if step is None:
                step = self.steps[name] = self.play(machine, self.machines[machine], known, kind, item)
            if isinstance(step, MachineStep):
                return step
            known[step] = self.shared[step]
            name = (*name, known[step])

    def play(
        self, machine: int, state: int, known: Mapping[int, int], kind: InputKind, item: object
    ) -> MachineStep | int:
        """A step, with those of the commons whose numbers are `known`, or the place of one more that it needs."""
        loan = SharedStateProbe(self.store.take, known, len(self.shared))
        try:
            return self._play(machine, self.store.take(state, loan), loan, kind, item)
        except DependencyFound as touched:
            return touched.index

    def _play(self, machine: int, player: Any, loan: SharedStateProbe, kind: InputKind, item: object) -> MachineStep:  # noqa: ANN401 - a machine
        opened = self._opened(kind, item, loan)
        early = kind is InputKind.WIRED and _is_early(player, opened)
        try:
            effects = drive(machine, player, kind, opened)
        except MachineFailure as broken:
            return MachineStep(-1, (), (), str(broken))
        shared, known = loan.all(), len(self.store.blobs)
        named = tuple([self._named(effect, shared) for effect in effects])
        if len(self.store.blobs) > known and shared_objects([player, *effects], shared):
            raise RuntimeError(f"{type(player).__name__} keeps a part of what it sends: {effects}")
        changed = tuple([(place, self.store.put_common(place, shared)) for place in loan.known])
        return MachineStep(self.store.put(player, shared), changed, named, only_buffers=early)

    def _opened(self, kind: InputKind, item: Any, loan: SharedStateProbe) -> object:  # noqa: ANN401 - as in `Stage.feed`
        if kind is InputKind.UP:
            host, frame = item
            return host, self.store.take(frame, loan)
        return self.store.take(item, loan) if kind in {InputKind.DOWN, InputKind.WIRED} else item

    def _named(self, effect: Effect, shared: Sequence[object]) -> Effect:
        match effect:
            case Sent(station, packet):
                return Sent(station, self.store.put(packet, shared))
            case Transmitted(host, frame):
                return Transmitted(host, self.store.put(frame, shared))
            case Delivered() | Dropped():
                return effect

    def submitted(self, message: Message) -> None:
        self._judged(_submit, -1, message)

    def delivered(self, host: int, message: Message) -> Fault | None:
        return self._judged(judge_delivery, host, message)

    def dropped(self, host: int, message: Message) -> Fault | None:
        return self._judged(judge_drop, host, message)

    def _judged(self, happening: OracleCall, host: int, message: Message) -> Fault | None:
        name = (self.oracle, happening, host, message)
        if name not in self.judgements:
            oracle = self.store.take(self.oracle)
            fault = happening(oracle, host, message)
            self.judgements[name] = self.store.put(oracle), fault
        self.oracle, found = self.judgements[name]
        return found

    def lost(self) -> Sequence[Fault]:
        if self.oracle not in self.losses:
            self.losses[self.oracle] = undelivered(self.store.take(self.oracle))
        return self.losses[self.oracle]

    def kept(self, machine: int) -> str:
        """By what the station has itself; one that asks what it shares for it would have to be asked each time."""
        state = self.machines[machine]
        if state not in self.remains:
            try:
                player = self.store.take(state, SharedStateProbe(self.store.take, {}, len(self.shared)))
                self.remains[state] = leftovers(player)
            except DependencyFound as touched:
                raise RuntimeError("what a station stores or lets wait is not its own") from touched
        return self.remains[state]


def _is_early(station: Station, packet: Any) -> bool:  # noqa: ANN401 - as in `Stage.feed`
    try:
        return station.only_buffers(packet)
    except Exception:  # noqa: BLE001 - the step itself tells what it is
        return False


def _submit(oracle: Oracle, _: int, message: Message) -> None:
    oracle.submitted(message.id, message.source, message.destinations)
