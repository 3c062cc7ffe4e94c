"""A position of a node at a time."""

from typing import Final, NamedTuple

# The greatest time, 100 years in nanoseconds, and the greatest coordinate, 100,000 km in metres.
LATEST: Final = 100 * 365 * 24 * 3600 * 10**9
FARTHEST: Final = 1e8


class Position(NamedTuple):
    """From a position with `here` the node moves straight to its next position; after its last position it stays. After
    a position without `here` the node is absent until its next position. It is also absent before its first position.
    Units are nanoseconds and metres. Two positions at one time, the first without `here`, are a jump.
    """

    node: str
    time: int
    x: float
    y: float
    here: bool
