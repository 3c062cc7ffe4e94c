"""Find one run of a results directory, or of a sweep's directory, by its protocol and replication."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mobilesim.analysis.summary.results_reader import Results, Run, check_counts, read_errors, read_results
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.reader import is_sweep, read_sweep
from mobilesim.errors import UserError, parameter, suggestion
from mobilesim.results.location import Location


@dataclass(frozen=True, slots=True)
class OneRun:
    """A run and its row in `runs`. A damaged table raises a UserError."""

    run: Run
    row: Mapping[str, Any]

    def read(self, table: str, *columns: str) -> pa.Table:
        with read_errors(self.run):
            return self.run.read(table, *columns)


def find_run(
    directory: Location, protocol: str | None, replication: int, point: Mapping[str, object] | None = None
) -> OneRun:
    """Return a run. The protocol may be missing if there is only one. `point`: values of the varied keys of a sweep, as
    many as needed to choose one point.
    """
    if is_sweep(directory):
        found = _at(directory, point or {})
    elif point:
        raise UserError(f"{parameter('point')}: {directory} has the results of a run; only a sweep has points")
    else:
        found = read_results(directory)
    index = _index(found.rows, protocol, replication)
    with read_errors(found.runs[index]):
        check_counts(found.runs[index])
    return OneRun(found.runs[index], found.rows[index])


def _at(directory: Location, wanted: Mapping[str, object]) -> Results:
    sweep = read_sweep(directory)
    if unknown := [key for key in wanted if key not in sweep.keys]:
        raise UserError(f"{parameter('point')}: '{unknown[0]}' is not varied{suggestion(unknown[0], sweep.keys)}")
    places = {sweep.keys.index(key): str(value) for key, value in wanted.items()}
    found = [point for point in sweep.points if all(point[place] == text for place, text in places.items())]
    if len(found) == 1:
        return sweep.points[found[0]]
    points = ", ".join(_named(sweep.keys, point) for point in (found or sweep.points))
    what = "no such point; there are" if not found else f"{directory} is a sweep, so name one of its points"
    raise UserError(f"{parameter('point')}: {what} {points}")


def _named(keys: Sequence[str], point: Settings) -> str:
    return " ".join(f"{key}={value}" for key, value in zip(keys, point, strict=True))


def _index(rows: Sequence[Mapping[str, Any]], protocol: str | None, replication: int) -> int:
    protocols = [*dict.fromkeys(row["protocol"] for row in rows)]
    if protocol is None and len(protocols) > 1:
        raise UserError(f"{parameter('protocol')}: name one of the protocols {', '.join(protocols)}")
    wanted = protocols[0] if protocol is None else protocol
    if wanted not in protocols:
        raise UserError(f"{parameter('protocol', wanted)}: no such run{suggestion(wanted, protocols)}")
    found = {row["replication"]: index for index, row in enumerate(rows) if row["protocol"] == wanted}
    if replication not in found:
        known = ", ".join(map(str, sorted(found)))
        raise UserError(f"{parameter('replication', replication)}: no such run; there are {known}")
    return found[replication]
