"""The exit codes of `mobilesim`, which are the same for all commands."""

from enum import IntEnum


class ExitCode(IntEnum):
    OK = 0
    FAULT = 1
    """A protocol violated a claim, a check found a fault, or a run of a sweep failed."""
    BAD_INPUT = 2
    NO_VERDICT = 3
    """A limit ended the command before it had an answer."""
    INTERRUPTED = 130
    """The shell's exit code for SIGINT."""
    BROKEN_PIPE = 141
    """The shell's exit code for SIGPIPE."""
