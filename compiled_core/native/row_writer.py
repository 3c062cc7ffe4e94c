"""`mobilesim.results.row_writer` for the compiled core: a number is written without a Python object for it."""

import numpy as np
import numpy.typing as npt
from librt.strings import BytesWriter, write_i64_le
from mypy_extensions import i64


class RowWriter:
    __slots__ = ("_writer",)

    def __init__(self) -> None:
        self._writer = BytesWriter()

    def put(self, number: i64) -> None:
        write_i64_le(self._writer, number)

    def __len__(self) -> int:
        return len(self._writer) >> 3

    def take(self) -> npt.NDArray[np.int64]:
        numbers = np.frombuffer(self._writer.getvalue(), np.int64)
        self._writer.truncate(0)  # keeps the memory for the next numbers
        return numbers
