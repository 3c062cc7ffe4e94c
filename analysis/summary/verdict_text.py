"""The verdict of the oracle on a protocol, and on each of its claims, as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.analysis.summary.formatting import listing, share
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary, Summary
from mobilesim.errors import counted
from mobilesim.results.statuses import why_no_deliveries
from mobilesim.statistics.proportions import Proportion

_CLAIMS: Final = ("exactly once", "FIFO order", "causal order")


def verdict(protocol: ProtocolSummary) -> str:
    match protocol.correctness:
        case Correctness.NOT_CHECKED:
            text = "The oracle was switched off, so no delivery was checked."
        case Correctness.CORRECT:
            text = f"It claims causal order, and all {_judged(protocol)} were in causal order. {_losses(protocol)}"
        case Correctness.WITHIN_RATE:
            text = (
                f"It promises a rate of causal violations: {_rate(protocol)}. {_losses(protocol)}{_in_order(protocol)}"
            )
        case Correctness.NOT_CAUSAL:
            deliveries, others = _violations(protocol)
            text = f"{_baseline(protocol)} {deliveries} came before a causally preceding message{others}."
        case Correctness.NOT_REORDERED:
            text = (
                f"{_baseline(protocol)} There was no causal violation: this scenario does not test whether a protocol "
                "keeps causal order."
            )
        case Correctness.NO_DELIVERIES:
            text = "No message was delivered, so nothing was checked."
        case Correctness.INCORRECT:
            text = f"It violated its claims: {_faults(protocol)}."
    return text + _incomplete(protocol) + _overload(protocol) + (f" Free: {protocol.free}." if protocol.free else "")


def without_deliveries(summary: Summary) -> list[str]:
    """Return a sentence for each reason why protocols have no measured deliveries, with the names of the protocols."""
    protocols: dict[str, list[str]] = {}
    for each in (each for each in summary.protocols if each.complete):
        counts = each.counts
        if why := why_no_deliveries(counts["messages"], counts["judged"], each.deliveries):
            protocols.setdefault(why, []).append(each.name)
    return [f"{', '.join(names)}: {why}" for why, names in protocols.items()]


def _judged(protocol: ProtocolSummary) -> str:
    """Return the number of checked deliveries, and of measured ones, if these are fewer."""
    judged = protocol.counts["judged"]
    measured = "" if judged == protocol.deliveries else f" ({protocol.deliveries:,} of them measured)"
    return f"{counted(judged, 'delivery')}{measured}"


def _baseline(protocol: ProtocolSummary) -> str:
    fifo = " and FIFO order" if protocol.claims_fifo else ""
    return f"It claims exactly-once delivery{fifo}, but no causal order. {_losses(protocol)}{_in_order(protocol)}"


def _in_order(protocol: ProtocolSummary) -> str:
    """Return a sentence about FIFO order, for a protocol that claims and keeps it without causal order."""
    return f" All {_judged(protocol)} were in FIFO order." if protocol.claims_fifo else ""


def _losses(protocol: ProtocolSummary) -> str:
    text = "No message was delivered twice." if protocol.interrupted else "No message was lost or delivered twice."
    if stranded := protocol.counts["stranded"]:
        text += f" Not delivered because of an empty battery: {stranded:,}."
    if away := protocol.counts["away_at_end"]:
        text += f" Not delivered because a host stayed away at the end: {away:,}."
    if dropped := protocol.counts["dropped"]:
        text += f" Discarded for disconnected hosts: {dropped:,}."
    return text


def _faults(protocol: ProtocolSummary) -> str:
    kinds = ((protocol.counts["lost"], "lost"), (protocol.counts["duplicates"], "delivered twice"))
    text = [f"{count:,} {what}" for count, what in kinds if count]
    if protocol.claims_violation_rate is not None:
        text.insert(0, _rate(protocol))
    elif protocol.claims_causal and protocol.counts["causal_violations"]:
        deliveries, others = _violations(protocol)
        text.insert(0, f"{deliveries} before a causally preceding message{others}")
    if protocol.claims_fifo and not protocol.claims_causal and (count := protocol.counts["fifo_violations"]):
        text.insert(0, f"{_of_judged(count, protocol)} before an earlier message of the same sender")
    if count := protocol.counts["short_chain_violations"]:
        text.insert(0, f"{_of_judged(count, protocol)} before a message that precedes it by a short causal chain")
    return "; ".join(text) or "it reached an impossible state, and stopped"


def _rate(protocol: ProtocolSummary) -> str:
    found = Proportion(protocol.counts["causal_violations"], protocol.counts["judged"])
    return found.compared(protocol.claims_violation_rate or 0.0)


def _violations(protocol: ProtocolSummary) -> tuple[str, str]:
    """Return the number of causal violations, and the number of FIFO violations among them, as text."""
    count, fifo = protocol.counts["causal_violations"], protocol.counts["fifo_violations"]
    return _of_judged(count, protocol), f", {fifo:,} of them before a message of the same sender" if fifo else ""


def _of_judged(count: int, protocol: ProtocolSummary) -> str:
    judged = protocol.counts["judged"]
    return f"{counted(count, 'delivery')}{f' ({share(count / judged)})' if judged else ''}"


def _incomplete(protocol: ProtocolSummary) -> str:
    if protocol.complete == protocol.runs:
        return ""
    kinds = (("Failed", protocol.failed), ("Interrupted", protocol.interrupted))
    text = "".join(f" {kind}: {count} of {counted(protocol.runs, 'run')}." for kind, count in kinds if count)
    if protocol.complete:
        return f"{text} Means and percentiles are of the complete runs."
    return f"{text} No run is complete: all results are of incomplete runs."


def _overload(protocol: ProtocolSummary) -> str:
    """Return a sentence on the first overload. Means of an overloaded run depend on its duration."""
    if not protocol.overloads:
        return ""
    which = f" in {len(protocol.overloads)} of {protocol.runs} runs" if protocol.runs > 1 else ""
    return f" Overload{which}: {protocol.overloads[0]}."


# Single claims


@dataclass(frozen=True, slots=True)
class _Finding:
    """What the oracle found about a claim of a protocol. `violations`: text on them if the claim was broken."""

    text: str
    kept: bool = False
    violations: str = ""


def claim_rows(protocols: Sequence[Sequence[ProtocolSummary]]) -> list[tuple[str, ...]]:
    """Return a row for each claim that the oracle checks, with a cell for each protocol: whether it was claimed and
    kept. Each protocol has the summaries of one point or of several.
    """
    found = [_findings(several) for several in protocols]
    return [(claim, *(each[claim].text for each in found)) for claim in _CLAIMS]


def free_lines(protocols: Sequence[ProtocolSummary]) -> Iterator[str]:
    """Yield what costs nothing in the runs of protocols although it could have a price."""
    free: dict[str, list[str]] = {}
    for protocol in protocols:
        for what in filter(None, protocol.free.split("; ")):
            names = free.setdefault(what, [])
            if protocol.name not in names:
                names.append(protocol.name)
    yield from (f"free for {', '.join(names)}: {what}" for what, names in free.items())


def claim_lines(protocols: Sequence[Sequence[ProtocolSummary]]) -> Iterator[str]:
    """Yield which protocols kept which claims, and which protocols broke which claims, and how often."""
    found = [(several[0].name, _findings(several)) for several in protocols]
    kept = {claim: [name for name, each in found if each[claim].kept] for claim in _CLAIMS}
    broken = {
        claim: [f"{name} ({each[claim].violations})" for name, each in found if each[claim].violations]
        for claim in _CLAIMS
    }
    for title, claims in (("claims kept", kept), ("claims broken", broken)):
        if text := "; ".join(f"{claim} by {listing(by)}" for claim, by in claims.items() if by):
            yield f"{title}: {text}"


def _findings(several: Sequence[ProtocolSummary]) -> dict[str, _Finding]:
    if any(each.correctness is Correctness.NOT_CHECKED for each in several):
        return dict.fromkeys(_CLAIMS, _Finding("not checked"))
    return dict(zip(_CLAIMS, (_once(several), _fifo(several), _causal(several)), strict=True))


def _once(several: Sequence[ProtocolSummary]) -> _Finding:
    counts = ((_total(several, "lost"), "lost"), (_total(several, "duplicates"), "delivered twice"))
    if violations := ", ".join(f"{count:,} {what}" for count, what in counts if count):
        return _Finding(f"violated: {violations}", violations=violations)
    # In a run that did not end, a message that is still on its way is not lost.
    ended = all(each.complete == each.runs for each in several)
    return _Finding("kept" if ended else "kept so far", kept=True)


def _fifo(several: Sequence[ProtocolSummary]) -> _Finding:
    return _order(_total(several, "fifo_violations"), claimed=several[0].claims_fifo)


def _causal(several: Sequence[ProtocolSummary]) -> _Finding:
    violations = _total(several, "causal_violations")
    if (promised := several[0].claims_violation_rate) is None:
        return _order(violations, claimed=several[0].claims_causal)
    found = Proportion(violations, _total(several, "judged"))
    rate = f"{found.rate:.3%} of deliveries, at most {promised:.3%} promised"
    return (
        _Finding(f"violated: {rate}", violations=rate)
        if found.exceeds(promised)
        else _Finding(f"kept: {rate}", kept=True)
    )


def _order(violations: int, *, claimed: bool) -> _Finding:
    count = counted(violations, "delivery") if violations else ""
    if claimed:
        return _Finding(f"violated by {count}", violations=count) if count else _Finding("kept", kept=True)
    return _Finding(f"not claimed: violated by {count}" if count else "not claimed")


def _total(several: Sequence[ProtocolSummary], count: str) -> int:
    return sum(each.counts[count] for each in several)
