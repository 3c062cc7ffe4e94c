"""The statuses of runs and the verdicts of the oracle, as in tables and manifests."""

from enum import StrEnum


class RunStatus(StrEnum):
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """The user stopped the run; its tables have the measurements until then."""
    FAILED = "failed"
    """A machine of the protocol raised an exception, or, in a manifest, the run could not be executed."""


class RunVerdict(StrEnum):
    OK = "ok"
    FAULT = "fault"
    """The protocol broke one of its claims."""
    UNJUDGED = "unjudged"
    """The scenario has no oracle."""
