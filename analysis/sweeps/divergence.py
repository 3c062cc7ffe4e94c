"""The first event that differs between two runs: it has different times, or it occurs in only one run.

The tables have events of messages, hand-offs, batteries and disconnections. If only one run delivers a message to a
host, the delivery is the event that differs, and not an earlier event of this message: the other run has no row for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mobilesim.analysis.summary.results_reader import Run

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_NEVER: Final = np.iinfo(np.int64).max
_NANOSECONDS: Final = 9
_MAX_HOSTS: Final = 5


@dataclass(frozen=True, slots=True)
class DivergenceEvent:
    """An event in a run; `at` is None if the event does not occur in this run."""

    at: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Divergence:
    replication: int
    left: DivergenceEvent
    right: DivergenceEvent

    @property
    def at(self) -> int:
        return min(moment.at for moment in (self.left, self.right) if moment.at is not None)

    def text(self, left: str, right: str) -> str:
        """Return both events as text, the earlier event first. `left` and `right`: the names of the runs."""
        sides = (self.left, left), (self.right, right)
        (first, name), (second, other) = sorted(sides, key=lambda side: _NEVER if side[0].at is None else side[0].at)
        digits = _digits(first.at, second.at)
        begun = f"in '{name}', at {_seconds(first.at, digits)}, {first.text}"
        if second.at is None:
            return f"{begun}; not in '{other}'"
        if second.text != first.text:
            return f"{begun}; in '{other}', at {_seconds(second.at, digits)}, {second.text}"
        return f"{begun}; in '{other}' at {_seconds(second.at, digits)}"


@dataclass(frozen=True, slots=True)
class Divergences:
    """The first divergence of each common replication; None if no event differs."""

    by_replication: Mapping[int, Divergence | None]

    @property
    def first(self) -> Divergence | None:
        """The divergence of the first replication that has one."""
        return next((found for found in self.by_replication.values() if found is not None), None)

    @property
    def frequency(self) -> str | None:
        """The number of replications that differ, and the times; None for a single replication."""
        moments = sorted(found.at for found in self.by_replication.values() if found is not None)
        several = len(self.by_replication)
        if several == 1 or not moments:
            return None
        if len(moments) == 1:
            return f"they differ in 1 of {several} replications"
        ends = moments[0], moments[(len(moments) - 1) // 2], moments[-1]
        earliest, middle, latest = (_seconds(at, _digits(*ends)) for at in ends)
        every = "both" if several == 2 else f"all {several}"
        text = every if len(moments) == several else f"{len(moments)} of {several}"
        return f"they differ in {text} replications: first at {earliest}, median {middle}, last at {latest}"


@dataclass(frozen=True, slots=True)
class _Kind:
    """The events of a table. `identity`: the columns that identify a row in both runs (`turn`: see `_read`).

    `stamps`: the columns of times in order, each with the text of its event. `alone`: the stamp to report for a row
    that only one run has. `same`: other columns that must be equal; a difference has the time of the first stamp.
    `shown`: other columns in the texts.
    """

    table: str
    identity: tuple[str, str]
    stamps: Mapping[str, str]
    alone: str
    same: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


_KINDS: Final = (
    _Kind(
        "messages",
        ("message", "message"),
        {"submitted": "host {source} submits message {message} to {hosts} ({payload_bytes} B)"},
        "submitted",
        ("source", "destinations", "payload_bytes"),
    ),
    _Kind(
        "handoffs",
        ("host", "visit"),
        {
            "left": "host {host} leaves the cell of station {from_station}",
            "entered": "host {host} enters the cell of station {to_station}",
            "registered": "host {host} is registered at its new station {to_station}",
            "request": "the hand-off of host {host} to station {to_station} is requested from station {from_station}",
            "enabled": "old messages for host {host} may be sent from its new station {to_station}",
            "flush_ack": "the flush of messages for host {host} to station {from_station} is complete",
            "complete": "the hand-off of host {host} to station {to_station} is complete",
        },
        "left",
        ("from_station", "to_station"),
    ),
    _Kind("hosts", ("host", "host"), {"died": "the battery of host {host} is empty"}, "died"),
    _Kind(
        "disconnections",
        ("host", "turn"),
        {
            "left": "host {host} disconnects in the cell of station {from_station}",
            "returned": "host {host} reconnects in the cell of station {to_station}",
            "drained": "host {host} has received all stored messages",
        },
        "left",
        ("from_station",),
        ("to_station",),
    ),
    _Kind(
        "deliveries",
        ("message", "destination"),
        {
            "uplink_started": "the uplink transmission of message {message} from host {source} starts",
            "accepted": "message {message} from host {source} is accepted at station {source_station}",
            "sent": "message {message} from host {source} is sent from station {source_station} to host {destination}",
            "arrived": "message {message} from host {source} for host {destination} arrives at station {station}",
            "released": "message {message} from host {source} is released to host {destination}",
            "downlink_started": "the downlink transmission of message {message} to host {destination} starts",
            "delivered": "message {message} from host {source} is delivered to host {destination}",
        },
        "delivered",
        shown=("source", "source_station", "station"),
    ),
)


def first_divergence(left: Run, right: Run) -> Divergence | None:
    """Return the first divergence of two runs of one replication; None if no event differs."""
    candidates = [candidate for kind in _KINDS for candidate in _candidates(kind, left, right)]
    return min(candidates, key=lambda divergence: divergence.at, default=None)


def _candidates(kind: _Kind, left: Run, right: Run) -> Iterator[Divergence]:
    """Yield the first divergence in common rows, and the first divergence in rows that only one run has."""
    tables = [_read(kind, run) for run in (left, right)]
    keys = [_keys(kind, table) for table in tables]
    _, *places = np.intersect1d(keys[0], keys[1], return_indices=True)
    shared = [table.take(pa.array(place)) for table, place in zip(tables, places, strict=True)]
    found = _first(kind, shared)
    if found is not None:
        stamp, at = found
        yield Divergence(left.replication, *(_event(kind, table, at, stamp) for table in shared))
    for side in (0, 1):
        alone = tables[side].filter(pa.array(~np.isin(keys[side], keys[1 - side])))
        missing = alone.filter(pc.is_valid(alone[kind.alone]))
        if missing.num_rows:
            first = _event(kind, missing, int(np.argmin(_column(missing, kind.alone))), kind.alone)
            events = (first, DivergenceEvent(None, first.text))
            yield Divergence(left.replication, *(events if side == 0 else events[::-1]))


def _read(kind: _Kind, run: Run) -> pa.Table:
    """Return the columns of a kind of events. The computed column `turn` numbers the disconnections of each host."""
    columns = dict.fromkeys((*kind.identity, *kind.same, *kind.stamps, *kind.shown))
    if "turn" not in columns:
        return run.read(kind.table, *columns)
    del columns["turn"]
    table = run.read(kind.table, *columns).sort_by([("host", "ascending"), ("left", "ascending")])
    hosts = table["host"].to_numpy()
    return table.append_column("turn", pa.array(np.arange(len(hosts)) - np.searchsorted(hosts, hosts)))


def _keys(kind: _Kind, table: pa.Table) -> Numbers:
    first, second = (_column(table, name) for name in kind.identity)
    return (first << 32) + second


def _column(table: pa.Table, name: str) -> Numbers:
    column: Numbers = pc.fill_null(pc.cast(table[name], pa.int64()), _NEVER).to_numpy()
    return column


def _first(kind: _Kind, tables: list[pa.Table]) -> tuple[str, int] | None:
    """Return the earliest stamp that differs between rows of the same identity, and its row."""
    if not tables[0].num_rows:
        return None
    found: list[tuple[int, str, int]] = []
    for stamp in kind.stamps:
        moments = _divergence_times(tables, stamp, () if found else kind.same)
        row = int(np.argmin(moments))
        found.append((int(moments[row]), stamp, row))
    at, stamp, row = min(found, key=itemgetter(0))
    return None if at == _NEVER else (stamp, row)


def _divergence_times(tables: list[pa.Table], stamp: str, same: tuple[str, ...]) -> Numbers:
    """Return for each row the time at which this stamp differs between the runs; `_NEVER` if it does not differ."""
    left, right = (_column(table, stamp) for table in tables)
    differ: Flags = np.logical_or.reduce([_differ(tables, name) for name in (stamp, *same)])
    return np.where(differ, np.minimum(left, right), _NEVER)


def _differ(tables: list[pa.Table], name: str) -> Flags:
    """Return for each row whether its numbers or lists differ."""
    if not pa.types.is_list(tables[0][name].type):
        left, right = (_column(table, name) for table in tables)
        return np.not_equal(left, right)
    left, right = (pc.list_value_length(table[name]).to_numpy() for table in tables)
    differ: Flags = left != right
    alike = pa.array(~differ)
    ours, theirs = (pc.list_flatten(table[name].filter(alike)).to_numpy() for table in tables)
    rows = np.repeat(np.flatnonzero(~differ), left[~differ])
    differ[rows[ours != theirs]] = True
    return differ


def _event(kind: _Kind, table: pa.Table, row: int, stamp: str) -> DivergenceEvent:
    values = table.slice(row, 1).to_pylist()[0]
    text = kind.stamps[stamp].format(**values, hosts=_hosts(values.get("destinations", ())))
    # The tables of a static network have -1 instead of a station.
    return DivergenceEvent(values[stamp], text.replace("station -1", "that host"))


def _hosts(hosts: Sequence[int]) -> str:
    several = ", ".join(map(str, hosts[:_MAX_HOSTS])) + (
        f" and {len(hosts) - _MAX_HOSTS} more" if hosts[_MAX_HOSTS:] else ""
    )
    return f"{'host' if len(hosts) == 1 else 'hosts'} {several}"


def _digits(*moments: int | None) -> int:
    """Return the number of decimals that distinguishes the times."""
    known = {moment for moment in moments if moment is not None}
    several = range(3, _NANOSECONDS + 1)
    return next(digits for digits in several if len({_seconds(at, digits) for at in known}) == len(known))


def _seconds(moment: int | None, digits: int) -> str:
    """Return the time with digits cut off: rounding could show a later time."""
    whole, rest = divmod(moment or 0, 10**_NANOSECONDS)
    return f"{whole}.{rest:09d}"[: len(str(whole)) + 1 + digits] + " s"
