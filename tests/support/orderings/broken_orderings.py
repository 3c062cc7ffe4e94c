"""Broken orderings and clocks, and executions that show their faults. Most of them follow a paper as printed."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations, permutations
from typing import Final

from mobilesim.conformance.executions import Arrived, Sent
from mobilesim.protocols.clocks.known_links.propagation import AllocatedClock
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.ordering import Groups, Ordering
from mobilesim.protocols.orderings.mr import Mr
from mobilesim.protocols.orderings.synchronised.transport import Transport
from mobilesim.protocols.packets import Message
from tests.support.clocks.execution import ArrivalBeforeTick
from tests.support.clocks.graphs import linked
from tests.support.orderings.dense_differential import (
    AfterSend,
    DifferentialProcess,
    OneLatestSend,
    StrictlyLater,
    variant,
)
from tests.support.orderings.dense_ks import Dense, Lookahead
from tests.support.orderings.dense_mr import DenseMr, DenseProcess, InAnyOrder, OnAnyGraph, Rebuilt
from tests.support.orderings.dense_mr import Printed as MrPacket
from tests.support.orderings.dense_one_phase import OneGroup, OnePhase, OwnPhase, Silent
from tests.support.orderings.dense_one_phase import one_phase as dense_one_phase
from tests.support.orderings.dense_prs import OneComponent, OneSet, OwnComponent, Sets
from tests.support.orderings.dense_ses import DenseSes, Forgetful
from tests.support.orderings.dense_short_chains import BeforeSend, short_chains
from tests.support.orderings.dense_short_chains import DenseProcess as ShortChainsProcess
from tests.support.orderings.dense_vectors import DenseIsis, OwnGroupsOnly, WaitingForOthers
from tests.support.orderings.free_turn import FreeBroadcast, LatestReceivedSend, Premature
from tests.support.orderings.multicasts import CYCLE
from tests.support.orderings.replays import ClocksReplay, ControlReplay, OrderingReplay, SupersededReplay
from tests.support.orderings.shortest import Execution, Replay, Sends
from tests.support.orderings.stamps import (
    Carries,
    barrier,
    barriers,
    logs,
    nothing,
    one_phase,
    phases,
    previous,
    times,
    two_vectors,
    vectors,
)
from tests.support.orderings.transport_variants import OnEachChannel, ToMany

NewReplay = Callable[[], Replay]
Pairs = tuple[tuple[int, int], ...]
A, B, D, E = range(4)
GATEWAY: Final[Pairs] = ((A, D), (B, D), (D, E), (E, D))
PAIR: Final[Groups] = ((0, 1),)
ALL: Final[Groups] = ((0, 1, 2),)
SHARED: Final[Groups] = ((0, 1, 2), (0, 1))
CHAIN: Final[Groups] = ((0, 1), (1, 2))
BY_WAY_OF_B: Final[Pairs] = ((A, B), *GATEWAY)


@value
class BrokenOrdering:
    """A broken ordering and the possible sends of its executions.

    `mended`: a correct ordering, which has no fault in the same execution. `known`: an execution that shows the fault,
    if a search takes too long.
    """

    broken: NewReplay
    sends: Sends
    mended: NewReplay | None = None
    known: Execution = ()


class Triggered(DenseProcess):
    """Accepts a stamp when its phase is the next one of its channel, if phases increase regularly."""

    def __init__(self, index: int, groups: Groups, *, numbered: bool) -> None:
        super().__init__(index, groups, numbered=numbered)
        self.last: dict[tuple[int, int], tuple[bool, int]] = {}

    def next(self, word: MrPacket) -> bool:
        resynch, phase = self.last.get((word.sender, word.group), (False, -1))
        return word.time == phase + (not resynch) + word.resynch

    def read(self, word: MrPacket) -> MrPacket:
        self.last[word.sender, word.group] = word.resynch, word.time
        return word


def replay_of(ordering: Callable[[int], Ordering], size: int, carries: Carries) -> NewReplay:
    return lambda: OrderingReplay(ordering(size), size, carries)


def in_a_cycle(ordering: Callable[[int, Groups], Ordering]) -> NewReplay:
    return replay_of(lambda size: ordering(size, CYCLE), 3, vectors)


def differing(kind: type[DifferentialProcess], groups: Groups) -> NewReplay:
    size = 1 + max(map(max, groups))
    return replay_of(lambda size: variant(kind, size, groups), size, vectors)


def speaking(ordering: Callable[[int, Groups], Ordering], groups: Groups, *, prompt: bool = False) -> NewReplay:
    size = 1 + max(map(max, groups))
    return lambda: ControlReplay(ordering(size, groups), size, phases, prompt=prompt)


def in_one_phase(kind: type[OnePhase], groups: Groups) -> NewReplay:
    size = 1 + max(map(max, groups))
    return lambda: ControlReplay(dense_one_phase(size, groups, kind=kind), size, one_phase, prompt=True)


def acknowledging(ordering: Callable[[int], Ordering]) -> NewReplay:
    return lambda: ControlReplay(ordering(3), 3, nothing, prompt=True)


def superseded() -> Replay:
    return SupersededReplay(Sets(3), 3, barriers)


def clocks(pairs: Pairs, number: int, clock: type[AllocatedClock] = AllocatedClock) -> NewReplay:
    return lambda: ClocksReplay(linked(4, list(pairs)), number, clock, "ABDE")


def multicasts(size: int, *, own: bool = False, fifo: bool = False, most: int | None = None) -> Sends:
    """Return the sends of each process to each set of other processes. With `own`, the sender may be a destination,
    too.
    """
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


def lookahead_execution() -> Execution:
    """p0 sends m0 to p1 and p2. By the stamp of m2, p1 may omit m0 in messages to p2, since these depend on m2. p1
    omits m0 from m3 although the stamp of m3 does not contain m2.
    """
    first, blocking = Message(0, 0, (1, 2), 1), Message(1, 2, (0, 1), 1)
    misread, early = Message(2, 0, (1, 2), 1), Message(3, 1, (2,), 1)
    heard = (Sent(first), Arrived(first, 1), Sent(blocking), Arrived(blocking, 0))
    return (*heard, Sent(misread), Arrived(misread, 1), Sent(early), Arrived(early, 2))


def skipped_phase() -> Execution:
    """p1 sends m1 after it has received m0. p2 receives m1 before m0 and so skips a phase. The first resynch of p2 is
    taken for the resynch of phase 1.
    """
    request, answer, late = Message(0, 0, (1, 2), 1, 0), Message(1, 1, (0, 2), 1, 0), Message(2, 2, (0, 1), 1, 0)
    first, second = Message(-1, 1, (0, 2), 0, 0), Message(-2, 2, (0, 1), 0, 0)
    answered = (Sent(request), Arrived(request, 1), Sent(first), Arrived(first, 0), Arrived(first, 2), Sent(answer))
    skipping = (Arrived(answer, 2), Sent(second), Arrived(request, 2), Arrived(second, 0))
    return (*answered, *skipping, Sent(late), Arrived(late, 0))


def round_about() -> Execution:
    """m2 reaches D through B before m0. When E answers a message of D, it knows about m0 only from D."""
    late, aside, ahead = Message(0, A, (D,), 1), Message(1, A, (B,), 1), Message(2, B, (D,), 1)
    out, back = Message(3, D, (E,), 1), Message(4, E, (D,), 1)
    overtaken = (Sent(late), Sent(aside), Arrived(aside, B), Sent(ahead), Arrived(ahead, D))
    return (*overtaken, Sent(out), Arrived(late, D), Arrived(out, E), Sent(back), Arrived(back, D))


BROKEN_ORDERINGS: Final[Mapping[str, BrokenOrdering]] = {
    "ses-own-copy": BrokenOrdering(replay_of(DenseSes, 2, times), multicasts(2, own=True, fifo=True)),
    "ses-forgetful": BrokenOrdering(replay_of(Forgetful, 3, times), multicasts(3), replay_of(DenseSes, 3, times)),
    "prs-own-copy": BrokenOrdering(replay_of(Sets, 2, barriers), multicasts(2, own=True, fifo=True)),
    "prs-one-component": BrokenOrdering(
        replay_of(OneComponent, 3, barrier), broadcasts(3, fifo=True), replay_of(OneSet, 3, barrier)
    ),
    "prs-own-component": BrokenOrdering(
        replay_of(OwnComponent, 3, barrier), broadcasts(3), replay_of(OneSet, 3, barrier)
    ),
    "prs-superseded": BrokenOrdering(superseded, multicasts(3, fifo=True)),
    "ks-lookahead": BrokenOrdering(
        replay_of(Lookahead, 3, logs),
        multicasts(3, fifo=True, most=4),
        replay_of(Dense, 3, logs),
        lookahead_execution(),
    ),
    "ks-before-send": BrokenOrdering(
        replay_of(partial(short_chains, BeforeSend), 3, two_vectors),
        multicasts(3, fifo=True),
        replay_of(partial(short_chains, ShortChainsProcess), 3, two_vectors),
    ),
    "ks-in-turn": BrokenOrdering(
        replay_of(LatestReceivedSend, 3, previous), broadcasts(3, fifo=True), replay_of(FreeBroadcast, 3, previous)
    ),
    "ks-premature": BrokenOrdering(
        replay_of(Premature, 3, previous), broadcasts(3, fifo=True), replay_of(FreeBroadcast, 3, previous)
    ),
    "transport-multicast": BrokenOrdering(acknowledging(ToMany), multicasts(3, fifo=True)),
    "transport-channels": BrokenOrdering(
        acknowledging(OnEachChannel), unicasts(3, fifo=True), acknowledging(Transport)
    ),
    "isis-own-groups": BrokenOrdering(in_a_cycle(OwnGroupsOnly), in_groups(CYCLE), in_a_cycle(DenseIsis)),
    "isis-other-groups": BrokenOrdering(in_a_cycle(WaitingForOthers), in_groups(CYCLE), in_a_cycle(DenseIsis)),
    "differential-strict": BrokenOrdering(
        differing(StrictlyLater, ALL), in_groups(ALL, fifo=True), differing(DifferentialProcess, ALL)
    ),
    "differential-one-send": BrokenOrdering(
        differing(OneLatestSend, CYCLE), in_groups(CYCLE, fifo=True), differing(DifferentialProcess, CYCLE)
    ),
    "differential-after-send": BrokenOrdering(
        differing(AfterSend, SHARED), in_groups(SHARED, fifo=True), differing(DifferentialProcess, SHARED)
    ),
    "mr-rebuilt": BrokenOrdering(
        speaking(partial(DenseMr, kind=Rebuilt), ALL, prompt=True),
        in_groups(ALL, fifo=True, most=3),
        speaking(DenseMr, ALL, prompt=True),
        skipped_phase(),
    ),
    "mr-triggered": BrokenOrdering(
        speaking(partial(DenseMr, kind=Triggered), ALL, prompt=True),
        in_groups(ALL, fifo=True, most=2),
        speaking(DenseMr, ALL, prompt=True),
    ),
    "mr-unnumbered": BrokenOrdering(
        speaking(partial(DenseMr, numbered=False), PAIR), in_groups(PAIR), speaking(DenseMr, PAIR)
    ),
    "mr-any-order": BrokenOrdering(
        speaking(partial(DenseMr, kind=InAnyOrder), ALL), in_groups(ALL, fifo=True), speaking(DenseMr, ALL)
    ),
    "mr-any-graph": BrokenOrdering(speaking(OnAnyGraph, SHARED), in_groups(SHARED), speaking(Mr, SHARED)),
    "mr-one-group": BrokenOrdering(
        in_one_phase(OneGroup, CHAIN), in_groups(CHAIN, fifo=True), in_one_phase(OnePhase, CHAIN)
    ),
    "mr-silent": BrokenOrdering(
        in_one_phase(Silent, CHAIN), in_groups(CHAIN, fifo=True), in_one_phase(OnePhase, CHAIN)
    ),
    "mr-own-phase": BrokenOrdering(
        in_one_phase(OwnPhase, CHAIN), in_groups(CHAIN, fifo=True), in_one_phase(OnePhase, CHAIN)
    ),
    "clocks-overtaken": BrokenOrdering(clocks(GATEWAY, 4), along(GATEWAY), clocks(GATEWAY, 3)),
    "clocks-round-about": BrokenOrdering(
        clocks(BY_WAY_OF_B, 4), along(BY_WAY_OF_B, fifo=True), clocks(BY_WAY_OF_B, 3), round_about()
    ),
    "clocks-early": BrokenOrdering(clocks(GATEWAY, 4, ArrivalBeforeTick), along(GATEWAY), clocks(GATEWAY, 4)),
}
