"""A position of a node at a time."""

from typing import Final, NamedTuple

# The greatest time, 100 years in nanoseconds, and the greatest coordinate, 100,000 km in metres.
LATEST: Final = 100 * 365 * 24 * 3600 * 10**9
FARTHEST: Final = 1e8


class Position(NamedTuple):
    """If `here`, the node moves straight to its next position, or stays at this position if it is the last one.

    If not `here`, the node is absent until its next position. It is also absent before its first position. Two
    positions at the same time, the first one not `here`, are a jump. Units are nanoseconds and metres.
    """

    node: str
    time: int
    x: float
    y: float
    here: bool
