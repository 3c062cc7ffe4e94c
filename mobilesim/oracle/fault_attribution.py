"""Fault attribution: whether an exception is a failure of the protocol or of the simulator.

The simulator calls machines, and machines call the simulator. So the innermost stack frame that belongs to one of them
is decisive. If it belongs to a machine, a process or a packet, the exception is the protocol's failure. All other
exceptions are the simulator's failures, for example in a library that the simulator called, and so is every
MemoryError. Only the traceback of an exception is examined, so calls do not become slower.

Stack frames of compiled code (mypyc) have a module and a function, but neither variables nor qualified names. So a
frame belongs to a machine if its module is in the package `mobilesim.protocols`; an interpreted machine of another
package is recognised by its variable `self`.
"""

from traceback import walk_tb
from types import FrameType
from typing import Final

from mobilesim.protocols.machine import Host, Packet, ProtocolError, Station
from mobilesim.protocols.mailbox import Mailbox
from mobilesim.protocols.ordering import Process

_MACHINES: Final = Station.__module__.rpartition(".")[0]
_SIMULATOR: Final = _MACHINES.partition(".")[0]
_PROTOCOLS: Final = (Host, Station, Packet, Mailbox, Process)


def protocols_fault(error: Exception) -> str | None:
    """Return a description of the protocol's failure in one line; None if the failure is the simulator's."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    if isinstance(error, MemoryError) or not _in_protocol(frames):
        return None
    message = " ".join(str(error).split())
    if message and isinstance(error, ProtocolError):
        return message
    place = f"{type(error).__name__} in {_innermost_function(frames)}"
    return f"{place}: {message}" if message else place


def _in_protocol(frames: list[FrameType]) -> bool:
    for frame in reversed(frames):
        module = f"{frame.f_globals.get('__name__')}."
        if module.startswith(f"{_MACHINES}.") or isinstance(frame.f_locals.get("self"), _PROTOCOLS):
            return True
        if module.startswith(f"{_SIMULATOR}."):
            return False
    return False


def _innermost_function(frames: list[FrameType]) -> str:
    """Return the name of the innermost function. A comprehension has a frame of its own only if it is interpreted."""
    names = [frame.f_code.co_name for frame in frames]
    return next((name for name in reversed(names) if not name.startswith("<")), names[-1])
