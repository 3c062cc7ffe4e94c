"""Sobol indices: closed forms of two functions, noise between replications, and the coverage of the intervals."""

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest

from mobilesim.statistics.sobol_indices import Array, SobolIndices, sobol_indices
from mobilesim.statistics.sobol_sequence import sobol_points

Function = Callable[[Array], Array]
"""From rows of factors, each from 0 to 1, to outputs by row and replication."""

_STRENGTHS: Final = np.array([0.0, 1.0, 4.5, 99.0])


def ishigami(x: Array) -> Array:
    x = (2 * x - 1) * np.pi
    outputs = np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    return np.asarray(outputs[:, None])


def closed_ishigami() -> tuple[Array, Array]:
    """Return the first-order and the total indices (Ishigami and Homma 1990, with a = 7 and b = 0.1)."""
    alone = np.array([(1 + 0.1 * np.pi**4 / 5) ** 2 / 2, 49 / 8, 0])
    interaction = 0.01 * np.pi**8 * (1 / 18 - 1 / 50)
    whole = alone.sum() + interaction
    return alone / whole, (alone + np.array([interaction, 0, interaction])) / whole


def g_function(x: Array) -> Array:
    return np.asarray(np.prod((np.abs(4 * x - 2) + _STRENGTHS) / (1 + _STRENGTHS), axis=1)[:, None])


def closed_g_function() -> tuple[Array, Array]:
    alone = 1 / (3 * (1 + _STRENGTHS) ** 2)
    whole = np.prod(1 + alone) - 1
    return alone / whole, alone * np.prod(1 + alone) / (1 + alone) / whole


def noisy(function: Function, replications: int, seed: int, size: float) -> Function:
    """Return the function with noise in each replication: a level, a slope in each factor, and noise at each point."""
    draws = np.random.default_rng(seed)
    levels: Array = draws.normal(size=(1, replications))

    def outputs(x: Array) -> Array:
        slopes = np.random.default_rng(seed).normal(size=(x.shape[1], replications))
        return np.asarray(function(x) + size * (5 * levels + x @ slopes + draws.normal(size=(len(x), replications))))

    return outputs


def estimated(function: Function, factors: int, rows: int, seed: int) -> SobolIndices | None:
    points = np.array(sobol_points(rows, 2 * factors, seed))
    a, b = points[:, :factors], points[:, factors:]
    mixed = np.repeat(a[None], factors, axis=0)
    for factor in range(factors):
        mixed[factor, :, factor] = b[:, factor]
    return sobol_indices(function(a), function(b), np.stack([function(each) for each in mixed]))


CASES: Final = ((ishigami, 3, closed_ishigami), (g_function, 4, closed_g_function))


@pytest.mark.parametrize(("function", "factors", "closed"), CASES)
def test_indices_agree_with_closed_forms(
    function: Function, factors: int, closed: Callable[[], tuple[Array, Array]]
) -> None:
    found = estimated(function, factors, 4096, seed=1)
    assert found is not None
    for several, expected in zip((found.first, found.total), closed(), strict=True):
        assert [index.value for index in several] == pytest.approx(expected, abs=0.02)
        for index in several:
            assert index.low <= index.value <= index.high
            assert index.high - index.low < 0.2


def all_values(seeds: int, replications: int, size: float) -> tuple[Array, Array]:
    """Return by seed the values of all indices of Ishigami's function, and whether the interval has the closed form."""
    truth = np.concatenate(closed_ishigami())
    values, covered = [], []
    for seed in range(seeds):
        found = estimated(noisy(ishigami, replications, seed, size), 3, 64, seed)
        assert found is not None
        both = found.first + found.total
        values.append([index.value for index in both])
        covered.append([index.low <= true <= index.high for index, true in zip(both, truth, strict=True)])
    return np.array(values), np.array(covered)


@pytest.mark.full
@pytest.mark.parametrize(("replications", "size", "least"), ((1, 0.0, 0.9), (2, 1.0, 0.85), (4, 1.5, 0.9)))
def test_intervals_cover_the_closed_form_and_noise_causes_no_bias(replications: int, size: float, least: float) -> None:
    values, covered = all_values(60, replications, size)
    assert covered.mean(axis=0).min() >= least
    error = 3 * values.std(axis=0) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - np.concatenate(closed_ishigami())) < error + 0.02).all()


def test_the_share_of_noise_is_that_between_replications_of_equal_points() -> None:
    draws = np.random.default_rng(3)
    found = estimated(lambda x: x[:, :1] + draws.normal(size=(len(x), 5)) / np.sqrt(12), 2, 512, seed=1)
    assert found is not None
    assert found.noise == pytest.approx(0.5, abs=0.05)
    single = estimated(ishigami, 3, 64, seed=1)
    assert single is not None
    assert single.noise is None


def test_there_are_no_indices_of_an_output_that_does_not_vary() -> None:
    draws = np.random.default_rng(3)
    assert estimated(lambda x: np.ones((len(x), 3)), 2, 64, seed=1) is None
    assert estimated(lambda x: draws.normal(size=(len(x), 3)), 2, 64, seed=1) is None
    assert estimated(ishigami, 3, 4, seed=1) is None


def test_the_unit_and_the_origin_of_an_output_do_not_matter() -> None:
    one = estimated(ishigami, 3, 64, seed=1)
    other = estimated(lambda x: 1e12 + 1e9 * ishigami(x), 3, 64, seed=1)
    assert one is not None
    assert other is not None
    assert [each.value for each in other.first] == pytest.approx([each.value for each in one.first], abs=1e-3)
