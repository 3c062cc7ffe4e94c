"""Ctrl-C while Python talks to Java: between two calls, as in the midst of one it breaks locks and connections."""

import signal
import threading
from contextlib import AbstractContextManager
from types import FrameType
from typing import Final, Self

_BY_USER: Final = signal.SIGINT


class DeferInterrupt(AbstractContextManager["DeferInterrupt"]):
    """A first Ctrl-C waits for the end of the block. A second one does not: the block may hang."""

    def __init__(self) -> None:
        self._came = False
        self._before = signal.getsignal(_BY_USER)
        # Only the main thread is interrupted by signals, and may catch them. Who ignores them, goes on doing so.
        main = threading.current_thread() is threading.main_thread()
        self._needed = main and self._before is not signal.SIG_IGN

    def __enter__(self) -> Self:
        self.take()
        return self

    def take(self) -> None:
        """Catch the signal, also if somebody else has taken it meanwhile."""
        if self._needed:
            signal.signal(_BY_USER, self._caught)

    def __exit__(self, *_: object) -> None:
        if self._needed:
            signal.signal(_BY_USER, self._before)
        if self._came:
            raise KeyboardInterrupt

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        if self._came:
            raise KeyboardInterrupt
        self._came = True
