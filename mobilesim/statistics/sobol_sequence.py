"""The Sobol sequence with the direction numbers of Joe and Kuo (2008), and with a random digital shift.

The first 2**m points have one coordinate in each interval of length 2**-m, in every dimension. The sequence is computed
here and not by a library, because a sweep that is resumed later needs the same points, bit for bit.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

_BITS: Final = 32

_JOE_KUO: Final = """
3:1 7:1,3 11:1,3,1 13:1,1,1 19:1,1,3,3 25:1,3,5,13 37:1,1,5,5,17 41:1,1,5,5,5 47:1,1,7,11,19 55:1,1,5,1,1 59:1,1,1,3,11
61:1,3,5,5,31 67:1,3,3,9,7,49 91:1,1,1,15,21,21 97:1,3,1,13,27,49 103:1,1,1,15,7,5 109:1,3,1,15,13,25 115:1,1,5,5,19,61
131:1,3,7,11,23,15,103 137:1,3,7,13,13,15,69 143:1,1,3,13,7,35,63 145:1,3,5,9,1,25,53 157:1,3,1,13,9,35,107
167:1,3,1,5,27,61,31 171:1,1,5,11,19,41,61 185:1,3,5,3,3,13,69 191:1,1,7,13,1,19,1 193:1,3,7,5,13,19,59
203:1,1,3,9,25,29,41 211:1,3,5,13,23,1,55 213:1,3,7,3,13,59,17 229:1,3,1,3,5,53,69 239:1,1,5,5,23,33,13
241:1,1,7,7,1,61,123 247:1,1,7,9,13,61,49 253:1,3,3,5,3,55,33 285:1,3,1,15,31,13,49,245 299:1,3,5,15,31,59,63,97
301:1,3,1,11,11,11,77,249
"""
"""For each dimension after the first, the coefficients of its primitive polynomial as bits, and its first numbers."""

_ROWS: Final = [row.partition(":") for row in _JOE_KUO.split()]
DIMENSIONS: Final = len(_ROWS) + 1
"""The maximum number of dimensions."""


def sobol_points(count: int, dimensions: int, seed: int) -> list[tuple[float, ...]]:
    """Return the first points. Each dimension is shifted by a random number, modulo 2 in each bit."""
    draws = Random(seed)
    return shifted_points(count, [draws.getrandbits(_BITS) for _ in range(dimensions)])


def shifted_points(count: int, shifts: Sequence[int]) -> list[tuple[float, ...]]:
    """Return the first points in the order of the Gray code. `shifts`: the 32 bits to add in each dimension."""
    directions = [_directions(dimension) for dimension in range(len(shifts))]
    current, points = list(shifts), list[tuple[float, ...]]()
    for index in range(count):
        points.append(tuple(number / 2**_BITS for number in current))
        changed = (~index & (index + 1)).bit_length() - 1  # the number of trailing ones of the index
        current = [number ^ numbers[changed] for number, numbers in zip(current, directions, strict=True)]
    return points


def _directions(dimension: int) -> list[int]:
    """Return the direction numbers of a dimension, shifted to the top bits."""
    if dimension == 0:
        return [1 << (_BITS - 1 - place) for place in range(_BITS)]
    polynomial, _, first = _ROWS[dimension - 1]
    bits, numbers = int(polynomial), [int(number) for number in first.split(",")]
    degree = len(numbers)
    while len(numbers) < _BITS:
        last = numbers[-degree:]
        number = last[0] ^ (last[0] << degree)
        for place in range(1, degree):
            if bits >> (degree - place) & 1:
                number ^= last[-place] << place
        numbers.append(number)
    return [number << (_BITS - 1 - place) for place, number in enumerate(numbers)]
