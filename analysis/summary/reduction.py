"""What a summary needs from the tables of a run, as text for its manifest: a summary of many runs opens no tables.

The text has the row of the run in `runs`, its observations, and the times of which percentiles are computed, unless
they are many. It counts only if it was computed by the same code; otherwise the tables are read.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Times: TypeAlias = npt.NDArray[np.int64]

MOST_TIMES: Final = 4_096
"""The most times of a metric that are stored in a manifest. More of them are read from the tables."""

POOLED: Final = ("delay", "move.time", "reconnection.time")
"""The metrics with percentiles of the rows of all replications."""

_CODE: Final = (
    *("analysis.summary.reduction", "analysis.summary.run_metrics", "analysis.summary.delivery_totals"),
    *("analysis.summary.metrics", "results.quantities", "results.schema"),
)
"""The modules on which the content of a reduction depends."""


@cache
def version() -> str:
    """Return a digest of the code that reduces a run."""
    found = blake2b(digest_size=8)
    for name in _CODE:
        spec = find_spec(f"mobilesim.{name}")
        assert spec is not None
        assert spec.origin is not None
        read = getattr(spec.loader, "get_data", lambda path: Path(path).read_bytes())  # also from a zip file
        found.update(read(spec.origin))
    return found.hexdigest()


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction. `times`: the text of each metric in `POOLED`; empty if the times are in the tables only."""

    text: str

    @property
    def row(self) -> dict[str, Any]:
        """The row of the run in `runs`."""
        row: dict[str, Any] = json.loads(_content(self.text.split(" ")[2]))
        return row

    @property
    def observations(self) -> list[list[Any]]:
        """The fields of each observation."""
        found: list[list[Any]] = json.loads(_content(self.text.split(" ")[3]))
        return found

    @property
    def is_complete(self) -> bool:
        """Whether it has the times of all metrics."""
        return all(self.text.split(" ")[4:])

    def times(self, metric: str) -> Times | None:
        """Return the times of a metric in ascending order; None if they are in the tables only."""
        found = self.text.split(" ")[4 + POOLED.index(metric)]
        return np.cumsum(np.frombuffer(_content(found), np.int64)) if found else None


def reduction_of(row: Mapping[str, Any], observations: Iterable[Sequence[Any]], times: Mapping[str, Times]) -> str:
    """Return the text of a reduction. `observations`: the fields of each."""
    parts = (_text(_json(row)), _text(_json([*observations])), *(_packed(times[metric]) for metric in POOLED))
    body = " ".join(parts)
    return f"{version()} {zlib.crc32(body.encode()):08x} {body}"


def current(text: str | None) -> Reduction | None:
    """Return a reduction if it is intact and of the present version."""
    if text is None or not text.startswith(f"{version()} ") or text.count(" ") != 3 + len(POOLED):
        return None
    _, checksum, body = text.split(" ", 2)
    return Reduction(text) if checksum == f"{zlib.crc32(body.encode()):08x}" else None


def _packed(times: Times) -> str:
    return "" if len(times) > MOST_TIMES else _text(np.diff(np.sort(times), prepend=0).tobytes())


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _text(content: bytes) -> str:
    return b64encode(zlib.compress(content)).decode()


def _content(text: str) -> bytes:
    return zlib.decompress(b64decode(text))
