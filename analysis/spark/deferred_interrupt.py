"""Defer SIGINT during a py4j call: an interrupted call corrupts locks and connections."""

import signal
import threading
from types import FrameType
from typing import Final, Self

_SIGNAL: Final = signal.SIGINT


class DeferInterrupt:
    """Defers the first Ctrl-C to the end of the block. A second Ctrl-C is raised at once, since the block may hang."""

    def __init__(self) -> None:
        self._pending = False
        self._before = signal.getsignal(_SIGNAL)
        # Only the main thread can handle signals. If SIGINT is ignored, it stays ignored.
        main = threading.current_thread() is threading.main_thread()
        self._needed = main and self._before is not signal.SIG_IGN

    def __enter__(self) -> Self:
        self.take()
        return self

    def take(self) -> None:
        """Install the handler. If a library has replaced the handler, install it again."""
        if self._needed:
            signal.signal(_SIGNAL, self._caught)

    def __exit__(self, *_: object) -> None:
        if self._needed:
            signal.signal(_SIGNAL, self._before)
        if self._pending:
            raise KeyboardInterrupt

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        if self._pending:
            raise KeyboardInterrupt
        self._pending = True
