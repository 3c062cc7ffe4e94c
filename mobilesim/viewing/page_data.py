"""The tape of a page, as text that the page decodes with `DecompressionStream`.

The content is base64 of a deflated sequence of bytes: the length of a JSON document (4 bytes), the document, and the
columns that it lists. `viewer/src/page_data.ts` reads it.

Rows are grouped by kind and name, because similar events after each other are deflated to two thirds of the size. The
column `rank` restores the order of events at the same time. Of each number, all first bytes follow each other, then
all second bytes.
"""

import json
import zlib
from base64 import b64encode
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mobilesim.tape.events import KINDS, NONE, Column, Tape

MAX_EVENTS: Final = 1_000_000
"""The maximum number of events of a page. More would make it large and slow."""


def encoded(tape: Tape) -> str:
    """Return a tape for a page."""
    columns = {name: _planes(column) for name, column in _columns(tape).items()}
    header = asdict(tape.header)
    document: dict[str, Any] = {
        "header": header | {"until": min(tape.header.until, _end(tape))},
        "kinds": [kind.value for kind in KINDS],
        "names": tape.names,
        "rows": len(tape),
        "columns": [[name, len(planes)] for name, planes in columns.items()],
    }
    head = json.dumps(document, separators=(",", ":")).encode()
    body = b"".join(plane.tobytes() for planes in columns.values() for plane in planes)
    return b64encode(zlib.compress(len(head).to_bytes(4, "little") + head + body, 9)).decode()


def _end(tape: Tape) -> int:
    return int(tape.columns["until"].max(initial=tape.header.since))


def _columns(tape: Tape) -> dict[str, Column]:
    """Return the columns of a page: small numbers that often repeat."""
    order = np.lexsort((tape.columns["name"], tape.columns["event"]))
    rows = {name: column[order] for name, column in tape.columns.items()}
    return {
        "time": _differences(rows["time"]),
        "length": rows["until"] - rows["time"],
        "rank": _ranks(tape.columns["time"])[order],
        "event": rows["event"],
        "name": rows["name"],
        "node": rows["node"],
        "peer": rows["peer"],
        "message": _differences(rows["message"]),
        "host": rows["host"] - _host_of_nodes(rows["node"], rows["peer"], tape.header.stations),
        "detail": rows["detail"],
    }


def _differences(column: Column) -> Column:
    return np.diff(column, prepend=0)


def _ranks(times: Column) -> Column:
    """Return for each event its number among the events at the same time."""
    rows = np.arange(len(times))
    first = np.diff(times, prepend=NONE) != 0
    return rows - np.maximum.accumulate(np.where(first, rows, 0))


def _host_of_nodes(node: Column, peer: Column, stations: int) -> Column:
    """Return the host at one of both ends of an event, which is nearly always the host that it concerns."""
    host = np.where(node >= stations, node, np.where(peer >= stations, peer, stations + NONE))
    return host - stations


def _planes(column: Column) -> npt.NDArray[np.uint8]:
    """Return the bytes of a column: the lowest byte of every number, then the next one of every number.

    A number n is written as 2n, and a negative one as -2n - 1, so that the high bytes of small numbers are 0.
    """
    positive = np.where(column < 0, -2 * column - 1, 2 * column)
    width = max(1, (int(positive.max(initial=0)).bit_length() + 7) // 8)
    bytes_of_rows = np.ascontiguousarray(positive.astype("<i8")).view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(bytes_of_rows.T[:width])
