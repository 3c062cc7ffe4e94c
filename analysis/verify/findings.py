"""What the checks of one run find: how much was looked at, how much does not hold, and the first of it in words."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

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

# In the order in which they are told, each with what it counts.
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

FIRST: Final = 3
"""So many offenders are told of a check and a run."""


@dataclass(slots=True)
class Finding:
    """One check in one run. `notes` are no faults: what could not be checked, and why."""

    checked: int = 0
    faults: int = 0
    examples: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Findings:
    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.of = {check: Finding() for check in CHECKS}

    def looked(self, check: str, count: int) -> None:
        self.of[check].checked += count

    def fault(self, check: str, what: str, count: int = 1) -> None:
        finding = self.of[check]
        finding.faults += count
        if len(finding.examples) < FIRST:
            finding.examples.append(f"run {self.run_id}, {what}")

    def faults(self, check: str, wrong: Mask, describe: Callable[[int], str]) -> None:
        """Where `wrong`, something does not hold; `describe` says what of an index."""
        for index in np.flatnonzero(wrong)[:FIRST].tolist():
            self.fault(check, describe(index), 0)
        self.of[check].faults += int(np.count_nonzero(wrong))

    def equal(self, what: str, said: int, counted: int) -> None:
        """A counter and what there is."""
        self.looked(COUNTERS, 1)
        if said != counted:
            self.fault(COUNTERS, f"{what}: {said:,} said, {counted:,} counted")

    def note(self, check: str, text: str) -> None:
        self.of[check].notes.append(f"run {self.run_id}: {text}")
