"""Residual times of renewal processes: the rest of an interval at a random moment in the steady state."""

from random import Random
from typing import assert_never

from mobilesim.scenario.values.distributions import Constant, Distribution, Exponential, Pareto, Uniform
from mobilesim.world.random_streams import sampler


def residual_time(distribution: Distribution, stream: Random) -> int:
    """Draw a uniform part of an interval that is drawn in proportion to its length."""
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
