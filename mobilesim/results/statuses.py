"""The statuses of runs and the verdicts of the oracle, as they are written in tables and manifests."""

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
