"""How many of a known number of runs are over: a bar on a terminal, a line every ten seconds anywhere else."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final, Protocol

_EVERY: Final = 10.0


class Count(Protocol):
    """To be called after every run."""

    def __call__(self, *, failed: bool = False) -> None: ...


@contextmanager
def countdown(title: str, total: int, *, quiet: bool) -> Iterator[Count]:
    if quiet or not total:
        yield _silence
    elif sys.stderr.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"}:
        from rich.console import Console
        from rich.progress import Progress

        failures = 0

        def count(*, failed: bool = False) -> None:
            nonlocal failures
            failures += failed
            bar.update(task, advance=1, description=f"{title}: {total:,} runs{_of_them(failures)}")

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(f"{title}: {total:,} runs", total=total)
            yield count
    else:
        yield Lines(title, total)


def _silence(*, failed: bool = False) -> None: ...


def _of_them(failures: int) -> str:
    return f", {failures:,} failed" if failures else ""


class Lines:
    def __init__(self, title: str, total: int) -> None:
        self._title, self._total = title, total
        self._done = self._failed = 0
        self._start = self._said = monotonic()

    def __call__(self, *, failed: bool = False) -> None:
        self._done += 1
        self._failed += failed
        now = monotonic()
        if self._done == self._total or now - self._said > _EVERY:
            self._said = now
            left = (now - self._start) * (self._total / self._done - 1)
            done = f"{self._done:,} of {self._total:,} runs{_of_them(self._failed)}"
            print(f"{self._title}: {done}, about {left:,.0f} s left", file=sys.stderr, flush=True)
