"""The names of the costs by which protocols can be compared."""

from collections.abc import Sequence
from typing import Final

from analysis.summary.metrics import COSTS, METRICS, Better, Metric
from mobilesim.errors import UserError, suggestion

USUAL: Final = ("inhibition", "bytes", "joules")

_BY_COLUMN: Final = {metric.column: metric for metric in METRICS.values() if metric.column}
KNOWN: Final = {name: metric for name, metric in (COSTS | _BY_COLUMN).items() if metric.better is not Better.MORE}
"""The costs by short name, and by column in the table `protocols` of a summary."""


def costs(names: Sequence[str], fewest: int = 2) -> tuple[Metric, ...]:
    for name in names:
        if name not in KNOWN:
            if name in _BY_COLUMN:
                raise UserError(f"--costs {name}: more of it is better, so it is no cost; use joules")
            raise UserError(f"--costs {name}: there is no such metric{suggestion(name, KNOWN)}")
    if len(set(names)) < fewest:
        raise UserError(f"--costs {' '.join(names)}: one cost alone has no trade-offs; write two or more")
    return tuple(KNOWN[name] for name in dict.fromkeys(names))
