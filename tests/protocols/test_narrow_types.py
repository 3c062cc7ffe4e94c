"""The narrowest types of numbers."""

import numpy as np
import pytest

from mobilesim.protocols.narrow_types import NARROWEST, dtype_for, limit


@pytest.mark.parametrize(
    ("number", "dtype"), ((0, np.uint8), (255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.uint32))
)
def test_the_narrowest_type_of_a_number_holds_it(number: int, dtype: type[np.unsignedinteger]) -> None:
    assert dtype_for(number) == np.dtype(dtype)
    assert limit(dtype_for(number)) >= number


def test_the_narrowest_type_has_one_byte() -> None:
    assert (NARROWEST.itemsize, limit(NARROWEST)) == (1, 255)
