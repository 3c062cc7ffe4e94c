"""Defer SIGINT while a py4j call is in progress: interrupting one corrupts locks and connections."""

import signal
import threading
from contextlib import AbstractContextManager
from types import FrameType
from typing import Final, Self

_BY_USER: Final = signal.SIGINT


class DeferInterrupt(AbstractContextManager["DeferInterrupt"]):
    """The first Ctrl-C is raised at the end of the block, a second one at once: the block may hang."""

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
        """Install the handler, again if a library has replaced it."""
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
