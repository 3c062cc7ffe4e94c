"""Check every row of the table of deliveries in one pass, and keep the columns for later checks.

A row lacks some of the times from which its delay parts were computed. Waiting in a send queue is part of `inhibition`,
and waiting in a station's queue is part of `processing`, but a row does not have the ends of this waiting. If both
parts are zero, the sums of times are checked exactly. Otherwise, each sum must be in an interval.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from mobilesim.analysis.verify.checks import BYTES, ONCE, REFERENCES, TIMELINES, Column, Columns, Mask, Rule, RunChecks
from mobilesim.analysis.verify.columns import numeric_columns, outside, repeated
from mobilesim.analysis.verify.cross_checks.cells import Cells
from mobilesim.analysis.verify.messages import Messages, Network
from mobilesim.results.delivery_times import hosts_order, in_send_queue, received
from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.results.schema import COLUMNS

_NUMBERS = tuple(column.name for column in COLUMNS["deliveries"])
WAIT = ("row", "since", "deliverable", "ideal", "unreachable")
_COUNTS = ("stations_passed", "forwards", "retransmissions", "payload_bytes", "header_integers", "header_units")


@dataclass(frozen=True, slots=True)
class Deliveries:
    """The deliveries in time order. A copy is a message at one of its destinations (`analysis.verify.messages`).

    By row: `copy`, the index of the delivered copy (-1 if unknown or a duplicate), and `delivered`, the time.
    By copy: `row`, the row of its delivery, or -1. `overtook`: the recorded overtaken message, by row. `released`: the
    time of the release, by row. `waits`: the columns of `WAIT` of the rows whose message waited for its release.
    """

    copy: Column
    delivered: Column
    row: Column
    overtook: dict[int, int]
    by_host: Column
    released: Column
    waits: list[Columns] = field(default_factory=list)
    forwards: Column = field(default_factory=lambda: np.zeros(1, np.int64))
    """The number of times that messages were forwarded."""

    def __len__(self) -> int:
        return len(self.copy)


def check_deliveries(checks: RunChecks, messages: Messages, cells: Cells, integer_size: int) -> Deliveries:
    """Check the deliveries, and return them. `integer_size`: the bytes of an integer in a header; 0 without headers."""
    rows = len(checks.run.rows("deliveries"))
    network = messages.network
    deliveries = Deliveries(
        copy=np.full(rows, -1, np.int32),
        delivered=np.zeros(rows, np.int64),
        row=np.full(len(messages.keys), -1, np.int32),
        overtook={},
        by_host=np.zeros(network.hosts, np.int64),
        released=np.zeros(rows, np.int64),
    )
    start = latest = 0
    inhibited, late = False, ""
    at_hosts: bool | None = None if network.stations else True
    for batch in checks.run.batches("deliveries", *_NUMBERS):
        table = numeric_columns(batch)
        _add(checks, messages, deliveries, table, start)
        if network.stations:
            _check_cells(checks, cells, table, network)
        if at_hosts is None and batch.num_rows:
            at_hosts = hosts_order(table, network.stations)
        since = received(table) if at_hosts else table["arrived"]
        _add_waits(deliveries, table, since, start)
        inhibited |= bool(np.any(table["inhibition"] > 0))
        if not late and len(rows_with := np.flatnonzero(table["knock_on"] > 0)):
            late = _named(table, int(rows_with[0]))
        latest = _check_timelines(checks, table, latest, since, at_hosts=bool(at_hosts))
        check_headers(checks, table, integer_size, partial(_named, table))
        start += batch.num_rows
    if late and not inhibited and not network.windowed:
        checks.fault(TIMELINES, f"{late}: has knock_on, although no message of the run has inhibition")
    return deliveries


def _check_cells(checks: RunChecks, cells: Cells, table: Columns, network: Network) -> None:
    """Check that sender and receiver were in the cells of the stations that received and transmitted the message.

    A host that has passed on the message may have been in another cell than the sender.
    """
    source, at, hosts = table["source"], table["source_station"], network.hosts
    elsewhere = np.zeros(len(at), np.bool_)
    if not network.relays:  # the cells of a host that passes on messages would be taken for those of the sender
        elsewhere = cells.elsewhere(source, table["accepted"], at)
    heard = table["downlink_started"] + table["downlink_air"]
    sending = (source >= hosts) & (at != source - hosts)
    rules: tuple[Rule, ...] = (
        (elsewhere, "the sender was not in the cell of source_station"),
        (sending, "source_station is not the sending station"),
        (cells.elsewhere(table["destination"], heard, table["station"]), "the host was not in the cell of station"),
    )
    checks.rules(REFERENCES, partial(_named, table), rules)


def _add_waits(deliveries: Deliveries, table: Columns, since: Column, start: int) -> None:
    """Add the releases of a batch. `since`: the times from which messages could be released."""
    deliveries.released[start : start + len(since)] = table["released"]
    waited = np.flatnonzero(table["released"] > since)
    columns = {"row": waited + start, "since": since[waited]}
    deliveries.waits.append(columns | {name: table[name][waited] for name in WAIT if name not in columns})


def check_headers(checks: RunChecks, table: Columns, integer_size: int, name: Callable[[int], str]) -> None:
    """Check that the size of each header is the size of its integers."""
    size, integers = table["header_bytes"], table["header_integers"]
    checks.count(BYTES, len(size))
    wrong = size != integers * integer_size
    text = "{} bytes of header for {} integers of {}"
    checks.rules(BYTES, name, [(wrong, lambda row: text.format(size[row], integers[row], integer_size))])


def _named(table: Columns, row: int) -> str:
    return f"message {table['message'][row]} to host {table['destination'][row]}"


def _add(checks: RunChecks, messages: Messages, deliveries: Deliveries, table: Columns, start: int) -> None:
    """Compare a batch with the messages, and add it to `deliveries` from row `start` on."""
    rank = messages.rank(table["message"])
    host = table["destination"]
    unknown_host = outside(host, messages.network.hosts)
    copy = messages.copy(rank, host)
    copy[unknown_host] = -1
    duplicate = _duplicates(deliveries, copy)
    checks.count(REFERENCES, len(copy))
    rules: tuple[Rule, ...] = (
        (rank < 0, "there is no such message"),
        ((rank >= 0) & (copy < 0), "it was not sent to this host"),
        *_as_sent(messages, table, rank),
        *_causes(messages, table),
        *_stations(messages, table),
    )
    checks.rules(REFERENCES, partial(_named, table), rules)
    checks.faults(ONCE, duplicate, lambda row: f"{_named(table, row)}: delivered twice")
    end = start + len(copy)
    deliveries.copy[start:end] = np.where(duplicate, -1, copy)
    deliveries.delivered[start:end] = table["delivered"]
    deliveries.forwards[0] += int(table["forwards"].sum())
    first = np.flatnonzero((copy >= 0) & ~duplicate)
    deliveries.row[copy[first]] = first + start
    recorded = np.flatnonzero(table["overtaken"] >= 0)
    deliveries.overtook.update(zip((recorded + start).tolist(), table["overtaken"][recorded].tolist(), strict=True))
    deliveries.by_host[:] += np.bincount(host[~unknown_host], minlength=messages.network.hosts)


def _duplicates(deliveries: Deliveries, copy: Column) -> Mask:
    """Mark the copies that have an earlier delivery, in an earlier batch or in this batch."""
    again = repeated(copy)
    again[copy >= 0] |= deliveries.row[copy[copy >= 0]] >= 0
    duplicates: Mask = again & (copy >= 0)
    return duplicates


def _as_sent(messages: Messages, table: Columns, rank: Column) -> Iterator[Rule]:
    known = rank >= 0
    columns = {"source": messages.source, "submitted": messages.submitted, "payload_bytes": messages.payload}
    for name, sent in columns.items():
        wrong = known.copy()
        wrong[known] = table[name][known] != sent[rank[known]]
        yield wrong, partial(_difference, name, table[name], sent, rank)
    for name, sent in {"header_integers": messages.header, "header_units": messages.units}.items():
        larger = known.copy()
        larger[known] = table[name][known] > sent[rank[known]]
        yield larger, f"{name} is larger than in its message"


def _causes(messages: Messages, table: Columns) -> Iterator[Rule]:
    """Check that a message that ended a wait was sent before this wait ended. It may be from before the window."""
    cause = table["waited_for"]
    rank = messages.rank(cause)
    later = rank >= 0
    later[later] = messages.submitted[rank[later]] > table["released"][later]
    yield later, "waited_for names a message that was sent later"
    yield (cause < -1) | (cause == table["message"]), lambda row: f"waited_for is {cause[row]}"
    sender = table["control_from"]
    yield (sender < -1) | ((sender >= 0) & (cause >= 0)), lambda row: f"control_from is {sender[row]}"


def _difference(name: str, found: Column, sent: Column, rank: Column, row: int) -> str:
    return f"{name} is {found[row]}, but {sent[rank[row]]} in its message"


def _stations(messages: Messages, table: Columns) -> Iterator[Rule]:
    """Check that the stations exist. In a network without stations, they are -1."""
    stations = messages.network.stations
    for name in ("source_station", "station"):
        found = table[name]
        wrong = outside(found, stations) if stations else found != -1
        yield wrong, partial(lambda name, found, row: f"{name} is {found[row]}", name, found)
    passed = table["stations_passed"]
    if stations:
        least = 1 + (table["source_station"] != table["station"])
        yield passed < least, lambda row: f"stations_passed is {passed[row]}"
    else:
        for name in ("stations_passed", "forwards", "retransmissions"):
            yield table[name] != 0, f"{name} is not 0 in a static network"


def _check_timelines(checks: RunChecks, table: Columns, latest: int, since: Column, *, at_hosts: bool) -> int:
    """Check the parts and the times of each row. `latest`: the latest delivery in earlier rows. `since`: the times from
    which messages could be released.

    Return the latest delivery for the next batch.
    """
    delivered = table["delivered"]
    before = np.maximum.accumulate(np.concatenate(([latest], delivered)))
    in_order = (delivered < before[:-1], "delivered before the delivery in the previous row")
    rules = [*_sums(table), in_order, *_moments(table), *_ordering(table, since, at_hosts=at_hosts)]
    wrong = np.logical_or.reduce([mask for mask, _ in rules])
    checks.count(TIMELINES, len(wrong))
    checks.faults(
        TIMELINES, wrong, lambda row: f"{_named(table, row)}: {next(text for mask, text in rules if mask[row])}"
    )
    return int(before[-1])


def _sums(table: Columns) -> Iterator[tuple[Mask, str]]:
    for part in DELAY_PARTS:
        yield table[part] < 0, f"{part} is negative"
    yield sum(table[part] for part in DELAY_PARTS) != table["delay"], "its parts do not add up to its delay"  # type: ignore[misc]
    yield table["delivered"] - table["submitted"] != table["delay"], "its delay is not delivered - submitted"


def _moments(table: Columns) -> Iterator[tuple[Mask, str]]:
    yield table["uplink_started"] < table["submitted"], "uplink_started before submitted"
    uplink = table["accepted"] - table["uplink_started"]
    yield uplink != table["uplink_air"], "accepted - uplink_started is not uplink_air"
    yield table["sent"] < table["accepted"] + table["source_hold"], "sent before accepted + source_hold"
    processing = table["arrived"] - table["sent"] - table["wired"] - table["detour"]
    yield (processing < 0) | (processing > table["processing"]), "arrived - sent does not match wired and detour"
    held = in_send_queue(table)
    yield (held < 0) | (held > table["inhibition"]), "arrived - submitted is not the sum of the parts before arrival"
    for name in _COUNTS:
        yield table[name] < 0, f"{name} is negative"


def _ordering(table: Columns, since: Column, *, at_hosts: bool) -> Iterator[tuple[Mask, str]]:
    """Yield rules for the release. `at_hosts`: hosts order messages, so that a message is released at its delivery."""
    started = table["downlink_started"]
    if at_hosts:
        yield table["released"] != table["delivered"], "released differs from delivered, although hosts order messages"
        yield started < table["arrived"], "downlink_started before arrived"
    else:
        yield started < table["released"], "downlink_started before released"
        wrong = received(table) != table["delivered"]
        yield wrong, "delivered - downlink_started is not downlink_air and receiver_processing"
    for moment in ("deliverable", "ideal"):
        outside = (since > table[moment]) | (table[moment] > table["released"])
        yield outside, f"{moment} is not between arrival and release"
    yield table["causal_wait"] > table["ideal"] - since, "causal_wait is longer than the time until ideal"
    late = table["knock_on"] + table["inhibition"] - in_send_queue(table)
    yield late != table["released"] - table["ideal"], "released - ideal is not knock_on and inhibition"
    for name in ("waited_for", "control_from"):
        yield (table[name] >= 0) & (table["released"] <= since), f"{name} has a cause, but the message did not wait"
