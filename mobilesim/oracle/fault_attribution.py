"""Fault attribution: whether an exception is a failure of the protocol or of the simulator.

The simulator calls machines, and machines call it back, so the simulator's innermost frame decides: an exception raised
below that frame, in a machine, a process or a packet, is the protocol's. No call is wrapped, so nothing costs time. An
exception of a library that the simulator called is the simulator's, and so is every MemoryError.
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
    """Describe a protocol's failure in one line; return None if the exception is not the protocol's."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    if isinstance(error, MemoryError) or not _blames_protocol(frames):
        return None
    said = " ".join(str(error).split())
    if said and isinstance(error, ProtocolError):
        return said
    what = f"{type(error).__name__} in {frames[-1].f_code.co_qualname}"
    return f"{what}: {said}" if said else what


def _blames_protocol(frames: list[FrameType]) -> bool:
    for frame in reversed(frames):
        if str(frame.f_globals.get("__name__")).partition(".")[0] == _SIMULATOR:
            return False
        if isinstance(frame.f_locals.get("self"), _PROTOCOLS):
            return True
    return False
