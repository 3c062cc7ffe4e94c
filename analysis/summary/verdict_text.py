"""The verdict of the oracle on a protocol as text."""

from mobilesim.analysis.summary.formatting import share
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary, Summary
from mobilesim.errors import counted
from mobilesim.results.statuses import why_no_deliveries
from mobilesim.statistics.proportions import Proportion


def verdict(protocol: ProtocolSummary) -> str:
    match protocol.correctness:
        case Correctness.NOT_CHECKED:
            text = "The oracle was switched off, so no delivery was checked."
        case Correctness.CORRECT:
            text = f"It claims causal order, and all {_judged(protocol)} were in causal order. {_losses(protocol)}"
        case Correctness.WITHIN_RATE:
            text = f"It promises a rate of causal violations: {_rate(protocol)}. {_losses(protocol)}"
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
    return text + _incomplete(protocol) + _overload(protocol)


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
    return f"It claims exactly-once delivery, but no causal order. {_losses(protocol)}"


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
    elif protocol.counts["causal_violations"]:
        deliveries, others = _violations(protocol)
        text.insert(0, f"{deliveries} before a causally preceding message{others}")
    return "; ".join(text) or "it reached an impossible state, and stopped"


def _rate(protocol: ProtocolSummary) -> str:
    found = Proportion(protocol.counts["causal_violations"], protocol.counts["judged"])
    return found.compared(protocol.claims_violation_rate or 0.0)


def _violations(protocol: ProtocolSummary) -> tuple[str, str]:
    """Return the number of causal violations, and the number of FIFO violations among them, as text."""
    count, judged, fifo = (protocol.counts[name] for name in ("causal_violations", "judged", "fifo_violations"))
    deliveries = counted(count, "delivery")
    part = f" ({share(count / judged)})" if judged else ""
    return f"{deliveries}{part}", f", {fifo:,} of them before a message of the same sender" if fifo else ""


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
