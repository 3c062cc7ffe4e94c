"""Defer SIGINT while a py4j call is in progress: interrupting one corrupts locks and connections."""

import signal
import threading
from types import FrameType
from typing import Final, Self

_SIGNAL: Final = signal.SIGINT


class DeferInterrupt:
    """Raises the first Ctrl-C at the end of the block, and a second one at once, as the block may hang."""

    def __init__(self) -> None:
        self._pending = False
        self._before = signal.getsignal(_SIGNAL)
        # Only the main thread can handle signals. If SIGINT is ignored, that stays so.
        main = threading.current_thread() is threading.main_thread()
        self._needed = main and self._before is not signal.SIG_IGN

    def __enter__(self) -> Self:
        self.take()
        return self

    def take(self) -> None:
        """Install the handler, again if a library has replaced it."""
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
