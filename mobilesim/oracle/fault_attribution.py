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

from mobilesim.extensions.exception_text import described
from mobilesim.protocols.machine import Host, ProtocolError, Station
from mobilesim.protocols.mailbox import Mailbox
from mobilesim.protocols.ordering import Process
from mobilesim.protocols.packets import Packet

_MACHINES: Final = Station.__module__.rpartition(".")[0]
_SIMULATOR: Final = _MACHINES.partition(".")[0]
_PROTOCOLS: Final = (Host, Station, Packet, Mailbox, Process)


def protocols_fault(error: Exception) -> str | None:
    """Return a description of the protocol's failure in one line; None if the failure is the simulator's."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    if isinstance(error, MemoryError) or not _in_protocol(frames):
        return None
    return failure(error)


def failure(error: Exception) -> str:
    """Return the text of what a machine raised: the message of a ProtocolError, else also the type and the place."""
    message = " ".join(str(error).split())
    return message if message and isinstance(error, ProtocolError) else described(error)


def _in_protocol(frames: list[FrameType]) -> bool:
    for frame in reversed(frames):
        module = f"{frame.f_globals.get('__name__')}."
        if module.startswith(f"{_MACHINES}.") or isinstance(frame.f_locals.get("self"), _PROTOCOLS):
            return True
        if module.startswith(f"{_SIMULATOR}."):
            return False
    return False
