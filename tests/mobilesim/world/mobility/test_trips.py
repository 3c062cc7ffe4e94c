"""Markov trips between cells: destinations, paths, and durations of stays."""

from collections import Counter
from itertools import islice, pairwise
from typing import Any

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.model import Scenario
from mobilesim.world.mobility import host_actions
from mobilesim.world.mobility.actions import Departure
from mobilesim.world.mobility.models.trips import Network
from mobilesim.world.replication import World, build_world
from tests.support.plane_worlds import S, has_mean, has_share, is_distributed

Walked = list[tuple[int, Departure]]
"""The moves of a host, each with the cell that the host leaves."""


def world(
    hosts: int = 40,
    cells: object = 9,
    disconnect: object = None,
    gap: str = "0 s",
    **trips: Any,  # noqa: ANN401 - settings
) -> World:
    mobility = {"model": "trips", "trips": trips, "disconnect": disconnect or {}, "gap": gap}
    return build_world(Scenario.model_validate({"hosts": hosts, "cells": cells, "mobility": mobility}), 0)


def walked(where: World, count: int = 200) -> list[Walked]:
    found = []
    for host, walker in enumerate(host_actions(where)):
        moves = [step for step in islice(walker, count) if isinstance(step, Departure)]
        found.append(list(zip([where.starting_cells[host], *(move.target for move in moves)], moves, strict=False)))
    return found


def rests(trajectory: Walked, rest: int) -> list[int]:
    """Return the cells in which a host rests, recognized by the length of the stay."""
    since = 0
    found = []
    for cell, move in trajectory:
        if move.left - since == rest:
            found.append(cell)
        since = move.entered
    return found


def test_hosts_change_only_to_neighbouring_cells() -> None:
    where = world()
    steps = {(cell, move.target) for trajectory in walked(where) for cell, move in trajectory}
    assert all(target in where.neighbours[cell] for cell, target in steps)
    assert len(steps) == sum(map(len, where.neighbours))


def trips(where: World) -> Counter[tuple[int, ...]]:
    """Return all paths from one rest of a minute to the next."""
    trajectories = Counter[tuple[int, ...]]()
    for trajectory in walked(where):
        trip, since = [trajectory[0][0]], 0
        for cell, move in trajectory:
            if move.left - since == 60 * S:
                trajectories[tuple(trip)] += 1
                trip = [cell]
            trip.append(move.target)
            since = move.entered
    return trajectories


@pytest.mark.parametrize("shape", ("grid", "hex"))
def test_hosts_take_shortest_paths(shape: str) -> None:
    where = world(cells={"shape": shape}, rest="60 s", passage="10 s")
    network = Network(where.neighbours, where.scenario.mobility.model_settings)
    trajectories = trips(where)
    assert len({(trajectory[0], trajectory[-1]) for trajectory in trajectories}) >= 9 * 8
    assert all(len(trajectory) - 1 == network.distances(trajectory[-1])[trajectory[0]] for trajectory in trajectories)


def test_hosts_take_each_shortest_path() -> None:
    trajectories = trips(world(rest="60 s", passage="10 s", hosts=60))
    across = {
        trajectory: count for trajectory, count in trajectories.items() if (trajectory[0], trajectory[-1]) == (0, 4)
    }
    assert across.keys() == {(0, 1, 4), (0, 3, 4)}
    assert has_share(across[0, 1, 4], sum(across.values()), 0.5)


MATRIX = [[0, 3, 1, 0], [1, 0, 0, 1], [1, 1, 0, 2], [0, 0, 5, 0]]


def test_the_destinations_of_hosts_form_the_markov_chain_of_the_matrix() -> None:
    where = world(cells=4, matrix=MATRIX, rest="60 s", passage="1 s", hosts=60)
    steps = Counter(step for trajectory in walked(where) for step in pairwise(rests(trajectory, 60 * S)))
    for cell, row in enumerate(MATRIX):
        total = sum(count for (source, _), count in steps.items() if source == cell)
        assert total > 500
        for target, weight in enumerate(row):
            assert has_share(steps[cell, target], total, weight / sum(row)) if weight else not steps[cell, target]


def test_destinations_have_the_preferred_frequencies() -> None:
    where = world(preferences=[4, 0, 1, 0, 1, 0, 0, 0, 0], rest="60 s", passage="1 s")
    steps = Counter(step for trajectory in walked(where) for step in pairwise(rests(trajectory, 60 * S)[1:]))
    assert {cell for step in steps for cell in step} == {0, 2, 4}
    from_2 = {target: count for (source, target), count in steps.items() if source == 2}
    assert has_share(from_2[0], sum(from_2.values()), 4 / 5)


def test_without_preferences_destinations_are_uniform() -> None:
    steps = Counter(
        step for trajectory in walked(world(rest="60 s", passage="1 s")) for step in pairwise(rests(trajectory, 60 * S))
    )
    assert len(steps) == 9 * 8
    share = sum(count for (source, _), count in steps.items() if source == 4)
    assert all(has_share(steps[4, target], share, 1 / 8) for target in range(9) if target != 4)


def test_stays_have_the_configured_distribution() -> None:
    where = world(cells=2, rest="exponential 60 s", passage="1 s")
    stays = [[new[1].left - old[1].entered for old, new in pairwise(trajectory)] for trajectory in walked(where)]
    lasted = [stay / S for each in stays for stay in each]
    assert has_mean(lasted, 60)
    assert is_distributed(lasted, lambda time: 1 - 2.718281828459045 ** (-time / 60))


def test_hosts_are_unreachable_for_the_gap_or_the_disconnection() -> None:
    gaps: dict[bool, list[float]] = {False: [], True: []}
    for trajectory in walked(
        world(gap="uniform 10 ms 30 ms", disconnect={"probability": 0.3, "duration": "exponential 5 s"})
    ):
        for _, move in trajectory:
            gaps[move.disconnects].append((move.entered - move.left) / S)
    assert is_distributed(gaps[False], lambda time: (time - 0.01) / 0.02)
    assert has_mean(gaps[True], 5)


def test_a_disconnected_host_continues_its_trip() -> None:
    where = world(rest="60 s", passage="10 s", disconnect={"probability": 0.5, "duration": "5 s"})
    for trajectory in walked(where, 60):
        assert all(move.entered - move.left == (5 * S if move.disconnects else 0) for _, move in trajectory)
        assert any(cell == move.target for cell, move in trajectory if move.disconnects)
        assert all(cell != move.target for cell, move in trajectory if not move.disconnects)


def test_additional_hosts_do_not_change_trips() -> None:
    assert walked(world(hosts=30), 40)[:8] == walked(world(hosts=8), 40)


def test_a_wrong_number_of_preferences_for_a_cell_file_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("cells") / "cells.graphml"
    file.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"><node id="a"/>'
        '<node id="b"/><node id="c"/><edge source="a" target="b"/><edge source="b" target="c"/></graph></graphml>'
    )
    where = world(cells={"shape": "graph", "file": str(file)}, preferences=[1, 1])
    with pytest.raises(UserError, match=r"^mobility\.trips\.preferences: 2 numbers for 3 cells; write one for each$"):
        host_actions(where)
