"""The names of costs for the comparison of protocols."""

from collections.abc import Sequence
from typing import Final

from analysis.summary.metrics import COSTS, METRICS, Better, Metric
from mobilesim.errors import UserError, suggestion

DEFAULT_COSTS: Final = ("inhibition", "bytes", "joules")

_BY_COLUMN: Final = {metric.column: metric for metric in METRICS.values() if metric.column}
COSTS_BY_NAME: Final = {name: row for name, row in (COSTS | _BY_COLUMN).items() if row.better is not Better.MORE}
"""The costs by short name, and by column in the table `protocols` of a summary."""


def costs(names: Sequence[str], fewest: int = 2) -> tuple[Metric, ...]:
    for name in names:
        if name not in COSTS_BY_NAME:
            if name in _BY_COLUMN:
                raise UserError(f"--costs {name}: this is not a cost: higher values are better; use joules")
            raise UserError(f"--costs {name}: there is no such metric{suggestion(name, COSTS_BY_NAME)}")
    if len(set(names)) < fewest:
        raise UserError(f"--costs {' '.join(names)}: one cost has no trade-offs; write two or more")
    return tuple(COSTS_BY_NAME[name] for name in dict.fromkeys(names))
