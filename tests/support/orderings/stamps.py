"""Stamps as text, in the notation of the papers. p1#2 is the second message of p1."""

from collections.abc import Callable, Iterable

from mobilesim.protocols.orderings.mr import Phases
from mobilesim.protocols.orderings.synchronised.ks_serialised import Previous
from mobilesim.protocols.packed_vectors import entry
from mobilesim.protocols.packets import Stamp
from tests.support.orderings import dense_ks, dense_mr, dense_prs, dense_ses, dense_short_chains, dense_vectors

Carries = Callable[[Stamp], str]


def times(stamp: Stamp) -> str:
    assert isinstance(stamp, dense_ses.Pairs)
    pairs = [f"p{process}: {_time(time)}" for process, time in stamp.pairs]
    return ", ".join([f"time {_time(stamp.time)}", *pairs])


def barriers(stamp: Stamp) -> str:
    assert isinstance(stamp, dense_prs.Printed)
    return ", ".join(f"p{to}: {numbered(tuples)}" for to, tuples in stamp.barrier.items() if tuples) or "-"


def barrier(stamp: Stamp) -> str:
    """Return the barrier in a stamp with equal components."""
    assert isinstance(stamp, dense_prs.Printed)
    return numbered(stamp.barrier[0]) or "-"


def logs(stamp: Stamp) -> str:
    assert isinstance(stamp, dense_ks.Printed)
    sends = [(send, to) for send, to in sorted(stamp.log.items()) if send[1]]
    return ", ".join(f"{numbered([send])} for {_processes(to)}" for send, to in sends) or "-"


def vectors(stamp: Stamp) -> str:
    assert isinstance(stamp, dense_vectors.Printed)
    counts = [f"g{group} p{member}: {count}" for (group, member), count in stamp.counts if count]
    return ", ".join(counts)


def two_vectors(stamp: Stamp) -> str:
    """Return vector (2) of lemma 8, and then vector (1)."""
    assert isinstance(stamp, dense_short_chains.TwoVectors)
    awaited = numbered(stamp.yours) or "-"
    mine = ", ".join(f"p{stamp.sender}#{number} to p{to}" for to, number in stamp.mine)
    return f"{awaited} | {mine or '-'}"


def previous(stamp: Stamp) -> str:
    assert isinstance(stamp, Previous)
    return "-" if stamp.send is None else numbered([stamp.send])


def phases(stamp: Stamp) -> str:
    """Return the phases in a stamp. If the stamp has entries only for the sender's groups, these groups come first."""
    if isinstance(stamp, Phases):
        return _groups(entry(stamp.counts, group) for group in range(stamp.size))
    assert isinstance(stamp, dense_mr.Printed)
    return f"phase {stamp.time}" if stamp.resynch else _groups(stamp.phases)


def one_phase(stamp: Stamp) -> str:
    """Return the phase in a stamp with one phase for all groups."""
    assert isinstance(stamp, dense_mr.Printed)
    return f"phase {stamp.phases[0]}"


def nothing(stamp: Stamp) -> str:
    assert stamp.integers == 0
    return "-"


def numbered(sends: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"p{source}#{number}" for source, number in sorted(sends))


def _time(time: tuple[int, ...]) -> str:
    return ".".join(map(str, time))


def _groups(phases: Iterable[int]) -> str:
    return ", ".join(f"g{group}: {phase}" for group, phase in enumerate(phases))


def _processes(some: Iterable[int]) -> str:
    return " ".join(f"p{one}" for one in sorted(some)) or "no process"
