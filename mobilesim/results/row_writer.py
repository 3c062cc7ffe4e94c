"""A buffer of the numbers of rows. The compiled build of mobilesim has its own version, in `compiled_core/native`."""

from array import array
from collections.abc import Callable

import numpy as np
import numpy.typing as npt


class RowWriter:
    """Whole numbers, in the order of writing. `put` appends one."""

    __slots__ = ("_numbers", "put")
    put: Callable[[int], None]

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._numbers = array("q")
        self.put = self._numbers.append

    def __len__(self) -> int:
        return len(self._numbers)

    def take(self) -> npt.NDArray[np.int64]:
        """Return the numbers and forget them."""
        numbers = np.frombuffer(self._numbers, np.int64)
        self._clear()
        return numbers
