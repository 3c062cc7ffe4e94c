"""Named random streams (common random numbers): one seed gives a random generator for every purpose and every host.

Streams are independent: a protocol that sends more packets does not change the movement of hosts, and an additional
host does not change the paths of the other hosts.
"""

from collections.abc import Callable
from hashlib import blake2b
from math import log
from random import Random
from typing import TypeAlias

from mobilesim.scenario.values.distributions import Constant, Distribution, Exponential, Pareto, Uniform

Sampler: TypeAlias = Callable[[], int]


class Streams:
    def __init__(self, seed: int, replication: int) -> None:
        self.seed = f"{seed}/{replication}"

    def stream(self, purpose: str, index: int = 0) -> Random:
        digest = blake2b(f"{self.seed}/{purpose}/{index}".encode(), digest_size=16).digest()
        return Random(int.from_bytes(digest))


def sampler(distribution: Distribution, stream: Random) -> Sampler:
    """Return a function that draws whole numbers: nanoseconds, bytes or microjoules."""
    random = stream.random
    match distribution:
        case Constant(value):
            return lambda: value
        case Exponential(mean):
            return lambda: int(-log(1.0 - random()) * mean)
        case Uniform(low, high):
            span = high - low + 1
            return lambda: low + int(random() * span)
        case Pareto(shape, minimum):
            power = -1.0 / shape
            return lambda: int(minimum * (1.0 - random()) ** power)


def residual_time(distribution: Distribution, stream: Random) -> int:
    """Draw the rest of an interval of a renewal process at a random time in the steady state.

    The interval is drawn in proportion to its length, and its rest is a uniform part of the interval.
    """
    random = stream.random
    match distribution:
        case Constant(value):
            return int(random() * value)
        case Exponential():
            return sampler(distribution, stream)()
        case Uniform(low, high):
            return int(random() * (low * low + random() * (high * high - low * low)) ** 0.5)
        case Pareto(shape, minimum):
            return int(random() * minimum * (1.0 - random()) ** (-1.0 / (shape - 1.0)))
