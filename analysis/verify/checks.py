"""The checks, their results for one run, and the totals over all runs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.results.location import Location

Mask: TypeAlias = npt.NDArray[np.bool_]

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

# In the order in which they are reported, each with the unit that it counts.
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
}

MAX_EXAMPLES: Final = 3
"""Faults that are described for each check of a run; all are counted."""


@dataclass(slots=True)
class CheckResult:
    """The result of one check of one run. `notes`: what could not be checked, and why; they do not count as faults."""

    checked: int = 0
    faults: int = 0
    examples: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class RunChecks:
    """Collects the results of all checks of one run."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.results = {check: CheckResult() for check in CHECKS}

    def count(self, check: str, checked: int) -> None:
        self.results[check].checked += checked

    def fault(self, check: str, what: str, count: int = 1) -> None:
        result = self.results[check]
        result.faults += count
        if len(result.examples) < MAX_EXAMPLES:
            result.examples.append(f"run {self.run_id}, {what}")

    def faults(self, check: str, wrong: Mask, describe: Callable[[int], str]) -> None:
        """Count a fault for every index where `wrong` is set, and describe the first ones."""
        for index in np.flatnonzero(wrong)[:MAX_EXAMPLES].tolist():
            self.fault(check, describe(index), 0)
        self.results[check].faults += int(np.count_nonzero(wrong))

    def compare(self, what: str, recorded: int, counted: int) -> None:
        self.count(COUNTERS, 1)
        if recorded != counted:
            self.fault(COUNTERS, f"{what}: {recorded:,} recorded, {counted:,} counted")

    def note(self, check: str, text: str) -> None:
        self.results[check].notes.append(f"run {self.run_id}: {text}")


@dataclass(frozen=True, slots=True)
class CheckTotal:
    """One check over all runs."""

    name: str
    unit: str
    checked: int
    faults: int
    examples: tuple[str, ...]
    notes: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        return {
            "check": self.name,
            "checked": self.checked,
            "of": self.unit,
            "faults": self.faults,
            "examples": list(self.examples),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of a results directory. `left_out` says which runs were not checked, and why; None if all were."""

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
        return {
            "directory": str(self.directory),
            "sound": self.sound,
            "runs": self.runs,
            "deliveries": self.deliveries,
            "version": self.version,
            "left_out": self.left_out,
            "checks": [check.document() for check in self.checks],
        }
