"""Fault attribution: whether an exception is a failure of the protocol or of the simulator.

The simulator calls machines, and machines call the simulator, so the simulator's innermost frame is decisive. An
exception below this frame, in a machine, a process or a packet, is the protocol's failure. An exception of a library
that the simulator called, and every MemoryError, is the simulator's failure. Calls are not wrapped, so this takes no
time without an exception.
"""

from traceback import walk_tb
from types import FrameType
from typing import Final

from protocols.machine import Host, Packet, ProtocolError, Station
from protocols.mailbox import Mailbox
from protocols.ordering import Process

_SIMULATOR: Final = __name__.partition(".")[0]
_PROTOCOLS: Final = (Host, Station, Packet, Mailbox, Process)


def protocols_fault(error: Exception) -> str | None:
    """Return a protocol's failure in one line, None if the simulator failed."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    if isinstance(error, MemoryError) or not _in_protocol(frames):
        return None
    message = " ".join(str(error).split())
    if message and isinstance(error, ProtocolError):
        return message
    place = f"{type(error).__name__} in {frames[-1].f_code.co_qualname}"
    return f"{place}: {message}" if message else place


def _in_protocol(frames: list[FrameType]) -> bool:
    for frame in reversed(frames):
        if str(frame.f_globals.get("__name__")).partition(".")[0] == _SIMULATOR:
            return False
        if isinstance(frame.f_locals.get("self"), _PROTOCOLS):
            return True
    return False
