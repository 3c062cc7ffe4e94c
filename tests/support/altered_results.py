"""Results of `mobilesim run`, of which a test alters one file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from mobilesim.analysis.verify.checks import Verification
from mobilesim.analysis.verify.verify_results import verify
from mobilesim.cli.main import main
from tests.support.parquet_files import write_table

Rows = list[dict[str, Any]]
Alter = Callable[[Rows], object]

_MOVING: Final = """\
name: moving
hosts: 8
duration: 8 s
protocols: [av1, unordered]
backbone: {jitter: exponential 30 ms}
mobility: {dwell: exponential 1 s, disconnect: {probability: 0.2, duration: exponential 1 s, policy: drop}}
workload: {interval: exponential 100 ms, kind: multicast, destinations: 3}
"""
KS: Final = "resident+ks"
_STATIC: Final = """\
name: static
network: static
hosts: 6
protocols: [rst]
links: {delay: exponential 100 ms, service: independent}
workload: {interval: exponential 50 ms}
"""

_WAITING: Final = """\
name: waiting
hosts: 8
duration: 6 s
protocols: [av2, resident+ks]
backbone: {jitter: exponential 30 ms}
mobility: {dwell: exponential 1 s}
workload: {interval: exponential 100 ms, kind: multicast, destinations: 3}
"""

_SCENARIOS: Final = {
    "waiting": _WAITING,
    "moving": _MOVING,
    "whole": f"{_STATIC}messages: 400\n",
    "timed": f"{_MOVING}measure: {{from: 2 s, to: 6 s}}\n",
    "away": _MOVING.replace("exponential 1 s, policy: drop}", "exponential 5 s}, at_end: leave"),
    "members": f"{_STATIC}duration: 20 s\nmembership: {{arrive: 2 s, stay: exponential 5 s}}\n".replace("rst", KS),
    "window": f"{_STATIC}warm_up: {{deliveries: 100}}\ndeliveries: 200\n",
}


def write_results(home: Path) -> Path:
    """Write a results directory for each scenario."""
    for name, text in _SCENARIOS.items():
        (home / f"{name}.yaml").write_text(text)
        assert main(["run", str(home / f"{name}.yaml"), "--out", str(home / name), "--no-summary"]) == 0
    return home


def table_file(directory: Path, table: str, protocol: str) -> Path:
    """Return the file of a table of the protocol's run."""
    for path in sorted((directory / "runs").iterdir()):
        if pq.read_table(path)["protocol"].to_pylist() == [protocol]:
            return directory / table / path.name
    raise AssertionError(protocol)


def alter(path: Path, change: Alter) -> None:
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    write_table(pa.Table.from_pylist(rows, table.schema), path)


def faults(found: Verification) -> dict[str, int]:
    return {check.name: check.faults for check in found.checks if check.faults}


def first(found: Verification, check: str) -> str:
    return next(each.examples[0] for each in found.checks if each.name == check)


def verify_altered(directory: Path, table: str, change: Alter, protocol: str = "av1") -> Verification:
    alter(table_file(directory, table, protocol), change)
    return verify(directory)
