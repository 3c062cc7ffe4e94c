"""The search for a crossing: brackets, the next point, and that the search ends."""

from fractions import Fraction

import numpy as np
import pytest

from mobilesim.statistics.crossings import Bracket, brackets, interpolated, next_point


def middle(low: Fraction, high: Fraction) -> Fraction:
    return (low + high) / 2


def signs(**by_point: int) -> dict[Fraction, int]:
    return {Fraction(name.removeprefix("at")): sign for name, sign in by_point.items()}


def test_a_bracket_is_between_significant_points_of_opposite_signs() -> None:
    found = signs(at1=1, at2=0, at4=1, at5=0, at6=0, at8=-1, at9=0, at10=-1, at12=1)
    assert brackets(found) == [
        Bracket(Fraction(4), Fraction(8), 1, (Fraction(5), Fraction(6))),
        Bracket(Fraction(10), Fraction(12), -1),
    ]
    assert brackets(signs(at1=1, at2=0, at3=1)) == []


def test_the_widest_gap_is_bisected_and_points_without_a_sign_are_not() -> None:
    assert next_point(signs(at1=1, at9=-1), Fraction(1), middle) == 5
    assert next_point(signs(at1=1, at9=-1), Fraction(8), middle) is None
    undecided = signs(at1=1, at5=0, at6=0, at9=-1)
    assert next_point(undecided, Fraction(1), middle) == 3
    assert next_point(undecided, Fraction(3), middle) == Fraction(3)
    assert next_point(undecided, Fraction(4), middle) is None


def test_a_gap_without_a_value_between_is_left_for_the_next_one() -> None:
    def integers(low: Fraction, high: Fraction) -> Fraction | None:
        found = Fraction((low + high) // 2)
        return found if low < found else None

    assert next_point(signs(at1=1, at2=-1), Fraction(0), integers) is None
    assert next_point(signs(at1=1, at4=-1, at5=1), Fraction(0), integers) == 2


@pytest.mark.parametrize("crossing", (0.3, 3.7, 9.99))
@pytest.mark.parametrize("noise", (0.0, 0.05))
def test_the_search_ends_near_the_crossing(crossing: float, noise: float) -> None:
    found = signs(at0=1, at10=-1)
    steps = 0
    while (at := next_point(found, Fraction(1, 10), middle)) is not None:
        gap = crossing - float(at)
        found[at] = int(np.sign(gap)) if abs(gap) > noise else 0
        steps += 1
    (bracket,) = brackets(found)
    assert float(bracket.low) < crossing < float(bracket.high)
    assert bracket.high - bracket.low <= Fraction(1, 5) + Fraction(2 * noise)
    assert steps <= 14


def test_the_crossing_is_interpolated_between_the_means() -> None:
    bracket = Bracket(Fraction(0), Fraction(4), -1, (Fraction(1), Fraction(2)))
    means = {Fraction(0): -5.0, Fraction(1): -1.0, Fraction(2): 3.0, Fraction(4): 9.0}
    assert interpolated(means, bracket) == 1.25
    assert interpolated({Fraction(0): -1.0, Fraction(4): 3.0}, Bracket(Fraction(0), Fraction(4), -1)) == 1.0
