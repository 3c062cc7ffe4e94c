"""The verdict of the oracle on a protocol as text."""

from analysis.summary.formatting import share
from analysis.summary.model import Correctness, ProtocolSummary


def verdict(protocol: ProtocolSummary) -> str:
    match protocol.correctness:
        case Correctness.NOT_CHECKED:
            text = "The oracle was switched off, so nothing is known of its order."
        case Correctness.CORRECT:
            text = f"It claims causal order and kept it in all {_judged(protocol)}; {_losses(protocol)}."
        case Correctness.NOT_CAUSAL:
            text = f"{_baseline(protocol)} Without causal order, it made {_violations(protocol)}."
        case Correctness.NOT_REORDERED:
            text = (
                f"{_baseline(protocol)} No causal violation occurred either: this scenario does not test whether "
                "a protocol keeps causal order."
            )
        case Correctness.INCORRECT:
            text = f"It breaks what it claims: {_faults(protocol)}."
    return text + _incomplete(protocol) + _overload(protocol)


def _judged(protocol: ProtocolSummary) -> str:
    """Return the number of judged deliveries. The oracle judges all; means may leave some out."""
    judged = protocol.counts["judged"]
    measured = "" if judged == protocol.deliveries else f", {protocol.deliveries:,} of them measured"
    return f"{judged:,} deliveries{measured}"


def _baseline(protocol: ProtocolSummary) -> str:
    return f"It claims no causal order, but that every message arrives once, and kept that: {_losses(protocol)}."


def _losses(protocol: ProtocolSummary) -> str:
    kept = "nothing was delivered twice" if protocol.interrupted else "nothing was lost or delivered twice"
    stranded, dropped = protocol.counts["stranded"], protocol.counts["dropped"]
    if stranded:
        kept += f", and {_were(stranded)} stranded with hosts whose battery was empty"
    if dropped:
        kept += f", and {_were(dropped)} dropped, as asked, for hosts that had switched off"
    return kept


def _were(count: int) -> str:
    return f"{count:,} {'was' if count == 1 else 'were'}"


def _faults(protocol: ProtocolSummary) -> str:
    kinds = ((protocol.counts["lost"], "lost"), (protocol.counts["duplicates"], "delivered twice"))
    text = [f"{count:,} {what}" for count, what in kinds if count]
    if protocol.counts["causal_violations"]:
        text.insert(0, _violations(protocol))
    return "; ".join(text) or "it met a state that it holds impossible, and stopped"


def _violations(protocol: ProtocolSummary) -> str:
    count, judged, fifo = (protocol.counts[name] for name in ("causal_violations", "judged", "fifo_violations"))
    text = f"{count:,} {'delivery' if count == 1 else 'deliveries'} before a message that had to come first"
    if judged:
        text += f" ({share(count / judged)})"
    return f"{text}, {fifo:,} of them of the same sender" if fifo else text


def _incomplete(protocol: ProtocolSummary) -> str:
    if protocol.complete == protocol.runs:
        return ""
    kinds = (("Failed", protocol.failed), ("Interrupted", protocol.interrupted))
    which = f"of its {protocol.runs} runs" if protocol.runs > 1 else "of its one run"
    text = "".join(f" {kind}: {count} {which}." for kind, count in kinds if count)
    if protocol.complete:
        return f"{text} Its means and percentiles are of the complete ones alone."
    return f"{text} What stands here is of the time before."


def _overload(protocol: ProtocolSummary) -> str:
    """Return the first overload: with one, means depend on the duration of the run."""
    if not protocol.overloads:
        return ""
    which = f" in {len(protocol.overloads)} of its {protocol.runs} runs" if protocol.runs > 1 else ""
    return f" Overload{which}: {protocol.overloads[0]}."
