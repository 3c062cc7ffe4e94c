"""The trace tables: one Arrow schema per table, checked when written and when read.

Times are int64 nanoseconds of emulated time, sizes are bytes, energy is joules. A time that never came
is null in `handoffs`, `disconnections` and `hosts`, the size of a set that there is not is in `clocks`, what is left of
a battery that there is not is in `hosts`; no other table has nulls. `docs/measurements.md` defines every column.
"""

from typing import Final

import pyarrow as pa

from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, HANDOFF_PACKETS, RADIO_ENERGIES, RADIO_TIMES

_NAME: Final = pa.dictionary(pa.int32(), pa.string())

# Run constants: the first columns of every table.
RUN: Final = (
    pa.field("run_id", _NAME, nullable=False),
    pa.field("protocol", _NAME, nullable=False),
    pa.field("replication", pa.int32(), nullable=False),
)


def _int64(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.int64(), nullable=False) for name in names]


def _int32(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.int32(), nullable=False) for name in names]


def _float64(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.float64(), nullable=False) for name in names]


def _names(*names: str) -> list[pa.Field]:
    return [pa.field(name, _NAME, nullable=False) for name in names]


def _flags(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.bool_(), nullable=False) for name in names]


def _perhaps(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.int64()) for name in names]


RUNS: Final = pa.schema(
    [
        *RUN,
        *_names("scenario", "scenario_hash", "placement", "ordering", "options", "point", "version", "python"),
        *_int32("place"),
        *_names("status", "verdict", "overload"),
        *_int64("seed", "ended", "emulated", "events", "messages", "deliveries", "judged"),
        *_int64("lost", "stranded", "dropped", "duplicates", "causal_violations", "fifo_violations"),
        pa.field("claims_causal", pa.bool_(), nullable=False),
        *_int32("hosts", "stations"),
        *_float64("wall_seconds"),
    ]
)

MESSAGES: Final = pa.schema(
    [
        *RUN,
        *_int32("message", "source", "group", "copies", "payload_bytes"),
        pa.field("destinations", pa.list_(pa.field("element", pa.int32(), nullable=False)), nullable=False),
        *_int64("submitted", "header_integers", "header_units", "header_bytes"),
    ]
)

DELIVERIES: Final = pa.schema(
    [
        *RUN,
        *_int32("message", "source", "destination", "source_station", "station"),
        *_int64("submitted", "uplink_started", "accepted", "sent", "arrived", "deliverable", "released"),
        *_int64("downlink_started", "delivered", "delay"),
        *_int64(*DELAY_PARTS),
        *_int32("stations_passed", "forwards", "retransmissions", "payload_bytes", "overtaken"),
        *_int64("header_integers", "header_units", "header_bytes"),
    ]
)

HANDOFFS: Final = pa.schema(
    [
        *RUN,
        *_int32("host", "visit", "from_station", "to_station"),
        *_int64("left", "entered"),
        *_perhaps("registered", "request", "enabled", "flush_ack", "complete"),
        *_int32("control_messages", *(f"{kind}_messages" for kind in HANDOFF_PACKETS)),
        *_int64("control_bytes", *(f"{kind}_bytes" for kind in HANDOFF_PACKETS)),
        *_int32("buffered", "forwarded", "retransmitted", "backlog"),
        *_flags("inferred", "superseded", "reconnection"),
    ]
)

DISCONNECTIONS: Final = pa.schema(
    [
        *RUN,
        *_int32("host", "from_station"),
        *_int64("left"),
        *_perhaps("returned", "drained"),
        pa.field("to_station", pa.int32()),
        *_int32("waiting", "dropped"),
    ]
)

LINKS: Final = pa.schema(
    [
        *RUN,
        *_names("kind"),
        *_int32("source", "target", "queue_peak"),
        *_int64("packets", "bytes", *(f"{purpose}_bytes" for purpose in BYTE_PURPOSES)),
        *_int64("lost_packets", "lost_bytes", "busy"),
    ]
)

STATIONS: Final = pa.schema(
    [
        *RUN,
        *_int32("station", "pending_peak"),
        *_int64("packets", "processing", "state_peak"),
        *_int64("copies_peak", "copies_end", "tombstones_peak", "tombstones_end"),
        *_float64("state_mean"),
    ]
)

HOSTS: Final = pa.schema(
    [
        *RUN,
        *_int32("host", "submitted", "delivered", "moves"),
        *_int64(*(f"sent_{purpose}_bytes" for purpose in BYTE_PURPOSES)),
        *_int64(*(f"received_{purpose}_bytes" for purpose in BYTE_PURPOSES)),
        *_int64(*RADIO_TIMES, "unreachable", "wake_ups"),
        *_float64(*(f"energy_{part}" for part in RADIO_ENERGIES)),
        pa.field("battery", pa.float64()),
        *_perhaps("died"),
    ]
)

CLOCKS: Final = pa.schema(
    [
        *RUN,
        *_names("clock"),
        *_flags("exact"),
        *_int32("processes"),
        *_int64("links"),
        *_float64("clock_set_mean"),
        *_int32("clock_set_most"),
        pa.field("obs_set_mean", pa.float64()),
        pa.field("obs_set_most", pa.int32()),
        *_int32("gateways"),
        *_int64("arrivals", "copies", "integers", "integers_of_vectors"),
        *_int64("compared", "wrong", "missed", "reversed", "invented"),
    ]
)

TABLES: Final = {
    "runs": RUNS,
    "messages": MESSAGES,
    "deliveries": DELIVERIES,
    "handoffs": HANDOFFS,
    "disconnections": DISCONNECTIONS,
    "links": LINKS,
    "stations": STATIONS,
    "hosts": HOSTS,
    "clocks": CLOCKS,
}
