"""The directory of a sweep: its manifests say which runs count, and only these are looked at.

The driver reads manifests and the one row that each run has in `runs`. All other files are looked over by the task that
reads them: there may be very many.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any, Final

from analysis.summary.metrics import FAILED
from analysis.summary.results_reader import (
    COMPLETE,
    Packed,
    Results,
    Run,
    as_results,
    check_footer,
    check_groups,
    read_run_rows,
    require_one_scenario,
    rows_of,
)
from analysis.summary.run_metrics import Observation, observe
from analysis.sweeps.axes import Settings
from analysis.sweeps.axes import in_order as points_in_order
from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location, location, reason, visible_entries
from mobilesim.results.run_table import Rows
from mobilesim.results.schema import TABLES

PACK: Final = "pack-"

FAULT: Final = "fault"
CRASHED: Final = "failed"

_AGAIN: Final = "delete it and start the sweep again"


@dataclass(frozen=True, slots=True)
class Failure:
    """A run of which there is something to say: it came to nothing, or its protocol broke what it claims."""

    kind: str
    run: str
    point: Settings
    protocol: str
    replication: int
    seed: int
    error: str


@dataclass(frozen=True, slots=True)
class SweepRuns:
    """The runs that count, by point, in the order of the sweep's axes."""

    directory: Location
    keys: tuple[str, ...]
    points: Mapping[Settings, Results]
    failures: tuple[Failure, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(run for results in self.points.values() for run in results.runs)


def is_sweep(directory: Location) -> bool:
    return (directory / MANIFEST).is_dir()


def read_sweep(directory: Location) -> SweepRuns:
    """Whatever is complete, or the first fault that is found."""
    if not directory.is_dir():
        raise UserError(f"{directory}: {'not a directory' if directory.exists() else 'no such directory'}")
    if not is_sweep(directory):
        raise UserError(f"{directory}: no sweep in here (there is no '{MANIFEST}' in it)")
    manifests, packed = _told(directory / MANIFEST)
    complete = [each for each in manifests if each["status"] == COMPLETE]
    failures = [_failure(CRASHED, each) for each in manifests if each["status"] == CRASHED]
    if not complete:
        told = f"; {len(failures)} failed, the first with: {failures[0].error}" if failures else ""
        raise UserError(f"{directory}: no run of this sweep is complete yet{told}")
    _check_tables(directory, complete[0]["run"], packed.get(complete[0]["run"]))  # not only once Spark has looked
    rows = list(zip(map(_settings, complete), _rows(directory, complete, packed), strict=True))
    _of_one_kind(directory, [row for _, row in rows])
    judged = zip(complete, rows, strict=True)
    failures += [_failure(FAULT, each) for each, (_, row) in judged if row["verdict"] == FAULT]
    keys = _keys(directory, manifests)
    return SweepRuns(directory, keys, _by_point(directory, keys, rows, packed), tuple(sorted(failures, key=_place)))


def observe_checked(run: Run) -> list[Observation]:
    """What a task does: see that all files are whole and of our making, then look at what is in them."""
    try:
        _check_tables(location(run.directory), run.run_id, run.packed)
    except UserError as error:
        return [Observation(FAILED, 0, None, note=str(error))]
    return observe(run)


def _check_tables(directory: Location, run: str, packed: Packed | None) -> None:
    for table in TABLES:
        _check(rows_of(directory, table, run, packed), table)


def _check(where: Rows, table: str) -> None:
    check_footer(_present(where.path), TABLES[table])
    check_groups(where)


def manifest(run: Run) -> dict[str, Any] | None:
    """What the sweep says of a run, if it is of one."""
    name = run.packed.name if run.packed is not None else run.run_id
    path = location(run.directory) / MANIFEST / f"{name}.json"
    if not path.is_file():
        return None
    found: dict[str, Any] = _json(path)
    return found if run.packed is None else next(each for each in found["runs"] if each["run"] == run.run_id)


def _told(folder: Location) -> tuple[list[dict[str, Any]], dict[str, Packed]]:
    """Of every run, and which of them share files. What else there is of these is left over from packing."""
    paths = visible_entries(folder)
    shared: dict[str, tuple[dict[str, Any], Packed]] = {}
    for path in paths:
        if path.name.startswith(PACK):
            shared |= _pack(path)
    single = [_manifest(path) for path in paths if not path.name.startswith(PACK) and path.stem not in shared]
    together = [each for each, _ in shared.values()]
    return single + together, {run: packed for run, (_, packed) in shared.items()}


def _pack(path: Location) -> dict[str, tuple[dict[str, Any], Packed]]:
    found = _json(path)
    try:
        runs = found["runs"]
        spans = zip(*(_spans(found["row_groups"][table], len(runs)) for table in TABLES), strict=True)
        wrong = next(filter(None, map(_wrong, runs)), None)
    except (TypeError, KeyError, ValueError):
        raise UserError(f"{path}: not the manifest of runs that share files; {_AGAIN}") from None
    if wrong:
        raise UserError(f"{path}: {wrong}; {_AGAIN}")
    return {each["run"]: (each, Packed(path.stem, span)) for each, span in zip(runs, spans, strict=True)}


def _spans(counts: Sequence[int], runs: int) -> list[tuple[int, int]]:
    """The first row group of each run, and how many it has."""
    if len(counts) != runs:
        raise ValueError(runs)
    return list(zip(accumulate(counts, initial=0), counts, strict=False))


def _json(path: Location) -> Any:  # noqa: ANN401 - whatever JSON may hold
    if path.suffix != ".json" or not path.is_file():
        raise UserError(f"{path}: not a manifest, of which there is one RUN.json per run")
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({reason(error)})") from None
    except (ValueError, RecursionError):
        raise UserError(f"{path}: not JSON, or cut short; {_AGAIN}") from None


def _manifest(path: Location) -> dict[str, Any]:
    found = _json(path)
    wrong = _wrong(found) or _misplaced(found, path.stem)
    if wrong:
        raise UserError(f"{path}: {wrong}; {_AGAIN}")
    whole: dict[str, Any] = found
    return whole


def _wrong(found: object) -> str | None:
    """The first thing by which it is no manifest of a run, in words."""
    if not isinstance(found, dict):
        return "not the manifest of a run"
    kinds = {"run": str, "point": dict, "protocol": str, "replication": int, "seed": int, "status": str}
    for key, kind in kinds.items():
        if not isinstance(found.get(key), kind):
            return f"not the manifest of a run: '{key}' is {'wrong' if key in found else 'missing'}"
    if found["status"] not in {COMPLETE, CRASHED}:
        return f"its status is '{found['status']}', expected '{COMPLETE}' or '{CRASHED}'"
    return None


def _misplaced(found: Mapping[str, Any], name: str) -> str | None:
    return None if found["run"] == name else f"tells of run '{found['run']}', expected '{name}'"


def _settings(manifest: Mapping[str, Any]) -> Settings:
    return tuple(value if isinstance(value, str) else json.dumps(value) for value in manifest["point"].values())


def _failure(kind: str, manifest: Mapping[str, Any]) -> Failure:
    run, protocol, replication, seed = (manifest[key] for key in ("run", "protocol", "replication", "seed"))
    error = " ".join(str(manifest.get("error") or "").split())
    return Failure(kind, run, _settings(manifest), protocol, replication, seed, error)


def _place(failure: Failure) -> tuple[str, Settings, str, int]:
    return failure.kind, failure.point, failure.protocol, failure.replication


def _rows(
    directory: Location, manifests: Sequence[Mapping[str, Any]], packed: Mapping[str, Packed]
) -> Iterator[dict[str, Any]]:
    """Of the table of runs. Those that share a file stand together."""
    places = {each["run"]: rows_of(directory, "runs", each["run"], packed.get(each["run"])) for each in manifests}
    for path, together in groupby(manifests, lambda each: places[each["run"]].path):
        several = {each["run"]: each for each in together}
        own = {name: places[name] for name in several}
        for where in own.values():
            _check(where, "runs")
        for (name, manifest), row in zip(several.items(), read_run_rows(own), strict=True):
            _same(path, name, manifest, row)
            yield row


def _same(path: Location, name: str, manifest: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    for key in ("protocol", "replication", "seed"):
        if row[key] != manifest[key]:
            raise UserError(f"{path}: {key} is {row[key]}, but {manifest[key]} in {MANIFEST}/{name}.json")
    if _read_point(row["point"]) != manifest["point"]:
        told = json.dumps(manifest["point"], ensure_ascii=False)
        raise UserError(f"{path}: point is {row['point']}, but {told} in {MANIFEST}/{name}.json")


def _read_point(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _present(path: Location) -> Location:
    if not path.exists():
        raise UserError(f"{path}: missing, but {MANIFEST}/{path.stem}.json says that the run is complete")
    return path


def _of_one_kind(directory: Location, rows: Sequence[Mapping[str, Any]]) -> None:
    for key, what in (("scenario", "scenarios"), ("version", "versions of mobilesim")):
        found = sorted({row[key] for row in rows})
        if len(found) > 1:
            told = " and ".join(found[:2])
            raise UserError(
                f"{directory}: runs of different {what} ({told}); start the sweep in a directory of its own"
            )


def _keys(directory: Location, manifests: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    first = tuple(manifests[0]["point"])
    for each in manifests:
        if tuple(each["point"]) != first:
            told = f"{', '.join(each['point'])} in run '{each['run']}', {', '.join(first)} in '{manifests[0]['run']}'"
            raise UserError(f"{directory}: runs of different sweeps (they vary {told}); keep those of one")
    return first


def _by_point(
    directory: Location,
    keys: Sequence[str],
    rows: Sequence[tuple[Settings, dict[str, Any]]],
    packed: Mapping[str, Packed],
) -> dict[Settings, Results]:
    found: dict[Settings, list[dict[str, Any]]] = {}
    for point, row in sorted(rows, key=itemgetter(0)):
        found.setdefault(point, []).append(row)
    for several in found.values():
        require_one_scenario(directory, several)
    return {point: as_results(directory, found[point], packed) for point in points_in_order(list(found), keys)}
