"""Each mobility model on a plane, compared with its definition. Seeds are fixed, and tolerances come from theory."""

from itertools import pairwise
from math import atan2, exp, log, pi, sqrt
from random import Random
from statistics import fmean, pvariance
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.values import distributions
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.random_streams import residual_time
from mobilesim.world.replication import World
from tests.support.plane_worlds import (
    SIDE,
    SIGMAS,
    WIDE,
    Points,
    S,
    first,
    has_mean,
    has_share,
    is_distributed,
    length,
    mean_distance,
    paths,
    places,
    plane,
    speed,
    steps,
)

MODELS: Final[dict[str, dict[str, Any]]] = {
    "waypoint": {"pause": "5 s"},
    "gauss-markov": {},
    "levy": {},
    "manhattan": {"pause": "uniform 0 s 10 s"},
    "group": {},
    "commuter": {"rush": "10 min", "downtown": "100 m"},
    "hotspot": {},
    "stampede": {},
}


def model(name: str, hosts: int = 1) -> World:
    return plane(name, hosts=hosts, **MODELS[name])


# Properties of all models


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
def test_trajectories_are_continuous_and_stay_on_the_plane(name: str) -> None:
    for trajectory in first(model(name, 20), 300):
        assert trajectory[0].start == 0
        for one, other in pairwise(trajectory):
            assert one.start < one.end == other.start
            assert (one.to_x, one.to_y) == pytest.approx((other.x, other.y), abs=1e-6)
        for segment in trajectory:
            assert -1e-6 <= min(segment.to_x, segment.to_y) <= max(segment.to_x, segment.to_y) <= SIDE + 1e-6


@pytest.mark.parametrize("name", MODELS)
def test_additional_hosts_do_not_change_trajectories(name: str) -> None:
    few, many = model(name, 7), model(name, 23)
    assert first(many, 50)[:7] == first(few, 50)
    assert many.starting_cells[:7] == few.starting_cells
    assert steps(many)[:7] == steps(few)


@pytest.mark.parametrize("name", MODELS)
def test_hosts_have_different_trajectories(name: str) -> None:
    starts = {(trajectory[0].x, trajectory[0].y) for trajectory in first(model(name, 40), 1)}
    assert len(starts) == 40


# Random waypoint

SLOW, FAST, HOSTS = 1.0, 10.0, 3000
PAUSE: Final = 60.0


def walking(time: int, pause: str = "0 s") -> list[float]:
    """Return the speeds of the moving hosts at a time."""
    where = plane("waypoint", hosts=HOSTS, min_speed=SLOW, max_speed=FAST, pause=pause)
    under_way = (next(segment for segment in trajectory if segment.end > time) for trajectory in paths(where))
    return [speed(segment) for segment in under_way if length(segment) > 0]


@pytest.mark.full
@pytest.mark.parametrize("time", (0, 100 * S, 3000 * S))
def test_speeds_of_waypoint_are_stationary_from_the_start(time: int) -> None:
    """Slow segments take longer: the density at v is proportional to 1 / v, so the mean is far from (1 + 10) / 2."""
    speeds = walking(time)
    assert has_mean(speeds, (FAST - SLOW) / log(FAST / SLOW))
    assert is_distributed(speeds, lambda v: log(max(v, SLOW) / SLOW) / log(FAST / SLOW))


@pytest.mark.full
@pytest.mark.parametrize(
    "pause", (f"{PAUSE} s", f"exponential {PAUSE} s", "uniform 20 s 100 s", f"pareto 3 {PAUSE * 2 / 3} s")
)
@pytest.mark.parametrize("time", (0, 1000 * S))
def test_pauses_of_waypoint_are_stationary_from_the_start(time: int, pause: str) -> None:
    trip = mean_distance(SIDE, SIDE) * log(FAST / SLOW) / (FAST - SLOW)
    assert has_share(HOSTS - len(walking(time, pause)), HOSTS, PAUSE / (PAUSE + trip))


def residual_times(text: str) -> list[float]:
    drawn = Random(5)
    return [residual_time(distributions.read(text), drawn) / S for _ in range(4000)]


def test_residual_pauses_agree_with_renewal_theory() -> None:
    """The density of a residual pause at x is P(pause > x) / mean."""
    assert is_distributed(residual_times("10 s"), lambda x: x / 10)
    assert is_distributed(residual_times("exponential 10 s"), lambda x: 1 - exp(-x / 10))
    ends = {"uniform 2 s 6 s": (2.0, 6.0), "uniform 0 s 6 s": (0.0, 6.0)}
    for text, (low, high) in ends.items():
        rise = 2 / (low + high)
        assert is_distributed(
            residual_times(text),
            lambda x, low=low, high=high, rise=rise: (
                rise * (min(x, low) + max(0.0, (high - low) / 2 - (high - max(x, low)) ** 2 / (2 * (high - low))))
            ),
        )
    assert is_distributed(residual_times("pareto 3 4 s"), lambda x: x / 6 if x < 4 else 1 - (4 / x) ** 2 / 3)


def test_initial_pauses_of_waypoint_are_residual_pauses() -> None:
    firsts = [trajectory[0] for trajectory in first(plane("waypoint", hosts=1500, pause="1 h"), 1)]
    assert is_distributed([segment.end / S / 3600 for segment in firsts if length(segment) == 0], lambda part: part)


def central(points: Points) -> int:
    return sum(abs(x - SIDE / 2) < SIDE / 4 and abs(y - SIDE / 2) < SIDE / 4 for x, y in points)


@pytest.mark.full
def test_positions_of_waypoint_are_stationary_from_the_start() -> None:
    where = plane("waypoint", hosts=HOSTS, min_speed=SLOW, max_speed=FAST)
    now, later = (central(points) / HOSTS for points in places(where, 0, 3000 * S))
    deviation = sqrt(2 * 0.4 * 0.6 / HOSTS)
    assert abs(now - later) < SIGMAS * deviation
    # With a uniform distribution a quarter of the hosts would be central. Bettstetter's approximation gives 0.47.
    assert now == pytest.approx(0.4727, abs=0.03)


def test_destinations_of_waypoint_are_uniform() -> None:
    targets = [
        (segment.to_x, segment.to_y)
        for trajectory in first(plane("waypoint", hosts=300), 12)
        for segment in trajectory[2:]
    ]
    assert is_distributed([x for x, _ in targets], lambda x: x / SIDE)
    assert is_distributed([y for _, y in targets], lambda y: y / SIDE)
    fresh = [speed(segment) for trajectory in first(plane("waypoint", hosts=300), 12) for segment in trajectory[2:]]
    assert is_distributed(fresh, lambda v: v - 1)


# Gauss-Markov

MEMORY: Final = 0.8


def states(hosts: int = 60, count: int = 400, **settings: Any) -> list[list[Segment]]:  # noqa: ANN401 - settings
    return first(plane("gauss-markov", hosts=hosts, cells=WIDE, memory=MEMORY, **settings), count)


@pytest.mark.parametrize("lag", (1, 3))
def test_speeds_of_gauss_markov_are_correlated_by_powers_of_the_memory(lag: int) -> None:
    speeds = [[speed(segment) - 1.5 for segment in trajectory] for trajectory in states()]
    products = [one * other for trajectory in speeds for one, other in zip(trajectory, trajectory[lag:], strict=False)]
    variance = fmean(value * value for trajectory in speeds for value in trajectory)
    independent = len(products) * (1 - MEMORY) / (1 + MEMORY)
    assert fmean(products) / variance == pytest.approx(MEMORY**lag, abs=SIGMAS / sqrt(independent))


def test_speeds_of_gauss_markov_have_their_mean_and_deviation_from_the_start() -> None:
    ahead = states(2000, 2)
    for step in (0, 1):
        speeds = [speed(trajectory[step]) for trajectory in ahead]
        assert has_mean(speeds, 1.5)
        assert sqrt(pvariance(speeds)) == pytest.approx(0.3, rel=SIGMAS / sqrt(2 * len(speeds)))


@pytest.mark.full
@pytest.mark.parametrize("step", (500, 1000, 5000))
def test_a_host_of_gauss_markov_keeps_speed_and_direction_for_a_step(step: int) -> None:
    """`step` is in milliseconds. The memory is the correlation from step to step, not from second to second."""
    walked = states(step=f"{step} ms")
    assert {segment.end - segment.start for trajectory in walked for segment in trajectory} == {step * S // 1000}
    speeds = [[speed(segment) - 1.5 for segment in trajectory] for trajectory in walked]
    variance = fmean(value * value for trajectory in speeds for value in trajectory)
    assert sqrt(variance) == pytest.approx(0.3, rel=0.05)
    products = [one * other for trajectory in speeds for one, other in pairwise(trajectory)]
    assert fmean(products) / variance == pytest.approx(MEMORY, abs=0.05)


def test_directions_of_gauss_markov_change_according_to_the_memory() -> None:
    """The variance of the change between two directions is 2 (1 - memory) times the variance of a direction."""
    turns = []
    for trajectory in states(turn=20.0):
        angles = [atan2(segment.to_y - segment.y, segment.to_x - segment.x) for segment in trajectory]
        turns += [(new - old + pi) % (2 * pi) - pi for old, new in pairwise(angles)]
    expected = 2 * (1 - MEMORY) * (20 * pi / 180) ** 2
    assert fmean(turn * turn for turn in turns) == pytest.approx(expected, rel=SIGMAS * sqrt(2 / len(turns)) * 1.5)


def test_with_full_memory_a_host_of_gauss_markov_moves_straight() -> None:
    trajectory, _ = first(plane("gauss-markov", cells=WIDE, memory=1.0), 100)
    assert len({round(speed(segment), 6) for segment in trajectory}) == 1
    assert length(
        Segment(0, 1, trajectory[0].x, trajectory[0].y, trajectory[-1].to_x, trajectory[-1].to_y)
    ) == pytest.approx(sum(map(length, trajectory)))


@pytest.mark.full
def test_hosts_of_gauss_markov_turn_back_before_the_edge() -> None:
    def close(margin: str) -> float:
        where = plane("gauss-markov", hosts=100, margin=margin, speed="5 m/s")
        seen = [point for points in places(where, *range(200 * S, 1200 * S, 50 * S)) for point in points]
        return sum(min(x, y, SIDE - x, SIDE - y) < 30 for x, y in seen) / len(seen)

    assert close("150 m") < 0.4 * close("0 m")


# Lévy walk


def power_law(exponent: float, least: float, most: float) -> Any:  # noqa: ANN401 - a function
    whole = 1 - (least / most) ** exponent
    return lambda value: (1 - (least / min(max(value, least), most)) ** exponent) / whole


def power_mean(exponent: float, least: float, most: float, power: float = 1.0) -> float:
    """Return the mean of x^power, if x has a truncated power law."""
    lower, upper = (least**rest / rest for rest in (-exponent, power - exponent))
    reach = most / least
    return float(upper * (reach ** (power - exponent) - 1) / (lower * (reach**-exponent - 1)))


def left_of_power_law(exponent: float, least: float, most: float) -> Any:  # noqa: ANN401 - a function
    """Return the distribution function of the residual time. Its density at x is P(T > x) / mean."""

    def at_most(x: float) -> float:
        over, rest = max(x, least), 1 - exponent
        tail = most**exponent * (over**rest - least**rest) / rest - (over - least)
        return float((min(x, least) + tail / ((most / least) ** exponent - 1)) / power_mean(exponent, least, most))

    return at_most


LEVY: Final = ((1.2, 0.7, 0.0), (0.6, 1.5, 0.5), (1.2, 1.0, 0.0), (1.2, 0.7, 1.0))
"""Tuples of the exponent of flights, the exponent of pauses, and speed_exponent."""


def levy_world(exponents: tuple[float, float, float]) -> World:
    flights, pauses, speed_exponent = exponents
    settings = {"exponent": flights, "pause_exponent": pauses, "speed_exponent": speed_exponent}
    return plane("levy", hosts=4000, cells=WIDE, max_flight="5 km", speed="2 m/s", **settings)


@pytest.mark.full
@pytest.mark.parametrize("exponents", LEVY)
def test_pauses_of_a_levy_walk_are_stationary_from_the_start(exponents: tuple[float, float, float]) -> None:
    flights, pauses, speed_exponent = exponents
    pausing = power_mean(pauses, 1, 300) if pauses != 1 else log(300) / (1 - 1 / 300)
    flying = 10 / 2 * power_mean(flights, 1, 500, 1 - speed_exponent)
    for time in (0, 600 * S):
        still = sum(
            length(next(segment for segment in trajectory if segment.end > time)) == 0
            for trajectory in paths(levy_world(exponents))
        )
        assert has_share(still, 4000, pausing / (pausing + flying))


@pytest.mark.full
@pytest.mark.parametrize("exponents", LEVY[:2])
def test_initial_flights_and_pauses_agree_with_renewal_theory(
    exponents: tuple[float, float, float],
) -> None:
    flights, pauses, speed_exponent = exponents
    starts = [trajectory[0] for trajectory in first(levy_world(exponents), 1)]
    paused = [(segment.end - segment.start) / S for segment in starts if length(segment) == 0]
    flown = [(segment.end - segment.start) / S for segment in starts if length(segment) > 0]
    assert is_distributed(paused, left_of_power_law(pauses, 1, 300))
    assert is_distributed(flown, left_of_power_law(flights / (1 - speed_exponent), 5, 5 * 500 ** (1 - speed_exponent)))


def test_flights_and_pauses_have_truncated_power_laws() -> None:
    where = plane("levy", hosts=100, cells=WIDE, exponent=1.2, max_flight="5 km", pause_exponent=0.7)
    segments = [segment for trajectory in first(where, 61) for segment in trajectory[1:]]
    flights, pauses = (
        [segment for segment in segments if length(segment) > 0],
        [segment for segment in segments if length(segment) == 0],
    )
    assert len(flights) == len(pauses) == 3000
    assert is_distributed([length(segment) for segment in flights], power_law(1.2, 10, 5000))
    assert is_distributed([(segment.end - segment.start) / S for segment in pauses], power_law(0.7, 1, 300))
    angles = [atan2(segment.to_y - segment.y, segment.to_x - segment.x) for segment in flights]
    assert is_distributed(angles, lambda angle: (angle + pi) / (2 * pi))


def test_the_speed_of_a_flight_is_a_power_of_its_length() -> None:
    where = plane("levy", hosts=20, cells=WIDE, speed_exponent=0.6, speed="2 m/s")
    for segment in (segment for trajectory in first(where, 50) for segment in trajectory[1:] if length(segment) > 0):
        assert speed(segment) == pytest.approx(2 * (length(segment) / 10) ** 0.6, rel=1e-4)


def test_flights_much_longer_than_the_plane_are_refused() -> None:
    with pytest.raises(
        UserError, match=r"^mobility\.levy\.max_flight: 1e\+07 m is far too long for a plane of 2 m x 1 m;"
    ):
        plane("levy", cells={"rows": 1, "columns": 2, "spacing": "1 m"}, max_flight="10000 km")


@pytest.mark.full
def test_reflection_at_the_edges_keeps_positions_uniform() -> None:
    where = plane("levy", hosts=2000, exponent=0.5, min_flight="100 m", max_flight="9 km", speed="50 m/s")
    for points in places(where, 0, 500 * S):
        assert is_distributed([x for x, _ in points], lambda x: x / SIDE)
        assert is_distributed([y for _, y in points], lambda y: y / SIDE)
