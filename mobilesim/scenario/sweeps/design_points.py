"""The points of the designs that are no grids, in an order in which added points come last."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from mobilesim.results.sweeps.design_record import ONE_AT_A_TIME, SOBOL_INDICES
from mobilesim.scenario.sweeps.axes import Factor, Value
from mobilesim.scenario.sweeps.design import LATIN_HYPERCUBE, SOBOL, Design
from mobilesim.statistics.latin_hypercube import latin_hypercube
from mobilesim.statistics.sobol_sequence import sobol_points

Row = tuple[Value, ...]
"""The values of all keys at a point, in the order of the factors."""


def design_points(design: Design, factors: Sequence[Factor], base: Mapping[str, Value]) -> list[Row]:
    """Return the points; some may be equal. `base`: the values of the base point that are not the first ones."""
    if design.kind == ONE_AT_A_TIME:
        return list(_one_at_a_time(factors, base))
    shares = _indices_shares if design.kind == SOBOL_INDICES else _shares
    return [_row(factors, each) for each in shares(design, len(factors))]


def _shares(design: Design, dimensions: int) -> list[tuple[float, ...]]:
    if design.kind == LATIN_HYPERCUBE:
        return latin_hypercube(design.points, dimensions, design.seed)
    if design.kind == SOBOL:
        return sobol_points(design.points, dimensions, design.seed)
    draws = Random(design.seed)
    return [tuple(draws.random() for _ in range(dimensions)) for _ in range(design.points)]


def _indices_shares(design: Design, dimensions: int) -> Iterator[tuple[float, ...]]:
    """Yield for each base point: A, B, and for each factor A with the factor of B (Saltelli et al. 2010)."""
    for both in sobol_points(design.points, 2 * dimensions, design.seed):
        a, b = both[:dimensions], both[dimensions:]
        yield a
        yield b
        yield from ((*a[:place], b[place], *a[place + 1 :]) for place in range(dimensions))


def _row(factors: Sequence[Factor], shares: Sequence[float]) -> Row:
    return tuple(value for factor, share in zip(factors, shares, strict=True) for value in factor.at(share))


def _one_at_a_time(factors: Sequence[Factor], base: Mapping[str, Value]) -> Iterator[Row]:
    """Yield the base point, then each other value of each factor."""
    first = [
        tuple(base.get(key, value) for key, value in zip(factor.keys, factor.levels[0], strict=True))
        for factor in factors
    ]
    yield tuple(value for values in first for value in values)
    for place, factor in enumerate(factors):
        for level in factor.levels:
            if [each.setting for each in level] != [each.setting for each in first[place]]:
                chosen = [*first[:place], level, *first[place + 1 :]]
                yield tuple(value for values in chosen for value in values)
