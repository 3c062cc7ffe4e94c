"""What happened before what, played again from submissions and deliveries: only for those messages that were overtaken.

Knowledge spreads like this: a host knows its own messages, and with a delivery all that the source knew when it sent
it. A message happened before another if the other's source knew it when it sent. To know of a message who knows it is
needed until the last message that overtook it has been sent, and not at all if none did. So some thousand overtaken
messages are followed at a time, a bit of an integer for each, through that part of the run in which they matter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.verify.columns import Numbers

AT_ONCE: Final = 1 << 13
_SPREAD: Final = 4
_PIECE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class History:
    """By rank: who sent, and in which row the last copy was delivered. By row: which message (-1: none) came to which
    host, and how many messages had been sent before.
    """

    source: Numbers
    last_row: Numbers
    rank: Numbers
    host: Numbers
    before: Numbers


@dataclass(frozen=True, slots=True)
class Followed:
    """Some messages, each with its bit, and up to which rank somebody may ask for them."""

    ranks: list[int]
    bits: dict[int, int]
    last: int

    @property
    def first(self) -> int:
        return self.ranks[0]

    def rank(self, bits: int) -> int:
        """The first of these."""
        return self.ranks[(bits & -bits).bit_length() - 1]


def groups(ranks: Numbers, last: Numbers) -> Iterator[Followed]:
    """Messages that matter for about as long, one after another: one that matters for long keeps no others alive."""
    if not len(ranks):
        return
    spans = np.maximum((last - ranks) // AT_ONCE, 1)
    kinds = np.ceil(np.log2(spans) / np.log2(_SPREAD)).astype(np.int64)
    for kind in np.unique(kinds):
        of_kind = np.flatnonzero(kinds == kind)
        for start in range(0, len(of_kind), AT_ONCE):
            these = of_kind[start : start + AT_ONCE]
            chosen = ranks[these].tolist()
            bits = {rank: 1 << place for place, rank in enumerate(chosen)}
            yield Followed(chosen, bits, int(last[these].max()))


def pasts(history: History, followed: Followed, wanted: Sequence[int]) -> dict[int, int]:
    """Of the wanted messages, by rank, which of those that are followed happened before it; none of them: no entry."""
    return _Replay(history, followed, frozenset(wanted)).run()


class _Replay:
    def __init__(self, history: History, followed: Followed, wanted: frozenset[int]) -> None:
        self.history = history
        self.followed = followed
        self.wanted = wanted
        self.known: dict[int, int] = {}
        self.stamps: dict[int, int] = {}
        self.found: dict[int, int] = {}
        self.sent = followed.first

    def run(self) -> dict[int, int]:
        before, first, last = self.history.before, self.followed.first, self.followed.last
        begin, end = np.searchsorted(before, first, "right"), np.searchsorted(before, last, "right")
        for start in range(int(begin), int(end), _PIECE):
            self._play(start, min(start + _PIECE, int(end)))
        self._send(last + 1)
        return self.found

    def _play(self, start: int, end: int) -> None:
        """These rows, and what was sent before each."""
        history, stamps, known = self.history, self.stamps, self.known
        rank = history.rank[start:end]
        rows = np.flatnonzero(rank >= self.followed.first)
        rank = rank[rows]
        done = history.last_row[rank] == rows + start
        columns = (history.before[start:end][rows], rank, history.host[start:end][rows], done)
        for sent, message, host, over in zip(*(column.tolist() for column in columns), strict=True):
            if sent > self.sent:
                self._send(sent)
            stamp = stamps.get(message)
            if stamp is not None:
                known[host] = known.get(host, 0) | stamp
                if over:
                    del stamps[message]

    def _send(self, until: int) -> None:
        """The messages up to this rank."""
        bits, known, stamps = self.followed.bits, self.known, self.stamps
        sources = self.history.source[self.sent : until].tolist()
        for rank, source in enumerate(sources, self.sent):
            past = known.get(source, 0)
            if past and rank in self.wanted:
                self.found[rank] = past
            own = bits.get(rank)
            if own is not None:
                known[source] = past = past | own
            if past:
                stamps[rank] = past
        self.sent = until
