"""The statuses of runs and the verdicts of the oracle, as they are written in tables and manifests; why a run has no
deliveries.
"""

from enum import StrEnum


class RunStatus(StrEnum):
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """The user stopped the run. Its tables have the measurements up to this moment."""
    FAILED = "failed"
    """A machine of the protocol raised an exception. In a manifest: the run could not be executed."""


class RunVerdict(StrEnum):
    OK = "ok"
    FAULT = "fault"
    """The protocol violated one of its claims."""
    UNJUDGED = "unjudged"
    """The scenario has no oracle."""


def why_no_deliveries(sent: int, delivered: int, measured: int) -> str | None:
    """Return why nothing was checked, or nothing measured; None if there are measured deliveries.

    `delivered`: all deliveries; `measured`: those in the measurement window.
    """
    if measured:
        return None
    if delivered:
        return "no delivery was in the measurement window, so nothing was measured; lengthen the run or the window"
    if sent:
        return "none of the messages was delivered, so nothing was checked"
    return "no message was sent, so nothing was checked; lengthen `duration`, or shorten `workload.interval`"
