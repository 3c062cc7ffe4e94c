"""A run, which is one protocol in one replication of a scenario, and its outcome, as plain values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mobilesim.experiments.clock_comparison import Row
from mobilesim.results.layout import run_id
from mobilesim.results.statuses import RunStatus, RunVerdict
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.protocol_choice import ProtocolChoice
from mobilesim.simulation.overload import Overload
from protocols import catalogue
from protocols.catalogue_rows import ProtocolRow


@dataclass(frozen=True, slots=True)
class Run:
    """`point`: the run's point in a sweep, as JSON."""

    scenario: Scenario
    choice: ProtocolChoice
    replication: int
    point: str = "{}"

    @property
    def id(self) -> str:
        return run_id(self.scenario.hash, self.choice.label, self.replication)

    @property
    def row(self) -> ProtocolRow:
        return catalogue.pair(self.choice.placement, self.choice.ordering)

    @property
    def at_host(self) -> bool:
        """Whether hosts order messages, not stations."""
        return self.row.placement_row.orders_at == "host"


def runs(scenario: Scenario) -> Iterator[Run]:
    """Yield all runs of a scenario, replication by replication, so that protocols can be compared early."""
    for replication in range(scenario.replications):
        for choice in scenario.protocols:
            yield Run(scenario, choice, replication)


@dataclass(frozen=True, slots=True)
class OracleCounts:
    """The numbers of deliveries that broke a property."""

    duplicates: int
    causal: int
    fifo: int


@dataclass(frozen=True, slots=True)
class RunOutcome:
    run: Run
    status: RunStatus
    fault: str | None
    """The exception of a protocol machine as text."""
    messages: int
    deliveries: int
    dropped: int
    lost: int
    stranded: int
    """Deliveries prevented by an empty battery of a host; the protocol has not lost them."""
    measured: tuple[int, int]
    """The messages and the deliveries in the measurement window."""
    judged: OracleCounts | None
    """The counts of the oracle; None without an oracle."""
    ended: int
    """The time at which the scenario ended and only deliveries were left, or at which the run was stopped."""
    simulated: int
    """The time of the last event."""
    events: int
    busiest: float
    """The utilisation of the busiest station."""
    disconnected: int
    """The total time that hosts were disconnected before `ended`; 0 without a trace."""
    died: Mapping[int, int]
    """The time at which the battery of a host became empty, by host."""
    clocks: Sequence[Row]
    """Rows of the passive clocks."""
    overload: Overload | None
    wall_seconds: float

    @property
    def verdict(self) -> RunVerdict:
        judged, claims = self.judged, self.run.row.claims
        if self.fault is not None:
            return RunVerdict.FAULT
        if judged is None:
            return RunVerdict.UNJUDGED
        broken = self.lost or judged.duplicates or (claims.causal and judged.causal) or (claims.fifo and judged.fifo)
        return RunVerdict.FAULT if broken else RunVerdict.OK
