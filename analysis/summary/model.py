"""The summary of a results directory as frozen values, assembled from its runs and their estimates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any, Final

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.formatting import duration
from mobilesim.analysis.summary.metrics import CHECK, CLOCK_ERRORS, DELIVERIES, require_known
from mobilesim.analysis.summary.results_reader import Results
from mobilesim.errors import UserError, suggestion
from mobilesim.results.location import Location
from mobilesim.results.quantities import DELAY_PARTS, RUN_COUNTS
from mobilesim.results.statuses import RunStatus, RunVerdict
from mobilesim.statistics.proportions import Proportion

Row = Mapping[str, Any]

_CLOCKS: Final = "clocks"
_OF_ORDER: Final = frozenset({"causal_wait", "inhibition", "knock_on"})


class Correctness(StrEnum):
    """Whether a protocol kept its claims, according to the oracle.

    Every protocol claims that no message is lost or delivered twice. A protocol that does not claim causal order is a
    baseline: if even the baseline has no causal violation, the scenario does not test the order of deliveries. A
    probabilistic protocol promises a rate of causal violations.
    """

    CORRECT = "correct"
    WITHIN_RATE = "correct, causal violations within the promised rate"
    NOT_CAUSAL = "correct, not causal"
    NOT_REORDERED = "correct, no reordering occurred"
    NO_DELIVERIES = "no deliveries, nothing checked"
    INCORRECT = "incorrect"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class ProtocolSummary:
    name: str
    placement: str
    ordering: str
    options: str
    description: str
    paper: str
    claims_causal: bool
    claims_fifo: bool
    correctness: Correctness
    verdicts: tuple[str, ...]
    runs: int
    interrupted: int
    failed: int
    counts: Mapping[str, int]
    """The sum over runs of each of `RUN_COUNTS`."""
    estimates: Mapping[str, Estimate]
    overloads: tuple[str, ...] = ()
    """The first overloaded link or station of each overloaded run."""
    claims_violation_rate: float | None = None
    free: str = ""
    """What costs nothing in its runs although it could have a price; empty if nothing does."""

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric. Its mean is None if the runs have no observation of the metric."""
        estimate = self.estimates.get(metric)
        if estimate is None:
            require_known(metric)
            return Estimate(metric)
        return estimate

    @property
    def deliveries(self) -> int:
        """The number of measured deliveries of all runs."""
        return self[DELIVERIES].count

    @property
    def complete(self) -> int:
        """The number of complete runs. Means are of complete runs, or of all runs if none is complete."""
        return self.runs - self.interrupted - self.failed

    @property
    def incomplete_runs(self) -> str:
        """The numbers of failed and interrupted runs as text; '' if all are complete."""
        kinds = (("failed", self.failed), ("interrupted", self.interrupted))
        return ", ".join(f"{count} of {self.runs} {kind}" if self.runs > 1 else kind for kind, count in kinds if count)

    def share(self, part: str) -> float | None:
        mean, delay = self[part].mean, self["delay"].mean
        return mean / delay if mean is not None and delay else None


@dataclass(frozen=True, slots=True)
class ClockResult:
    name: str
    protocol: ProtocolSummary

    def __getitem__(self, metric: str) -> Estimate:
        return self.protocol[f"{_CLOCKS}.{self.name}.{metric}"]

    def maximum(self, metric: str) -> int:
        """Return the largest value of all runs."""
        return int(max(self[metric].run_means, default=0))

    @property
    def claims_exact(self) -> bool:
        """Whether none of the clock's answers may be wrong."""
        return min(self["claims_exact"].run_means, default=1) == 1

    @property
    def exact_sets(self) -> bool:
        """Whether the clock's sets are exact in all runs.

        Otherwise, some sets contain more processes than necessary, which causes no wrong answers.
        """
        return min(self["exact_sets"].run_means, default=1) == 1

    @property
    def compared(self) -> int:
        return self["wrong"].count

    @property
    def mistakes(self) -> int:
        return sum(self[kind].count for kind in CLOCK_ERRORS)

    @property
    def share_of_vector(self) -> float | None:
        """The mean size of a stamp, relative to the size of a vector clock."""
        mean, whole = self["integers"].mean, self["integers_of_vectors"].mean
        return None if mean is None or not whole else mean / whole


def clock_results(protocol: ProtocolSummary) -> tuple[ClockResult, ...]:
    """Return the passive clocks of a protocol's runs, by name: FM, the allocations, then the others."""
    metrics = (metric.split(".") for metric in protocol.estimates)
    names = {name for kind, name, *_ in (metric for metric in metrics if metric[0] == _CLOCKS)}
    return tuple(ClockResult(name, protocol) for name in sorted(names))


@dataclass(frozen=True, slots=True)
class Experiment:
    """The simulated scenario. `simulated`: the longest simulated time of a run; interrupted runs are shorter.

    `windows`: the different measurement windows of its runs, each with its begin and its end; empty if whole runs were
    measured.
    """

    scenario: str
    scenario_hash: str
    seeds: tuple[int, ...]
    hosts: int
    stations: int
    replications: int
    simulated: int
    version: str
    python: str
    wall_seconds: float
    windows: tuple[tuple[int, int], ...] = ()

    @property
    def window(self) -> str | None:
        """Return the measurement window as text; None if whole runs were measured."""
        if not self.windows:
            return None
        begin, end = min(since for since, _ in self.windows), max(until for _, until in self.windows)
        span = f"{duration(begin)} to {duration(end)}"
        return span if len(self.windows) == 1 else f"{span} at most, different in each run"


@dataclass(frozen=True, slots=True)
class DelayCheck:
    """Whether the parts of every delivery add up to its delay."""

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

    def __getitem__(self, protocol: str) -> ProtocolSummary:
        for found in self.protocols:
            if found.name == protocol:
                return found
        names = [found.name for found in self.protocols]
        raise UserError(f"{protocol!r} is not among the protocols{suggestion(protocol, names)}")

    @property
    def has_handoffs(self) -> bool:
        """Whether any host changed its cell."""
        return any(protocol["move.finished"].count for protocol in self.protocols)

    @property
    def has_energy(self) -> bool:
        """Whether any host used energy."""
        return any(protocol["host.energy"].mean for protocol in self.protocols)

    @property
    def parts(self) -> tuple[str, ...]:
        """The delay parts to show. In a static network: the nonzero parts, and the parts of the ordering."""
        if self.experiment.stations:
            return tuple(DELAY_PARTS)
        return tuple(
            part for part in DELAY_PARTS if part in _OF_ORDER or any(protocol[part].mean for protocol in self.protocols)
        )

    @property
    def sound(self) -> bool:
        """Whether every delay adds up, no protocol is incorrect, and each protocol delivered something."""
        unsound = {Correctness.INCORRECT, Correctness.NO_DELIVERIES}
        return not self.check.faults and all(protocol.correctness not in unsound for protocol in self.protocols)


def assemble(results: Results, estimates: Mapping[str, Mapping[str, Estimate]]) -> Summary:
    groups = groupby(results.rows, key=lambda row: str(row["protocol"]))
    protocols = [_protocol(name, list(rows), estimates.get(name, {})) for name, rows in groups]
    return Summary(results.directory, _experiment(results.rows), tuple(protocols), _check(protocols))


def correctness(rows: Sequence[Row]) -> Correctness:
    """Return whether a protocol kept its claims and, if it does not claim causal order, whether it kept this order."""
    verdicts = {row["verdict"] for row in rows}
    if RunVerdict.FAULT in verdicts:
        return Correctness.INCORRECT
    if RunVerdict.UNJUDGED in verdicts:
        return Correctness.NOT_CHECKED
    if not any(row["judged"] for row in rows):
        return Correctness.NO_DELIVERIES
    if rows[0]["claims_causal"]:
        return Correctness.CORRECT
    if (promised := rows[0]["claims_violation_rate"]) is not None:
        exceeds = _violations(rows).exceeds(promised)
        return Correctness.INCORRECT if exceeds else Correctness.WITHIN_RATE
    return Correctness.NOT_CAUSAL if any(row["causal_violations"] for row in rows) else Correctness.NOT_REORDERED


def _violations(rows: Sequence[Row]) -> Proportion:
    return Proportion(sum(row["causal_violations"] for row in rows), sum(row["judged"] for row in rows))


def _protocol(name: str, rows: Sequence[Row], estimates: Mapping[str, Estimate]) -> ProtocolSummary:
    about = {
        name: rows[0][name]
        for name in (
            *("placement", "ordering", "options", "description", "paper", "free"),
            *("claims_causal", "claims_fifo", "claims_violation_rate"),
        )
    }
    return ProtocolSummary(
        name=name,
        correctness=correctness(rows),
        verdicts=tuple(sorted({row["verdict"] for row in rows})),
        runs=len(rows),
        interrupted=sum(row["status"] == RunStatus.INTERRUPTED for row in rows),
        failed=sum(row["status"] == RunStatus.FAILED for row in rows),
        counts={name: sum(row[name] for row in rows) for name in RUN_COUNTS},
        estimates=estimates,
        overloads=tuple(row["overload"] for row in rows if row["overload"]),
        **about,
    )


def _experiment(rows: Sequence[Row]) -> Experiment:
    same = ("scenario", "scenario_hash", "hosts", "stations", "version", "python")
    parts = [row for row in rows if (row["measured_from"], row["measured_to"]) != (0, row["simulated"])]
    return Experiment(
        windows=tuple(sorted({(row["measured_from"], row["measured_to"]) for row in parts})),
        seeds=tuple(sorted({row["seed"] for row in rows})),
        replications=len({row["replication"] for row in rows}),
        simulated=max(row["simulated"] for row in rows),
        wall_seconds=sum(row["wall_seconds"] for row in rows),
        **{name: rows[0][name] for name in same},
    )


def _check(protocols: Sequence[ProtocolSummary]) -> DelayCheck:
    checks = [protocol[CHECK] for protocol in protocols]
    example = next((check.note for check in checks if check.note), None)
    return DelayCheck(sum(protocol.deliveries for protocol in protocols), sum(check.count for check in checks), example)
