"""An estimate: the mean of a metric over replications, with its interval and percentiles."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over a protocol's complete runs, or over all that there are. Without one there was nothing to observe.

    The count is of the rows behind it.
    """

    metric: str
    count: int = 0
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    interval_from: str = "none"
    replications: tuple[int, ...] = ()
    run_means: tuple[float, ...] = ()
    percentiles: tuple[int, ...] = ()
    note: str | None = None
