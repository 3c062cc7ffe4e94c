"""What is said of the runs of a sweep beside their tables: of each by itself, or of many whose tables share files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location
from mobilesim.results.run_directory import write_files
from mobilesim.results.run_table import Rows
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus
from mobilesim.results.version import __version__

PACK: Final = "pack-"

Label = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """How a run went. One that failed has no tables; a protocol that broke what it claims has a verdict, and has not
    failed. `error`: why a run failed, or what a machine of its protocol raised. `overload`: what had too much to do.
    """

    run: str
    point: Mapping[str, str]
    protocol: str
    replication: int
    seed: int
    status: str
    verdict: str | None
    error: str | None
    seconds: float
    rows: Mapping[str, int]
    version: str = __version__
    overload: str | None = None
    means: Mapping[str, float] = field(default_factory=dict)
    """Of a run without tables."""

    @property
    def complete(self) -> bool:
        return self.status == RunStatus.COMPLETE

    @property
    def label(self) -> Label:
        return tuple(self.point.items())


@dataclass(frozen=True, slots=True)
class Pack:
    """Complete runs whose tables share files. `row_groups`: how many each of them has, in their order, by table."""

    pack: str
    runs: tuple[RunRecord, ...]
    row_groups: Mapping[str, Sequence[int]]

    def rows(self, directory: Location, run: str, table: str) -> Rows:
        place = [record.run for record in self.runs].index(run)
        groups = self.row_groups[table]
        return Rows(directory / table / f"{self.pack}.parquet", (sum(groups[:place]), groups[place]))


def write_record(directory: Location, record: RunRecord) -> None:
    """The last thing that is written of a run: whole, or not at all."""
    _write(directory, record.run, asdict(record))


def write_pack(directory: Location, pack: Pack) -> None:
    """From here on what lies in its files counts, and what else there is of its runs does not."""
    _write(directory, pack.pack, asdict(pack))


def _write(directory: Location, name: str, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False)
    write_files(directory / MANIFEST, {f"{name}.json": text.encode()})


def read_record(path: Location) -> RunRecord | None:
    """None for a file that was damaged, or is none of ours: that run is done again."""
    try:
        record = RunRecord(**_read(path))
    except (OSError, ValueError, TypeError):
        return None
    return record if record.run == path.stem else None


def read_pack(path: Location) -> Pack | None:
    """None likewise, for all of its runs."""
    try:
        found = _read(path)
        pack = Pack(found["pack"], tuple(RunRecord(**each) for each in found["runs"]), found["row_groups"])
        counts = {len(pack.row_groups[table]) for table in TABLES}
    except (OSError, ValueError, TypeError, KeyError):
        return None
    whole = pack.pack == path.stem and counts == {len(pack.runs)} and all(record.complete for record in pack.runs)
    return pack if whole else None


def read_versions(path: Location) -> dict[str, str]:
    """Of the complete runs that it tells of, also where it is none of ours: another version may say more, or less."""
    try:
        found = _read(path)
        told = [(str(each["run"]), str(each["version"]), each["status"]) for each in found.get("runs", [found])]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
    return {run: version for run, version, status in told if status == RunStatus.COMPLETE}


def _read(path: Location) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
