"""One known position of one node."""

from typing import Final, NamedTuple

# What a time and a coordinate may be: 100 years in nanoseconds, 100,000 km in metres.
LATEST: Final = 100 * 365 * 24 * 3600 * 10**9
FARTHEST: Final = 1e8


class Position(NamedTuple):
    """From a position with `here` the node goes straight to its next one, and stays where it is if there is none.

    After a position without `here` it is absent until its next one, and before its first. Times are nanoseconds, places
    metres. Two positions at one moment, the first without `here`, are a jump.
    """

    node: str
    time: int
    x: float
    y: float
    here: bool
