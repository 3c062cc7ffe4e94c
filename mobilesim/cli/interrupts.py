"""Ctrl-C, noted first and heeded where that leaves everything whole."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Whether Ctrl-C was pressed while `noted`. The second time it interrupts at once."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note SIGINT instead of raising. Without effect outside of the main thread, or where SIGINT is ignored."""
        before = signal.getsignal(signal.SIGINT)
        if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
            yield
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def interruption() -> Iterator[Interruption]:
    asked = Interruption()
    with asked.noted():
        yield asked
