"""Latin hypercubes: in each dimension, each of n equal intervals has exactly one of n points.

A Latin hypercube with an even number of points is a doubled one: each interval is halved, and new points take the
halves that are empty. So the points of a design remain when their number is doubled.
"""

from random import Random

Point = tuple[float, ...]


def latin_hypercube(count: int, dimensions: int, seed: int) -> list[Point]:
    """Return the points. The first half of an even number of points is the Latin hypercube of half the number."""
    odd = count
    while odd % 2 == 0:
        odd //= 2
    draws = Random(seed)
    points = _filled([], odd, dimensions, draws)
    while len(points) < count:
        points += _filled(points, 2 * len(points), dimensions, draws)
    return points


def _filled(points: list[Point], intervals: int, dimensions: int, draws: Random) -> list[Point]:
    """Return new points, one in each interval that is empty, in random combinations of the dimensions."""
    columns = []
    for dimension in range(dimensions):
        taken = {int(point[dimension] * intervals) for point in points}
        empty = [place for place in range(intervals) if place not in taken]
        draws.shuffle(empty)
        columns.append([(place + draws.random()) / intervals for place in empty])
    return list(zip(*columns, strict=True))
