"""With `at_end: leave`, hosts that are disconnected when hosts stop sending stay away. What they do not get, and what
they cannot send, is counted, and is not a fault.
"""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.cli.text.run_text import sentence
from mobilesim.errors import UserError
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from tests.support.radio_ledgers import assert_verified, busy_scenario
from tests.support.simulations import MS, FinishedRun, Play, Script, simulate

SECOND: Final = 1000 * MS
CONTROL: Final = [row for row in catalogue.pairs() if row.ordering_row.sends_control]
STUCK: Final = [row.ordering for row in CONTROL if row.placement == "resident"]
LEAVE: Final = {"start": "spread", "at_end": "leave"}


def leaving(pair: ProtocolRow, seed: int, policy: str = "store", **more: Any) -> Scenario:  # noqa: ANN401 - settings
    """Return a scenario with messages that the ordering accepts, in which some hosts stay away at the end."""
    data = busy_scenario("av1", seed).model_dump(mode="json")
    data["protocols"] = ({"placement": pair.placement, "ordering": pair.ordering},)
    away = {"probability": 0.4, "duration": "exponential 3 s", "policy": policy}
    data["mobility"] |= {"disconnect": away, "at_end": "leave"}
    if pair.serves == "groups":
        data |= {"workload": {"interval": "exponential 200 ms"}, "groups": [[0, 1, 2], [2, 3, 4], [1, 4, 5]]}
    if pair.serves == "broadcasts":
        data["workload"] |= {"kind": "multicast", "destinations": "all"}
    return Scenario.model_validate({**data, **more})


def pairs() -> list[ProtocolRow]:
    return [pair for pair in catalogue.pairs() if pair.placement != "resident" or pair.ordering not in STUCK]


@pytest.mark.full
@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: f"{pair.placement}+{pair.ordering}")
def test_no_message_between_hosts_that_are_there_is_lost(pair: ProtocolRow, tmp_path: Path) -> None:
    done = simulate(leaving(pair, 3), tmp_path)
    (run,) = done.rows("runs")
    assert (done.outcome.fault, run["lost"], run["duplicates"], run["stranded"]) == (None, 0, 0, 0)
    assert run["away_at_end"] > 0
    assert run["verdict"] == "ok" or not pair.claims.causal
    assert_verified(done)


@pytest.mark.parametrize("protocol", ("av1", "rst", "fifo"))
def test_dropped_messages_are_not_counted_twice(protocol: str, tmp_path: Path) -> None:
    row = catalogue.ROWS[protocol]
    done = simulate(leaving(row, 2, "drop" if row.placement_row.drops else "store"), tmp_path)
    (run,) = done.rows("runs")
    assert (run["lost"], run["duplicates"]) == (0, 0)
    assert_verified(done)


def test_batteries_and_absences_are_counted_apart(tmp_path: Path) -> None:
    done = simulate(leaving(catalogue.ROWS["av1"], 3, energy={"battery": "uniform 1 J 3 J"}), tmp_path)
    (run,) = done.rows("runs")
    assert min(run["stranded"], run["away_at_end"]) > 0
    assert run["lost"] == 0
    hosts = done.rows("hosts")
    assert not any(row["died"] is not None and row["away_since"] is not None for row in hosts)
    assert_verified(done)


def absent(play: Play, at_end: str, says: list[tuple[int, int, int]], **more: object) -> FinishedRun:
    """Host 1 leaves at 8 s and would return at 14 s. Hosts stop sending at 10 s."""
    script = Script(says, [(8 * SECOND, 1, 2)], gap=6 * SECOND, off=True)
    mobility = {**LEAVE, "at_end": at_end, "disconnect": {"announced": False}}
    run: FinishedRun = play(script, mobility=mobility, **more)
    return run


def test_a_host_that_would_return_after_the_end_stays_away(play: Play) -> None:
    says = [(1 * SECOND, 0, 1), (9 * SECOND, 0, 1), (9 * SECOND, 1, 0)]
    run = absent(play, "leave", says)
    (row,) = run.rows("runs")
    assert (row["deliveries"], row["away_at_end"], row["lost"], row["verdict"]) == (1, 2, 0, "ok")
    (gone,) = run.rows("disconnections")
    assert (gone["returned"], gone["drained"], gone["to_station"]) == (None, None, None)
    assert run.rows("handoffs") == []
    here, away = run.rows("hosts")
    assert (here["away_since"], away["away_since"]) == (None, 8 * SECOND)
    assert away["disconnected"] == row["simulated"] - 8 * SECOND
    assert max(delivery["delay"] for delivery in run.deliveries) < SECOND
    assert ", 2 from or to hosts that stayed away at the end: no fault" in sentence(run.outcome)
    assert_verified(run)


def test_by_default_the_host_returns_and_all_is_delivered(play: Play) -> None:
    run = absent(play, "return", [(9 * SECOND, 0, 1), (9 * SECOND, 1, 0)])
    (row,) = run.rows("runs")
    assert (row["deliveries"], row["away_at_end"]) == (2, 0)
    assert {host["away_since"] for host in run.rows("hosts")} == {None}


def test_a_host_between_two_cells_is_not_away(play: Play) -> None:
    """The host has left its cell for the next one without a disconnection."""
    script = Script([(9 * SECOND, 0, 1)], [(9 * SECOND, 1, 2)], gap=2 * SECOND)
    run = play(script, mobility=LEAVE)
    (row,) = run.rows("runs")
    assert (row["deliveries"], row["away_at_end"]) == (1, 0)


def test_a_host_that_returns_before_the_end_gets_its_messages(play: Play) -> None:
    script = Script([(3 * SECOND, 0, 1)], [(2 * SECOND, 1, 2)], gap=3 * SECOND, off=True)
    (row,) = play(script, mobility=LEAVE).rows("runs")
    assert (row["deliveries"], row["away_at_end"]) == (1, 0)


def test_a_window_does_not_count_hosts_that_stay_away_as_faults(play: Play) -> None:
    says = [(1 * SECOND, 0, 1), (5 * SECOND, 0, 1), (9 * SECOND, 0, 1)]
    run = absent(play, "leave", says, measure={"from": "4 s"})
    (row,) = run.rows("runs")
    assert (row["messages"], row["deliveries"], row["away_at_end"], row["lost"]) == (2, 1, 1, 0)
    assert_verified(run)


@pytest.mark.full
def test_hosts_out_of_reach_of_all_stations_stay_away(tmp_path: Path) -> None:
    scenario = Scenario.model_validate(
        {
            "hosts": 20,
            "duration": "60 s",
            "cells": {"shape": "grid", "radius": "220 m"},
            "mobility": {"model": "waypoint", "at_end": "leave", "waypoint": {"max_speed": "20 m/s"}},
        }
    )
    done = simulate(scenario, tmp_path)
    (run,) = done.rows("runs")
    assert (run["verdict"], run["lost"]) == ("ok", 0)
    assert run["away_at_end"] > 0
    assert any(row["away_since"] is not None for row in done.rows("hosts"))
    assert_verified(done)


@pytest.mark.parametrize("ordering", STUCK)
def test_leaving_is_refused_if_hosts_wait_for_each_other(ordering: str) -> None:
    workloads = {
        "broadcasts": "workload: {kind: multicast, destinations: all}",
        "groups": "groups: [[0, 1, 2], [2, 3]]",
    }
    extra = f"{workloads.get(catalogue.ORDERINGS[ordering].serves, '')}\n"
    with pytest.raises(UserError, match="for ever if one of them has left; leave out 'at_end: leave' or that protocol"):
        loads(f"protocols: resident+{ordering}\n{extra}mobility: {{at_end: leave}}\n")


def test_a_host_that_never_leaves_has_no_setting_for_the_end() -> None:
    with pytest.raises(UserError, match="at_end: does not apply to hosts that never leave a cell"):
        loads("mobility: {model: static, at_end: leave}\n")


def test_a_run_does_not_wait_for_hosts_that_stay_away(play: Play) -> None:
    """By default the run goes on until the return of the host at 14 s."""
    says = [(9 * SECOND, 0, 1)]
    lasted = {at_end: absent(play, at_end, says).rows("runs")[0]["simulated"] for at_end in ("return", "leave")}
    assert lasted["leave"] < 10 * SECOND < 14 * SECOND < lasted["return"]


def test_hosts_stay_away_if_a_number_of_messages_ends_the_scenario(play: Play) -> None:
    run = absent(play, "leave", [(8500 * MS, 0, 1), (9 * SECOND, 0, 1)], messages=2, duration="100 s")
    (row,) = run.rows("runs")
    assert (row["deliveries"], row["away_at_end"], row["lost"]) == (0, 2, 0)
