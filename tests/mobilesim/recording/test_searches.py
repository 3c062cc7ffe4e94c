"""The price of a search: its part of the delay, its packets and its bytes, and those of location updates."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.scenario.model import Scenario
from tests.support.simulations import MS, US, FinishedRun, Play, Script, simulate

LATENCY: Final = 7 * MS
FRAMING: Final = 20
HOME: Final = {"name": "av1", "location": "home"}
FAST: Final = {
    "processing": {"fixed": "10 us", "per_integer": "0 s"},
    "backbone": {"latency": "7 ms", "bandwidth": "1 Gbit/s"},
}


def bits(integers: int) -> int:
    """Return the transmission time of a packet with these integers at 1 Gbit/s."""
    return (FRAMING + 4 * integers) * 8


def stations(run: FinishedRun, column: str) -> list[int]:
    return [row[column] for row in run.rows("stations")]


def test_a_search_takes_a_query_and_an_answer(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)]), HOME, **FAST)
    query, answer = LATENCY + 20 * US + bits(3), LATENCY + 20 * US + bits(3)
    assert run.parts(0)["search"] == query + answer
    assert (stations(run, "searches"), stations(run, "search_packets")) == ([1, 0, 0], [1, 1, 0])
    assert stations(run, "location_updates") == [0, 0, 0]


def test_a_host_in_the_senders_cell_takes_no_search(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(50 * MS, 1, 0)]), HOME, **FAST)
    assert "search" not in run.parts(0)
    assert stations(run, "location_updates") == [0, 1, 0]


def test_packets_of_searches_and_updates_are_bytes_of_locations(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1)], [(50 * MS, 1, 2)]), HOME, **FAST)
    wired = (row for row in run.rows("links") if row["kind"] == "wired")
    bodies = {(row["source"], row["target"]): row["location_bytes"] for row in wired}
    assert bodies == {(2, 1): 4 * 3, (0, 1): 4 * 3, (1, 0): 4 * 3, (1, 2): 0, (0, 2): 0}


@pytest.mark.parametrize("location", ("free", "lazy", "home", "paging"))
@pytest.mark.parametrize("ordering", ("rst", "ks", "transport"))
@pytest.mark.parametrize("placement", ("proxy", "resident"))
def test_the_ledger_of_searches_balances(placement: str, ordering: str, location: str, tmp_path: Path) -> None:
    """Each pair of stations has its own link, so a packet crosses one link."""
    settings: dict[str, Any] = {
        "hosts": 6,
        "cells": 4,
        "messages": 150,
        "protocols": {"placement": placement, "ordering": ordering, "location": location},
        "mobility": {"dwell": "exponential 300 ms"},
        "workload": {"interval": "exponential 100 ms", "kind": "unicast"},
    }
    run = simulate(Scenario.model_validate(settings), tmp_path)
    counted = ("searches", "search_packets", "location_updates")
    searches, packets, updates = (sum(stations(run, name)) for name in counted)
    waited = [row["message"] for row in run.deliveries if row["search"]]
    carried = sum(row["location_bytes"] for row in run.rows("links"))
    assert (searches > 0) == (packets > 0) == bool(waited) == (location in {"home", "paging"})
    assert (updates > 0) == (location in {"home", "lazy"})
    assert (carried > 0) == (location != "free")
    if location == "home":
        assert carried == 4 * 3 * (packets + updates)
        assert len(waited) <= packets / 2 <= searches
    assert min(row["search"] for row in run.deliveries) >= 0
