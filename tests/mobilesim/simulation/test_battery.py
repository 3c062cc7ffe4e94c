"""Hosts die when their batteries are empty. Messages from or to dead hosts are stranded. Other hosts continue."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.cli.main import main
from mobilesim.cli.text import run_text
from mobilesim.errors import UserError
from mobilesim.experiments import execute
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.results.quantities import RADIO_ENERGIES
from mobilesim.results.run_directory import prepare_directory
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.batteries import BatterySimulation
from tests.support.radio_ledgers import FORMS, SharedChannelLog, assert_verified, busy_scenario
from tests.support.simulations import MS, FinishedRun, Play, Row, Script, simulate

SECOND: Final = 1000 * MS
SHORT: Final = {"battery": "uniform 1 J 8 J", "switch": "1 mJ"}
CONTROL: Final = [row for row in catalogue.pairs() if row.ordering_row.sends_control]
STUCK: Final = [row.ordering for row in CONTROL if row.placement == "resident"]
"""Orderings with which hosts wait for a token, an acknowledgement or a resynchronisation of another host."""
RADIO_SETTINGS: Final[tuple[dict[str, Any], ...]] = ({}, {"doze": {"after": "50 ms"}}, FORMS["all"])


def batteries(done: FinishedRun) -> list[float]:
    assert isinstance(done.simulation, BatterySimulation)
    return done.simulation.batteries.full


def used(row: Row) -> float:
    return sum(float(row[f"energy_{part}"]) for part in RADIO_ENERGIES)


def accepted_scenario(pair: ProtocolRow, seed: int, **air: Any) -> Scenario:  # noqa: ANN401 - settings
    """Return a scenario with messages that the ordering accepts."""
    world = busy_scenario("av1", seed, SHORT, **air).model_dump(mode="json")
    world["protocols"] = ({"placement": pair.placement, "ordering": pair.ordering},)
    if pair.serves == "groups":
        world |= {"workload": {"interval": "exponential 200 ms"}, "groups": [[0, 1, 2], [2, 3, 4], [1, 4, 5]]}
    if pair.serves == "broadcasts":
        world["workload"] |= {"kind": "multicast", "destinations": "all"}
    return Scenario.model_validate(world)


def pairs_with_battery() -> list[ProtocolRow]:
    return [pair for pair in catalogue.pairs() if pair.placement != "resident" or pair.ordering not in STUCK]


@pytest.mark.full
@pytest.mark.parametrize("pair", pairs_with_battery(), ids=lambda pair: f"{pair.placement}+{pair.ordering}")
def test_no_message_between_living_hosts_is_lost(pair: ProtocolRow, tmp_path: Path) -> None:
    done = simulate(accepted_scenario(pair, 3), tmp_path)
    (run,) = done.rows("runs")
    assert (done.outcome.fault, run["lost"], run["duplicates"]) == (None, 0, 0)
    assert run["stranded"] > 0
    assert any(row["died"] is not None for row in done.rows("hosts"))
    assert run["verdict"] == "ok" or not pair.claims.causal


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("placement", sorted(catalogue.PLACEMENTS))
@pytest.mark.parametrize("seed", range(3))
def test_the_tables_of_a_run_with_deaths_agree(
    placement: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SharedChannelLog(monkeypatch)
    pair = next(one for one in pairs_with_battery() if one.placement == placement)
    done = simulate(accepted_scenario(pair, seed, **RADIO_SETTINGS[seed]), tmp_path)
    assert_verified(done)
    for row, full in zip(done.rows("hosts"), batteries(done), strict=True):
        log.check(row, done.simulation.engine.time)
        if row["died"] is not None:
            assert full <= used(row) < full + 0.01
            assert row["battery"] == 0
            assert row["died"] <= 6 * SECOND
        elif row["battery"]:
            assert full - used(row) == pytest.approx(row["battery"], rel=1e-9)


@pytest.mark.parametrize("protocol", ("av1", "fifo"))
def test_the_tables_agree_if_messages_for_dead_hosts_are_dropped(protocol: str, tmp_path: Path) -> None:
    """A dropped message for a dead host does not count as stranded."""
    away = {"probability": 0.5, "duration": "exponential 1 s", "policy": "drop"}
    world = busy_scenario(protocol, 2, SHORT).model_dump(mode="json")
    world["mobility"] |= {"dwell": "exponential 1 s", "disconnect": away}
    done = simulate(Scenario.model_validate(world), tmp_path)
    (run,) = done.rows("runs")
    assert (run["lost"], run["duplicates"]) == (0, 0)
    assert run["stranded"] > 0
    assert run["dropped"] > 0
    assert_verified(done)


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("air", RADIO_SETTINGS, ids=("plain", "dozing", "shared"))
@pytest.mark.parametrize("steps", range(300, 1_200, 300))
def test_the_radio_states_add_up_in_an_interrupted_run(
    air: dict[str, Any], steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "_STEPS", steps)
    prepare_directory(tmp_path)
    scenario = busy_scenario("av1", 1, SHORT, **air)
    log = SharedChannelLog(monkeypatch)
    done = simulate(scenario, tmp_path, stop=lambda: True)
    assert done.outcome.status == "interrupted"
    for row in done.rows("hosts"):
        log.check(row, done.simulation.engine.time)
    assert_verified(done)


def test_an_idle_host_dies_when_its_battery_is_empty(play: Play) -> None:
    run = play(Script(), energy={"battery": "2 J", "idle": "0.5 W", "doze": "0 W"})
    assert [row["died"] for row in run.rows("hosts")] == [pytest.approx(4 * SECOND, abs=MS // 5)] * 2
    assert [row["disconnected"] for row in run.rows("hosts")] == [
        run.simulation.engine.time - row["died"] for row in run.rows("hosts")
    ]


def test_a_battery_is_checked_only_a_few_times(play: Play) -> None:
    """Each check is scheduled for the earliest time at which the highest power could empty the battery."""
    run = play(Script(), duration="1000 s", energy={"battery": "500 J"})
    assert run.simulation.engine.processed < 200


def test_reconnections_do_not_increase_the_checks_of_a_battery(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduled check stays scheduled while the host is away."""
    checks: list[int] = []
    look = BatterySimulation._check

    def counted(self: BatterySimulation, host: int) -> None:
        checks.append(host)
        look(self, host)

    monkeypatch.setattr(BatterySimulation, "_check", counted)
    moves = [(turn * SECOND, 1, 1 + turn % 2) for turn in range(1, 100)]
    run = play(
        Script(moves=moves, gap=10 * MS, off=True), duration="200 s", energy={"battery": "50 J", "idle": "0.5 W"}
    )
    here, away = (row["died"] for row in run.rows("hosts"))
    assert here == pytest.approx(100 * SECOND, abs=MS)
    assert here + 99 * 9 * MS < away < here + 99 * 10 * MS
    assert checks.count(1) <= checks.count(0) + 2


def test_messages_from_or_to_dead_hosts_are_stranded_and_not_lost(play: Play) -> None:
    says = [(100 * MS, 0, 1), (5 * SECOND, 0, 1), (6 * SECOND, 1, 0)]
    run = play(Script(says), energy={"battery": "2 J", "idle": "0.5 W"})
    (row,) = run.rows("runs")
    assert (row["verdict"], row["lost"], row["messages"], row["deliveries"]) == ("ok", 0, 1, 1)
    late = play(Script([(1999 * MS, 0, 1)]), energy={"battery": "2 J", "idle": "1 W", "transmit": "1 W"})
    (row,) = late.rows("runs")
    assert (row["verdict"], row["lost"], row["stranded"], row["deliveries"]) == ("ok", 0, 1, 0)


def test_a_switched_off_host_uses_no_energy(play: Play) -> None:
    run = play(Script(moves=[(1 * SECOND, 1, 2)], gap=5 * SECOND, off=True), energy={"battery": "2 J", "idle": "0.5 W"})
    assert [row["died"] for row in run.rows("hosts")] == [
        pytest.approx(4 * SECOND, abs=MS),
        pytest.approx(9 * SECOND, abs=MS),
    ]


@pytest.mark.parametrize(
    ("moment", "output"), ((1_260_000, "0.00126 s"), (60_840_000_000, "60.8 s"), (6_020 * SECOND, "6,020.0 s"))
)
def test_times_of_death_are_printed_in_seconds(moment: int, output: str) -> None:
    assert run_text._seconds(moment) == output


def test_no_host_dies_after_the_end_of_the_scenario(play: Play) -> None:
    run = play(Script(), duration="3 s", energy={"battery": "2 J", "idle": "0.5 W"})
    assert [row["died"] for row in run.rows("hosts")] == [None, None]


def test_a_run_without_a_trace_has_the_same_deaths(tmp_path: Path) -> None:
    traced = simulate(busy_scenario("av1", 3, SHORT), tmp_path / "traced")
    bare = busy_scenario("av1", 3, SHORT).model_copy(update={"trace": False})
    untraced = simulate(bare, tmp_path / "bare")
    assert isinstance(traced.simulation, BatterySimulation)
    assert isinstance(untraced.simulation, BatterySimulation)
    assert traced.simulation.died == untraced.simulation.died != {}
    assert traced.outcome.stranded == untraced.outcome.stranded > 0


def test_a_run_with_a_limit_of_messages_ends_when_all_hosts_are_dead(tmp_path: Path) -> None:
    scenario = Scenario.model_validate(
        {"hosts": 4, "cells": 4, "messages": 10_000, "energy": {"battery": "1 J"}, "protocols": "av1"}
    )
    done = simulate(scenario, tmp_path)
    assert done.outcome.status == "complete"
    assert len(done.cells.hosts) == len([row for row in done.rows("hosts") if row["died"] is not None])


def test_a_run_with_a_limit_of_messages_ends_when_all_senders_are_dead(tmp_path: Path) -> None:
    """The other hosts use so little energy that they never die."""
    energy = {"idle": "0 W", "receive": "0 W", "battery": "10 mJ"}
    scenario = Scenario.model_validate(
        {
            "hosts": 4,
            "cells": 4,
            "messages": 1_000,
            "energy": energy,
            "mobility": {"model": "static"},
            "workload": {"senders": 1},
            "protocols": "av1",
        }
    )
    done = simulate(scenario, tmp_path)
    assert [row["host"] for row in done.rows("hosts") if row["died"] is not None] == [0]
    assert done.outcome.messages < 100


def test_an_additional_host_does_not_change_other_batteries(tmp_path: Path) -> None:
    few, many = (
        batteries(simulate(busy_scenario("av1", 3, SHORT).model_copy(update={"hosts": hosts}), tmp_path / str(hosts)))
        for hosts in (5, 6)
    )
    assert few == many[:5]
    assert len(set(many)) == 6


@pytest.mark.parametrize("ordering", STUCK)
def test_a_battery_is_refused_if_hosts_wait_for_each_other(ordering: str) -> None:
    workloads = {
        "broadcasts": "workload: {kind: multicast, destinations: all}",
        "groups": "groups: [[0, 1, 2], [2, 3]]",
    }
    extra = f"{workloads.get(catalogue.ORDERINGS[ordering].serves, '')}\n"
    with pytest.raises(UserError, match="for ever if one of them has left; leave out 'battery' or that protocol"):
        loads(f"protocols: resident+{ordering}\n{extra}energy: {{battery: 5 J}}\n")
    assert loads(f"protocols: proxy+{ordering}\n{extra}energy: {{battery: 5 J}}\n").energy.battery is not None


@pytest.mark.parametrize(("expected", "joules"), (("500 J", 500), ("0.5 kJ", 500), ("2 Wh", 7200), ("10 mWh", 36)))
def test_a_battery_has_units(expected: str, joules: int) -> None:
    energy = loads(f"energy: {{battery: {expected}}}\n").energy
    assert energy.battery is not None
    assert energy.battery.mean == joules * 1e6


def test_the_output_of_a_run_reports_deaths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "hosts: 3\ncells: 4\nduration: 20 s\nenergy: {battery: 10 J}\nmobility: {model: static}\n"
    Path("s.yaml").write_text(text, encoding="utf-8")
    assert main(["run", "s.yaml", "--no-summary"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "batteries: " in line)
    assert line.strip().startswith("batteries: 3 of 3 hosts died, the first after 1")
