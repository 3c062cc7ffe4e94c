"""The sentences on the crossings of protocols, from synthetic summaries."""

from collections.abc import Mapping, Sequence

import pytest

from mobilesim.analysis.summary.model import Summary
from mobilesim.analysis.sweeps.axes import Settings, axes
from mobilesim.analysis.sweeps.crossings import crossings
from tests.support import summaries
from tests.support.summaries import MS, estimate, protocol

DWELLS = ("exponential 1 s", "exponential 4 s", "exponential 16 s")
Gap = tuple[float, Sequence[float]]

CLEAR = (0.0, 0.1, -0.1)
NOISY = (30.0, -31.0, 1.0)


def sentences(gaps: Mapping[Settings, Gap], *keys: str) -> list[str]:
    """Return the sentences on a sweep. `gaps`: the mean difference of av2 and av1 at a point, and its noise, in ms."""
    points = []
    for point, (gap, noise) in gaps.items():
        base = [50.0 * MS, 51.0 * MS, 52.0 * MS]
        runs = [at + MS * (gap + each) for at, each in zip(base, noise, strict=True)]
        several = [
            protocol(name, estimates={**protocol().estimates, "delay": estimate(sum(each) / 3, MS, tuple(each))})
            for name, each in (("av1", base), ("av2", runs))
        ]
        points.append((point, summaries.summary(*several)))
    axis = axes(keys, list(gaps))[0]
    return crossings(axis, keys, points)


def along(*gaps: Gap) -> list[str]:
    return sentences({(dwell,): gap for dwell, gap in zip(DWELLS, gaps, strict=True)}, "mobility.dwell")


def test_a_difference_that_ends_along_the_axis_is_described_by_measured_values() -> None:
    assert along((31, CLEAR), (5, CLEAR), (0.5, NOISY)) == [
        (
            "av2 is slower than av1 up to mobility dwell 4 s, by 5 to 31 ms, and the difference is not significant at "
            "mobility dwell 16 s."
        )
    ]


def test_a_crossing_has_both_directions() -> None:
    assert along((10, CLEAR), (-3, CLEAR), (-4, CLEAR)) == [
        (
            "av2 is slower than av1 at mobility dwell 1 s, by 10 ms, and av2 is faster than av1 "
            "from mobility dwell 4 s, by 3 to 4 ms."
        )
    ]


def test_a_difference_at_every_point_is_one_clause() -> None:
    assert along((1, CLEAR), (2, CLEAR), (3, CLEAR)) == ["av2 is slower than av1 at every point, by 1 to 3 ms."]


def test_differences_that_are_nowhere_significant_are_not_stated_as_differences() -> None:
    assert along((1, NOISY), (0, NOISY), (2, NOISY)) == [
        "The mean delay of av2 is not significantly different from that of av1."
    ]


def test_one_run_at_a_point_gives_no_sentence() -> None:
    several = [
        protocol(name, estimates={**protocol().estimates, "delay": estimate(at * MS, None, (at * MS,))})
        for name, at in (("av1", 50.0), ("av2", 90.0))
    ]
    points = [(("5",), summaries.summary(*several))]
    assert crossings(axes(["hosts"], [("5",)])[0], ["hosts"], points) == []


@pytest.mark.parametrize(
    ("at_40", "expected"),
    (
        ((5, 6), "av2 is slower than av1 at every point, by 1 to 6 ms."),
        (
            (-5, -6),
            (
                "With hosts 10 and 20, av2 is slower than av1 at every point, by 1 to 4 ms; "
                "with hosts 40, av2 is faster than av1 at every point, by 5 to 6 ms."
            ),
        ),
    ),
)
def test_panels_with_the_same_crossings_are_described_together(at_40: tuple[float, float], expected: str) -> None:
    by_hosts = {"10": (1, 2), "20": (3, 4), "40": at_40}
    gaps: dict[Settings, Gap] = {
        (dwell, hosts): (gap, CLEAR)
        for hosts, several in by_hosts.items()
        for dwell, gap in zip(DWELLS, several, strict=False)
    }
    assert sentences(gaps, "mobility.dwell", "hosts") == [expected]


def alone(*means: float, noise: Sequence[float] = CLEAR) -> list[str]:
    """Return the sentences on a sweep of one protocol with these mean delays in ms."""
    points: list[tuple[Settings, Summary]] = []
    for value, mean in zip(("5", "10", "20"), means, strict=True):
        delays = tuple(MS * (mean + each) for each in noise)
        own = {"delay": estimate(mean * MS, MS, delays)}
        points.append(((value,), summaries.summary(protocol(estimates={**protocol().estimates, **own}))))
    return crossings(axes(["hosts"], [point for point, _ in points])[0], ["hosts"], points)


def test_a_sweep_of_one_protocol_has_the_change_along_the_axis() -> None:
    assert alone(10, 15, 40) == ["The mean delay of av1 rises from 10 ms at hosts 5 to 40 ms at hosts 20."]
    assert alone(40, 15, 10) == ["The mean delay of av1 falls from 40 ms at hosts 5 to 10 ms at hosts 20."]
    assert alone(10, 15, 10.05) == []
