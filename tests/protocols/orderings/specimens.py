"""Orderings and clocks read literally where the print goes wrong, and the executions in which it shows."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final

from protocols.clocks.propagation import Clock
from protocols.machine import Message, Stamp
from protocols.ordering import Ordering
from protocols.orderings.isis import Groups
from protocols.orderings.ks_special import BroadcastTurnProcess, SerialisedBroadcast
from protocols.values import value
from tests.protocols.clocks.graphs import linked
from tests.protocols.clocks.test_agreement import TooEarly
from tests.protocols.network import Arrived, Sent
from tests.protocols.orderings.benches import ClocksBench, OrderingBench, SupersededBench
from tests.protocols.orderings.dense_ks import Dense, Lookahead
from tests.protocols.orderings.dense_prs import OneComponent, OneSet, OwnComponent, Sets
from tests.protocols.orderings.dense_ses import DenseSes, Forgetful
from tests.protocols.orderings.dense_vectors import DenseIsis, OwnGroupsOnly, WaitingForOthers
from tests.protocols.orderings.shortest import Bench, Execution, Sends
from tests.protocols.orderings.stamps import Carries, barrier, barriers, logs, previous, times, vectors
from tests.protocols.orderings.test_isis import CYCLE
from tests.protocols.orderings.test_ks_special import Oblivious

Fresh = Callable[[], Bench]
Pairs = tuple[tuple[int, int], ...]
A, B, D, E = range(4)
GATEWAY: Final[Pairs] = ((A, D), (B, D), (D, E), (E, D))
BY_WAY_OF_B: Final[Pairs] = ((A, B), *GATEWAY)


@value
class Specimen:
    """What is broken, and who may send. What is `mended` goes through the same execution unharmed.

    `known` is an execution that goes wrong, where the search for the shortest is long.
    """

    broken: Fresh
    sends: Sends
    mended: Fresh | None = None
    known: Execution = ()


class Premature(SerialisedBroadcast):
    """An own broadcast counts as delivered at its send, though the one before is still on its way here."""

    __slots__ = ()

    def process(self, index: int) -> BroadcastTurnProcess:
        return PrematureProcess(index, self.size, self.turn)


class PrematureProcess(BroadcastTurnProcess):
    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        pairs = super().send(destinations, group)
        self.early.clear()
        self._reach((self.index, self.clock))
        return pairs


def bench(ordering: Callable[[int], Ordering], size: int, carries: Carries) -> Fresh:
    return lambda: OrderingBench(ordering(size), size, carries)


def in_a_cycle(ordering: Callable[[int, Groups], Ordering]) -> Fresh:
    return bench(lambda size: ordering(size, CYCLE), 3, vectors)


def superseded() -> Bench:
    return SupersededBench(Sets(3), 3, barriers)


def clocks(pairs: Pairs, number: int, clock: type[Clock] = Clock) -> Fresh:
    return lambda: ClocksBench(linked(4, list(pairs)), number, clock, "ABDE")


def multicasts(size: int, *, own: bool = False, fifo: bool = False, most: int | None = None) -> Sends:
    """To any others, and with `own` to oneself as well."""
    sends = []
    for source in range(size):
        others = [process for process in range(size) if own or process != source]
        widths = range(1, len(others) + 1)
        sends += [(source, to, -1) for width in widths for to in combinations(others, width)]
    return Sends(size, tuple(sends), fifo, most)


def broadcasts(size: int, *, fifo: bool = False) -> Sends:
    everybody = range(size)
    sends = [(source, tuple(to for to in everybody if to != source), -1) for source in everybody]
    return Sends(size, tuple(sends), fifo)


def in_groups() -> Sends:
    sends = [
        (source, tuple(to for to in sorted(group) if to != source), number)
        for number, group in enumerate(CYCLE)
        for source in group
    ]
    return Sends(3, tuple(sends))


def along(pairs: Pairs, *, fifo: bool = False) -> Sends:
    return Sends(4, tuple((source, (to,), -1) for source, to in pairs), fifo)


def read_too_soon() -> Execution:
    """m2 says that p2 needs no word of m0 any more: for it has m2. p1 believes it before it may pass on m2 itself."""
    first, blocking = Message(0, 0, (1, 2), 1), Message(1, 2, (0, 1), 1)
    misread, early = Message(2, 0, (1, 2), 1), Message(3, 1, (2,), 1)
    heard = (Sent(first), Arrived(first, 1), Sent(blocking), Arrived(blocking, 0))
    return (*heard, Sent(misread), Arrived(misread, 1), Sent(early), Arrived(early, 2))


def round_about() -> Execution:
    """m0 is overtaken by way of B, and arrives when E has already been told of it by nobody but the gateway."""
    late, aside, ahead = Message(0, A, (D,), 1), Message(1, A, (B,), 1), Message(2, B, (D,), 1)
    out, back = Message(3, D, (E,), 1), Message(4, E, (D,), 1)
    overtaken = (Sent(late), Sent(aside), Arrived(aside, B), Sent(ahead), Arrived(ahead, D))
    return (*overtaken, Sent(out), Arrived(late, D), Arrived(out, E), Sent(back), Arrived(back, D))


SPECIMENS: Final[Mapping[str, Specimen]] = {
    "ses-own-copy": Specimen(bench(DenseSes, 2, times), multicasts(2, own=True, fifo=True)),
    "ses-forgetful": Specimen(bench(Forgetful, 3, times), multicasts(3), bench(DenseSes, 3, times)),
    "prs-own-copy": Specimen(bench(Sets, 2, barriers), multicasts(2, own=True, fifo=True)),
    "prs-one-component": Specimen(bench(OneComponent, 3, barrier), broadcasts(3, fifo=True), bench(OneSet, 3, barrier)),
    "prs-own-component": Specimen(bench(OwnComponent, 3, barrier), broadcasts(3), bench(OneSet, 3, barrier)),
    "prs-superseded": Specimen(superseded, multicasts(3, fifo=True)),
    "ks-lookahead": Specimen(
        bench(Lookahead, 3, logs), multicasts(3, fifo=True, most=4), bench(Dense, 3, logs), read_too_soon()
    ),
    "ks-in-turn": Specimen(
        bench(Oblivious, 3, previous), broadcasts(3, fifo=True), bench(SerialisedBroadcast, 3, previous)
    ),
    "ks-premature": Specimen(
        bench(Premature, 3, previous), broadcasts(3, fifo=True), bench(SerialisedBroadcast, 3, previous)
    ),
    "isis-own-groups": Specimen(in_a_cycle(OwnGroupsOnly), in_groups(), in_a_cycle(DenseIsis)),
    "isis-other-groups": Specimen(in_a_cycle(WaitingForOthers), in_groups(), in_a_cycle(DenseIsis)),
    "clocks-overtaken": Specimen(clocks(GATEWAY, 4), along(GATEWAY), clocks(GATEWAY, 3)),
    "clocks-round-about": Specimen(
        clocks(BY_WAY_OF_B, 4), along(BY_WAY_OF_B, fifo=True), clocks(BY_WAY_OF_B, 3), round_about()
    ),
    "clocks-early": Specimen(clocks(GATEWAY, 4, TooEarly), along(GATEWAY), clocks(GATEWAY, 4)),
}
