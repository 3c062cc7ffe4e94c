"""The outcomes of a scenario's runs as text and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mobilesim.api.progress import title
from mobilesim.errors import counted
from mobilesim.experiments.run import RunOutcome
from mobilesim.results.location import Location
from mobilesim.results.statuses import RunStatus, RunVerdict, why_no_deliveries
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.measurement import described
from mobilesim.simulation.overload import Overload

_NOTABLE_DISCONNECTION: Final = 0.25
"""If hosts are disconnected for more than this share of the time, there is a remark."""


def as_text(
    scenario: Scenario,
    outcomes: Sequence[RunOutcome],
    directory: Location,
    notes: Sequence[str],
    cut: str | None = None,
) -> str:
    """Return the text. `notes`: warnings about the scenario. `cut`: how --quick limits the runs; None without it."""
    width = max(len(title(outcome.run)) for outcome in outcomes)
    lines = [f"{scenario.name}: {counted(scenario.hosts, 'host')}, seed {scenario.seed}"]
    lines += [] if cut is None else [f"  {cut}"]
    lines += [] if (window := described(scenario)) is None else [f"  {window}; all deliveries were checked"]
    for outcome in outcomes:
        lines.append(f"  {title(outcome.run):<{width}}  {sentence(outcome)}")
        lines += [f"  {'':<{width}}  {remark}" for remark in _remarks(outcome)]
    if scenario.processing.model == "measured":
        lines.append("  processing was measured on this machine: the same seed gives other tables")
    lines += [f"  note: {note}" for note in notes]
    lines.append(f"tables: {directory}")
    return "\n".join(lines)


def sentence(outcome: RunOutcome) -> str:
    judged, (_, measured) = outcome.judged, outcome.measured
    text = f"{counted(outcome.deliveries, 'delivery')} of {counted(outcome.messages, 'message')}"
    if measured < outcome.deliveries:
        text += f", {measured:,} of them measured" if measured else ", none in the measurement window"
    text += "".join(f", {count:,} {reason}" for count, reason in _undelivered(outcome) if count)
    if outcome.fault is not None:
        return f"FAULT: {outcome.fault}; {text}"
    if outcome.status != RunStatus.COMPLETE:
        text = f"{outcome.status} after {text}"
    if judged is None:
        return f"{text}, not judged"
    claims = outcome.run.row.claims
    counts = {"lost": outcome.lost, "delivered twice": judged.duplicates}
    rate = outcome.run.promised_rate
    if rate is None:
        counts |= {
            "before a message that precedes it by a chain of at most two messages": judged.short,
            f"before a causal predecessor{'' if claims.causal else ' (claims no causal order)'}": judged.causal,
            f"before an earlier message of the same host{'' if claims.fifo else ' (claims no FIFO)'}": judged.fifo,
        }
    found = [f"{number:,} {what}" for what, number in counts.items() if number]
    if outcome.status == RunStatus.COMPLETE and not found and not outcome.deliveries:
        return f"{text}: {why_no_deliveries(outcome.messages, 0, 0)}"
    faults = ", ".join(found if rate is None else [*found, outcome.causal_violations.compared(rate)])
    return f"{'FAULT: ' if outcome.verdict == RunVerdict.FAULT else ''}{text}: {faults or 'no fault'}"


def _undelivered(outcome: RunOutcome) -> Iterator[tuple[int, str]]:
    yield outcome.dropped, "dropped for hosts that had switched off"
    yield outcome.left, "not made because their hosts had left"
    yield outcome.stranded, "stranded with hosts with an empty battery"
    yield outcome.away_at_end, "from or to hosts that stayed away at the end"


def _remarks(outcome: RunOutcome) -> Iterator[str]:
    if outcome.overload is not None:
        yield f"overload: {outcome.overload}"
    yield from _reach(outcome)
    if died := outcome.died.values():
        many = f"{len(died):,} of {counted(outcome.run.scenario.hosts, 'host')}"
        first, last = _seconds(min(died)), _seconds(max(died))
        yield f"batteries: {many} died, the first after {first}, the last after {last}"
    yield from _clocks(outcome)


def _reach(outcome: RunOutcome) -> Iterator[str]:
    """Yield a remark about disconnected hosts, for scenarios with a limited radius of stations."""
    scenario, ended = outcome.run.scenario, outcome.ended
    if scenario.cells.radius is None or outcome.died or not ended:
        return
    away = outcome.disconnected / (scenario.hosts * ended)
    if away > _NOTABLE_DISCONNECTION:
        effect = "messages wait for them, and the last ones are delivered when all hosts return at the end"
        if scenario.mobility.at_end == "leave":
            effect = "messages wait for them, and those of hosts that stay away at the end are not delivered"
        yield f"reach: hosts were out of reach or switched off for {away:.0%} of the time; {effect}"


def _seconds(moment: int) -> str:
    """Return seconds as text: with one decimal from 10 s on, else with three significant digits."""
    return f"{moment / 1e9:,.1f} s" if moment >= 10_000_000_000 else f"{moment / 1e9:.3g} s"


def _clocks(outcome: RunOutcome) -> Iterator[str]:
    if not (rows := outcome.clocks):
        return
    compared = counted(rows[0]["compared"], "comparison")
    wrong = [f"{row['clock']} ({row['wrong']:,})" for row in rows if row["wrong"]]
    if not wrong:
        yield f"clocks: right in all {compared}: {', '.join(row['clock'] for row in rows)}"
    else:
        others = "" if len(wrong) == len(rows) else "; none by the other clocks"
        yield f"clocks: wrong answers, of {compared} by each clock: {', '.join(wrong)}{others}"
    if supersets := [row["clock"] for row in rows if not row["exact_sets"]]:
        reason = "the search for the exact sets reached its limit"
        yield f"clocks: sets larger than necessary (this causes no wrong answers), as {reason}: {', '.join(supersets)}"


def as_document(
    scenario: Scenario, outcomes: Sequence[RunOutcome], directory: Location, notes: Sequence[str]
) -> dict[str, Any]:
    return {
        "scenario": scenario.name,
        "hash": scenario.hash,
        "seed": scenario.seed,
        "reproducible": scenario.processing.model == "fixed",
        "results": str(directory),
        "notes": [*notes],
        "runs": [_entry(outcome) for outcome in outcomes],
    }


def _entry(outcome: RunOutcome) -> dict[str, object]:
    judged, overload = outcome.judged, outcome.overload
    return {
        "run_id": outcome.run.id,
        "protocol": outcome.run.choice.label,
        "replication": outcome.run.replication,
        **{key: getattr(outcome, key) for key in ("status", "verdict", "fault")},
        **{key: getattr(outcome, key) for key in ("messages", "deliveries", "lost", "dropped")},
        **{key: getattr(outcome, key) for key in ("stranded", "away_at_end")},
        "duplicates": None if judged is None else judged.duplicates,
        "causal_violations": None if judged is None else judged.causal,
        "fifo_violations": None if judged is None else judged.fifo,
        "short_chain_violations": None if judged is None else judged.short,
        "claims_violation_rate": outcome.run.promised_rate,
        "clocks": outcome.clocks,
        "overload": None if overload is None else _overload(overload),
        "simulated_ns": outcome.simulated,
        "measured_ns": [*outcome.window],
        "wall_seconds": round(outcome.wall_seconds, 3),
    }


def _overload(overload: Overload) -> dict[str, object]:
    worst, others = overload.worst, overload.others
    load = {"demand_ns": worst.work, "time_ns": worst.time, "queue_peak": worst.waited}
    return {"bottleneck": worst.name, **load, "others": others}
