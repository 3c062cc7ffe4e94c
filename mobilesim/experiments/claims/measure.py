"""All runs of one row, and what they say of its claims.

Calm worlds grow along one axis at a time; messages and hand-offs are counted there. The restless world has inhibition
and broken order in it if there is any to be had, and the crowded one is for what k changes of that. A point at which
two axes meet is run once.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from mobilesim.experiments.claims import findings
from mobilesim.experiments.claims.claim_run import Seen, emulate
from mobilesim.experiments.claims.findings import HANDOFF, HEADER, Finding
from mobilesim.experiments.claims.growth_exponent import Quantile
from mobilesim.experiments.claims.scenarios import (
    Audience,
    Axis,
    Effort,
    Point,
    audiences,
    axes,
    calm,
    choices,
    crowded,
    restless,
)
from mobilesim.scenario.model import Scenario
from protocols.catalogue import OptionValue, ProtocolRow, yaml_text

Tell = Callable[[int, int], None]
"""Takes how many runs are done, and how many there are in all."""

Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Restless:
    """The restless world with messages of one kind, under one setting of an option."""

    audience: Audience
    option: tuple[str, OptionValue] | None = None

    def __str__(self) -> str:
        if self.option is None:
            return self.audience
        return f"{self.audience}, {self.option[0]}={yaml_text(self.option[1])}"


@dataclass(frozen=True, slots=True)
class Crowded:
    """The crowded world with stations in k parts; its hosts stay where they are, or move after `dwell` or so."""

    k: int
    dwell: str | None = None

    def __str__(self) -> str:
        return f"crowded, k = {self.k}, {'still' if self.dwell is None else f'moving after {self.dwell}'}"


Group: TypeAlias = Point | Restless | Crowded
"""Runs that are looked at together: one for a point, else one for each replication."""

DWELL: Final = "5 s"


@dataclass(frozen=True, slots=True)
class Report:
    """`handoffs`, and how often messages were `forwarded` over a link: those of the calm worlds."""

    row: ProtocolRow
    findings: tuple[Finding, ...]
    runs: int
    deliveries: int
    handoffs: int
    forwarded: int

    @property
    def holds(self) -> bool:
        return all(finding.holds is not False for finding in self.findings)

    def found(self, what: str) -> Finding | None:
        return next((finding for finding in self.findings if finding.what == what), None)


def measure(
    row: ProtocolRow, effort: Effort, quantile: Quantile, tell: Tell, stop: Stop = lambda: False
) -> Report | None:
    """None if `stop` said so before the last run."""
    seen: dict[Group, list[Seen]] = {}
    jobs = list(_jobs(row, effort))
    for done, (group, options, scenario, replication) in enumerate(jobs):
        if stop():
            return None
        tell(done, len(jobs))
        seen.setdefault(group, []).append(emulate(row, options, scenario, replication))
    tell(len(jobs), len(jobs))
    return judged(row, effort, seen, quantile)


def _jobs(row: ProtocolRow, effort: Effort) -> Iterator[tuple[Group, dict[str, OptionValue], Scenario, int]]:
    for point in dict.fromkeys(point for axis in axes(row, effort) for point in axis.points):
        yield point, choices(row, point.k), calm(point), 0
    for replication in range(effort.replications):
        for cast in _casts(row):
            options = {**choices(row), **dict([cast.option] if cast.option else [])}
            yield cast, options, restless(effort, cast.audience), replication
        for crowd in (*_crowds(row, effort), *_crowds(row, effort, DWELL)):
            yield crowd, choices(row, crowd.k), crowded(effort, crowd.dwell), replication


def _casts(row: ProtocolRow) -> Iterator[Restless]:
    """All kinds of messages, and what other values of options make of the last."""
    kinds = audiences(row)
    yield from map(Restless, kinds)
    for name, option in row.options.items():
        if name != "k":
            yield from (Restless(kinds[-1], (name, other)) for other in option.few if other != option.default)


def _crowds(row: ProtocolRow, effort: Effort, dwell: str | None = None) -> list[Crowded]:
    option = row.options.get("k")
    return [] if option is None else [Crowded(k, dwell) for k in effort.ks if k in option.values]


def judged(row: ProtocolRow, effort: Effort, seen: Mapping[Group, list[Seen]], quantile: Quantile) -> Report:
    grown = axes(row, effort)
    everything = [run for runs in seen.values() for run in runs]
    calmly = [run for group, runs in seen.items() if isinstance(group, Point) for run in runs]
    restlessly = [run for group, runs in seen.items() if isinstance(group, Restless) for run in runs]
    found = [
        *(_header(row, axis, seen, quantile) for axis in grown),
        *(_handoff(row, axis, seen, quantile) for axis in grown),
        findings.restless(HEADER, row.claims.header, restlessly, lambda run: run.headers),
        findings.restless(HANDOFF, row.claims.handoff, restlessly, lambda run: run.handoffs),
        *(findings.inhibition(row.claims, str(group), seen[group]) for group in _casts(row)),
    ]
    if crowds := _crowds(row, effort):
        still = {crowd.k: seen[crowd] for crowd in crowds}
        moving = {crowd.k: seen[crowd] for crowd in _crowds(row, effort, DWELL)}
        found.append(findings.inhibition_by_k(row.claims, still, quantile))
        found.append(findings.inhibition_on_the_move(moving, DWELL, quantile))
    found += findings.order(row.claims, everything)
    found += (fault for group, runs in seen.items() for fault in findings.faults(str(group), runs))
    return Report(
        row=row,
        findings=tuple(found),
        runs=len(everything),
        deliveries=sum(run.deliveries for run in everything),
        handoffs=sum(run.handoffs.total() for run in calmly),
        forwarded=sum(run.forwarded for run in calmly),
    )


def _header(row: ProtocolRow, axis: Axis, seen: Mapping[Group, list[Seen]], quantile: Quantile) -> Finding:
    counted = [seen[point][0].headers for point in axis.points]
    return findings.growing(HEADER, row.claims.header, axis, counted, quantile)


def _handoff(row: ProtocolRow, axis: Axis, seen: Mapping[Group, list[Seen]], quantile: Quantile) -> Finding:
    counted = [seen[point][0].handoffs for point in axis.points]
    return findings.growing(HANDOFF, row.claims.handoff, axis, counted, quantile)
