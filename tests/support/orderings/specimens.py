"""Orderings and clocks read literally where the print goes wrong, and the executions in which it shows."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations, permutations
from typing import Final

from protocols.clocks.propagation import AllocatedClock
from protocols.frozen_value import value
from protocols.machine import Message
from protocols.ordering import Groups, Ordering
from protocols.orderings.mr import Mr
from protocols.orderings.transport import Transport
from tests.support.clocks.execution import TooEarly
from tests.support.clocks.graphs import linked
from tests.support.orderings.benches import ClocksBench, OrderingBench, SpeakingBench, SupersededBench
from tests.support.orderings.dense_ks import Dense, Lookahead
from tests.support.orderings.dense_mr import DenseMr, DenseProcess, InAnyOrder, OnAnyGraph, Rebuilt
from tests.support.orderings.dense_mr import Printed as Word
from tests.support.orderings.dense_prs import OneComponent, OneSet, OwnComponent, Sets
from tests.support.orderings.dense_ses import DenseSes, Forgetful
from tests.support.orderings.dense_vectors import DenseIsis, OwnGroupsOnly, WaitingForOthers
from tests.support.orderings.free_turn import FreeBroadcast, Oblivious, Premature
from tests.support.orderings.multicasts import CYCLE
from tests.support.orderings.shortest import Bench, Execution, Sends
from tests.support.orderings.stamps import Carries, barrier, barriers, logs, nothing, phases, previous, times, vectors
from tests.support.orderings.transport_variants import OnEachChannel, ToMany
from tests.support.protocols.network import Arrived, Sent

Fresh = Callable[[], Bench]
Pairs = tuple[tuple[int, int], ...]
A, B, D, E = range(4)
GATEWAY: Final[Pairs] = ((A, D), (B, D), (D, E), (E, D))
PAIR: Final[Groups] = ((0, 1),)
ALL: Final[Groups] = ((0, 1, 2),)
SHARED: Final[Groups] = ((0, 1, 2), (0, 1))
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


class Triggered(DenseProcess):
    """A word is taken when its phase is the next of its channel, by the rules of regular increase."""

    def __init__(self, index: int, groups: Groups, *, numbered: bool) -> None:
        super().__init__(index, groups, numbered=numbered)
        self.last: dict[tuple[int, int], tuple[bool, int]] = {}

    def next(self, word: Word) -> bool:
        resynch, phase = self.last.get((word.sender, word.group), (False, -1))
        return word.time == phase + (not resynch) + word.resynch

    def read(self, word: Word) -> Word:
        self.last[word.sender, word.group] = word.resynch, word.time
        return word


def bench(ordering: Callable[[int], Ordering], size: int, carries: Carries) -> Fresh:
    return lambda: OrderingBench(ordering(size), size, carries)


def in_a_cycle(ordering: Callable[[int, Groups], Ordering]) -> Fresh:
    return bench(lambda size: ordering(size, CYCLE), 3, vectors)


def speaking(ordering: Callable[[int, Groups], Ordering], groups: Groups, *, prompt: bool = False) -> Fresh:
    size = 1 + max(map(max, groups))
    return lambda: SpeakingBench(ordering(size, groups), size, phases, prompt=prompt)


def acknowledging(ordering: Callable[[int], Ordering]) -> Fresh:
    return lambda: SpeakingBench(ordering(3), 3, nothing, prompt=True)


def superseded() -> Bench:
    return SupersededBench(Sets(3), 3, barriers)


def clocks(pairs: Pairs, number: int, clock: type[AllocatedClock] = AllocatedClock) -> Fresh:
    return lambda: ClocksBench(linked(4, list(pairs)), number, clock, "ABDE")


def multicasts(size: int, *, own: bool = False, fifo: bool = False, most: int | None = None) -> Sends:
    """To any others, and with `own` to oneself as well."""
    sends = []
    for source in range(size):
        others = [process for process in range(size) if own or process != source]
        widths = range(1, len(others) + 1)
        sends += [(source, to, -1) for width in widths for to in combinations(others, width)]
    return Sends(size, tuple(sends), fifo, most)


def unicasts(size: int, *, fifo: bool = False) -> Sends:
    pairs = permutations(range(size), 2)
    return Sends(size, tuple((source, (to,), -1) for source, to in pairs), fifo)


def broadcasts(size: int, *, fifo: bool = False) -> Sends:
    everybody = range(size)
    sends = [(source, tuple(to for to in everybody if to != source), -1) for source in everybody]
    return Sends(size, tuple(sends), fifo)


def in_groups(groups: Groups, *, fifo: bool = False, most: int | None = None) -> Sends:
    sends = [
        (source, tuple(to for to in sorted(group) if to != source), number)
        for number, group in enumerate(groups)
        for source in group
    ]
    return Sends(1 + max(map(max, groups)), tuple(sends), fifo, most)


def along(pairs: Pairs, *, fifo: bool = False) -> Sends:
    return Sends(4, tuple((source, (to,), -1) for source, to in pairs), fifo)


def read_too_soon() -> Execution:
    """m2 says that p2 needs no word of m0 any more: for it has m2. p1 believes it before it may pass on m2 itself."""
    first, blocking = Message(0, 0, (1, 2), 1), Message(1, 2, (0, 1), 1)
    misread, early = Message(2, 0, (1, 2), 1), Message(3, 1, (2,), 1)
    heard = (Sent(first), Arrived(first, 1), Sent(blocking), Arrived(blocking, 0))
    return (*heard, Sent(misread), Arrived(misread, 1), Sent(early), Arrived(early, 2))


def skipped() -> Execution:
    """p2 hears m1 before m0, which m1 answers, and skips a phase: its first resynch is read as that of phase 1."""
    asked, answer, late = Message(0, 0, (1, 2), 1, 0), Message(1, 1, (0, 2), 1, 0), Message(2, 2, (0, 1), 1, 0)
    first, second = Message(-1, 1, (0, 2), 0, 0), Message(-2, 2, (0, 1), 0, 0)
    answered = (Sent(asked), Arrived(asked, 1), Sent(first), Arrived(first, 0), Arrived(first, 2), Sent(answer))
    skipping = (Arrived(answer, 2), Sent(second), Arrived(asked, 2), Arrived(second, 0))
    return (*answered, *skipping, Sent(late), Arrived(late, 0))


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
    "ks-in-turn": Specimen(bench(Oblivious, 3, previous), broadcasts(3, fifo=True), bench(FreeBroadcast, 3, previous)),
    "ks-premature": Specimen(
        bench(Premature, 3, previous), broadcasts(3, fifo=True), bench(FreeBroadcast, 3, previous)
    ),
    "transport-multicast": Specimen(acknowledging(ToMany), multicasts(3, fifo=True)),
    "transport-channels": Specimen(acknowledging(OnEachChannel), unicasts(3, fifo=True), acknowledging(Transport)),
    "isis-own-groups": Specimen(in_a_cycle(OwnGroupsOnly), in_groups(CYCLE), in_a_cycle(DenseIsis)),
    "isis-other-groups": Specimen(in_a_cycle(WaitingForOthers), in_groups(CYCLE), in_a_cycle(DenseIsis)),
    "mr-rebuilt": Specimen(
        speaking(partial(DenseMr, kind=Rebuilt), ALL, prompt=True),
        in_groups(ALL, fifo=True, most=3),
        speaking(DenseMr, ALL, prompt=True),
        skipped(),
    ),
    "mr-triggered": Specimen(
        speaking(partial(DenseMr, kind=Triggered), ALL, prompt=True),
        in_groups(ALL, fifo=True, most=2),
        speaking(DenseMr, ALL, prompt=True),
    ),
    "mr-unnumbered": Specimen(
        speaking(partial(DenseMr, numbered=False), PAIR), in_groups(PAIR), speaking(DenseMr, PAIR)
    ),
    "mr-any-order": Specimen(
        speaking(partial(DenseMr, kind=InAnyOrder), ALL), in_groups(ALL, fifo=True), speaking(DenseMr, ALL)
    ),
    "mr-any-graph": Specimen(speaking(OnAnyGraph, SHARED), in_groups(SHARED), speaking(Mr, SHARED)),
    "clocks-overtaken": Specimen(clocks(GATEWAY, 4), along(GATEWAY), clocks(GATEWAY, 3)),
    "clocks-round-about": Specimen(
        clocks(BY_WAY_OF_B, 4), along(BY_WAY_OF_B, fifo=True), clocks(BY_WAY_OF_B, 3), round_about()
    ),
    "clocks-early": Specimen(clocks(GATEWAY, 4, TooEarly), along(GATEWAY), clocks(GATEWAY, 4)),
}
