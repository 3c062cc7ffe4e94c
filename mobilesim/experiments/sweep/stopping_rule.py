"""Replications until means are known well enough: how many more of one protocol at one point."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, inf

from mobilesim.scenario.sweeps.replications import Replications

_STEP = 2
"""At most so many times as many at once: the first few say little of how much means differ."""


def enough(
    wanted: Replications,
    level: int,
    means: Mapping[str, Sequence[float]],
    half_width: Callable[[Sequence[float]], float],
) -> int:
    """As many as there are, if that is enough or must be; else as many as will be, if the differences stay as they are.

    It depends on nothing but the means, so a sweep that starts anew takes the same steps.
    """
    if level >= wanted.at_most:
        return level
    needed = [_needed(level, found, wanted.shares[metric], half_width) for metric, found in means.items()]
    most = max(needed, default=float(level))
    return level if most <= level else min(wanted.at_most, max(level + 1, ceil(min(_STEP * level, most))))


def _needed(level: int, means: Sequence[float], share: float, half_width: Callable[[Sequence[float]], float]) -> float:
    if len(means) < 2:
        return level  # runs that fail, or deliver nothing, will do so again
    half, target = half_width(means), share * abs(sum(means) / len(means))
    if half <= target:
        return level
    return level * (half / target) ** 2 if target else inf
