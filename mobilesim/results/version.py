"""The version of mobilesim, which is written into results. All results in a directory have the same version."""

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

__version__ = "0.1.0"


def running_core() -> str:
    """Return whether mobilesim runs compiled (`compiled_core`) or as pure Python. Results do not depend on this."""
    found = find_spec("mobilesim.protocols.machine")
    compiled = found is not None and str(found.origin).endswith(tuple(EXTENSION_SUFFIXES))
    return "compiled core" if compiled else "pure Python"
