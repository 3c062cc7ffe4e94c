"""Small random results directories, written as the schemas define."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, HANDOFF_PACKETS, RADIO_ENERGIES
from mobilesim.results.schema import TABLES
from tests.support.parquet_files import write_table

Row = dict[str, Any]

SECOND = 1_000_000_000

_ZERO = {pa.int32(): 0, pa.int64(): 0, pa.float64(): 0.0, pa.bool_(): False}


def write(directory: Path, table: str, run_id: str, rows: Sequence[Row], schema: pa.Schema | None = None) -> Path:
    """Write rows. A missing column becomes null if its schema allows this, and otherwise zero."""
    fields = schema or TABLES[table]
    full = [{field.name: row.get(field.name, _default(field)) for field in fields} for row in rows]
    path = directory / table / f"{run_id}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(pa.Table.from_pylist(full, fields), path)
    return path


def _default(field: pa.Field) -> object:
    if field.nullable:
        return None
    return [] if pa.types.is_list(field.type) else _ZERO.get(field.type, "")


def run(
    directory: Path,
    protocol: str = "av1",
    replication: int = 0,
    *,
    deliveries: int = 50,
    facts: Mapping[str, Any] | None = None,
    moves: bool = True,
    clocks: Sequence[Row] = (),
) -> str:
    """Write a complete run with random tables. `facts` override columns of the table `runs`."""
    draw = Random(f"{protocol} {replication}")
    run_id = f"{protocol}-{replication}"
    constants = {"run_id": run_id, "protocol": protocol, "replication": replication}
    tables = {
        "deliveries": [delivery(draw, message) for message in range(deliveries)],
        "messages": [{"message": message} for message in range(deliveries)],
        "handoffs": [handoff(draw) for _ in range(draw.randint(45, 90))] if moves else [],
        "disconnections": [disconnection(draw) for _ in range(draw.randint(0, 60))] if moves else [],
        "links": [link(draw, kind) for kind in ("wired", "wired", "uplink", "downlink") for _ in range(3)],
        "stations": [station(draw) for _ in range(4)],
        "hosts": [host(draw) for _ in range(5)],
        "clocks": list(clocks),
        "runs": [run_row(deliveries) | dict(facts or {})],
    }
    for table, rows in tables.items():
        write(directory, table, run_id, [row | constants for row in rows])
    return run_id


def host(draw: Random) -> Row:
    carried = {
        f"{direction}_{one}_bytes": draw.randint(0, 5000) for direction in ("sent", "received") for one in BYTE_PURPOSES
    }
    spent = {f"energy_{part}": draw.random() for part in RADIO_ENERGIES}
    spent |= {
        "computing": draw.randint(0, SECOND),
        "state_mean": 90 * draw.random(),
        "state_peak": draw.randint(90, 99),
    }
    return carried | spent | draw.choice(({}, {"battery": 1.5}, {"battery": 0.0, "died": draw.randint(1, SECOND)}))


def run_row(deliveries: int) -> Row:
    return {
        "scenario": "made",
        "scenario_hash": "0123456789abcdef",
        "placement": "proxy",
        "ordering": "rst",
        "options": "{}",
        "point": "{}",
        "version": "0.1.0",
        "python": "3.11.7",
        "status": "complete",
        "verdict": "ok",
        "overload": "",
        "extensions": "",
        "description": "matrix of sends; a process per host, at its station; its state migrates",
        "paper": "Raynal, Schiper & Toueg 1991",
        "claims_causal": True,
        "claims_fifo": True,
        "claims_violation_rate": None,
        "claims_short_chains": False,
        "relays": False,
        "ended": 50 * SECOND,
        "simulated": 60 * SECOND,
        "measured_from": 0,
        "measured_to": 60 * SECOND,
        "messages": deliveries,
        "deliveries": deliveries,
        "judged": deliveries,
        "seed": 7,
        "hosts": 5,
        "stations": 4,
        "wall_seconds": 0.5,
    }


def delivery(draw: Random, message: int) -> Row:
    parts = {part: draw.randint(0, 9_000_000) for part in DELAY_PARTS}
    parts["inhibition"] *= draw.random() < 0.1
    delay, submitted = sum(parts.values()), draw.randint(0, 60 * SECOND)
    integers = draw.randint(1, 90)
    return parts | {
        "message": message,
        "submitted": submitted,
        "delivered": submitted + delay,
        "delay": delay,
        "header_integers": integers,
        "header_units": integers // 2,
        "header_bytes": 4 * integers,
        "forwards": draw.randint(0, 2),
        "payload_bytes": draw.randint(1, 900),
    }


def handoff(draw: Random) -> Row:
    left = draw.randint(0, 60 * SECOND)
    entered = left + draw.randint(0, 1_000_000)
    registered, begin, enabled, last, over = sorted(entered + draw.randint(1, 90_000_000) for _ in range(5))
    if draw.random() < 0.2:
        enabled, last = last, enabled
    messages = {f"{kind}_messages": draw.randint(0, 5) for kind in HANDOFF_PACKETS}
    packets = {f"{kind}_bytes": draw.randint(0, 4_000) for kind in HANDOFF_PACKETS}
    return {
        **messages,
        **packets,
        "control_messages": sum(messages.values()),
        "control_bytes": sum(packets.values()),
        "registered": registered,
        "request": begin if draw.random() < 0.9 else None,
        "enabled": enabled if draw.random() < 0.5 else None,
        "flush_ack": last if draw.random() < 0.5 else None,
        "backlog": draw.randint(0, 4),
        "superseded": draw.random() < 0.2,
        "forwarded": draw.randint(0, 2),
        "left": left,
        "entered": entered,
        "complete": over if draw.random() < 0.9 else None,
        "buffered": draw.randint(0, 3),
        "inferred": draw.random() < 0.1,
        "reconnection": draw.random() < 0.1,
    }


def disconnection(draw: Random) -> Row:
    left = draw.randint(0, 60 * SECOND)
    returned = left + draw.randint(1, 5 * SECOND) if draw.random() < 0.9 else None
    drained = returned + draw.randint(0, SECOND) if returned is not None and draw.random() < 0.9 else None
    counts = {"waiting": draw.randint(0, 9), "dropped": draw.randint(0, 3)}
    return {"left": left, "returned": returned, "drained": drained, **counts}


def link(draw: Random, kind: str) -> Row:
    purposes = {f"{purpose}_bytes": draw.randint(0, 90_000) for purpose in BYTE_PURPOSES}
    return {"kind": kind, "bytes": sum(purposes.values()), **purposes}


def station(draw: Random) -> Row:
    names = ("state", "pending", "copies", "tombstones")
    peaks = {f"{name}_peak": draw.randint(0, 9_000) for name in names}
    peaks |= {"copies_end": draw.randint(0, 3), "tombstones_end": draw.randint(0, 3)}
    return {"processing": draw.randint(0, SECOND), "state_mean": 900 * draw.random(), **peaks}
