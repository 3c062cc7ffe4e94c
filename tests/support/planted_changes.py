"""Results of several kinds of runs, in which a test changes one value of one column and verifies the changed run."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.analysis.summary.results_reader import Run, read_results
from mobilesim.analysis.verify.checks import Fact, RunChecks
from mobilesim.analysis.verify.cross_checks.agreement import check_agreement
from mobilesim.analysis.verify.verify_run import verify_run
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from tests.support.parquet_files import write_table

_CELLS: Final = """\
hosts: 6
cells: {shape: grid, rows: 1, columns: 3}
duration: 6 s
replications: 2
backbone: {topology: ring, jitter: exponential 20 ms}
workload: {interval: exponential 200 ms, kind: multicast, destinations: 2}
"""
_RADIO: Final = """\
wireless: {bandwidth: 128 kbit/s, loss: 0.05, beacon: 100 ms, doze: {after: 50 ms, listen: 3 ms}}
energy: {switch: 500 uJ, battery: uniform 20 J 40 J}
mobility: {dwell: exponential 1 s, disconnect: {probability: 0.3, duration: exponential 500 ms}}
clocks: [FM, lamport]
"""
_STATIC: Final = """\
network: static
hosts: 5
replications: 2
workload: {interval: exponential 100 ms, kind: multicast, destinations: 2}
"""

_SMALL: Final = 170
"""The number of rows below which a table is small."""

_OTHERS: Final = {"status": "interrupted", "verdict": "fault"}
"""Columns with few possible values: another one."""

KINDS: Final = {
    "flush": f"{_CELLS}{_RADIO}protocols: [av3]\n",
    "flood": f"{_CELLS}{_RADIO}protocols: [prs]\n",
    "empty batteries": f"""\
{_CELLS.replace("20 ms", "300 ms")}protocols: [unordered]
wireless: {{beacon: 100 ms, doze: {{after: 50 ms, listen: 3 ms}}}}
energy: {{battery: uniform 2 J 4 J}}
mobility:
  dwell: exponential 200 ms
  gap: exponential 400 ms
  disconnect: {{probability: 0.1, duration: exponential 2 s}}
  at_end: leave
""",
    "static": f"""\
{_STATIC}protocols: [rst, resident+ks-short-chains]
links: {{delay: exponential 100 ms, service: independent}}
messages: 200
clocks: [FM, allocation 2]
""",
    "bus": f"{_STATIC}protocols: [resident+unordered]\nlinks: {{service: bus}}\nmessages: 100\n",
    "groups": """\
network: static
hosts: 6
replications: 2
groups: {rule: ring, size: 3}
workload: {interval: exponential 500 ms}
protocols: [resident+mr]
links: {delay: exponential 300 ms, service: independent}
messages: 60
""",
    "members": f"""\
{_STATIC}protocols: [resident+ks]
links: {{delay: exponential 100 ms, service: independent}}
duration: 20 s
membership: {{arrive: 2 s, stay: exponential 5 s}}
""",
}


def write_kind(home: Path, kind: str) -> Path:
    """Run the scenario of a kind, and return the directory of its results."""
    scenario, directory = home / f"{kind}.yaml", home / kind
    scenario.write_text(f"name: {json.dumps(kind)}\n{KINDS[kind]}")
    assert main(["run", str(scenario), "--out", str(directory), "--no-summary"]) == 0
    return directory


class PlantedRuns:
    """The first run of each protocol in a directory, of which one value after the other is changed and restored."""

    def __init__(self, directory: Path) -> None:
        found = read_results(directory)
        self.directory = directory
        self._facts: dict[str, list[Fact]] = {}
        self.runs: list[Run] = []
        for run, row in zip(found.runs, found.rows, strict=True):
            checks = verify_run(run, row)
            assert isinstance(checks, RunChecks)
            assert [result.examples for result in checks.results.values() if result.faults] == []
            self._facts[run.run_id] = checks.facts
            if run.replication == 0:
                self.runs.append(run)

    def faults_after(self, run: Run, table: str, column: str, row: int) -> Sequence[str]:
        """Return texts of the faults that verification finds after a change of one value. A number becomes larger in
        the first row, and smaller in other rows.
        """
        path = self.directory / table / f"{run.run_id}.parquet"
        content = path.read_bytes()
        whole = pq.read_table(path)
        index = whole.column_names.index(column)
        values = whole[column].to_pylist()
        values[row] = changed(column, values[row], whole.schema.field(column).type, -1 if row else 1)
        new = pa.array(values, whole.schema.field(column).type)
        try:
            write_table(whole.set_column(index, whole.schema.field(column), new), path)
            return self._faults(run)
        finally:
            path.write_bytes(content)

    def _faults(self, run: Run) -> Sequence[str]:
        try:
            found = read_results(self.directory)
        except UserError as error:
            return [str(error)]
        pairs = zip(found.runs, found.rows, strict=True)
        (own,) = [pair for pair in pairs if pair[0].path("runs").stem == run.run_id]
        checks = verify_run(*own)
        if isinstance(checks, str):
            return [checks]
        others = [RunChecks(each, {}) for each in found.runs if each.path("runs").stem != run.run_id]
        for each in others:
            each.facts = self._facts[each.run.run_id]
        check_agreement([*others, checks])
        return [text for result in checks.results.values() if result.faults for text in result.examples]

    def unnoticed(self, table: str, column: str) -> Iterator[str]:
        """Yield a text for each run and row in which a change of this column is not found."""
        for run in self.runs:
            for row in self._rows(run, table, column):
                if not self.faults_after(run, table, column, row):
                    yield f"{table}.{column} of {run.protocol}, row {row}"

    def _rows(self, run: Run, table: str, column: str) -> Sequence[int]:
        """Return the first and the last row with a value in this column; in a small table, also one in the middle. If
        no row has a value, return the first row.
        """
        values = pq.read_table(self.directory / table / f"{run.run_id}.parquet", columns=[column])[column]
        full = [row for row, value in enumerate(values.to_pylist()) if value is not None]
        if not full:
            return range(min(len(values), 1))
        middle = full[len(full) // 2] if len(values) < _SMALL else full[0]
        return sorted({full[0], middle, full[-1]})


def changed(column: str, value: Any, kind: pa.DataType, sign: int) -> Any:  # noqa: ANN401 - a value of any column
    """Return another possible value of the column: a small change of a number, or a value instead of null. `sign`:
    whether a number becomes larger or smaller; it does not become negative.
    """
    if column in _OTHERS:
        return _OTHERS[column]
    if pa.types.is_boolean(kind):
        return not value
    if pa.types.is_floating(kind):
        return 0.5 if value is None else value + sign * (value * 1e-6 + 1e-9)
    if pa.types.is_integer(kind):
        step = 60 if column.endswith("bytes") else 1
        return 1_000_000_000 if value is None else value + (sign * step if value + sign * step >= 0 else step)
    if pa.types.is_list(kind):
        return [*value[:-1], value[-1] + 1]
    return f"{value}x"
