"""What a verification says: every check over all runs."""

from dataclasses import dataclass
from typing import Any

from mobilesim.results.location import Location


@dataclass(frozen=True, slots=True)
class Check:
    """`unit` is what was counted; `notes` are no faults."""

    name: str
    unit: str
    checked: int
    faults: int
    examples: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """`left_out` says which runs were not looked at, and why; None if all were."""

    directory: Location
    runs: int
    deliveries: int
    version: str
    left_out: str | None
    checks: tuple[Check, ...]

    @property
    def sound(self) -> bool:
        return not any(check.faults for check in self.checks)

    def document(self) -> dict[str, Any]:
        """For programs."""
        return {
            "directory": str(self.directory),
            "sound": self.sound,
            "runs": self.runs,
            "deliveries": self.deliveries,
            "version": self.version,
            "left_out": self.left_out,
            "checks": [_described(check) for check in self.checks],
        }


def _described(check: Check) -> dict[str, Any]:
    return {
        "check": check.name,
        "checked": check.checked,
        "of": check.unit,
        "faults": check.faults,
        "examples": list(check.examples),
        "notes": list(check.notes),
    }
