"""A summary as frozen values: what is printed, drawn and written."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from analysis.statistics.estimate import Estimate
from analysis.summary.metrics import DELIVERIES, require_known
from mobilesim.results.location import Location
from mobilesim.results.quantities import DELAY_PARTS

_OF_ORDER: Final = frozenset({"causal_wait", "inhibition"})


class Correctness(StrEnum):
    """Whether a protocol kept its claims, by the counts of the oracle.

    Every protocol claims that no message is lost or delivered twice. A protocol without causal order is a baseline: if
    even it shows no causal violation, the scenario does not test the order of deliveries.
    """

    CORRECT = "correct"
    NOT_CAUSAL = "correct, not causal"
    NOT_REORDERED = "correct, no reordering occurred"
    INCORRECT = "incorrect"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class ProtocolSummary:
    name: str
    placement: str
    ordering: str
    options: str
    claims_causal: bool
    correctness: Correctness
    verdicts: tuple[str, ...]
    runs: int
    interrupted: int
    failed: int
    messages: int
    judged: int
    lost: int
    stranded: int
    dropped: int
    duplicates: int
    causal_violations: int
    fifo_violations: int
    estimates: Mapping[str, Estimate]
    overloads: tuple[str, ...] = ()
    """What is said of the runs in which something had too much to do."""

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric: without a mean if the runs had no observation of it."""
        estimate = self.estimates.get(metric)
        if estimate is None:
            require_known(metric)
            return Estimate(metric)
        return estimate

    @property
    def deliveries(self) -> int:
        """Those of all runs that have a row. The oracle has judged those besides that a scenario does not measure."""
        return self[DELIVERIES].count

    @property
    def complete(self) -> int:
        """The runs that means are of, unless there is none: then they are of what there is."""
        return self.runs - self.interrupted - self.failed

    @property
    def incomplete_runs(self) -> str:
        """What is to be known of runs that are not complete; nothing if all are."""
        kinds = (("failed", self.failed), ("interrupted", self.interrupted))
        return ", ".join(f"{count} of {self.runs} {kind}" if self.runs > 1 else kind for kind, count in kinds if count)

    def share(self, part: str) -> float | None:
        mean, delay = self[part].mean, self["delay"].mean
        return mean / delay if mean is not None and delay else None


@dataclass(frozen=True, slots=True)
class Experiment:
    """What was run. Of a run that was interrupted, less has been emulated than of the others."""

    scenario: str
    scenario_hash: str
    seeds: tuple[int, ...]
    hosts: int
    stations: int
    replications: int
    emulated: int
    version: str
    python: str
    wall_seconds: float


@dataclass(frozen=True, slots=True)
class DelayCheck:
    """Do the parts of every delivery add up to its delay?"""

    rows: int
    faults: int
    example: str | None


@dataclass(frozen=True, slots=True)
class Summary:
    directory: Location
    experiment: Experiment
    protocols: tuple[ProtocolSummary, ...]
    check: DelayCheck
    report: Location | None = None

    @property
    def has_handoffs(self) -> bool:
        """Whether a host ever changed its cell."""
        return any(protocol["move.finished"].count for protocol in self.protocols)

    @property
    def has_energy(self) -> bool:
        """Whether a radio took any energy."""
        return any(protocol["host.energy"].mean for protocol in self.protocols)

    @property
    def parts(self) -> tuple[str, ...]:
        """Of a delay. Where there are no stations there are few; those that order costs are there in any network."""
        if self.experiment.stations:
            return tuple(DELAY_PARTS)
        return tuple(
            part for part in DELAY_PARTS if part in _OF_ORDER or any(each[part].mean for each in self.protocols)
        )

    @property
    def sound(self) -> bool:
        """Every delivery adds up, and no protocol breaks what it claims."""
        return not self.check.faults and all(
            protocol.correctness is not Correctness.INCORRECT for protocol in self.protocols
        )
