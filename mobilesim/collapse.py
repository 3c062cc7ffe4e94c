"""The explorer's stage: every state of every machine is kept once and has a number, and every step is played once.

A machine alone has few states; what explodes is how they combine. So a state of the world is a handful of small
numbers, and a step that a machine has made before, from the same state on the same input, is looked up. Numbers stand
for keys of 128 bits (`protocols.state.key`): all that is approximated is that no two of those collide.

Machines of one run may share objects that change. Those that can be reached in several ways at the start (`commons`)
form one more state with a number of its own, on which every step depends. No machine may begin to share another
object later on, as packets are values once they are sent; that is checked at every new step.
"""

from collections.abc import Sequence
from typing import Any

from mobilesim.oracle import Oracle
from mobilesim.stage import Act, Broken, Delivered, Effect, Fault, Sent, Transmitted, drive, judge, missing
from protocols.machine import Message, System
from protocols.state import commons, key, restore, snapshot
from protocols.values import value


class Vault:
    """States by number; states with equal keys have one number."""

    __slots__ = ("blobs", "numbers")

    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.numbers: dict[bytes, int] = {}

    def put(self, state: object, shared: Sequence[object] = ()) -> int:
        name = key(state, shared)
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = len(self.blobs)
            self.blobs.append(snapshot(state, shared))
        return number

    def take(self, number: int, shared: Sequence[object] = ()) -> Any:  # noqa: ANN401 - whatever was put in
        return restore(self.blobs[number], shared)


@value
class Step:
    """Where a machine, and what all of them share, go from one state on one input."""

    machine: int
    commons: int
    effects: tuple[Effect, ...]
    broken: str = ""


class Collapsed:
    """`machines`, `commons` and `judge` are the numbers of the present state; set them to go to any other."""

    __slots__ = ("commons", "judge", "judgements", "losses", "machines", "steps", "vault")

    def __init__(self, system: System) -> None:
        self.vault = Vault()
        machines = [*system.hosts, *system.stations]
        shared = commons(machines)
        self.commons = self.vault.put(shared)
        self.machines = [self.vault.put(machine, shared) for machine in machines]
        self.judge = self.vault.put(Oracle(len(system.hosts)))
        self.steps: dict[tuple[object, ...], Step] = {}
        self.judgements: dict[tuple[int, int, Message], tuple[int, Fault | None]] = {}
        self.losses: dict[int, Sequence[Fault]] = {}

    def feed(self, machine: int, act: Act, item: object) -> Sequence[Effect]:
        name = (machine, self.machines[machine], self.commons, act, item)
        step = self.steps.get(name)
        if step is None:
            step = self.steps[name] = self._play(machine, act, item)
        if step.broken:
            raise Broken(step.broken)
        self.machines[machine], self.commons = step.machine, step.commons
        return step.effects

    def _play(self, machine: int, act: Act, item: object) -> Step:
        shared = self.vault.take(self.commons)
        player = self.vault.take(self.machines[machine], shared)
        try:
            effects = drive(machine, player, act, self._opened(act, item, shared)).effects
        except Broken as broken:
            return Step(-1, -1, (), str(broken))
        if commons([player, *effects], shared):
            raise RuntimeError(f"{type(player).__name__} keeps a part of what it sends: {effects}")
        named = tuple([self._named(effect, shared) for effect in effects])
        return Step(self.vault.put(player, shared), self.vault.put(shared), named)

    def _opened(self, act: Act, item: Any, shared: Sequence[object]) -> object:  # noqa: ANN401 - as in `Stage.feed`
        if act is Act.UP:
            host, frame = item
            return host, self.vault.take(frame, shared)
        return self.vault.take(item, shared) if act in {Act.DOWN, Act.WIRED} else item

    def _named(self, effect: Effect, shared: Sequence[object]) -> Effect:
        match effect:
            case Sent(station, packet):
                return Sent(station, self.vault.put(packet, shared))
            case Transmitted(host, frame):
                return Transmitted(host, self.vault.put(frame, shared))
            case Delivered():
                return effect

    def submitted(self, message: Message) -> None:
        self._judged(-1, message)

    def delivered(self, host: int, message: Message) -> Fault | None:
        return self._judged(host, message)

    def _judged(self, host: int, message: Message) -> Fault | None:
        name = (self.judge, host, message)
        if name not in self.judgements:
            self.judgements[name] = self._judge(host, message)
        self.judge, fault = self.judgements[name]
        return fault

    def _judge(self, host: int, message: Message) -> tuple[int, Fault | None]:
        oracle = self.vault.take(self.judge)
        fault = None
        if host < 0:
            oracle.submitted(message.id, message.source, message.destinations)
        else:
            fault = judge(oracle, host, message)
        return self.vault.put(oracle), fault

    def lost(self) -> Sequence[Fault]:
        if self.judge not in self.losses:
            self.losses[self.judge] = missing(self.vault.take(self.judge))
        return self.losses[self.judge]
