"""Causal order and FIFO order, from the order of deliveries at every host and from what happened before what.

A delivery breaks causal order if a message that happened before, and was sent to the same host, comes there later or
never. It must have been sent earlier; so only those deliveries can break it that overtook an earlier message, and where
no host got an earlier message after a later one there is nothing to replay.

Times are whole nanoseconds, and the tables do not tell whether a host sent before or after a delivery in the same one.
If both readings say the same of a delivery it is certain; else it is open.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analysis.verify.columns import Numbers
from analysis.verify.deliveries import Deliveries
from analysis.verify.happened_before import Followed, History, groups, pasts
from analysis.verify.messages import Messages


@dataclass(frozen=True, slots=True)
class Crossings:
    """Copies that came out of the order in which they were sent, host by host, and there as they were delivered.

    `overtaken`: one that was sent later came before; the last such has rank `last`. `overtaking`: one that was sent
    earlier came later, or never. `row` is beyond all rows if it never came.
    """

    rank: Numbers
    host: Numbers
    row: Numbers
    last: Numbers
    overtaken: Numbers
    overtaking: Numbers


@dataclass(frozen=True, slots=True)
class Broken:
    """By row, a message that happened before and comes later, or -1. `confirmed`: where this is so of the message that
    the row says it overtook.
    """

    by: dict[int, int]
    confirmed: frozenset[int]


def crossings(sent: Messages, made: Deliveries, awaited: Numbers) -> Crossings:
    """`awaited`: by copy, whether anything has to wait for it though it was never delivered."""
    never = np.flatnonzero((made.row < 0) & awaited).astype(np.int32)
    copies = np.concatenate([made.copy[made.copy >= 0], never])
    copies = copies[np.argsort((sent.keys[copies] % sent.network.hosts).astype(np.int32), kind="stable")]
    row = made.row[copies]
    # Host and rank in one number that grows with both: the greatest so far is of the same host, or of none before it.
    rank, place = np.divmod(sent.keys[copies], sent.network.hosts)
    place *= len(sent)
    place += rank
    del rank, copies
    overtaken, overtaking = np.zeros(len(place), np.bool_), np.zeros(len(place), np.bool_)
    least = np.minimum.accumulate(place[::-1])[::-1]
    overtaking[:-1] = (least[1:] < place[:-1]) & (row[:-1] >= 0)
    most = np.maximum.accumulate(place, out=least)
    overtaken[1:] = most[:-1] > place[1:]
    some = np.flatnonzero(overtaken | overtaking)
    return Crossings(
        rank=place[some] % len(sent),
        host=place[some] // len(sent),
        row=np.where(row[some] < 0, len(made), row[some]),
        last=most[some] % len(sent) if len(some) else some,
        overtaken=overtaken[some],
        overtaking=overtaking[some],
    )


def out_of_fifo(sent: Messages, crossed: Crossings) -> dict[int, int]:
    """By row of a delivery, a message of the same source that was sent earlier and comes later."""
    if not len(crossed.rank):
        return {}
    pair = crossed.host * sent.network.sources + sent.source[crossed.rank]
    order = np.argsort(pair, kind="stable")
    place = pair[order] * len(sent) + crossed.rank[order]
    least = np.minimum.accumulate(place[::-1])[::-1]
    wrong = np.flatnonzero((least[1:] < place[:-1]) & crossed.overtaking[order][:-1])
    rows, others = crossed.row[order][wrong], least[wrong + 1] % len(sent)
    return dict(sorted(zip(rows.tolist(), others.tolist(), strict=True)))


def histories(sent: Messages, made: Deliveries) -> Iterator[History]:
    """The reading in which hosts know most, and if it makes a difference that in which they know least."""
    rank, host = (part.astype(np.int32) for part in np.divmod(sent.keys[made.copy], sent.network.hosts))
    rank[made.copy < 0] = -1
    submitted, delivered = np.maximum.accumulate(sent.submitted), np.maximum.accumulate(made.delivered)
    sooner = np.searchsorted(submitted, delivered, "right").astype(np.int32)
    later = np.searchsorted(submitted, delivered, "left").astype(np.int32)
    del submitted, delivered
    # A message is sent before it is delivered, also within a nanosecond.
    later = np.minimum(np.maximum.accumulate(np.maximum(later, rank + 1)), sooner)
    last_row = _last_rows(sent, made)
    yield History(sent.source, last_row, rank, host, later)
    if _matters(sent, host, sooner, later):
        yield History(sent.source, last_row, rank, host, sooner)


def _last_rows(sent: Messages, made: Deliveries) -> Numbers:
    """By rank, the row of its last delivery; beyond all rows while one is to come."""
    rows = np.where(made.row < 0, len(made), made.row)
    last = np.full(len(sent), len(made), np.int32)
    heads = np.flatnonzero(np.diff(sent.keys // sent.network.hosts, prepend=-1))
    if len(heads):
        last[sent.keys[heads] // sent.network.hosts] = np.maximum.reduceat(rows, heads)
    return last


def _matters(sent: Messages, host: Numbers, sooner: Numbers, later: Numbers) -> bool:
    """Whether any host sent and received in the same nanosecond, and could have done so in either order."""
    tied = np.flatnonzero(sooner > later)
    return any(host[row] in sent.source[later[row] : sooner[row]] for row in tied.tolist())


def broken(history: History, crossed: Crossings, claimed: dict[int, int]) -> Broken:
    """`claimed`: by row, the rank of the message that it says it overtook."""
    by: dict[int, int] = {}
    confirmed: set[int] = set()
    by_rank = np.argsort(crossed.rank, kind="stable")
    ranks = crossed.rank[by_rank]
    for followed in _groups(crossed):
        window = slice(np.searchsorted(ranks, followed.first), np.searchsorted(ranks, followed.last, "right"))
        copies = np.sort(by_rank[window])[::-1]
        wanted = crossed.rank[copies][crossed.overtaking[copies]].tolist()
        past = pasts(history, followed, wanted)
        if past:
            _hold_against(crossed, copies, followed, past, (by, claimed, confirmed))
    return Broken(dict(sorted(by.items())), frozenset(confirmed))


def _groups(crossed: Crossings) -> Iterator[Followed]:
    """All overtaken messages, with the last that any host got too early."""
    rank, last = crossed.rank[crossed.overtaken], crossed.last[crossed.overtaken]
    order = np.lexsort((last, rank))
    rank, last = rank[order], last[order]
    ends = np.flatnonzero(np.diff(rank, append=-1))
    yield from groups(rank[ends], last[ends])


def _hold_against(
    crossed: Crossings,
    copies: Numbers,
    followed: Followed,
    past: dict[int, int],
    told: tuple[dict[int, int], dict[int, int], set[int]],
) -> None:
    """From the last delivery of every host back to its first: what happened before and has come already, later on."""
    by, claimed, confirmed = told
    here, later = -1, 0
    columns = (crossed.host, crossed.rank, crossed.row, crossed.overtaken, crossed.overtaking)
    for host, rank, row, overtaken, overtaking in zip(*(column[copies].tolist() for column in columns), strict=True):
        if host != here:
            here, later = host, 0
        if overtaking and (wrong := past.get(rank, 0) & later):
            by.setdefault(row, followed.rank(wrong))
            if followed.bits.get(claimed.get(row, -1), 0) & wrong:
                confirmed.add(row)
        if overtaken:
            later |= followed.bits.get(rank, 0)
