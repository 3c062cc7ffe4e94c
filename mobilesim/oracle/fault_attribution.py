"""Whose failure an exception is: the protocol's, or the emulator's own.

The emulator calls machines and machines call it back, so its innermost frame decides: what was raised below that one,
in a machine, a process or a packet, is the protocol's. Nothing is wrapped and no call pays for it. What a
library raises that the emulator itself called is the emulator's, and so is memory that runs out anywhere.
"""

from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Final

from protocols.machine import Host, Packet, ProtocolError, Station
from protocols.mailbox.mailbox import Mailbox
from protocols.ordering import Process

_EMULATOR: Final = __name__.partition(".")[0]
_PROTOCOLS: Final = (Host, Station, Packet, Mailbox, Process)


def protocols_fault(error: Exception) -> str | None:
    """What the protocol did wrong, in one line; None where it is not to blame."""
    frames = list(_frames(error.__traceback__))
    if isinstance(error, MemoryError) or not _blames_protocol(frames):
        return None
    said = " ".join(str(error).split())
    if said and isinstance(error, ProtocolError):
        return said
    what = f"{type(error).__name__} in {frames[-1].f_code.co_qualname}"
    return f"{what}: {said}" if said else what


def _frames(step: TracebackType | None) -> Iterator[FrameType]:
    """From the outermost one to the one that raised."""
    while step is not None:
        yield step.tb_frame
        step = step.tb_next


def _blames_protocol(frames: list[FrameType]) -> bool:
    for frame in reversed(frames):
        if str(frame.f_globals.get("__name__")).partition(".")[0] == _EMULATOR:
            return False
        if isinstance(frame.f_locals.get("self"), _PROTOCOLS):
            return True
    return False
