"""What the oracle says of the runs of a scenario, in words and in JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mobilesim.results.statuses import RunStatus, RunVerdict

if TYPE_CHECKING:
    from mobilesim.experiments.run import Outcome
    from mobilesim.scenario.model import Scenario

_MUCH: Final = 0.25
"""Of the time."""
_TEN: Final = 10_000_000_000
"""Seconds."""


def as_text(scenario: "Scenario", outcomes: "Sequence[Outcome]", directory: Path, cut: str | None = None) -> str:
    """`cut`: what has been left out of the scenario."""
    from mobilesim.cli.progress import title

    width = max(len(title(outcome.run)) for outcome in outcomes)
    lines = [f"{scenario.name}: {scenario.hosts} hosts, seed {scenario.seed}"]
    lines += [] if cut is None else [f"  {cut}"]
    for outcome in outcomes:
        lines.append(f"  {title(outcome.run):<{width}}  {sentence(outcome)}")
        lines += [f"  {'':<{width}}  {said}" for said in _remarks(outcome)]
    if scenario.processing.model == "measured":
        lines.append("  processing was measured on this machine: the same seed will not give the same tables")
    lines += [f"  note: {said}" for said in _notes(outcomes)]
    lines.append(f"tables: {directory}")
    return "\n".join(lines)


def _notes(outcomes: "Sequence[Outcome]") -> list[str]:
    """Of the world in which all were."""
    from mobilesim.world.mobility import mobility_warnings

    return mobility_warnings(outcomes[0].simulation.world)


def sentence(outcome: "Outcome") -> str:
    simulation, oracle = outcome.simulation, outcome.simulation.oracle
    counted = f"{simulation.delivered_copies:,} deliveries of {simulation.sent:,} messages"
    _, measured = simulation.measured
    if measured < simulation.delivered_copies:
        counted += f", {measured:,} of them measured" if measured else ", none measured: they were all of the warm-up"
    if simulation.dropped_copies:
        counted += f", {simulation.dropped_copies:,} dropped for hosts that had switched off"
    if outcome.stranded:
        counted += f", {outcome.stranded:,} stranded with hosts whose battery was empty"
    if outcome.fault is not None:
        return f"FAULT: {outcome.fault}; {counted}"
    if outcome.status != RunStatus.COMPLETE:
        counted = f"{outcome.status} after {counted}"
    if oracle is None:
        return f"{counted}, not judged"
    claims = outcome.run.row.claims
    found = [
        _count(outcome.lost, "lost"),
        _count(oracle.duplicates, "delivered twice"),
        _count(oracle.causal, "before their causes" + ("" if claims.causal else " (claims no causal order)")),
        _count(oracle.fifo, "before earlier ones of the same host" + ("" if claims.fifo else " (claims no FIFO)")),
    ]
    broken = "FAULT: " if outcome.verdict == RunVerdict.FAULT else ""
    return f"{broken}{counted}: {', '.join(filter(None, found)) or 'no fault'}"


def _remarks(outcome: "Outcome") -> Iterator[str]:
    if (overload := outcome.simulation.overload) is not None:
        yield f"overload: {overload}"
    yield from _of_reach(outcome)
    yield from _of_batteries(outcome)
    yield from _of_clocks(outcome)


def _of_reach(outcome: "Outcome") -> Iterator[str]:
    """Where stations reach only so far, and much is not covered."""
    simulation, scenario = outcome.simulation, outcome.run.scenario
    watch, ended = simulation.watch, simulation.ended
    if scenario.cells.radius is None or watch is None or simulation.died or not ended:
        return
    away = sum(watch.disconnections.away(scenario.hosts, ended)) / (scenario.hosts * ended)
    if away > _MUCH:
        said = "messages wait for them all that time, and what waits at the end comes when all come back"
        yield f"reach: hosts were out of reach or switched off for {away:.0%} of the time; {said}"


def _of_batteries(outcome: "Outcome") -> Iterator[str]:
    died, hosts = outcome.simulation.died, outcome.run.scenario.hosts
    if died:
        first, last = (_told(moment) for moment in (min(died.values()), max(died.values())))
        yield f"batteries: {len(died):,} of {hosts:,} hosts died, the first after {first}, the last after {last}"


def _told(moment: int) -> str:
    """Early ones with more digits."""
    return f"{moment / 1e9:,.1f} s" if moment >= _TEN else f"{moment / 1e9:.3g} s"


def _of_clocks(outcome: "Outcome") -> Iterator[str]:
    """What came of those that looked on."""
    if not (rows := outcome.looking_on):
        return
    compared = f"{rows[0]['compared']:,} comparisons"
    wrong = [f"{row['clock']} ({row['wrong']:,})" for row in rows if row["wrong"]]
    if not wrong:
        yield f"clocks: right in all {compared}: {', '.join(row['clock'] for row in rows)}"
    else:
        others = "" if len(wrong) == len(rows) else "; the others never"
        yield f"clocks: wrong in {compared}: {', '.join(wrong)}{others}"
    if supersets := [row["clock"] for row in rows if not row["exact"]]:
        yield f"clocks: safe supersets, as the search was cut short: {', '.join(supersets)}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number else ""


def as_document(scenario: "Scenario", outcomes: "Sequence[Outcome]", directory: Path) -> dict[str, Any]:
    return {
        "scenario": scenario.name,
        "hash": scenario.hash,
        "seed": scenario.seed,
        "reproducible": scenario.processing.model == "fixed",
        "results": str(directory),
        "notes": _notes(outcomes),
        "runs": [_entry(outcome) for outcome in outcomes],
    }


def _entry(outcome: "Outcome") -> dict[str, object]:
    simulation, oracle = outcome.simulation, outcome.simulation.oracle
    return {
        "run_id": outcome.run.id,
        "protocol": outcome.run.choice.label,
        "replication": outcome.run.replication,
        "status": outcome.status,
        "verdict": outcome.verdict,
        "fault": outcome.fault,
        "messages": simulation.sent,
        "deliveries": simulation.delivered_copies,
        "lost": outcome.lost,
        "dropped": simulation.dropped_copies,
        "duplicates": None if oracle is None else oracle.duplicates,
        "causal_violations": None if oracle is None else oracle.causal,
        "fifo_violations": None if oracle is None else oracle.fifo,
        "clocks": outcome.looking_on,
        "overload": _overload(outcome),
        "emulated_ns": simulation.engine.time,
        "wall_seconds": round(outcome.wall_seconds, 3),
    }


def _overload(outcome: "Outcome") -> dict[str, object] | None:
    """The place that was asked for most."""
    if (found := outcome.simulation.overload) is None:
        return None
    worst = found.worst
    return {
        "place": worst.name,
        "asked_ns": worst.asked,
        "time_ns": worst.time,
        "queue_peak": worst.waited,
        "others": found.others,
    }
