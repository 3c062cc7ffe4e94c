"""How much of one long thing is done: a bar on a terminal, a line every ten seconds anywhere else."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

_EVERY: Final = 10.0

Share = Callable[[float], None]


@contextmanager
def share(title: str) -> Iterator[Share]:
    """To be called with numbers from 0 to 1; short things pass without a word."""
    if not sys.stderr.isatty() or os.environ.get("TERM") in {"dumb", "unknown"}:
        yield Lines(title)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda done: bar.update(task, completed=done)


class Lines:
    def __init__(self, title: str) -> None:
        self._title = title
        self._start = self._said = monotonic()

    def __call__(self, done: float) -> None:
        now = monotonic()
        if now - self._said > _EVERY:
            self._said = now
            left = (now - self._start) * (1 / max(done, 1e-6) - 1)
            print(f"{self._title}: {done:.0%}, about {left:,.0f} s left", file=sys.stderr, flush=True)
