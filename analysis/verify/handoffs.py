"""Hand-offs, disconnections and the clocks that look on: what their rows say of themselves and of each other."""

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.summary.results_reader import Run
from analysis.verify.columns import Columns, whole
from analysis.verify.findings import COUNTERS, HANDOFFS, Findings, Mask
from analysis.verify.messages import Network
from mobilesim.results.schema import KINDS

_MOMENTS: Final = ("left", "entered", "registered", "begin", "enabled", "last", "over")
_WHERE: Final = ("host", "visit", "from_station", "to_station", "superseded")
_COUNTS: Final = ("control_messages", "control_bytes", "buffered", "forwarded", "retransmitted", "backlog")
_KINDS: Final = tuple(f"{kind}_{what}" for kind in KINDS for what in ("messages", "bytes"))
_AWAY: Final = ("host", "from_station", "left", "returned", "drained", "to_station", "waiting", "dropped")


def handoffs(findings: Findings, run: Run, network: Network) -> None:
    """`left` and `entered` of a host's hand-offs follow one another; a phase that never came is -1."""
    found = whole(run, "handoffs", *_WHERE, *_MOMENTS, *_COUNTS, *_KINDS)
    order = np.lexsort((found["visit"], found["host"]))
    at = {name: column[order] for name, column in found.items()}
    findings.looked(HANDOFFS, len(order))
    told = _told(lambda row: f"host {at['host'][row]}, visit {at['visit'][row]}")
    for wrong, what in (*_places(at, network), *_phases(at), *_sums(at), *_chain(at)):
        findings.faults(HANDOFFS, wrong, told(what))


def _told(name: Callable[[int], str]) -> Callable[[str], Callable[[int], str]]:
    return lambda what: lambda row: f"{name(row)}: {what}"


def _places(at: Columns, network: Network) -> list[tuple[Mask, str]]:
    stations = [(at[name] < 0) | (at[name] >= network.stations) for name in ("from_station", "to_station")]
    return [
        ((at["host"] < 0) | (at["host"] >= network.hosts), "there is no such host"),
        (stations[0] | stations[1], "there is no such station"),
        (at["from_station"] == at["to_station"], "from a station to the same one"),
    ]


def _phases(at: Columns) -> list[tuple[Mask, str]]:
    late = [(f"{name} before the host left", at[name], at["left"]) for name in _MOMENTS[3:]]
    late += [("entered before it left", at["entered"], at["left"])]
    late += [("registered before it entered", at["registered"], at["entered"])]
    late += [("over before the old station heard of it", at["over"], at["begin"])]
    return [((moment >= 0) & (moment < since), what) for what, moment, since in late]


def _sums(at: Columns) -> list[tuple[Mask, str]]:
    wrong = [
        (at[f"control_{what}"] != np.sum([at[f"{kind}_{what}"] for kind in KINDS], axis=0), f"control_{what} is no sum")
        for what in ("messages", "bytes")
    ]
    return [*wrong, *((at[name] < 0, f"{name} is negative") for name in (*_COUNTS, *_KINDS))]


def _chain(at: Columns) -> list[tuple[Mask, str]]:
    """A host's visits are numbered from 1, and each begins where the last one ended."""
    if not len(at["host"]):
        return []
    same = np.diff(at["host"], prepend=-1) == 0
    before = {name: np.roll(column, 1) for name, column in at.items()}
    following = np.append(same[1:], False)
    gone = following & ((at["over"] < 0) | (np.roll(at["left"], -1) < at["over"]))
    return [
        (at["visit"] != np.where(same, before["visit"] + 1, 1), "its visits are not numbered one after another"),
        (same & (at["from_station"] != before["to_station"]), "does not begin where the one before ended"),
        (same & (at["left"] < before["entered"]), "left before it had entered"),
        (at["superseded"].astype(np.bool_) != gone, "superseded, or not, against its moments"),
    ]


def disconnections(findings: Findings, run: Run, network: Network) -> None:
    found = whole(run, "disconnections", *_AWAY)
    order = np.lexsort((found["left"], found["host"]))
    at = {name: column[order] for name, column in found.items()}
    findings.looked(HANDOFFS, len(order))
    same = np.diff(at["host"], prepend=-1) == 0
    back = at["returned"] >= 0
    before = np.roll(at["returned"], 1) if len(order) else at["returned"]
    told = _told(lambda row: f"disconnection of host {at['host'][row]} at {at['left'][row]}")
    for wrong, what in (
        ((at["host"] < 0) | (at["host"] >= network.hosts), "there is no such host"),
        (back & (at["returned"] < at["left"]), "returned before it left"),
        ((at["drained"] >= 0) & (~back | (at["drained"] < at["returned"])), "drained before the host returned"),
        (back != (at["to_station"] >= 0), "returned to no station, or to one without returning"),
        (same & ((before < 0) | (at["left"] < before)), "left before it had returned"),
        ((at["waiting"] < 0) | (at["dropped"] < 0), "a number is negative"),
    ):
        findings.faults(HANDOFFS, wrong, told(what))


def clocks(findings: Findings, run: Run) -> None:
    """A clock's wrong answers are of three kinds."""
    names = ("compared", "wrong", "missed", "reversed", "invented")
    at = whole(run, "clocks", *names)
    findings.looked(COUNTERS, len(at["wrong"]))
    wrong = (at["wrong"] != at["missed"] + at["reversed"] + at["invented"]) | (at["wrong"] > at["compared"])
    findings.faults(COUNTERS, wrong, lambda row: f"clocks, row {row}: its wrong answers are no sum of their kinds")
