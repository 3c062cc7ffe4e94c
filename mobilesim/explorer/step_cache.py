"""The explorer's stage: every state of every machine is kept once and has a number, and every step is played once.

A machine alone has few states; what explodes is how they combine. So a state of the world is a handful of small
numbers, and a step that a machine has made before, from the same state on the same input, is looked up. Numbers stand
for keys of 128 bits (`protocols.state.key`): all that is approximated is that no two of those collide.

Machines of one run may share objects that change. Those that can be reached in several ways at the start (`commons`)
are states with numbers of their own. A step depends on those that it touches, and on no others
(`mobilesim.explorer.shared_state_probe`). They may refer to one another, though not in a circle. No machine may begin
to share another object later on, as packets are values once they are sent; that is checked for every new packet.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

from mobilesim.explorer.machine_driver import (
    Act,
    Broken,
    Delivered,
    Dropped,
    Effect,
    Fault,
    Sent,
    Transmitted,
    drive,
    judge,
    judge_drop,
    missing,
    remaining,
)
from mobilesim.explorer.shared_state_probe import Loan, Touched
from mobilesim.oracle.causal_order import Oracle
from protocols.frozen_value import value
from protocols.machine import Message, Station, System
from protocols.state import commons, key, restore, snapshot

Judged: TypeAlias = Callable[[Oracle, int, Message], Fault | None]


class Vault:
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
class Step:
    """Where a machine goes from one state on one input, and what becomes of those of the commons that it touched."""

    machine: int
    commons: tuple[tuple[int, int], ...]
    effects: tuple[Effect, ...]
    broken: str = ""
    only_buffers: bool = False
    """A packet came too early and was put aside."""


class Collapsed:
    """`machines`, `commons` and `judge` are the numbers of the present state; set them to go to any other."""

    __slots__ = (
        "commons",
        "judge",
        "judgements",
        "losses",
        "machines",
        "remains",
        "steps",
        "vault",
    )

    def __init__(self, system: System) -> None:
        self.vault = Vault()
        machines = [*system.hosts, *system.stations]
        shared = commons(machines)
        self.commons = tuple([self.vault.put_common(place, shared) for place in range(len(shared))])
        self.machines = [self.vault.put(machine, shared) for machine in machines]
        self.judge = self.vault.put(Oracle(len(machines)))
        self.steps: dict[tuple[object, ...], Step | int] = {}
        """An input to a machine, and the numbers of what it touches in turn; a place is the next that it touches."""
        self.judgements: dict[tuple[int, Judged, int, Message], tuple[int, Fault | None]] = {}
        self.losses: dict[int, Sequence[Fault]] = {}
        self.remains: dict[int, str] = {}

    def feed(self, machine: int, act: Act, item: object) -> Sequence[Effect]:
        step = self._step(machine, act, item)
        if step.broken:
            raise Broken(step.broken)
        self.machines[machine] = step.machine
        if step.commons:
            self.commons = tuple((dict(enumerate(self.commons)) | dict(step.commons)).values())
        return step.effects

    def _step(self, machine: int, act: Act, item: object) -> Step:
        name: tuple[object, ...] = (machine, self.machines[machine], act, item)
        known: dict[int, int] = {}
        while True:
            step = self.steps.get(name)
            if step is None:
                step = self.steps[name] = self.play(machine, self.machines[machine], known, act, item)
            if isinstance(step, Step):
                return step
            known[step] = self.commons[step]
            name = (*name, known[step])

    def play(self, machine: int, state: int, known: Mapping[int, int], act: Act, item: object) -> Step | int:
        """A step, with those of the commons whose numbers are `known`, or the place of one more that it needs."""
        loan = Loan(self.vault.take, known, len(self.commons))
        try:
            return self._play(machine, self.vault.take(state, loan), loan, act, item)
        except Touched as touched:
            return touched.place

    def _play(self, machine: int, player: Any, loan: Loan, act: Act, item: object) -> Step:  # noqa: ANN401 - a machine
        opened = self._opened(act, item, loan)
        early = act is Act.WIRED and _is_early(player, opened)
        try:
            effects = drive(machine, player, act, opened)
        except Broken as broken:
            return Step(-1, (), (), str(broken))
        shared, known = loan.all(), len(self.vault.blobs)
        named = tuple([self._named(effect, shared) for effect in effects])
        if len(self.vault.blobs) > known and commons([player, *effects], shared):
            raise RuntimeError(f"{type(player).__name__} keeps a part of what it sends: {effects}")
        changed = tuple([(place, self.vault.put_common(place, shared)) for place in loan.known])
        return Step(self.vault.put(player, shared), changed, named, only_buffers=early)

    def _opened(self, act: Act, item: Any, loan: Loan) -> object:  # noqa: ANN401 - as in `Stage.feed`
        if act is Act.UP:
            host, frame = item
            return host, self.vault.take(frame, loan)
        return self.vault.take(item, loan) if act in {Act.DOWN, Act.WIRED} else item

    def _named(self, effect: Effect, shared: Sequence[object]) -> Effect:
        match effect:
            case Sent(station, packet):
                return Sent(station, self.vault.put(packet, shared))
            case Transmitted(host, frame):
                return Transmitted(host, self.vault.put(frame, shared))
            case Delivered() | Dropped():
                return effect

    def submitted(self, message: Message) -> None:
        self._judged(_submit, -1, message)

    def delivered(self, host: int, message: Message) -> Fault | None:
        return self._judged(judge, host, message)

    def dropped(self, host: int, message: Message) -> Fault | None:
        return self._judged(judge_drop, host, message)

    def _judged(self, happening: Judged, host: int, message: Message) -> Fault | None:
        name = (self.judge, happening, host, message)
        if name not in self.judgements:
            oracle = self.vault.take(self.judge)
            fault = happening(oracle, host, message)
            self.judgements[name] = self.vault.put(oracle), fault
        self.judge, found = self.judgements[name]
        return found

    def lost(self) -> Sequence[Fault]:
        if self.judge not in self.losses:
            self.losses[self.judge] = missing(self.vault.take(self.judge))
        return self.losses[self.judge]

    def kept(self, machine: int) -> str:
        """By what the station has itself; one that asks what it shares for it would have to be asked each time."""
        state = self.machines[machine]
        if state not in self.remains:
            try:
                player = self.vault.take(state, Loan(self.vault.take, {}, len(self.commons)))
                self.remains[state] = remaining(player)
            except Touched as touched:
                raise RuntimeError("what a station stores or lets wait is not its own") from touched
        return self.remains[state]


def _is_early(station: Station, packet: Any) -> bool:  # noqa: ANN401 - as in `Stage.feed`
    try:
        return station.only_buffers(packet)
    except Exception:  # noqa: BLE001 - the step itself tells what it is
        return False


def _submit(oracle: Oracle, _: int, message: Message) -> None:
    oracle.submitted(message.id, message.source, message.destinations)
