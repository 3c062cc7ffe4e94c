"""The checks of an ordering whose processes may join and leave, with the options that its row requires for this."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

from mobilesim.conformance.churn import FEW, LONG, MANY, ChurnRun, growth
from mobilesim.conformance.verdict import CheckResult
from mobilesim.errors import UserError, counted
from mobilesim.explorer.api import explore_members
from mobilesim.explorer.exploration import Ending, OnProgress
from mobilesim.explorer.members.text import Narrated, listing
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.extensions.exception_text import described
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue_rows import OrderingRow
from mobilesim.protocols.flush import VIEW_CHANGES
from mobilesim.protocols.ordering import OrderingFactory

_MOST_GROWTH: Final = 2
NETWORKS: Final[Mapping[str, tuple[int, Bounds]]] = {
    "schedules of 3 hosts, 2 messages, 1 leave": (3, Bounds(2, 0, leaves=1)),
    "schedules of 2 hosts, 2 messages, 1 join": (2, Bounds(2, 0, joins=1)),
}
"""Small static networks: by title, the hosts at the start, and the bounds."""


def check_executions(name: str, row: OrderingRow, count: int) -> CheckResult:
    """Check random executions in which processes join and leave, and the size of the state of processes."""
    try:
        text = _fault_of_executions(row, count) or _growth(row)
    except Exception as error:  # noqa: BLE001 - an ordering may raise anything
        text = described(error)
    return CheckResult(name, passed=not text, text=text or counted(count, "execution"))


def _fault_of_executions(row: OrderingRow, count: int) -> str:
    new, tolerated = _factory(row), _tolerated(row)
    for seed in range(count):
        sizes = MANY if seed % 2 else FEW
        found = ChurnRun(new(sizes.members), sizes, Random(seed), *VIEW_CHANGES[row.views], tolerated=tolerated).run()
        if found.world.faults:
            fault = found.narrated(new)[-1].removeprefix("fault: ")
            return f"{fault} (random execution {seed}, after {counted(len(found.schedule), 'step')})"
        if row.causal and found.inhibited and not row.inhibits:
            reason = "messages wait that causal order allows to deliver"
            return f"{reason} (random execution {seed}); declare `inhibits=True`"
    return ""


def _growth(row: OrderingRow) -> str:
    factor = growth(_factory(row)(LONG.members), LONG, _tolerated(row), VIEW_CHANGES[row.views])
    if factor <= _MOST_GROWTH:
        return ""
    reason = f"the state of a process grows by a factor of {factor:.1f} while the number of members does not"
    return f"{reason}; remove what is stored about processes that were removed"


def check_schedules(name: str, row: OrderingRow, limit: int, on_progress: OnProgress) -> CheckResult:
    """Check every schedule of a small static network, one of `NETWORKS`."""
    new, (hosts, bounds) = _factory(row), NETWORKS[name]
    bounds = replace(bounds, tolerated=_tolerated(row))
    try:
        found = explore_members(new, hosts, bounds, VIEW_CHANGES[row.views], limit=limit, on_progress=on_progress)
    except UserError as error:
        return CheckResult(name, passed=False, text=str(error))
    if found.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    if found.ending is Ending.FAULT:
        text = f"a shortest failing schedule of {counted(len(found.schedule), 'step')}"
        lines = listing(Narrated(new(hosts), hosts, bounds, *VIEW_CHANGES[row.views]), found.schedule)
        return CheckResult(name, passed=False, text=text, listing=tuple(lines))
    tried, every = counted(found.states, "state"), found.ending is Ending.EXHAUSTED
    text = f"every one, {tried}" if every else f"{tried}, until the limit of {limit:,} was reached"
    return CheckResult(name, passed=True, text=text)


def _factory(row: OrderingRow) -> OrderingFactory:
    return partial(row.load(), **dict(row.membership or ()))


def _tolerated(row: OrderingRow) -> frozenset[FaultKind]:
    claimed = {FaultKind.OVERTAKES: row.causal, FaultKind.OUT_OF_TURN: row.causal or row.fifo}
    return frozenset(kind for kind, is_claimed in claimed.items() if not is_claimed)
