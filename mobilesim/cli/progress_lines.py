"""What long work is at: every line on a terminal, and anywhere else one every ten seconds. On stderr."""

import sys
from time import monotonic
from typing import Final

_EVERY: Final = 10.0


class Aloud:
    """To be called with lines. `quiet`: not at all where there is no terminal."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._said = -_EVERY

    def __call__(self, line: str) -> None:
        now = monotonic()
        if sys.stderr.isatty() or (not self._quiet and now - self._said > _EVERY):
            self._said = now
            print(line, file=sys.stderr, flush=True)
