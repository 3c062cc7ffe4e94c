"""Hosts that send messages in bursts: their rates, and the stationary distribution at the start."""

from collections import Counter
from itertools import islice, pairwise
from statistics import fmean, variance
from typing import Any, Final

import pytest

from mobilesim.scenario.model import Scenario
from mobilesim.world.replication import build_world
from mobilesim.world.traffic.messages import TrafficSource, traffic_sources
from tests.support.plane_worlds import SIGMAS, has_share, is_distributed

SECOND: Final = 10**9
MS: Final = 10**6
DRAWS: Final = 20_000
HOSTS: Final = 2000


def crowd(hosts: int = HOSTS, **workload: Any) -> list[TrafficSource]:  # noqa: ANN401 - settings
    found = traffic_sources(build_world(Scenario.model_validate({"hosts": hosts, "workload": workload}), 0))
    return [found[host] for host in range(hosts)]


def bursting(interval: str, length: str, silence: str, hosts: int = HOSTS) -> list[TrafficSource]:
    return crowd(hosts, interval=interval, bursts={"length": length, "silence": silence})


def test_a_bursty_host_is_active_for_its_share_of_the_time() -> None:
    (one, _) = bursting("exponential 1 s", "exponential 5 s", "exponential 15 s", 2)
    assert fmean(one.pause() for _ in range(DRAWS)) == pytest.approx(4 * SECOND, rel=0.05)


def test_bursts_increase_the_variance_of_message_counts() -> None:
    """Messages are counted in intervals of 10 s. In a Poisson process, variance and mean of the counts are equal."""

    def counts(**workload: Any) -> list[int]:  # noqa: ANN401 - settings
        one, now, seen = crowd(2, interval="exponential 1 s", **workload)[0], 0, Counter[int]()
        for _ in range(DRAWS):
            now += one.pause()
            seen[now // (10 * SECOND)] += 1
        return [seen[number] for number in range(max(seen))]

    steady, bursts = counts(), counts(bursts={"length": "exponential 5 s", "silence": "exponential 15 s"})
    assert variance(steady) / fmean(steady) == pytest.approx(1, abs=0.1)
    assert variance(bursts) / fmean(bursts) > 3


def test_a_periodic_host_keeps_its_period_within_a_burst() -> None:
    for one in bursting("1 s", "3500 ms", "10 s", 20):
        one.first()
        pauses = [one.pause() // MS for _ in range(29)]
        ends = [index for index, pause in enumerate(pauses) if pause == 11_000]
        assert set(pauses) == {1000, 11_000}
        assert {after - before for before, after in pairwise(ends)} == {3, 4}


def sent(crowd: list[TrafficSource], seconds: int) -> list[int]:
    """Return the number of messages of all hosts in each second."""
    seen = Counter[int]()
    for one in crowd:
        now = one.first()
        while now < seconds * SECOND:
            seen[now // SECOND] += 1
            now += one.pause()
    return [seen[second] for second in range(seconds)]


@pytest.mark.full
@pytest.mark.parametrize(
    ("length", "silence"),
    (
        ("exponential 2 s", "exponential 8 s"),
        ("2 s", "8 s"),
        ("uniform 1 s 3 s", "uniform 0 s 16 s"),
        ("pareto 3 1 s", "6 s"),
    ),
)
def test_the_message_rate_is_stationary_from_the_start(length: str, silence: str) -> None:
    """A host in a burst sends fifty messages per second; a fifth of all hosts are in a burst."""
    hosts = bursting("exponential 20 ms", length, silence, 500)
    expected, deviation = 500 * 50 * 0.2, 50 * (500 * 0.2 * 0.8) ** 0.5
    assert all(abs(count - expected) < SIGMAS * deviation for count in sent(hosts, 20))


def test_initial_silences_are_residual_silences() -> None:
    firsts = [one.first() / SECOND for one in bursting("exponential 1 us", "10 s", "30 s")]
    silent = [first for first in firsts if first > 0.001]
    assert has_share(len(silent), HOSTS, 3 / 4)
    assert is_distributed(silent, lambda time: min(time / 30, 1))


def test_initial_bursts_are_residual_bursts() -> None:
    """Hosts that send at once begin within a burst. The number of their messages shows its residual length."""
    ends = []
    for one in bursting("10 ms", "10 s", "1000 s", 4000):
        if one.first() == 10 * MS:
            lasted = next(output for output, pause in enumerate(islice(iter(one.pause, None), 2000)) if pause > 10 * MS)
            ends.append(lasted / 100)
    assert len(ends) > 20
    assert is_distributed(ends, lambda time: min(time / 10, 1))


@pytest.mark.parametrize(("length", "silence"), (("pareto 1 1 s", "5 s"), ("1 s", "pareto 0.5 1 s")))
def test_without_a_finite_mean_hosts_begin_with_a_burst(length: str, silence: str) -> None:
    assert {one.first() for one in bursting("10 ms", length, silence, 50)} == {10 * MS}


def test_additional_hosts_do_not_change_bursts() -> None:
    few, many = (bursting("exponential 1 s", "exponential 2 s", "exponential 8 s", hosts) for hosts in (7, 23))
    drawn = [[one.pause() for _ in range(50)] for one in (*few, *many[:7])]
    assert drawn[:7] == drawn[7:]
