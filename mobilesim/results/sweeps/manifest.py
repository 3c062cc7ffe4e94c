"""The manifests of a sweep: a JSON file for each finished run, or for a pack of runs whose tables share files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, TypeVar

from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location, reason, visible_entries
from mobilesim.results.run_directory import write_files
from mobilesim.results.run_table import Rows
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus
from mobilesim.results.version import __version__

PACK: Final = "pack-"

Label = tuple[tuple[str, str], ...]
"""The settings of a point, as the user has written them."""

_REQUESTS: Final = 16
"""The number of requests to an object store at the same time."""

_AGAIN: Final = "delete it and start the sweep again"
_NO_PACK: Final = f"not a manifest of runs that share files; {_AGAIN}"
_REQUIRED: Final = {"run": str, "point": dict, "protocol": str, "replication": int, "seed": int, "status": str}
_NONE: Final = type(None)
_TYPES: Final[dict[str, set[type]]] = {
    **{key: {kind} for key, kind in _REQUIRED.items()},
    **{key: {str, _NONE} for key in ("verdict", "error", "overload", "reduction")},
    "version": {str},
    "rows": {dict},
    "means": {dict},
    "seconds": {int, float},
}
_VALUE_TYPES: Final[dict[str, set[type]]] = {"point": {str}, "rows": {int}, "means": {int, float}}
"""The types of the values in a mapping."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The outcome of a run. `error`: the reason of its failure, or the exception of a protocol machine.

    `overload`: the overloaded links and stations. A failed run has no tables. If the protocol violated a claim, the run
    is complete, and its verdict is `fault`.
    """

    run: str
    point: Mapping[str, str]
    protocol: str
    replication: int
    seed: int
    status: str
    verdict: str | None = None
    error: str | None = None
    seconds: float = 0.0
    rows: Mapping[str, int] = field(default_factory=dict)
    version: str = __version__
    overload: str | None = None
    means: Mapping[str, float] = field(default_factory=dict)
    """The means of a run without tables."""
    reduction: str | None = None
    """What a summary needs from the tables, as `analysis.summary.reduction` writes it."""

    @property
    def complete(self) -> bool:
        return self.status == RunStatus.COMPLETE

    @property
    def label(self) -> Label:
        return tuple(self.point.items())


@dataclass(frozen=True, slots=True)
class Pack:
    """Complete runs whose tables share files. `row_groups`: by table, the number of row groups of each run."""

    pack: str
    runs: tuple[RunRecord, ...]
    row_groups: Mapping[str, Sequence[int]]

    def rows(self, directory: Location, run: str, table: str) -> Rows:
        index = [record.run for record in self.runs].index(run)
        return Rows(directory / table / f"{self.pack}.parquet", self.spans(table)[index])

    def spans(self, table: str) -> list[tuple[int, int]]:
        """Return the first row group and the number of row groups of each run."""
        counts = self.row_groups[table]
        return list(zip(accumulate(counts, initial=0), counts, strict=False))


@dataclass(frozen=True, slots=True)
class Manifests:
    """`records`: the runs with separate files. `faulty`: the files that are not manifests, each with the reason."""

    records: tuple[RunRecord, ...] = ()
    packs: tuple[Pack, ...] = ()
    faulty: Mapping[Location, str] = field(default_factory=dict)


M = TypeVar("M", RunRecord, Pack)


class ManifestError(Exception):
    """The reason why a file is not a manifest."""


def read_manifests(directory: Location) -> Manifests:
    found: list[RunRecord | Pack] = []
    faulty: dict[Location, str] = {}
    paths = visible_entries(directory / MANIFEST)
    for path, manifest in zip(paths, _loaded(paths), strict=True):
        if isinstance(manifest, ManifestError):
            faulty[path] = str(manifest)
        else:
            found.append(manifest)
    records = tuple(each for each in found if isinstance(each, RunRecord))
    return Manifests(records, tuple(each for each in found if isinstance(each, Pack)), faulty)


def _loaded(paths: Sequence[Location]) -> Iterator[RunRecord | Pack | ManifestError]:
    """Yield the manifests, or what is wrong with them. Remote ones are requested at the same time."""
    if not paths or isinstance(paths[0], Path):
        yield from map(_manifest_or_error, paths)
        return
    with ThreadPoolExecutor(_REQUESTS) as threads:
        yield from threads.map(_manifest_or_error, paths)


def _manifest_or_error(path: Location) -> RunRecord | Pack | ManifestError:
    try:
        return load_manifest(path)
    except ManifestError as error:
        return error


def load_manifest(path: Location) -> RunRecord | Pack:
    content = _json(path)
    found = _pack(content) if path.name.startswith(PACK) else _record(content)
    if _name(found) != path.stem:
        raise ManifestError(f"describes run '{_name(found)}', expected '{path.stem}'; {_AGAIN}")
    return found


def _name(manifest: RunRecord | Pack) -> str:
    return manifest.pack if isinstance(manifest, Pack) else manifest.run


def read_manifest(directory: Location, name: str, kind: type[M]) -> M | None:
    """Return a manifest; None if its file is damaged or missing, so that its runs are repeated."""
    try:
        found = load_manifest(directory / MANIFEST / f"{name}.json")
    except ManifestError:
        return None
    return found if isinstance(found, kind) else None


def versions_in(path: Location) -> dict[str, str]:
    """Return by run the version of mobilesim. The manifest may be of another version; only complete runs count."""
    try:
        content = _json(path)
        runs = [(str(each["run"]), str(each["version"]), each["status"]) for each in content.get("runs", [content])]
    except (ManifestError, TypeError, KeyError, AttributeError):
        return {}
    return {run: version for run, version, status in runs if status == RunStatus.COMPLETE}


def write_manifest(directory: Location, manifest: RunRecord | Pack) -> None:
    """Write a manifest atomically. It is written after the tables, because a run with a manifest counts as finished."""
    text = json.dumps(asdict(manifest), ensure_ascii=False)
    write_files(directory / MANIFEST, {f"{_name(manifest)}.json": text.encode()})


def _json(path: Location) -> Any:  # noqa: ANN401 - whatever JSON may hold
    # On an object store, this question would be one more request for each manifest.
    if path.suffix != ".json" or (isinstance(path, Path) and not path.is_file()):
        raise ManifestError("not a manifest; there must be one RUN.json for each run")
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ManifestError(f"cannot be read ({reason(error)})") from None
    except (ValueError, RecursionError):
        raise ManifestError(f"not JSON, or cut short; {_AGAIN}") from None


def _pack(content: Any) -> Pack:  # noqa: ANN401 - whatever JSON may hold
    try:
        pack = Pack(content["pack"], tuple(map(_record, content["runs"])), content["row_groups"])
        counts = {len(pack.row_groups[table]) for table in TABLES}
        whole = all(type(count) is int and count >= 0 for table in TABLES for count in pack.row_groups[table])
    except (TypeError, KeyError, ManifestError):
        raise ManifestError(_NO_PACK) from None
    if not whole or counts != {len(pack.runs)} or not all(record.complete for record in pack.runs):
        raise ManifestError(_NO_PACK)
    return pack


def _record(content: Any) -> RunRecord:  # noqa: ANN401 - whatever JSON may hold
    if not isinstance(content, dict):
        raise ManifestError(f"not a manifest of a run; {_AGAIN}")
    for key in _REQUIRED:
        if key not in content:
            raise ManifestError(f"not a manifest of a run: '{key}' is missing; {_AGAIN}")
    if wrong := next(_wrong_keys(content), None):
        raise ManifestError(f"not a manifest of a run: '{wrong}' is wrong; {_AGAIN}")
    if content["status"] not in {RunStatus.COMPLETE, RunStatus.FAILED}:
        expected = f"expected '{RunStatus.COMPLETE}' or '{RunStatus.FAILED}'"
        raise ManifestError(f"its status is '{content['status']}', {expected}; {_AGAIN}")
    known = {each.name for each in fields(RunRecord)}
    return RunRecord(**{key: value for key, value in content.items() if key in known})


def _wrong_keys(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys with values of another type. A flag is no integer here, although Python counts it as one."""
    for key in content.keys() & _TYPES.keys():
        value = content[key]
        if type(value) not in _TYPES[key] or (
            key in _VALUE_TYPES and not {type(each) for each in value.values()} <= _VALUE_TYPES[key]
        ):
            yield key
