"""The checks, their results for one run, and the totals over all runs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.verify.unchecked import UNCHECKED
from mobilesim.results.location import Location

Mask: TypeAlias = npt.NDArray[np.bool_]
Column: TypeAlias = npt.NDArray[Any]
Columns: TypeAlias = dict[str, Column]

Rule: TypeAlias = tuple[Mask, str | Callable[[int], str]]
"""A mask of the rows that violate a rule, and the text of the violation, or a function from a row to the text."""

RunAndRow: TypeAlias = tuple[Run, Mapping[str, Any]]
"""A run, and its row in the table `runs`."""

RUN_IDS: Final = "run ids"
REFERENCES: Final = "references"
ONCE: Final = "exactly once"
CAUSAL: Final = "causal order"
FIFO: Final = "FIFO order"
TIMELINES: Final = "timelines"
BYTES: Final = "bytes"
COUNTERS: Final = "counters"
HANDOFFS: Final = "hand-offs"
VERDICTS: Final = "verdicts"
AGREEMENT: Final = "agreement"

# The checks in the order of the output, with the counted unit of each.
CHECKS: Final = {
    RUN_IDS: "rows",
    REFERENCES: "rows",
    ONCE: "copies",
    CAUSAL: "deliveries",
    FIFO: "deliveries",
    TIMELINES: "rows",
    BYTES: "rows",
    COUNTERS: "counters",
    HANDOFFS: "rows",
    VERDICTS: "runs",
    AGREEMENT: "values",
}

_JSON_KEYS: Final = {"name": "check", "unit": "of"}

MAX_EXAMPLES: Final = 3
"""The maximum number of faults that are described for each check of a run. All faults are counted."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that is no fault. With `deliveries`, the text ends before their number."""

    text: str
    deliveries: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """A value that all runs of a scope have in common, like the runs of a protocol."""

    table: str
    column: str
    scope: tuple[object, ...]
    value: object


@dataclass(slots=True)
class CheckResult:
    """The result of one check of one run. `notes`: remarks that are no faults, for example on unchecked parts."""

    checked: int = 0
    faults: int = 0
    examples: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


class RunChecks:
    """The checks of one run: their results, its row in the table `runs`, and `facts` to compare with other runs."""

    def __init__(self, run: Run, row: Mapping[str, Any]) -> None:
        self.run = run
        self.row = row
        self.results = {check: CheckResult() for check in CHECKS}
        self.facts: list[Fact] = []

    def count(self, check: str, checked: int) -> None:
        self.results[check].checked += checked

    def fault(self, check: str, what: str, count: int = 1) -> None:
        result = self.results[check]
        result.faults += count
        if len(result.examples) < MAX_EXAMPLES:
            result.examples.append(f"run {self.run.run_id}, {what}")

    def faults(self, check: str, wrong: Mask, describe: Callable[[int], str]) -> None:
        """Count a fault for every index at which `wrong` is true, and describe the first faults."""
        for index in np.flatnonzero(wrong)[:MAX_EXAMPLES].tolist():
            self.fault(check, describe(index), 0)
        self.results[check].faults += int(np.count_nonzero(wrong))

    def rules(self, check: str, place: Callable[[int], str], rules: Iterable[Rule]) -> None:
        """Count a fault for every row that violates a rule, and describe the first faults of each rule."""
        for wrong, text in rules:
            self._rule(check, place, wrong, text)

    def _rule(self, check: str, place: Callable[[int], str], wrong: Mask, text: str | Callable[[int], str]) -> None:
        self.faults(check, wrong, lambda row: f"{place(row)}: {text if isinstance(text, str) else text(row)}")

    def each_host(self, check: str, name: str, hosts: Columns, counted: Column, where: str = "counted") -> None:
        """Compare a column of the table `hosts` with the counted value of each host."""
        host, recorded = hosts["host"], hosts[name]
        self.faults(
            check,
            recorded != counted[host],
            lambda row: f"host {host[row]}: {name}: {recorded[row]:,} recorded, {counted[host[row]]:,} {where}",
        )

    def compare(self, what: str, recorded: int, counted: int) -> None:
        self.count(COUNTERS, 1)
        if recorded != counted:
            self.fault(COUNTERS, f"{what}: {recorded:,} recorded, {counted:,} counted")

    def note(self, check: str, text: str, deliveries: int = 0) -> None:
        """Add a note on this run or, with the number of `deliveries`, one that is counted over runs."""
        found = Note(text, deliveries) if deliveries else Note(f"run {self.run.run_id}: {text}")
        self.results[check].notes.append(found)


@dataclass(frozen=True, slots=True)
class CheckTotal:
    """The result of a check over all runs. `unit`: the counted unit."""

    name: str
    checked: int
    unit: str
    faults: int
    examples: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of a results directory. `left_out`: the runs that were not checked, and the reason, if any."""

    directory: Location
    runs: int
    deliveries: int
    version: str
    left_out: str | None
    checks: tuple[CheckTotal, ...]

    @property
    def sound(self) -> bool:
        return not any(check.faults for check in self.checks)

    def document(self) -> dict[str, Any]:
        """Return the JSON document."""
        found: dict[str, Any] = {"directory": "", "sound": self.sound} | asdict(self)
        checks = [{_JSON_KEYS.get(name, name): value for name, value in check.items()} for check in found["checks"]]
        return found | {"directory": str(self.directory), "checks": checks, "unchecked": UNCHECKED}
