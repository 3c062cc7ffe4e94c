"""The energy of hosts in the summary, and its parts."""

from pathlib import Path
from typing import Any

import pytest

from mobilesim.analysis.summary import results_reader
from mobilesim.analysis.summary.run_metrics import observe
from mobilesim.results.quantities import BYTE_PURPOSES, RADIO_ENERGIES
from mobilesim.scenario.sections.mobility import Mobility
from tests.support.radio_ledgers import busy_scenario
from tests.support.simulations import FinishedRun, Row, simulate


def observed(done: FinishedRun) -> dict[str, float | None]:
    run = done.outcome.run
    now = done.simulation.engine.time
    files = results_reader.Run(
        *(str(done.directory), run.id, run.choice.label, run.replication, now, now),
        complete=True,
        counts=(("deliveries", done.rows("runs")[0]["deliveries"]),),
    )
    return {found.metric: found.mean for found in observe(files)}


def joules(rows: list[Row], *parts: str) -> float:
    return sum(float(row[f"energy_{part}"]) for row in rows for part in parts)


@pytest.mark.parametrize("air", ({}, {"doze": {"after": "5 ms"}}, {"loss": 0.3, "doze": {"after": "5 ms"}}))
def test_the_parts_of_energy_add_up_to_the_total(air: dict[str, Any], tmp_path: Path) -> None:
    done = simulate(busy_scenario("rst", 1, {"preset": "802.11n", "switch": "1 mJ"}, **air), tmp_path)
    found, rows, deliveries = observed(done), done.rows("hosts"), len(done.deliveries)
    parts = [found[f"energy.{part}"] for part in (*BYTE_PURPOSES, "idle", "doze", "switch", "compute")]
    assert sum(part for part in parts if part is not None) == pytest.approx(found["host.energy"], rel=1e-9)
    assert found["host.energy"] == pytest.approx(joules(rows, *RADIO_ENERGIES) / deliveries, rel=1e-9)
    assert found["energy.idle"] == pytest.approx(joules(rows, "idle") / deliveries, rel=1e-9)
    sent, got = (sum(row[f"{way}_payload_bytes"] for row in rows) for way in ("sent", "received"))
    all_sent, all_got = (
        sum(row[f"{way}_{purpose}_bytes"] for row in rows for purpose in BYTE_PURPOSES) for way in ("sent", "received")
    )
    payload = joules(rows, "transmit") * sent / all_sent + joules(rows, "receive") * got / all_got
    assert found["energy.payload"] == pytest.approx(payload / deliveries, rel=1e-9)


def test_hand_offs_take_energy_only_if_hosts_move(tmp_path: Path) -> None:
    moving = busy_scenario("av1", 1)
    still = moving.model_copy(update={"mobility": Mobility.model_validate({"model": "static"})})
    for scenario, directory, spent in ((moving, "moving", True), (still, "still", False)):
        done = simulate(scenario, tmp_path / directory)
        found, rows = observed(done), done.rows("hosts")
        assert (sum(row["sent_handoff_bytes"] for row in rows) > 0) is spent
        assert ((found["energy.handoff"] or 0) > 0) is spent
        assert found["energy.control"]


def test_empty_batteries_are_counted_and_the_first_lifetime_is_reported(tmp_path: Path) -> None:
    done = simulate(busy_scenario("av1", 1, {"battery": "uniform 1 J 10 J"}), tmp_path / "batteries")
    found, died = observed(done), [row["died"] for row in done.rows("hosts") if row["died"] is not None]
    assert 0 < len(died) < 6
    assert (found["host.died"], found["host.first_death"]) == (len(died), min(died))
    assert "host.died" not in observed(simulate(busy_scenario("av1", 1), tmp_path / "none"))


def test_energy_is_power_times_time(tmp_path: Path) -> None:
    energy = {"preset": "802.11n", "idle": "0.5 W", "switch": "2 mJ"}
    done = simulate(busy_scenario("av1", 1, energy, doze={"after": "5 ms"}), tmp_path)
    states = {"transmit": "transmitting", "receive": "receiving", "idle": "idle", "doze": "dozing"}
    states["compute"] = "computing"
    powers = {"transmit": 1.14, "receive": 0.94, "idle": 0.5, "doze": 0.1, "compute": 0.4}
    for row in done.rows("hosts"):
        for part, state in states.items():
            assert row[f"energy_{part}"] == pytest.approx(powers[part] * row[state] / 1e9, rel=1e-9)
        assert row["energy_switch"] == pytest.approx(0.002 * row["wake_ups"], rel=1e-9)


@pytest.mark.parametrize(
    ("preset", "powers"),
    (
        ("802.11n", ("1.14 W", "0.94 W", "0.82 W", "100 mW", "400 mW")),
        ("802.15.4", ("52.2 mW", "56.4 mW", "56.4 mW", "1278 uW", "5.4 mW")),
    ),
)
def test_a_radio_preset_has_the_same_energy_as_its_powers(preset: str, powers: tuple[str, ...]) -> None:
    figures = dict(zip(("transmit", "receive", "idle", "doze", "compute"), powers, strict=True))
    assert busy_scenario("av1", 1, {"preset": preset}).hash == busy_scenario("av1", 1, figures).hash
    assert busy_scenario("av1", 1).hash != busy_scenario("av1", 1, figures).hash
