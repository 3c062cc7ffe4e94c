"""Check causal and FIFO order with the order of deliveries at each host and the happened-before relation.

A delivery violates causal order if a causally preceding message to the same host is delivered later or never. The
preceding message was sent earlier. So only deliveries that overtook an earlier message can violate order. A run without
such deliveries is not replayed.

Times are whole nanoseconds. If a host sends and receives in the same nanosecond, the tables do not show which came
first. So two extreme histories are replayed: in one, every such delivery is before the host's sends of the same
nanosecond, in the other after them. A violation in both histories is certain. A violation in only one is undecided.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from mobilesim.analysis.verify.checks import CAUSAL, FIFO, Column, Mask, RunChecks
from mobilesim.analysis.verify.deliveries import Deliveries
from mobilesim.analysis.verify.messages import Messages
from mobilesim.analysis.verify.order_checks.happened_before import History, Replay, Tracked, groups
from mobilesim.statistics.proportions import Proportion


@dataclass(frozen=True, slots=True)
class OutOfOrder:
    """The copies that overtook another copy for the same host, or were overtaken by one.

    They are sorted by host, and for each host by delivery, undelivered copies last. `overtaken`: whether a message sent
    later was delivered earlier; `last`: the largest rank of such messages. `overtaking`: whether a message sent earlier
    was delivered later or never. `row`: the row of the delivery; beyond all rows if the copy was not delivered.
    """

    rank: Column
    host: Column
    row: Column
    last: Column
    overtaken: Mask
    overtaking: Mask


@dataclass(frozen=True, slots=True)
class Violations:
    """Deliveries that violate causal order. `by_row`: the rank of a causally preceding message, by row.

    `confirmed`: the rows for which the table names an overtaken message that indeed precedes causally.
    """

    by_row: dict[int, int]
    confirmed: frozenset[int]


def out_of_order(messages: Messages, deliveries: Deliveries, awaited: Mask) -> OutOfOrder:
    """Return the copies out of order. `awaited`: the copies that count as overtaken if they were never delivered."""
    never = np.flatnonzero((deliveries.row < 0) & awaited).astype(np.int32)
    copies = np.concatenate([deliveries.copy[deliveries.copy >= 0], never])
    copies = copies[np.argsort((messages.keys[copies] % messages.network.hosts).astype(np.int32), kind="stable")]
    row = deliveries.row[copies]
    # A position combines host and rank in one number. Copies are sorted by host, so a running maximum is a position of
    # the same host or of an earlier host.
    rank, position = np.divmod(messages.keys[copies], messages.network.hosts)
    position *= len(messages)
    position += rank
    del rank, copies
    overtaken, overtaking = np.zeros(len(position), np.bool_), np.zeros(len(position), np.bool_)
    least = np.minimum.accumulate(position[::-1])[::-1]
    overtaking[:-1] = (least[1:] < position[:-1]) & (row[:-1] >= 0)
    most = np.maximum.accumulate(position, out=least)
    overtaken[1:] = most[:-1] > position[1:]
    some = np.flatnonzero(overtaken | overtaking)
    return OutOfOrder(
        rank=position[some] % len(messages),
        host=position[some] // len(messages),
        row=np.where(row[some] < 0, len(deliveries), row[some]),
        last=most[some] % len(messages) if len(some) else some,
        overtaken=overtaken[some],
        overtaking=overtaking[some],
    )


def fifo_violations(messages: Messages, found: OutOfOrder) -> dict[int, int]:
    """Return, for each row that violates FIFO order, the rank of a message of the same source that it overtook."""
    if not len(found.rank):
        return {}
    pair = found.host * messages.network.sources + messages.source[found.rank]
    order = np.argsort(pair, kind="stable")
    position = pair[order] * len(messages) + found.rank[order]
    least = np.minimum.accumulate(position[::-1])[::-1]
    wrong = np.flatnonzero((least[1:] < position[:-1]) & found.overtaking[order][:-1])
    rows, overtaken = found.row[order][wrong], least[wrong + 1] % len(messages)
    return dict(sorted(zip(rows.tolist(), overtaken.tolist(), strict=True)))


def histories(messages: Messages, deliveries: Deliveries) -> Iterator[History]:
    """Yield the history with the largest causal pasts and, if different, the history with the smallest causal pasts."""
    hosts = messages.network.hosts
    rank, host = (part.astype(np.int32) for part in np.divmod(messages.keys[deliveries.copy], hosts))
    rank[deliveries.copy < 0] = -1
    submitted, delivered = np.maximum.accumulate(messages.submitted), np.maximum.accumulate(deliveries.delivered)
    sooner = np.searchsorted(submitted, delivered, "right").astype(np.int32)
    later = np.searchsorted(submitted, delivered, "left").astype(np.int32)
    del submitted, delivered
    # A message is sent before it is delivered, even within one nanosecond.
    later = np.minimum(np.maximum.accumulate(np.maximum(later, rank + 1)), sooner)
    last_row = _last_rows(messages, deliveries)
    yield History(messages.source, last_row, rank, host, later)
    if _ambiguous(messages, host, sooner, later):
        yield History(messages.source, last_row, rank, host, sooner)


def _last_rows(messages: Messages, deliveries: Deliveries) -> Column:
    """Return the row of the last delivery of each message; beyond all rows if a copy was not delivered."""
    rows = np.where(deliveries.row < 0, len(deliveries), deliveries.row)
    last = np.full(len(messages), len(deliveries), np.int32)
    heads = np.flatnonzero(np.diff(messages.keys // messages.network.hosts, prepend=-1))
    if len(heads):
        last[messages.keys[heads] // messages.network.hosts] = np.maximum.reduceat(rows, heads)
    return last


def _ambiguous(messages: Messages, host: Column, sooner: Column, later: Column) -> bool:
    """Whether a host sent and received in the same nanosecond, in an unknown order."""
    tied = np.flatnonzero(sooner > later)
    return any(host[row] in messages.source[later[row] : sooner[row]] for row in tied.tolist())


def causal_violations(history: History, found: OutOfOrder, recorded: dict[int, int]) -> Violations:
    """Return the violations of causal order. `recorded`: the rank of the overtaken message that a row names."""
    by_row: dict[int, int] = {}
    confirmed: set[int] = set()
    by_rank = np.argsort(found.rank, kind="stable")
    ranks = found.rank[by_rank]
    for tracked in _groups(found):
        window = slice(np.searchsorted(ranks, tracked.first), np.searchsorted(ranks, tracked.last, "right"))
        copies = np.sort(by_rank[window])[::-1]
        requested = frozenset(found.rank[copies][found.overtaking[copies]].tolist())
        pasts = Replay(history, tracked, requested).causal_pasts()
        for row, wrong in _violations_of(found, copies, tracked, pasts):
            lowest = (wrong & -wrong).bit_length() - 1
            by_row.setdefault(row, tracked.ranks[lowest])
            if tracked.bits.get(recorded.get(row, -1), 0) & wrong:
                confirmed.add(row)
    return Violations(dict(sorted(by_row.items())), frozenset(confirmed))


def _groups(found: OutOfOrder) -> Iterator[Tracked]:
    """Group the overtaken messages. A message must be tracked until the last message that overtook it is sent."""
    rank, last = found.rank[found.overtaken], found.last[found.overtaken]
    order = np.lexsort((last, rank))
    rank, last = rank[order], last[order]
    ends = np.flatnonzero(np.diff(rank, append=-1))
    yield from groups(rank[ends], last[ends])


def _violations_of(
    found: OutOfOrder, copies: Column, tracked: Tracked, pasts: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield each row that violates order, and the bits of the overtaken messages. `copies`: from last to first."""
    if not pasts:
        return
    here, later = -1, 0
    columns = (found.host, found.rank, found.row, found.overtaken, found.overtaking)
    for host, rank, row, overtaken, overtaking in zip(*(column[copies].tolist() for column in columns), strict=True):
        if host != here:
            here, later = host, 0
        if overtaking and (wrong := pasts.get(rank, 0) & later):
            yield row, wrong
        if overtaken:
            later |= tracked.bits.get(rank, 0)


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """Compares the reconstructed order with the claims of the protocol and with the recorded violations."""

    checks: RunChecks
    messages: Messages
    deliveries: Deliveries

    def check(self, awaited: Mask) -> None:
        """Check causal and FIFO order. `awaited`: the copies that count as overtaken if they were never delivered."""
        found = out_of_order(self.messages, self.deliveries, awaited)
        for check in (CAUSAL, FIFO):
            self.checks.count(check, len(self.deliveries))
        self._check_fifo(fifo_violations(self.messages, found))
        if not len(found.rank):
            self._check_recorded(Violations({}, frozenset()), {})
            return
        overtook = self.deliveries.overtook
        ranks = self.messages.rank(np.array(list(overtook.values()), np.int64)).tolist()
        recorded = dict(zip(overtook, ranks, strict=True))
        readings = [causal_violations(each, found, recorded) for each in histories(self.messages, self.deliveries)]
        most, least = readings[0], readings[-1]
        self._check_recorded(most, least.by_row)
        self._check_claim(least.by_row)
        if undecided := len(most.by_row) - len(least.by_row):
            tie = "a host sent and received in the same nanosecond, and the tables do not show which came first"
            self.checks.note(CAUSAL, f"{tie}; undecided for", undecided)

    def _check_claim(self, by_row: Mapping[int, int]) -> None:
        if self.checks.row["claims_causal"]:
            self._report(CAUSAL, by_row, "which causally precedes it, was not delivered to this host before")
        elif by_row:
            name = self.checks.run.protocol
            promised = self.checks.row["claims_violation_rate"]
            if promised is None:
                self.checks.note(CAUSAL, f"{name} does not claim it; violated by", len(by_row))
            else:
                found = Proportion(len(by_row), self.checks.row["judged"])
                self.checks.note(CAUSAL, f"{name} promises a rate of violations: {found.compared(promised)}")

    def _check_fifo(self, by_row: Mapping[int, int]) -> None:
        recorded = self.checks.row["fifo_violations"]
        if self.checks.row["claims_fifo"]:
            self._report(FIFO, by_row, "which its source sent earlier, was not delivered to this host before")
        elif by_row and recorded and self._complete:
            self.checks.note(FIFO, f"{self.checks.run.protocol} does not claim it; violated by", len(by_row))
        if self._complete and len(by_row) != recorded:
            self.checks.fault(FIFO, f"runs: fifo_violations: {recorded:,} recorded, {len(by_row):,} found")

    @property
    def _complete(self) -> bool:
        """Whether the tables have all events that the oracle observed."""
        return not (self.messages.network.windowed or self.checks.row["dropped"] or self.checks.row["duplicates"])

    def _check_recorded(self, most: Violations, least: Mapping[int, int]) -> None:
        """Check the recorded overtaken message of each row.

        A wrong record cannot be detected if the tables lack messages before a window, or if messages were dropped.
        """
        overtook = self.deliveries.overtook
        for row in sorted(least.keys() - overtook.keys()):
            number = self.messages.number[least[row]]
            self.checks.fault(CAUSAL, f"{self._name(row)}: overtook message {number}, but the row names none")
        if self.messages.network.windowed or self.checks.row["dropped"]:
            return
        for row in sorted(overtook.keys() - most.confirmed):
            text = f"{self._name(row)}: recorded as overtaking message {overtook[row]}, but did not"
            self.checks.fault(CAUSAL, text)

    def _report(self, check: str, by_row: Mapping[int, int], why: str) -> None:
        for row, rank in by_row.items():
            self.checks.fault(check, f"{self._name(row)}: message {self.messages.number[rank]}, {why}")

    def _name(self, row: int) -> str:
        copy = int(self.deliveries.copy[row])
        return self.messages.described(copy) if copy >= 0 else f"row {row} of deliveries"
