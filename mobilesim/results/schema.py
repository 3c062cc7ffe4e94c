"""The trace tables: their columns with types, units and descriptions, and the Arrow schema of each table.

Times are int64 nanoseconds of simulated time, sizes are bytes, energies are joules. Schemas are checked when a table is
written and when it is read. A column is null where its event did not occur or its quantity does not exist.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final

import pyarrow as pa

from mobilesim.results.quantities import (
    BYTE_PURPOSES,
    DELAY_PARTS,
    HANDOFF_PACKETS,
    RADIO_ENERGIES,
    RADIO_TIMES,
    RUN_COUNTS,
    Quantity,
)

_NAME: Final = pa.dictionary(pa.int32(), pa.string())
_LIST: Final = pa.list_(pa.field("element", pa.int32(), nullable=False))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a trace table. The page `docs/tables.md` lists all columns."""

    type: pa.DataType
    unit: str
    name: str
    description: str
    nullable: bool = False

    @property
    def field(self) -> pa.Field:
        return pa.field(self.name, self.type, nullable=self.nullable)


_name: Final = partial(Column, _NAME, "")
_flag: Final = partial(Column, pa.bool_(), "")
_int32: Final = partial(Column, pa.int32(), "")
_int64: Final = partial(Column, pa.int64(), "")
_float64: Final = partial(Column, pa.float64(), "")
_time: Final = partial(Column, pa.int64(), "ns")
_bytes: Final = partial(Column, pa.int64(), "B")
_bytes32: Final = partial(Column, pa.int32(), "B")
_energy: Final = partial(Column, pa.float64(), "J")
_optional_time: Final = partial(_time, nullable=True)


def _phrase(of: Quantity) -> str:
    """Return the definition of a quantity, without the capital letter and the full stop."""
    return f"{of.definition[0].lower()}{of.definition[1:].removesuffix('.')}"


RUN: Final = (
    _name("run_id", "the run").field,
    _name("protocol", "the protocol").field,
    _int32("replication", "the replication").field,
)
"""The first columns of every table."""

COLUMNS: Final[dict[str, tuple[Column, ...]]] = {
    "runs": (
        _name("scenario", "the name of the scenario"),
        _name("scenario_hash", "a hash of the network, the workload and the seed"),
        _name("placement", "the location of the ordering's processes, like `proxy`"),
        _name("ordering", "the ordering, which tracks causality, like `rst`"),
        _name("options", "JSON: the protocol's options"),
        _name(
            "extensions",
            "the extensions from other packages that the run used, with their versions; empty if there are none",
        ),
        _name("description", "what the protocol is, in one line"),
        _name("paper", "the paper on the protocol or on its ordering; empty if there is none"),
        _name("point", "JSON: the values of the varied keys of a sweep, as texts"),
        _name("version", "the version of mobilesim"),
        _name("python", "the version of Python"),
        _int32("protocol_index", "the protocol's index in the scenario, from 0"),
        _name("status", "`complete`, `interrupted` or `failed`"),
        _name("verdict", "`ok`, `fault` or `unjudged`"),
        _name("overload", "the overloaded links or stations, as text; empty if there are none"),
        _name("free", "what costs nothing in the run although it could have a price, as text; empty if nothing does"),
        _int64("seed", "the seed of the scenario"),
        _time("ended", "when hosts stopped sending and moving"),
        _time("simulated", "the simulated time at the end"),
        _time("measured_from", "the begin of the measurement window"),
        _time("measured_to", "the end of the measurement window"),
        _int64("events", "events that were simulated"),
        _int64("messages", _phrase(RUN_COUNTS["messages"])),
        _int64("deliveries", "rows in `deliveries`"),
        *(_int64(name, _phrase(count)) for name, count in RUN_COUNTS.items() if name != "messages"),
        _flag("claims_causal", "whether the protocol claims causal order"),
        _flag("claims_fifo", "whether the protocol claims FIFO order, which causal order implies"),
        _flag("relays", "whether processes pass on messages of others, so that another host may send a message on"),
        _flag("claims_short_chains", "whether the protocol claims causal order only along chains of two messages"),
        Column(
            pa.float64(),
            "",
            "claims_violation_rate",
            "the largest share of deliveries that may violate causal order, as the protocol promises; null without",
            nullable=True,
        ),
        _int32("hosts", "number of hosts, with those that joined or left during the run"),
        _int32("stations", "number of stations"),
        Column(pa.float64(), "s", "wall_seconds", "wall-clock time of the run"),
    ),
    "messages": (
        _int32("message", "the number of the message, in the order of sending"),
        _int32("source", "the sending host; for a sending station, its number plus the number of hosts"),
        _int32("group", "the group of its destinations, or -1"),
        _int32("copies", "number of destinations"),
        _bytes32("payload_bytes", "length of the payload"),
        Column(_LIST, "", "destinations", "the receiving hosts"),
        _time("submitted", "when the application submitted it"),
        _int64("header_integers", "integers in the ordering header of its largest packet"),
        _int64("header_units", "size of that header as the ordering's paper counts it, if not in integers"),
        _bytes("header_bytes", "length of the ordering header of its largest packet"),
    ),
    "deliveries": (
        _int32("message", "the number of the message"),
        _int32("source", "the sending host; for a sending station, its number plus the number of hosts"),
        _int32("destination", "the receiving host"),
        _int32("source_station", "the station that sent it on the backbone"),
        _int32("station", "the station that transmitted it to the host"),
        _time("submitted", "when the application submitted it"),
        _time("uplink_started", "when the received uplink frame was first transmitted"),
        _time("accepted", "when the sending station had received it"),
        _time("sent", "when the sending station passed it to the wired link, or kept it for a host of its cell"),
        _time("arrived", "when the receiver's station had processed it"),
        _time("deliverable", "when its last causal predecessor had been released, but not before its arrival"),
        _time("ideal", "when it would have been released if no ordering held back a message longer than necessary"),
        _time("released", "when the ordering released it"),
        _time("downlink_started", "when the received downlink frame was first transmitted"),
        _time("delivered", "when it was delivered to the application"),
        _time("delay", "from submitted to delivered; the sum of the parts below"),
        *(_time(name, _phrase(part)) for name, part in DELAY_PARTS.items()),
        _int32("stations_passed", "stations that received it, including the source's"),
        _int32("forwards", "times that it was forwarded because the host had left"),
        _int32("retransmissions", "transmissions beyond one uplink and one downlink frame"),
        _bytes32("payload_bytes", "length of the payload"),
        _int32("overtaken", "the causal predecessor that it overtook, or -1"),
        _int32("waited_for", "the message that arrived when its wait for the release ended, or -1"),
        _int32("control_from", "the sender of the control message that arrived when this wait ended, or -1"),
        _int64("header_integers", "integers in the ordering header"),
        _int64("header_units", "size of that header as the ordering's paper counts it, if not in integers"),
        _bytes("header_bytes", "length of the ordering header"),
    ),
    "handoffs": (
        _int32("host", "the host that moved"),
        _int32("visit", "the number of the hand-off of this host, from 1"),
        _int32("from_station", "the old station"),
        _int32("to_station", "the new station"),
        _time("left", "when the host left the old cell"),
        _time("entered", "when the host entered the new cell"),
        _optional_time("registered", "when the new station received the host's registration"),
        _optional_time("request", "when the old station received the request"),
        _optional_time("enabled", "when the new station could send unacknowledged and forwarded messages"),
        _optional_time("flush_ack", "when the old station had all flush acknowledgements"),
        _optional_time("complete", "when the new station could send any message"),
        _int32("control_messages", "packets of the hand-off on wired links"),
        *(_int32(f"{name}_messages", f"packets by which {_phrase(kind)}") for name, kind in HANDOFF_PACKETS.items()),
        _bytes("control_bytes", "bytes of the packets in `control_messages`"),
        *(_bytes(f"{name}_bytes", f"bytes of the packets in `{name}_messages`") for name in HANDOFF_PACKETS),
        _int32("buffered", "messages that waited at the new station"),
        _int32("forwarded", "messages that the old station forwarded"),
        _int32("retransmitted", "frames that were retransmitted"),
        _int32("backlog", "earlier hand-offs of the host that were not complete"),
        _flag("inferred", "whether the host's registration was lost"),
        _flag("superseded", "whether the host left before the hand-off was complete"),
        _flag("reconnection", "whether the hand-off followed a disconnection"),
    ),
    "disconnections": (
        _int32("host", "the host that disconnected"),
        _int32("from_station", "the station of the host's cell"),
        _time("left", "when the host disconnected"),
        _optional_time("returned", "when the host reconnected"),
        _optional_time("drained", "when the last stored message was delivered or dropped"),
        _int32("to_station", "the station where the host reconnected", nullable=True),
        _int32("waiting", "messages stored for the host at its reconnection"),
        _int32("dropped", "messages dropped for the host until its next disconnection"),
    ),
    "links": (
        _name("kind", "`wired`, `uplink`, `downlink`, `beacon` or `bus`"),
        _int32("source", "the station, or the host of a static network; -1 for all hosts"),
        _int32("target", "the station, or the host of a static network; -1 for all hosts"),
        _int32("queue_peak", "the maximum number of packets that waited"),
        _int64("packets", "packets sent"),
        _bytes("bytes", "bytes sent; the sum of the seven columns below"),
        *(_bytes(f"{name}_bytes", _phrase(purpose)) for name, purpose in BYTE_PURPOSES.items()),
        _int64("lost_packets", "packets not received"),
        _bytes("lost_bytes", "bytes of these packets"),
        _bytes("shared_bytes", "bytes that further hosts received from transmissions to several hosts"),
        _time("busy", "time spent sending"),
    ),
    "stations": (
        _int32("station", "the number of the station"),
        _int32("pending_peak", "the maximum number of packets pending for order or hand-offs"),
        _int64("packets", "packets processed"),
        _int64("searches", "hosts of other cells that the station searched for, once for each message to them"),
        _int64("search_packets", "of the packets processed, those of searches: queries, pages and answers"),
        _int64("location_updates", "of the packets processed, those with new locations of hosts"),
        _time("processing", "processing time"),
        _int64("state_peak", "the maximum number of integers of ordering state"),
        _int64("copies_peak", "the maximum number of message copies stored"),
        _int64("copies_end", "message copies stored at the end"),
        _int64("tombstones_peak", "the maximum number of tombstones of deleted copies"),
        _int64("tombstones_end", "tombstones at the end"),
        _float64("state_mean", "time average of the integers of ordering state"),
    ),
    "hosts": (
        _int32("host", "the number of the host"),
        _int32("submitted", "messages sent by the host"),
        _int32("delivered", "messages delivered to the host"),
        _int32("moves", "changes of cell"),
        _int32("returns", "returns to the cell that it had left, which need a registration but no hand-off"),
        *(_bytes(f"sent_{name}_bytes", _phrase(purpose)) for name, purpose in BYTE_PURPOSES.items()),
        *(_bytes(f"received_{name}_bytes", _phrase(purpose)) for name, purpose in BYTE_PURPOSES.items()),
        *(_time(name, _phrase(state)) for name, state in RADIO_TIMES.items()),
        _time("unreachable", "time between cells or in hand-off, not including disconnections"),
        _int64("cut_offs", "number of times that the host was cut off, because a frame was given up"),
        _int64("wake_ups", "number of times that the radio woke up from dozing"),
        *(_energy(f"energy_{name}", f"energy: {_phrase(state)}") for name, state in RADIO_ENERGIES.items()),
        _int64("state_peak", "the maximum number of integers of the host's state", nullable=True),
        _float64("state_mean", "time average of the integers of the host's state", nullable=True),
        _energy("battery", "energy left in the battery, if the host has one", nullable=True),
        _optional_time("died", "when the battery was empty"),
        _optional_time("joined", "when the host became a member, if hosts join and leave (`membership`)"),
        _optional_time("left", "when the host left, if hosts join and leave"),
        _int64("view_packets", "packets between the host and the membership service, in both directions"),
        _bytes("view_bytes", "bytes of these packets"),
        _optional_time("away_since", "when the host left, if it stayed away at the end (`mobility.at_end: leave`)"),
    ),
    "clocks": (
        _name("clock", "the name of the clock"),
        _flag("claims_exact", "whether no answer may be wrong, if messages arrive in the order that it needs"),
        _flag("exact_sets", "false if its sets may be larger than necessary, only for clocks of known links"),
        _int32("processes", "processes of the network"),
        _int64("links", "links between the processes"),
        _float64("kept_mean", "integers that a process keeps for its clock at the end of the run, on average"),
        _int32("kept_max", "integers that a process keeps for its clock at the end of the run, at most"),
        _float64(
            "obs_set_mean",
            "clocks that a process reads from messages, on average; null if messages carry all clocks of the sender",
            nullable=True,
        ),
        _int32("obs_set_max", "clocks that a process reads from messages, at most", nullable=True),
        _int32("gateways", "processes that record the arrival times of messages"),
        _int64("arrivals", "links into gateways"),
        _int64("copies", "copies of messages, one for each destination"),
        _int64("integers", "integers on all copies: timestamps, and sequence numbers where they are needed"),
        _int64("integers_max", "integers on the largest copy"),
        _int64("integers_of_vectors", "integers of vector clocks on the same copies"),
        _int64("compared", "pairs of messages to one host, or of events of two hosts (`clocks.pairs`)"),
        _int64("wrong", "answers that differ from those of the oracle"),
        _int64("missed", "pairs reported as concurrent, but ordered"),
        _int64("reversed", "pairs reported in the reverse order"),
        _int64("spurious", "pairs reported as ordered, but concurrent"),
    ),
}
"""The columns of each table after those of `RUN`."""

TABLES: Final = {table: pa.schema([*RUN, *(column.field for column in columns)]) for table, columns in COLUMNS.items()}
