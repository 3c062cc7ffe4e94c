"""The tables of one run, with indices for the questions of an explanation."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mobilesim.results.delivery_times import hosts_order, in_send_queue, received
from mobilesim.results.quantities import DELAY_PARTS, HANDOFF_STAGES

Column = npt.NDArray[Any]
Columns = Mapping[str, Column]

_TIMES: Final = ("submitted", "uplink_started", "accepted", "sent", "arrived", "deliverable", "ideal", "released")
_DELIVERIES: Final = (
    *("message", "source", "destination", "source_station", "station", *_TIMES, "downlink_started", "delivered"),
    *("delay", *DELAY_PARTS, "stations_passed", "waited_for", "control_from"),
)
PHASES: Final = ("registered", *(stage.phase for stage in HANDOFF_STAGES.values() if stage.phase != "registered"))
_HANDOFFS: Final = ("host", "visit", "from_station", "to_station", "left", "entered", *PHASES)
_DISCONNECTIONS: Final = ("host", "from_station", "left", "returned", "to_station")
_HOSTS: Final = ("host", "returns", "cut_offs", "dozing", "joined", "left")
NEVER: Final = -1
"""The number in place of null."""


AT_STATIONS: Final = frozenset({"station", "logical"})
"""The placements with one process of the ordering for all hosts of a (logical) station."""


class Medium(Enum):
    OWN = auto()
    """Each host has its own uplink and downlink."""
    SHARED = auto()
    """The hosts of a cell share its uplink and its downlink: waiting frames of different hosts follow one another at a
    constant distance, the latency of the channel.
    """
    CONTENTION = auto()
    """Stations and hosts of a cell contend for one medium: each frame waits at least for a few slots."""


class TableReader(Protocol):
    """A run in a results directory."""

    def read(self, table: str, *columns: str) -> pa.Table:
        """Return columns of a table."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Delivery:
    """A row of `deliveries`. `first`: when the first station after the source's station had processed the message.
    `since`: when the ordering could release the message. `held`: the time in a send queue. `departed`: when the message
    left this queue, or would have entered it.
    """

    row: int
    message: int
    source: int
    destination: int
    source_station: int
    station: int
    submitted: int
    uplink_started: int
    accepted: int
    sent: int
    arrived: int
    deliverable: int
    ideal: int
    released: int
    downlink_started: int
    delivered: int
    delay: int
    stations_passed: int
    waited_for: int
    control_from: int
    first: int
    received: int
    since: int
    held: int
    departed: int
    parts: Mapping[str, int]

    @property
    def went_directly(self) -> bool:
        """Whether the station that transmitted the message to its destination had received it from the source's."""
        return self.stations_passed <= 2


@dataclass(frozen=True, slots=True)
class Absence:
    """A hand-off of a host, or a disconnection after which the host returned to its cell or did not return.

    `until`: when the new station could send to the host; for a disconnection, when the host returned. NEVER if this did
    not happen. `visit`: 0 for a disconnection. `switched_off`: whether the host was disconnected before it entered the
    cell.
    """

    host: int
    visit: int
    from_station: int
    to_station: int
    left: int
    entered: int
    until: int
    switched_off: bool
    phases: Mapping[str, int]


class RunTables:
    def __init__(self, reader: TableReader, run: Mapping[str, Any]) -> None:
        """`run`: the row of the run in `runs`."""
        self.reader = reader
        self.run = run
        self.protocol, self.replication = str(run["protocol"]), int(run["replication"])
        self.hosts, self.stations = int(run["hosts"]), int(run["stations"])
        self.windowed = (run["measured_from"], run["measured_to"]) != (0, run["simulated"])
        self._known: dict[int, Delivery] = {}
        self._indices: dict[tuple[str, str], dict[int, _Sorted]] = {}
        self._shortest: dict[str, int] = {}

    @cached_property
    def columns(self) -> Columns:
        """The columns of `deliveries`, and `held`, `departed`, `received`, `since`, `first` as in `Delivery`."""
        table = _numbers(self.reader.read("deliveries", *_DELIVERIES), _DELIVERIES)
        table["held"] = in_send_queue(table)
        at_hosts = len(table["row"]) > 0 and hosts_order(table, self.stations)
        start = table["submitted"] if at_hosts else table["accepted"] + table["source_hold"]
        table["departed"] = start + table["held"]
        table["received"] = received(table)
        table["since"] = table["received"] if at_hosts else table["arrived"]
        table["first"] = table["arrived"] - table["detour"]
        links = table["source"] * self.hosts + table["destination"]
        table["link"] = np.zeros_like(links) if self.has_bus else links
        return table

    def __len__(self) -> int:
        return len(self.columns["row"])

    @cached_property
    def at_hosts(self) -> bool:
        """Whether hosts order messages, and not stations."""
        return len(self) > 0 and hosts_order(self.columns, self.stations)

    @cached_property
    def median(self) -> int:
        """The median delay of the run; of two middle delays, the larger one."""
        delays = self.columns["delay"]
        return int(np.partition(delays, len(delays) // 2)[len(delays) // 2])

    def shortest(self, part: str) -> int:
        """Return the least time of a part of the delay in the run."""
        if part not in self._shortest:
            self._shortest[part] = int(self.columns[part].min())
        return self._shortest[part]

    def delivery(self, row: int) -> Delivery:
        known = self._known.get(row)
        if known is None:
            parts = {name: int(self.columns[name][row]) for name in DELAY_PARTS}
            fields = {name: int(self.columns[name][row]) for name in _FIELDS}
            known = self._known[row] = Delivery(**fields, parts=parts)
        return known

    def latest(self, count: int) -> list[int]:
        """Return the rows with the longest delays, the longest first; of equal delays, the first delivery first."""
        order = np.lexsort((self.columns["row"], -self.columns["delay"]))
        rows: list[int] = order[:count].tolist()
        return rows

    def of_message(self, message: int) -> Iterator[Delivery]:
        """Yield the deliveries of a message, in the order of delivery."""
        return map(self.delivery, self._by_message.rows(message, message))

    def released_at(self, host: int, moment: int) -> Iterator[Delivery]:
        """Yield the deliveries to a host that were released at a moment."""
        return map(self.delivery, self._by_release[host].rows(moment, moment)) if host in self._by_release else iter(())

    def delivered_between(self, begin: int, end: int) -> "list[tuple[int, int, int, int, int]]":
        """Return message, source, submission, destination and delivery of the deliveries from `begin` to `end`, in the
        order of delivery.
        """
        delivered = self.columns["delivered"]
        rows = slice(np.searchsorted(delivered, begin, "left"), np.searchsorted(delivered, end, "right"))
        names = ("message", "source", "submitted", "destination", "delivered")
        return [*zip(*(self.columns[name][rows].tolist() for name in names), strict=True)]

    def before(self, column: str, of: str, number: int, begin: int, end: int) -> Iterator[Delivery]:
        """Yield the deliveries with a number in the column `of` and a time in `column` from `begin` to `end`, and the
        last one before, in the order of this time.
        """
        index = self._index(of, column).get(number)
        return iter(()) if index is None else map(self.delivery, index.rows(begin, end, earlier=1))

    @cached_property
    def _by_message(self) -> "_Sorted":
        return _Sorted(self.columns["message"], self.columns["row"])

    @cached_property
    def _by_release(self) -> "dict[int, _Sorted]":
        return self._index("destination", "released")

    def _index(self, of: str, column: str) -> "dict[int, _Sorted]":
        if (of, column) not in self._indices:
            self._indices[of, column] = _by(self.columns, of, column)
        return self._indices[of, column]

    @cached_property
    def messages(self) -> "dict[int, int]":
        """The source of each message of the table `messages`."""
        table = _numbers(self.reader.read("messages", "message", "source"), ("message", "source"))
        return dict(zip(table["message"].tolist(), table["source"].tolist(), strict=True))

    @cached_property
    def has_bus(self) -> bool:
        """Whether a static network has a bus instead of a link for each pair of hosts."""
        return not self.stations and "bus" in self.reader.read("links", "kind")["kind"].unique().to_pylist()

    @cached_property
    def host_rows(self) -> "dict[int, dict[str, int]]":
        """Some columns of the table `hosts`, by host."""
        return {row["host"]: row for row in _rows(_numbers(self.reader.read("hosts", *_HOSTS), _HOSTS))}

    @cached_property
    def changes(self) -> "list[tuple[int, int, str]]":
        """When hosts joined or left the network, and which, in the order of time; empty if none does."""
        rows = self.host_rows.values()
        found = [(row["joined"], row["host"], "joined") for row in rows if row["joined"] > 0]
        found += [(row["left"], row["host"], "left") for row in rows if row["left"] >= 0]
        return sorted(found)

    @cached_property
    def medium(self) -> "Medium":
        """How hosts use the channels of their cell, as far as the queues of frames show it."""
        if not self.stations or not len(self):
            return Medium.OWN
        queues = self.columns["uplink_queue"], self.columns["downlink_queue"]
        if len(self) >= _EVIDENCE and all(bool(np.all(queue > 0)) for queue in queues):
            return Medium.CONTENTION
        distances = np.concatenate([_distances(self.columns, direction) for direction in ("uplink", "downlink")])
        alike = len(distances) >= _EVIDENCE and bool(np.all(distances == distances[0]))
        return Medium.SHARED if alike else Medium.OWN

    def source(self, message: int) -> int:
        """Return the source of a message; -1 if the message is not in the tables."""
        found = next(self.of_message(message), None)
        return self.messages.get(message, NEVER) if found is None else found.source

    def sent_to(self, message: int) -> "dict[str, Any] | None":
        """Return the row of a message in `messages` with its source, destinations and time of submission, or None."""
        table = self.reader.read("messages", "message", "source", "destinations", "submitted")
        found = np.flatnonzero(table["message"].to_numpy() == message)
        return table.slice(int(found[0]), 1).to_pylist()[0] if len(found) else None

    @cached_property
    def absences(self) -> "dict[int, list[Absence]]":
        """The absences of each host, in the order of time."""
        handoffs = _numbers(self.reader.read("handoffs", *_HANDOFFS), _HANDOFFS)
        gone = _numbers(self.reader.read("disconnections", *_DISCONNECTIONS), _DISCONNECTIONS)
        switched_off = set(zip(gone["host"].tolist(), gone["left"].tolist(), strict=True))
        found: dict[int, list[Absence]] = {}
        for row in _rows(handoffs):
            absence = _handoff(row, switched_off)
            found.setdefault(absence.host, []).append(absence)
        known = {(absence.host, absence.left) for several in found.values() for absence in several}
        for row in _rows(gone):
            if (row["host"], row["left"]) not in known:
                found.setdefault(row["host"], []).append(_disconnection(row))
        for several in found.values():
            several.sort(key=lambda absence: (absence.left, absence.visit))
        return found

    def dropped_for(self, host: int) -> int:
        """Return how many messages stations discarded for a host, because it had requested this."""
        table = _numbers(self.reader.read("disconnections", "host", "dropped"), ("host", "dropped"))
        return int(table["dropped"][table["host"] == host].sum())

    def absences_of(self, host: int) -> list[Absence]:
        return self.absences.get(host, [])

    def under_way(self, moment: int) -> list[Absence]:
        """Return the hand-offs of which packets may have been on wired links at a moment."""
        begins, several = self._registrations
        found = several[: bisect_left(begins, moment)]
        return [absence for absence in found if not 0 <= absence.phases["complete"] < moment]

    @cached_property
    def _registrations(self) -> "tuple[list[int], list[Absence]]":
        """The hand-offs with a registration in the order of its time, and these times."""
        every = (absence for absences in self.absences.values() for absence in absences)
        found = [absence for absence in every if absence.phases.get("registered", NEVER) != NEVER]
        found.sort(key=lambda absence: absence.phases["registered"])
        return [absence.phases["registered"] for absence in found], found

    @cached_property
    def _phases(self) -> "dict[int, list[tuple[Absence, str]]]":
        found: dict[int, list[tuple[Absence, str]]] = {}
        for absences in self.absences.values():
            for absence in absences:
                for phase, moment in absence.phases.items():
                    if moment != NEVER:
                        found.setdefault(moment, []).append((absence, phase))
        return found

    def phases_at(self, moment: int) -> "list[tuple[Absence, str]]":
        """Return the hand-offs with a phase at a moment, each with the name of the phase."""
        return self._phases.get(moment, [])


_FIELDS: Final = tuple(name for name in Delivery.__dataclass_fields__ if name != "parts")


class _Sorted:
    """The rows of a table in the order of a column, and for equal values in the order of the table."""

    def __init__(self, values: Column, rows: Column) -> None:
        order = np.argsort(values, kind="stable")
        self._values, self._rows = values[order], rows[order]

    def rows(self, least: int, most: int, earlier: int = 0) -> list[int]:
        """Return the rows with values from `least` to `most`, and as many `earlier` ones."""
        begin, end = np.searchsorted(self._values, least, "left"), np.searchsorted(self._values, most, "right")
        rows: list[int] = self._rows[max(0, int(begin) - earlier) : int(end)].tolist()
        return rows


def _by(table: Columns, of: str, column: str) -> dict[int, _Sorted]:
    order = np.argsort(table[of], kind="stable")
    numbers, starts = np.unique(table[of][order], return_index=True)
    groups = np.split(order, starts[1:])
    return {int(number): _Sorted(table[column][rows], rows) for number, rows in zip(numbers, groups, strict=True)}


def _distances(table: Columns, direction: str) -> Column:
    """Return for each frame that waited for a channel of its cell, and began before the end of an earlier frame of
    another host, the time from its begin to this end.
    """
    uplink = direction == "uplink"
    station, host = (table["source_station"], table["source"]) if uplink else (table["station"], table["destination"])
    start, air = table[f"{direction}_started"], table[f"{direction}_air"]
    order = np.lexsort((start, station))
    before, after = order[:-1], order[1:]
    distance = start[before] + air[before] - start[after]
    follows = (station[before] == station[after]) & (host[before] != host[after]) & (start[before] < start[after])
    distances: Column = distance[follows & (distance >= 0) & (table[f"{direction}_queue"][after] > 0)]
    return distances


_EVIDENCE: Final = 4
"""The least number of frames that show how hosts use the channels of their cell."""


def _numbers(table: pa.Table, names: tuple[str, ...]) -> dict[str, Column]:
    """Return columns as 64-bit integers, with `NEVER` in place of null, and the column `row` with the row numbers."""
    found = {name: table[name].fill_null(NEVER).to_numpy().astype(np.int64) for name in names}
    return {**found, "row": np.arange(table.num_rows)}


def _rows(table: Columns) -> Iterator[dict[str, int]]:
    lists = [column.tolist() for column in table.values()]
    return (dict(zip(table, values, strict=True)) for values in zip(*lists, strict=True))


def _handoff(row: Mapping[str, int], switched_off: "set[tuple[int, int]]") -> Absence:
    return Absence(
        host=row["host"],
        visit=row["visit"],
        from_station=row["from_station"],
        to_station=row["to_station"],
        left=row["left"],
        entered=row["entered"],
        until=row["enabled"] if row["enabled"] != NEVER else row["complete"],
        switched_off=(row["host"], row["left"]) in switched_off,
        phases={phase: row[phase] for phase in PHASES},
    )


def _disconnection(row: Mapping[str, int]) -> Absence:
    return Absence(
        host=row["host"],
        visit=0,
        from_station=row["from_station"],
        to_station=row["to_station"],
        left=row["left"],
        entered=row["returned"],
        until=row["returned"],
        switched_off=True,
        phases={},
    )
