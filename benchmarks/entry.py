"""The end of a benchmark command."""

import sys
from collections.abc import Callable

from mobilesim.errors import UserError


def finish(main: Callable[[], int]) -> None:
    """Run a command and exit with its status, or with one line on bad input."""
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"benchmarks: {error}")
