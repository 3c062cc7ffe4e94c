"""What is left of a time at a random moment, once times of a distribution have followed each other for long."""

from random import Random
from typing import assert_never

from mobilesim.scenario.values.distributions import Constant, Distribution, Exponential, Pareto, Uniform
from mobilesim.world.random_streams import sampler


def residual_time(distribution: Distribution, stream: Random) -> int:
    """A uniform part of a time that is drawn with a chance in proportion to its length."""
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
        case _:
            assert_never(distribution)
