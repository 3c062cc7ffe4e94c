"""Random streams, and the movement and destinations that are drawn from them."""

from collections import Counter
from itertools import islice, pairwise
from math import exp
from random import Random
from typing import Any, Final

import pytest

from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.workload import Workload
from mobilesim.scenario.values import distributions
from mobilesim.world.mobility import starting_cells
from mobilesim.world.mobility.models.cell_jump import departures
from mobilesim.world.random_streams import Streams, sampler
from mobilesim.world.replication import build_world
from mobilesim.world.traffic.messages import StationTrafficSource, TrafficSource
from tests.support.plane_worlds import S, is_distributed

DRAWS: Final = 20_000
SQUARE: Final[Neighbours] = [(1, 2), (0, 3), (0, 3), (1, 2)]


def samples(text: str, count: int = DRAWS, seed: int = 1) -> list[int]:
    draw = sampler(distributions.read(text), Random(seed))
    return [draw() for _ in range(count)]


@pytest.mark.parametrize(
    ("text", "mean"),
    (
        ("7 ms", 7_000_000),
        ("constant 7 ms", 7_000_000),
        ("exponential 100 ms", 100_000_000),
        ("uniform 1 s 3 s", 2_000_000_000),
        ("pareto 3 1 s", 1_500_000_000),
    ),
)
def test_samples_have_the_requested_mean(text: str, mean: int) -> None:
    assert sum(samples(text)) / DRAWS == pytest.approx(mean, rel=0.02)
    assert distributions.read(text).mean == mean


def test_samples_have_the_requested_shape() -> None:
    exponential = samples("exponential 1 s")
    assert sum(time > 1_000_000_000 for time in exponential) / DRAWS == pytest.approx(0.3679, abs=0.01)
    assert min(exponential) >= 0
    pareto = samples("pareto 1.5 1 s")
    assert sum(time > 4_000_000_000 for time in pareto) / DRAWS == pytest.approx(0.125, abs=0.01)
    assert min(pareto) >= 1_000_000_000


def test_a_uniform_time_includes_both_ends() -> None:
    assert Counter(samples("uniform 3 ns 5 ns")).keys() == {3, 4, 5}
    assert set(samples("uniform 3 ns 3 ns", 10)) == {3}


def test_a_constant_draws_no_random_number() -> None:
    stream = Random(1)
    before = stream.getstate()
    assert sampler(distributions.read("5 s"), stream)() == 5_000_000_000
    assert stream.getstate() == before


def test_a_random_stream_depends_only_on_its_name() -> None:
    streams = Streams(7, 0)
    first = [streams.stream("movement", 3).random() for _ in range(2)]
    streams.stream("movement", 2).random()
    assert first == [streams.stream("movement", 3).random(), Streams(7, 0).stream("movement", 3).random()]


def test_random_streams_differ() -> None:
    firsts = [
        Streams(seed, replication).stream(purpose, index).random()
        for seed in (1, 11)
        for replication in (0, 1, 11)
        for purpose in ("movement", "traffic")
        for index in range(20)
    ]
    assert len(set(firsts)) == len(firsts)


def test_random_streams_are_uncorrelated() -> None:
    one, other = (Streams(1, 0).stream("movement", index) for index in range(2))
    products = [(one.random() - 0.5) * (other.random() - 0.5) for _ in range(DRAWS)]
    assert abs(sum(products) / DRAWS) < 4 / 12 / DRAWS**0.5


def cell_changes(count: int, **mobility: Any) -> list[tuple[int, int]]:  # noqa: ANN401 - settings
    """Return the cell changes of all hosts, host by host."""
    settings = Mobility.model_validate(mobility)
    steps = []
    for host in range(count):
        cell = 0
        for departure in islice(departures(settings, SQUARE, Streams(1, 0), host, cell), 20):
            steps.append((cell, departure.target))
            cell = departure.target
    return steps


def test_hosts_change_to_each_neighbour_equally_often() -> None:
    steps = Counter(cell_changes(200))
    assert all(target in SQUARE[cell] for cell, target in steps)
    for cell, around in enumerate(SQUARE):
        one, other = (steps[cell, target] for target in around)
        assert one / (one + other) == pytest.approx(0.5, abs=0.05)


def test_uniform_moves_reach_every_cell_except_the_current_one() -> None:
    steps = Counter(cell_changes(200, next="uniform"))
    assert steps.keys() == {(cell, target) for cell in range(4) for target in range(4) if cell != target}
    for cell in range(4):
        shares = [count for (source, _), count in steps.items() if source == cell]
        assert all(share / sum(shares) == pytest.approx(1 / 3, abs=0.05) for share in shares)


def returns(how: str) -> Counter[tuple[int, int]]:
    """Return the moves of hosts that disconnect at every move."""
    return Counter(cell_changes(200, next=how, disconnect={"probability": 1.0, "duration": "1 s"}))


def test_a_disconnected_host_returns_equally_often_to_its_cell_and_each_neighbour() -> None:
    steps = returns("neighbour")
    for cell, around in enumerate(SQUARE):
        shares = {target: count for (source, target), count in steps.items() if source == cell}
        assert shares.keys() == {cell, *around}
        assert all(share / sum(shares.values()) == pytest.approx(1 / 3, abs=0.05) for share in shares.values())


def test_with_uniform_moves_a_disconnected_host_returns_to_any_cell() -> None:
    steps = returns("uniform")
    for cell in range(4):
        shares = {target: count for (source, target), count in steps.items() if source == cell}
        assert shares.keys() == {0, 1, 2, 3}
        assert all(share / sum(shares.values()) == pytest.approx(1 / 4, abs=0.05) for share in shares.values())


def test_a_host_dwells_crosses_and_sometimes_disconnects() -> None:
    mobility = Mobility.model_validate(
        {"dwell": "2 s", "gap": "10 ms", "disconnect": {"probability": 0.25, "duration": "7 s"}}
    )
    moves = list(islice(departures(mobility, SQUARE, Streams(1, 0), 0, 0), 2000))
    entered = [0, *(departure.entered for departure in moves)]
    dwells = {departure.left - since for departure, since in zip(moves, entered, strict=False)}
    assert dwells == {2_000_000_000}
    assert {(departure.disconnects, departure.entered - departure.left) for departure in moves} == {
        (True, 7_000_000_000),
        (False, 10_000_000),
    }
    assert sum(departure.disconnects for departure in moves) / 2000 == pytest.approx(0.25, abs=0.04)


def test_dwell_times_have_the_requested_distribution() -> None:
    mobility = Mobility.model_validate({"dwell": "exponential 2 s", "gap": "1 s"})
    moves = list(islice(departures(mobility, SQUARE, Streams(1, 0), 0, 0), 5000))
    dwells = [(new.left - old.entered) / S for old, new in pairwise(moves)]
    assert is_distributed(dwells, lambda time: 1 - exp(-time / 2))


def test_dwell_times_are_positive() -> None:
    hasty = Mobility.model_validate({"dwell": "uniform 0 ns 1 ns"})
    moves = islice(departures(hasty, SQUARE, Streams(1, 0), 0, 0), 50)
    assert [move.left for move in moves] == list(range(1, 51))


def starts(hosts: int, start: str) -> tuple[int, ...]:
    return starting_cells(Scenario.model_validate({"hosts": hosts, "mobility": {"start": start}}), 3, Streams(1, 0))


def test_hosts_start_at_random_or_evenly_distributed() -> None:
    assert starts(7, "spread") == (0, 1, 2, 0, 1, 2, 0)
    scattered = starts(3000, "random")
    assert all(share == pytest.approx(1000, abs=100) for share in Counter(scattered).values())
    assert scattered[:100] == starts(100, "random")


def destinations_of(host: int, **workload: Any) -> list[tuple[int, ...]]:  # noqa: ANN401 - settings
    traffic = TrafficSource(Workload.model_validate(workload), 5, Streams(1, 0), host)
    return [traffic.address()[0] for _ in range(2000)]


@pytest.mark.parametrize("host", (0, 2, 4))
@pytest.mark.parametrize("copies", (1, 3))
def test_destinations_are_uniform_and_exclude_the_source(host: int, copies: int) -> None:
    kind = "unicast" if copies == 1 else "multicast"
    drawn_ones = destinations_of(host, kind=kind, destinations=copies)
    assert {len(set(destinations)) for destinations in drawn_ones} == {copies}
    assert all(list(destinations) == sorted(destinations) for destinations in drawn_ones)
    shares = Counter(other for destinations in drawn_ones for other in destinations)
    assert shares.keys() == {0, 1, 2, 3, 4} - {host}
    assert all(share == pytest.approx(2000 * copies / 4, rel=0.15) for share in shares.values())


def test_each_host_chooses_its_destinations_independently() -> None:
    one, other = destinations_of(3), destinations_of(4)
    same = sum(mine == its for mine, its in zip(one, other, strict=True))
    assert same / 2000 == pytest.approx(3 * (1 / 4) ** 2, abs=0.04)


def test_a_message_to_all_goes_to_all_other_hosts() -> None:
    assert set(destinations_of(1, kind="multicast", destinations="all")) == {(0, 2, 3, 4)}


def test_send_times_do_not_depend_on_destinations() -> None:
    def pauses(**workload: Any) -> list[int]:  # noqa: ANN401 - settings
        traffic = TrafficSource(Workload.model_validate(workload), 5, Streams(1, 0), 0)
        return [(traffic.address(), traffic.pause())[1] for _ in range(20)]

    assert pauses() == pauses(kind="multicast", destinations=3)


def test_initial_cells_are_equal_within_a_replication_only() -> None:
    scenario = Scenario.model_validate({"hosts": 50, "replications": 2})
    assert (
        build_world(scenario, 0).starting_cells
        == build_world(scenario, 0).starting_cells
        != build_world(scenario, 1).starting_cells
    )


def test_the_destinations_of_a_station_are_uniform() -> None:
    traffic = StationTrafficSource(Workload.model_validate({"stations": {"destinations": 2}}), 4, Streams(1, 0), 1)
    counts = Counter(host for _ in range(DRAWS) for host in traffic.address()[0])
    assert counts.keys() == {0, 1, 2, 3}
    assert all(count == pytest.approx(DRAWS / 2, rel=0.03) for count in counts.values())


def test_a_station_may_address_all_hosts() -> None:
    traffic = StationTrafficSource(Workload.model_validate({"stations": {"destinations": "all"}}), 4, Streams(1, 0), 1)
    assert traffic.address() == ((0, 1, 2, 3), -1, 100)


def test_messages_of_stations_do_not_change_messages_of_hosts() -> None:
    """A host and a station of the same number draw from different streams."""
    streams, workload = Streams(1, 0), {"interval": "exponential 1 s"}
    host = TrafficSource(Workload.model_validate(workload), 4, streams, 1)
    station = StationTrafficSource(Workload.model_validate({"stations": workload}), 4, streams, 1)
    assert [host.pause() for _ in range(9)] != [station.pause() for _ in range(9)]
