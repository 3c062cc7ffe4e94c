"""Ctrl-C handling: the first Ctrl-C ends a command in a consistent state, and a second Ctrl-C ends it at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Records Ctrl-C in a block `with noted()`. A second Ctrl-C raises a KeyboardInterrupt."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    @contextmanager
    def noted(self) -> "Iterator[Interruption]":
        """Record SIGINT in the block. Outside the main thread, or if SIGINT is ignored, this has no effect."""
        before = signal.getsignal(signal.SIGINT)
        if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
            yield self
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield self
        finally:
            signal.signal(signal.SIGINT, before)

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
