"""The happened-before relation of overtaken messages, replayed from submissions and deliveries.

The causal past of a host contains its own messages and, after each delivery, the causal past of the source at the time
of sending. Message m happened before message n if m is in the causal past of the source of n when n is sent. An
overtaken message must be tracked only until the last message that overtook it is sent. So overtaken messages are
tracked in groups of up to 8,192, with one bit each, and only the necessary part of the run is replayed for a group.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from mobilesim.analysis.verify.checks import Column

AT_ONCE: Final = 1 << 13
_SPAN_RATIO: Final = 4
_ROWS_AT_ONCE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class History:
    """Submissions and deliveries.

    By rank of a message: its `source`, and `last_row`, the row of its last delivery. By row of deliveries: the `rank`
    of the message (-1 if unknown), the `host`, and `before`, the number of messages sent before this delivery.
    """

    source: Column
    last_row: Column
    rank: Column
    host: Column
    before: Column


@dataclass(frozen=True, slots=True)
class Tracked:
    """A group of tracked messages, with one bit each. `last`: the largest rank of a message that overtook a member."""

    ranks: list[int]
    bits: dict[int, int]
    last: int

    @property
    def first(self) -> int:
        return self.ranks[0]


def groups(ranks: Column, last: Column) -> Iterator[Tracked]:
    """Yield groups of messages with similar periods of tracking: a longer period prolongs the replay of the group."""
    if not len(ranks):
        return
    spans = np.maximum((last - ranks) // AT_ONCE, 1)
    classes = np.ceil(np.log2(spans) / np.log2(_SPAN_RATIO)).astype(np.int64)
    for span_class in np.unique(classes):
        members = np.flatnonzero(classes == span_class)
        for start in range(0, len(members), AT_ONCE):
            group = members[start : start + AT_ONCE]
            chosen = ranks[group].tolist()
            bits = {rank: 1 << index for index, rank in enumerate(chosen)}
            yield Tracked(chosen, bits, int(last[group].max()))


@dataclass(slots=True)
class Replay:
    """The replay of a group. `requested`: the ranks of the messages for which the causal past is returned.

    `known`: the causal past of each host. `stamps`: the causal past of each message in transit.
    """

    history: History
    tracked: Tracked
    requested: frozenset[int]
    known: dict[int, int] = field(default_factory=dict)
    stamps: dict[int, int] = field(default_factory=dict)
    pasts: dict[int, int] = field(default_factory=dict)
    sent: int = 0

    def causal_pasts(self) -> dict[int, int]:
        """Return the causal pasts of requested messages by rank, as bits of tracked messages, without empty pasts."""
        self.sent = self.tracked.first
        before, first, last = self.history.before, self.tracked.first, self.tracked.last
        begin, end = np.searchsorted(before, first, "right"), np.searchsorted(before, last, "right")
        for start in range(int(begin), int(end), _ROWS_AT_ONCE):
            self._replay_rows(start, min(start + _ROWS_AT_ONCE, int(end)))
        self._send_until(last + 1)
        return self.pasts

    def _replay_rows(self, start: int, end: int) -> None:
        """Replay deliveries, and the submissions before each delivery."""
        history, stamps, known = self.history, self.stamps, self.known
        rank = history.rank[start:end]
        rows = np.flatnonzero(rank >= self.tracked.first)
        rank = rank[rows]
        is_last = history.last_row[rank] == rows + start
        columns = (history.before[start:end][rows], rank, history.host[start:end][rows], is_last)
        for sent, message, host, done in zip(*(column.tolist() for column in columns), strict=True):
            if sent > self.sent:
                self._send_until(sent)
            stamp = stamps.get(message)
            if stamp is not None:
                known[host] = known.get(host, 0) | stamp
                if done:
                    del stamps[message]

    def _send_until(self, end: int) -> None:
        """Replay the submissions of all messages below this rank."""
        bits, known, stamps = self.tracked.bits, self.known, self.stamps
        sources = self.history.source[self.sent : end].tolist()
        for rank, source in enumerate(sources, self.sent):
            past = known.get(source, 0)
            if past and rank in self.requested:
                self.pasts[rank] = past
            bit = bits.get(rank)
            if bit is not None:
                known[source] = past = past | bit
            if past:
                stamps[rank] = past
        self.sent = end
