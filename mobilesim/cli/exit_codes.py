"""The exit codes of `mobilesim`, the same for all commands."""

from enum import IntEnum


class ExitCode(IntEnum):
    OK = 0
    FAULT = 1
    """A protocol broke a claim, a check found a fault, or a run of a sweep failed."""
    BAD_INPUT = 2
    NO_VERDICT = 3
    """A limit was reached first."""
    INTERRUPTED = 130
    """As shells report SIGINT."""
    BROKEN_PIPE = 141
    """As shells report SIGPIPE."""
