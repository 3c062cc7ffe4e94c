"""The oracle's verdict in plain words."""

from analysis.summary.formatting import share
from analysis.summary.model import Correctness, ProtocolSummary


def verdict(protocol: ProtocolSummary) -> str:
    match protocol.correctness:
        case Correctness.NOT_CHECKED:
            text = "The oracle was switched off, so nothing is known of its order."
        case Correctness.CORRECT:
            text = f"It claims causal order and kept it in all {_judged(protocol)}; {_fate(protocol)}."
        case Correctness.NOT_CAUSAL:
            text = f"{_once(protocol)} Without causal order, it made {_early(protocol)}."
        case Correctness.NOT_REORDERED:
            text = (
                f"{_once(protocol)} Nothing came out of causal order either: this scenario is too mild to tell whether "
                "a protocol keeps it."
            )
        case Correctness.INCORRECT:
            text = f"It breaks what it claims: {_faults(protocol)}."
    return text + _cut_short(protocol) + _overload(protocol)


def _judged(protocol: ProtocolSummary) -> str:
    """A scenario may leave some out of every mean; the oracle leaves out none."""
    told = f"{protocol.judged:,} deliveries"
    return told if protocol.judged == protocol.deliveries else f"{told}, {protocol.deliveries:,} of them measured"


def _once(protocol: ProtocolSummary) -> str:
    """Whatever else it claims, every protocol claims this much."""
    return f"It claims no causal order, but that every message arrives once, and kept that: {_fate(protocol)}."


def _fate(protocol: ProtocolSummary) -> str:
    kept = "nothing was delivered twice" if protocol.interrupted else "nothing was lost or delivered twice"
    if protocol.stranded:
        kept += f", and {_were(protocol.stranded)} stranded with hosts whose battery was empty"
    if protocol.dropped:
        kept += f", and {_were(protocol.dropped)} dropped, as asked, for hosts that had switched off"
    return kept


def _were(count: int) -> str:
    return f"{count:,} {'was' if count == 1 else 'were'}"


def _faults(protocol: ProtocolSummary) -> str:
    kinds = ((protocol.lost, "lost"), (protocol.duplicates, "delivered twice"))
    told = [f"{count:,} {what}" for count, what in kinds if count]
    if protocol.causal_violations:
        told.insert(0, _early(protocol))
    return "; ".join(told) or "it met a state that it holds impossible, and stopped"


def _early(protocol: ProtocolSummary) -> str:
    count = protocol.causal_violations
    told = f"{count:,} {'delivery' if count == 1 else 'deliveries'} before a message that had to come first"
    if protocol.judged:
        told += f" ({share(count / protocol.judged)})"
    return told + (f", {protocol.fifo_violations:,} of them of the same sender" if protocol.fifo_violations else "")


def _cut_short(protocol: ProtocolSummary) -> str:
    if protocol.complete == protocol.runs:
        return ""
    kinds = (("Failed", protocol.failed), ("Interrupted", protocol.interrupted))
    which = f"of its {protocol.runs} runs" if protocol.runs > 1 else "of its one run"
    told = "".join(f" {kind}: {count} {which}." for kind, count in kinds if count)
    if protocol.complete:
        return f"{told} Its means and percentiles are of the complete ones alone."
    return f"{told} What stands here is of the time before."


def _overload(protocol: ProtocolSummary) -> str:
    """Its means say how long the run was, and little else."""
    if not protocol.overloads:
        return ""
    which = f" in {len(protocol.overloads)} of its {protocol.runs} runs" if protocol.runs > 1 else ""
    return f" Overload{which}: {protocol.overloads[0]}."
