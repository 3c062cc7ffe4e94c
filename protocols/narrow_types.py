"""The narrowest NumPy types for vectors and matrices of message numbers.

With many processes, most of the time of an operation is memory access, and numbers are small for a long time. NumPy
chooses the wider type if an operation has operands of two types.
"""

from typing import Final

import numpy as np

_KINDS: Final = (np.uint8, np.uint16, np.uint32)
NARROWEST: Final = np.dtype(_KINDS[0])


def dtype_for(number: int) -> np.dtype[np.unsignedinteger]:
    """Return the narrowest type that holds a number."""
    return np.dtype(next(kind for kind in _KINDS if number <= np.iinfo(kind).max))


def limit(dtype: np.dtype[np.integer]) -> int:
    """Return the greatest number that a type holds."""
    return int(np.iinfo(dtype).max)
