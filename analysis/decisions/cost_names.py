"""What a protocol can cost, by the names under which somebody asks for it."""

from collections.abc import Callable, Sequence
from typing import Final

from analysis.summary.formatting import Unit, time_unit
from analysis.summary.schemas import MEANS
from analysis.sweeps.metrics import (
    AIR,
    BYTES,
    DELAY,
    DIED,
    ENERGY,
    HANDOFF,
    HEADER,
    INHIBITION,
    JOULE,
    WIRES,
    MetricColumn,
    bytes_unit,
)
from mobilesim.errors import UserError, suggestion

NAMED: Final = {
    "delay": DELAY,
    "inhibition": INHIBITION,
    "header": HEADER,
    "bytes": BYTES,
    "air": AIR,
    "wires": WIRES,
    "joules": ENERGY,
    "handoff": HANDOFF,
    "died": DIED,
}
USUAL: Final = ("inhibition", "bytes", "joules")

_NO_COSTS: Final = frozenset({"life", "first_death"})
_SHARES: Final = frozenset({"inhibited_share", "late_share", "station_busy", "station_busiest"})
_TIMES: Final = frozenset({"handoff_settling", "disconnection", "disconnection_draining", "station_processing"})


def costs(names: Sequence[str], fewest: int = 2) -> tuple[MetricColumn, ...]:
    """Also any other mean of a summary, by its name there."""
    for name in names:
        if name in _NO_COSTS:
            raise UserError(f"--by {name}: more of it is better, so it is no cost; joules tell what shortens it")
        if name not in NAMED | MEANS:
            known = [*NAMED, *(each for each in MEANS if each not in NAMED and each not in _NO_COSTS)]
            raise UserError(f"--by {name}: there is no such mean{suggestion(name, known)}")
    if len(set(names)) < fewest:
        raise UserError(f"--by {' '.join(names)}: one mean alone has no frontier; write two or more")
    return tuple(NAMED.get(name) or _other(name) for name in dict.fromkeys(names))


def _other(name: str) -> MetricColumn:
    metric = MEANS[name]
    return MetricColumn(name.replace("_", " "), lambda protocol: protocol[metric], _unit_of(name), "", metric)


def _unit_of(name: str) -> Callable[[float], Unit]:
    if name in _TIMES:
        return time_unit
    if name.endswith("_bytes"):
        return bytes_unit
    plain = Unit("%", 0.01) if name in _SHARES else JOULE if name.startswith("energy") else Unit("", 1.0)
    return lambda _: plain
