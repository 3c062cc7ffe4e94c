"""How many of a known number of runs are over: a bar on a terminal, a line every ten seconds anywhere else."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

_EVERY: Final = 10.0


@contextmanager
def countdown(title: str, total: int, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """What it yields is called after every run."""
    if quiet or not total:
        yield lambda: None
    elif sys.stderr.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(f"{title}: {total:,} runs", total=total)
            yield lambda: bar.advance(task)
    else:
        yield Lines(title, total)


class Lines:
    def __init__(self, title: str, total: int) -> None:
        self._title, self._total = title, total
        self._done = 0
        self._start = self._said = monotonic()

    def __call__(self) -> None:
        self._done += 1
        now = monotonic()
        if self._done == self._total or now - self._said > _EVERY:
            self._said = now
            left = (now - self._start) * (self._total / self._done - 1)
            print(
                f"{self._title}: {self._done:,} of {self._total:,} runs, about {left:,.0f} s left",
                file=sys.stderr,
                flush=True,
            )
