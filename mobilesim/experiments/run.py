"""A run (one protocol in one replication of a scenario) and its outcome, as plain values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mobilesim.experiments.clock_comparison import Row
from mobilesim.extensions import outside_protocols
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.results.layout import run_id
from mobilesim.results.statuses import RunStatus, RunVerdict
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.protocol_choice import ProtocolChoice
from mobilesim.simulation.overload import Overload
from mobilesim.statistics.proportions import Proportion


@dataclass(frozen=True, slots=True)
class Run:
    """`point`: the run's point in a sweep, as JSON."""

    scenario: Scenario
    choice: ProtocolChoice
    replication: int
    point: str = "{}"

    @property
    def id(self) -> str:
        return run_id(self.scenario.hash, self.choice.identity, self.replication)

    @property
    def row(self) -> ProtocolRow:
        return outside_protocols.pair(self.choice.placement, self.choice.ordering)

    @property
    def promised_rate(self) -> float | None:
        """The promised upper bound of the share of deliveries that violate causal order, or None."""
        return self.row.promised_rate(dict(self.choice.options))

    @property
    def extensions(self) -> str:
        """The parts of other packages that the run uses, each with the package's version; '' if there are none."""
        return "; ".join(filter(None, (self.choice.extensions, self.scenario.extensions)))

    @property
    def at_host(self) -> bool:
        """Whether hosts, and not stations, order messages."""
        return self.row.placement_row.orders_at == "host"


def runs(scenario: Scenario) -> Iterator[Run]:
    """Yield all runs of a scenario, replication by replication, so that protocols can be compared early."""
    for replication in range(scenario.replications):
        for choice in scenario.protocols:
            yield Run(scenario, choice, replication)


@dataclass(frozen=True, slots=True)
class OracleCounts:
    """The numbers of deliveries that violated exactly-once delivery, causal order, FIFO order, and causal order along
    short chains. The last number is 0 unless the protocol claims this order.
    """

    duplicates: int
    causal: int
    fifo: int
    short: int = 0


@dataclass(frozen=True, slots=True)
class RunOutcome:
    run: Run
    status: RunStatus
    fault: str | None
    """The exception of a protocol machine as text."""
    messages: int
    deliveries: int
    dropped: int
    left: int
    """The deliveries that were not made because their hosts had left the network for good."""
    lost: int
    stranded: int
    """The deliveries that an empty battery of a host prevented. These messages do not count as lost."""
    away_at_end: int
    """The deliveries that were not made because a host stayed away at the end. They do not count as lost, either."""
    hosts: int
    """The number of hosts, with those that joined or left during the run."""
    measured: tuple[int, int]
    """The messages and the deliveries in the measurement window."""
    window: tuple[int, int]
    """The times at which the measurement window began and ended."""
    judged: OracleCounts | None
    """The counts of the oracle; None without an oracle."""
    ended: int
    """The time of the scenario's end, after which no host sent or moved, or the time at which the run was stopped."""
    simulated: int
    """The time of the last event."""
    events: int
    busiest: float
    """The utilisation of the busiest station."""
    disconnected: int
    """The total time for which hosts were disconnected before `ended`; 0 without a trace."""
    died: Mapping[int, int]
    """By host, the time at which its battery became empty."""
    clocks: Sequence[Row]
    """The rows of the table `clocks`."""
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
        broken = broken or judged.short
        if self.run.promised_rate is not None:
            broken = broken or self.causal_violations.exceeds(self.run.promised_rate)
        return RunVerdict.FAULT if broken else RunVerdict.OK

    @property
    def causal_violations(self) -> Proportion:
        """The causal violations among all deliveries."""
        return Proportion(0 if self.judged is None else self.judged.causal, self.deliveries)
