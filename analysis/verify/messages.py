"""The messages of a run in the order in which they were sent, with an index for each copy.

Messages are numbered in the order of sending. The *rank* of a message is its index in this order. A *copy* is a message
at one of its destinations; its key is rank x hosts + host. If only a window of a run was measured, the table has no
messages from before the window. Such messages are reconstructed from their deliveries in the window.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.verify.checks import REFERENCES, TIMELINES, Column, Columns, Mask, Rule, RunChecks
from mobilesim.analysis.verify.columns import numeric_columns, outside, repeated, sums

_PLAIN: Final = ("message", "source", "payload_bytes", "submitted", "header_integers", "header_units")
_COPIES: Final = ("of", "host")
_FROM_DELIVERIES: Final = ("message", "source", "destination", "payload_bytes", "submitted")
_ABOVE_ALL: Final = 1 << 31
"""Greater than any message number."""
_UNKNOWN: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Network:
    """The size of the network. `windowed`: whether the tables have only a window of the run. `relays`: whether hosts
    pass on messages of others.
    """

    hosts: int
    stations: int
    windowed: bool
    relays: bool = False

    @property
    def sources(self) -> int:
        return self.hosts + self.stations


@dataclass(frozen=True, slots=True)
class Messages:
    """Columns by rank, and the sorted keys of all copies. `early`: the number of messages from before the window."""

    network: Network
    early: int
    number: Column
    source: Column
    submitted: Column
    payload: Column
    header: Column
    units: Column
    keys: Column

    def __len__(self) -> int:
        return len(self.number)

    def rank(self, number: Column) -> Column:
        """Return the ranks of message numbers; -1 for unknown numbers."""
        return _indices(self.number, number)

    def copy(self, rank: Column, host: Column) -> Column:
        """Return the indices of copies; -1 if the message was not sent to the host."""
        return np.where(rank < 0, -1, _indices(self.keys, rank.astype(np.int64) * self.network.hosts + host))

    def described(self, copy: int) -> str:
        rank, host = divmod(int(self.keys[copy]), self.network.hosts)
        return f"message {self.number[rank]} to host {host}"


def _indices(ordered: Column, values: Column) -> Column:
    """Return the indices of values in `ordered`; -1 for missing values."""
    if not len(ordered):
        return np.full(len(values), -1, np.int64)
    indices = np.searchsorted(ordered, values)
    indices[indices == len(ordered)] = 0
    return np.where(ordered[indices] == values, indices, -1)


def check_messages(checks: RunChecks, network: Network) -> Messages:
    batches = [*_read(checks, network)]
    # Each column is concatenated and then removed from its batches before the next column: this halves the peak memory.
    columns = {name: np.concatenate([batch.pop(name) for batch in batches]) for name in (*_PLAIN, *_COPIES)}
    message = columns["message"]
    checks.faults(REFERENCES, repeated(message), lambda row: f"message {message[row]} is in the table twice")
    first = int(message.min()) if len(message) else _ABOVE_ALL
    if network.windowed and (found := _before_window(checks.run, first)):
        columns = {name: np.concatenate([*(batch[name] for batch in found), columns[name]]) for name in columns}
    number, index = np.unique(columns["message"], return_index=True)
    keys = _indices(number, columns.pop("of"))
    keys *= network.hosts
    keys += columns.pop("host")
    keys.sort()
    duplicates = np.flatnonzero(np.diff(keys) == 0)
    messages = Messages(
        network=network,
        early=int(np.searchsorted(number, first)),
        number=number,
        source=columns.pop("source")[index],
        submitted=columns.pop("submitted")[index],
        payload=columns.pop("payload_bytes")[index],
        header=columns.pop("header_integers")[index],
        units=columns.pop("header_units")[index],
        keys=np.delete(keys, duplicates) if len(duplicates) else keys,
    )
    earlier = np.diff(messages.submitted, prepend=messages.submitted[:1]) < 0
    checks.count(TIMELINES, len(number))
    checks.faults(TIMELINES, earlier, lambda rank: f"message {number[rank]}: submitted before the previous message")
    return messages


def _read(checks: RunChecks, network: Network) -> Iterator[Columns]:
    """Yield the columns of each batch, with the message number (`of`) and the host of every copy."""
    yield dict.fromkeys((*_PLAIN, *_COPIES), np.zeros(0, np.int32))
    for batch in checks.run.batches("messages", *_PLAIN, "group", "copies", "destinations"):
        table = numeric_columns(batch)
        lists = batch.column("destinations")
        lengths, host = lists.value_lengths().to_numpy(), lists.flatten().to_numpy()
        of = np.repeat(table["message"], lengths)
        checks.count(REFERENCES, len(lengths))
        _check_rows(checks, table, lengths, network)
        _check_groups(checks, table, (of, host), network)
        known = _check_destinations(checks, (of, host, np.repeat(table["source"], lengths)), network)
        yield {**{name: table[name] for name in _PLAIN}, "of": of[known], "host": host[known]}


def _check_rows(checks: RunChecks, table: Columns, lengths: Column, network: Network) -> None:
    message, source, copies, submitted = (table[name] for name in ("message", "source", "copies", "submitted"))
    negative = (submitted < 0) | (table["payload_bytes"] < 0) | (table["header_integers"] < 0)
    negative |= table["header_units"] < 0
    rules: tuple[Rule, ...] = (
        (outside(source, network.sources), lambda row: f"there is no source {source[row]}"),
        (copies != lengths, lambda row: f"the number of destinations is not copies, {copies[row]}"),
        (negative, lambda row: f"a number is negative; submitted {submitted[row]}"),
    )
    checks.rules(REFERENCES, lambda row: f"message {message[row]}", rules)


def _check_groups(checks: RunChecks, table: Columns, copies: tuple[Column, Column], network: Network) -> None:
    """Check that all messages of a group have the same source and destinations together, and that hosts send either to
    groups only or to none. A station is no member of a group.
    """
    message, source, group = table["message"], table["source"], table["group"]
    by_host = source < network.hosts
    mixed = by_host & (group < 0) & bool((group >= 0).any())
    rules: list[Rule] = [(mixed | (group < -1), lambda row: f"it is for group {group[row]}, and others are for groups")]
    if (group >= 0).any():
        of, host = copies
        weight = np.random.default_rng(1).integers(1, 1 << 40, network.sources)
        weight[network.hosts :] = 0
        known = ~outside(host, network.hosts)
        number, place = np.unique(message, return_inverse=True)
        members = sums(np.searchsorted(number, of[known]), weight[host[known]], len(number))[place]
        members += np.where(outside(source, network.sources), 0, weight[np.clip(source, 0, network.sources - 1)])
        _, first, index = np.unique(group, return_index=True, return_inverse=True)
        differs = (group >= 0) & (members != members[first][index])
        rules.append((differs, lambda row: f"its source and destinations are not the members of group {group[row]}"))
    checks.rules(REFERENCES, lambda row: f"message {message[row]}", rules)


def _check_destinations(checks: RunChecks, copies: tuple[Column, Column, Column], network: Network) -> Mask:
    """Check message, host and source of each copy; return a mask of the copies for known hosts."""
    of, host, source = copies
    unknown = outside(host, network.hosts)
    checks.faults(REFERENCES, unknown, lambda index: f"message {of[index]}: there is no host {host[index]}")
    to_itself = host == source
    checks.faults(REFERENCES, to_itself, lambda index: f"message {of[index]} is for its own source {host[index]}")
    order = np.lexsort((host, of))
    twice = np.zeros(len(of), np.bool_)
    twice[order[1:]] = (np.diff(of[order]) == 0) & (np.diff(host[order]) == 0)
    checks.faults(REFERENCES, twice, lambda index: f"message {of[index]} is twice for host {host[index]}")
    return ~unknown


def _before_window(run: Run, first: int) -> list[Columns]:
    """Reconstruct messages before number `first` from their deliveries."""
    found = []
    for batch in run.batches("deliveries", *_FROM_DELIVERIES):
        table = numeric_columns(batch)
        early = table["message"] < first
        known = {name: table[name][early] for name in ("message", "source", "payload_bytes", "submitted")}
        of, host = known["message"], table["destination"][early]
        known |= {name: np.full(len(of), _UNKNOWN) for name in ("header_integers", "header_units")}
        found.append({**known, "of": of, "host": host})
    return found
