"""Reads messages from a file: their times, sources, destinations and sizes."""

import csv
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from mobilesim.errors import UserError, counted, shown
from mobilesim.files.input_files import opened, opened_text
from mobilesim.scenario.values import units

ALL_OTHERS: Final = ()
"""The destinations of a message to all hosts except its source."""

_COLUMNS: Final = {"time": "submitted", "source": "source", "destinations": "destinations", "payload": "payload_bytes"}
"""The columns of a CSV file, each with the name of this column in the table `messages` of an earlier run."""


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages in the order of time. `sizes`: the payloads; -1 for a message without a payload in the file."""

    times: "array[int]" = field(default_factory=lambda: array("q"))
    sources: "array[int]" = field(default_factory=lambda: array("q"))
    sizes: "array[int]" = field(default_factory=lambda: array("q"))
    destinations: list[tuple[int, ...]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.times)

    def add(self, time: int, source: int, destinations: tuple[int, ...], size: int) -> None:
        self.times.append(time)
        self.sources.append(source)
        self.sizes.append(size)
        self.destinations.append(destinations)

    @property
    def most(self) -> int:
        return max(*self.sources, *(max(some, default=0) for some in self.destinations))

    def destination_counts(self, hosts: int) -> Iterator[int]:
        return (len(some) or hosts - 1 for some in self.destinations)


def messages(path: Path) -> Messages:
    """Read the messages of a file; raise a ValueError with the file, the line and the fault."""
    status = path.stat()
    try:
        return _messages(path, status.st_mtime_ns, status.st_size)
    except UserError as error:
        raise ValueError(str(error)) from None


def unsent(path: Path, end: int) -> str:
    """Return the reason why a run that ends at `end` sends no message of the file; '' if it sends some."""
    first = messages(path).times[0]
    if first <= end:
        return ""
    times = f"the first message is sent at {units.TIME.write(first)}, but the run ends at {units.TIME.write(end)}"
    return f"{path}: {times}; write a longer duration"


@lru_cache(maxsize=2)
def _messages(path: Path, _changed: int, _size: int) -> Messages:
    found = Messages()
    with opened(path) as file:
        is_parquet = file.read(4) == b"PAR1"
    for where, row in _parquet_rows(path) if is_parquet else _of_csv(path):
        try:
            time, source = _moment(row["time"]), _host(row["source"])
            destinations = _destinations(row["destinations"], source)
            found.add(time, source, destinations, _size_of(row.get("payload")))
        except ValueError as error:
            raise ValueError(f"{path}{where}: {error}") from None
    if not found:
        raise ValueError(f"{path}: has no messages")
    late = next((row for row, (one, next_) in enumerate(pairwise(found.times)) if next_ < one), None)
    if late is not None:
        raise ValueError(f"{path}: message {late + 2} is earlier than the message before it; sort the file by time")
    return found


def _of_csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with opened_text(path) as file:
        rows = csv.DictReader(file)
        try:
            names = [name.strip().lower() for name in rows.fieldnames or ()]
            _check(path, names)
            rows.fieldnames = names
            for row in rows:
                if None in row or None in row.values():
                    values = counted(len(names), "value")
                    raise ValueError(f"{path}:{rows.line_num}: expected {values}, like the first line")
                yield f":{rows.line_num}", row
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path}:{rows.line_num + 1}: not a CSV file ({error})") from None


def _check(path: Path, names: Sequence[str]) -> None:
    for name in ("time", "source", "destinations"):
        if name not in names:
            columns = ", ".join(names[:5]) or "nothing"
            raise ValueError(f"{path}:1: there is no column '{name}'; the first line has {columns}")
    for name in _COLUMNS:
        if names.count(name) > 1:
            raise ValueError(f"{path}:1: there are two columns '{name}'; leave one out")


def _parquet_rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import pyarrow as pa  # takes 70 ms to import
    import pyarrow.parquet as pq

    try:
        with opened(path) as stream:
            file = pq.ParquetFile(stream)
            names = file.schema_arrow.names
            for name in _COLUMNS.values():
                if names.count(name) != 1:
                    count = "is no column" if name not in names else "are two columns"
                    raise ValueError(f"{path}: there {count} '{name}'; expected a table 'messages'")
            wanted = [*_COLUMNS.values(), *(name for name in ("run_id",) if name in names)]
            table = file.read(wanted)
    except (pa.ArrowException, OSError):
        raise ValueError(f"{path}: not a Parquet file, or cut short") from None
    if "run_id" in wanted and len(table["run_id"].unique()) > 1:
        raise ValueError(f"{path}: has messages of several runs; name a file with the messages of one run")
    for number, row in enumerate(table.sort_by("submitted").to_pylist()):
        yield f", row {number}", {key: row[name] for key, name in _COLUMNS.items()}


def _moment(raw: object) -> int:
    """Return a time in nanoseconds. Texts are in seconds or have a unit. Integers of Parquet files are nanoseconds."""
    if isinstance(raw, int):
        return raw
    text = str(raw).strip()
    if text[-1:].isdigit() or text[-1:] == ".":
        text += " s"
    return int(units.TIME.read(text))


def _host(raw: object) -> int:
    text = str(raw).strip()
    if not text.isdecimal() or not text.isascii():
        raise ValueError(f"{shown(text)} is not a host number")
    return int(text)


def _destinations(raw: object, source: int) -> tuple[int, ...]:
    if isinstance(raw, str) and raw.strip() == "all":
        return ALL_OTHERS
    parts = raw.replace(";", " ").split() if isinstance(raw, str) else list(raw)  # type: ignore[call-overload]
    found = tuple(sorted(map(_host, parts)))
    if not found:
        raise ValueError("there is no destination; write host numbers separated by blanks, or 'all'")
    if len(set(found)) < len(found):
        raise ValueError(f"a destination occurs twice in {shown(' '.join(map(str, found)))}")
    if source in found:
        raise ValueError(f"host {source} sends to itself")
    return found


def _size_of(raw: object) -> int:
    """Return a size in bytes, or -1 without a size. Texts may have a unit."""
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return -1
    text = str(raw).strip()
    return int(units.SIZE.read(f"{text} B" if text[-1:].isdigit() else text))
