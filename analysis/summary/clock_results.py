"""What came of clocks that looked on: a protocol's estimates, put together for each of them."""

from dataclasses import dataclass
from typing import Final

from analysis.statistics.estimate import Estimate
from analysis.summary.metrics import CLOCK_ERRORS
from analysis.summary.model import ProtocolSummary

_KIND: Final = "clocks"


@dataclass(frozen=True, slots=True)
class ClockResult:
    name: str
    protocol: ProtocolSummary

    def __getitem__(self, metric: str) -> Estimate:
        return self.protocol[f"{_KIND}.{self.name}.{metric}"]

    def maximum(self, metric: str) -> int:
        """Of all runs."""
        return int(max(self[metric].run_means, default=0))

    @property
    def exact(self) -> bool:
        """In all runs; else sets are safe supersets in some."""
        return min(self["exact"].run_means, default=1) == 1

    @property
    def processes(self) -> int:
        return self.maximum("processes")

    @property
    def links(self) -> int:
        return self.maximum("links")

    @property
    def compared(self) -> int:
        return self["wrong"].count

    @property
    def mistakes(self) -> int:
        return sum(self[kind].count for kind in CLOCK_ERRORS)

    @property
    def share_of_vector(self) -> float | None:
        """What is on a message, as a share of a vector."""
        mean, whole = self["integers"].mean, self["integers_of_vectors"].mean
        return None if mean is None or not whole else mean / whole


def clock_results(protocol: ProtocolSummary) -> tuple[ClockResult, ...]:
    """FM and the allocations in their order, which is that of their names."""
    metrics = (metric.split(".") for metric in protocol.estimates)
    names = {name for kind, name, *_ in (metric for metric in metrics if metric[0] == _KIND)}
    return tuple(ClockResult(name, protocol) for name in sorted(names))
