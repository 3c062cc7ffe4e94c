"""Studies of alternatives with known means, for tests of statements on dominance."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from mobilesim.statistics.dominance import Domination, Pair, Values

Means = Mapping[str, tuple[float, ...]]

EQUAL: Final[Means] = {str(name): (1.0, 1.0, 1.0) for name in range(10)}
AT_THE_MARGIN: Final[Means] = {"a": (0.99, 1.0), "b": (1.0, 1.0), "c": (1.01, 1.0)}
"""In the first cost, the protocols differ by just the margin: none dominates its neighbour."""
APART: Final[Means] = {"best": (0.9, 0.9), "middle": (1.0, 1.0), "worst": (1.2, 1.1), "other": (0.7, 1.3)}


def observed(means: Means, replications: int, noise: float, random: Random) -> tuple[list[Values], list[Values]]:
    """Return the costs and margins of protocols in replications that have common influences, such as the movement."""
    costs: list[Values] = []
    for cost in range(len(next(iter(means.values())))):
        common = [random.gauss(100, 10) for _ in range(replications)]
        costs.append(
            {
                name: numbered([mean[cost] * base + random.gauss(0, noise) for base in common])
                for name, mean in means.items()
            }
        )
    return costs, margins_of(costs)


def numbered(values: Sequence[float]) -> dict[int, float]:
    return dict(enumerate(values))


def margins_of(costs: Sequence[Values]) -> list[Values]:
    """Return one per cent of each value."""
    return [{name: {at: 0.01 * each for at, each in of.items()} for name, of in cost.items()} for cost in costs]


def truth(means: Means, pair: Pair) -> Domination:
    one, other = (means[name] for name in pair)
    worse = any(mine > 1.01 * yours for mine, yours in zip(one, other, strict=True))
    better = any(mine < 0.99 * yours for mine, yours in zip(one, other, strict=True))
    return Domination.YES if better and not worse else Domination.NO
