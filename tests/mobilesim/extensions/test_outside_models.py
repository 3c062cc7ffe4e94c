"""Mobility models and workloads of other packages, with typed settings."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.scenario.loader import loads
from tests.support.outside_packages import WALK, fresh_extensions, package

GRID = "cells: {shape: grid, rows: 2, columns: 2, spacing: 100 m}\n"
WALKING = GRID + "hosts: 5\nduration: 20 s\nmobility: {model: 'walks:walk', settings: {speed: 20 m/s}}\n"


@pytest.fixture(autouse=True)
def _walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with fresh_extensions():
        package(tmp_path / "site", monkeypatch, {"walks": WALK})
        yield


def test_hosts_move_as_the_model_of_another_package_says(tmp_path: Path) -> None:
    file, out = tmp_path / "walk.yaml", tmp_path / "out"
    file.write_text(WALKING, encoding="utf-8")
    assert main(["run", str(file), "--no-summary", "--out", str(out)]) == 0
    handoffs = pq.ParquetDataset(out / "handoffs").read().to_pylist()
    # The plane is 200 m wide, and hosts walk along the border between two rows.
    assert {handoff["host"] for handoff in handoffs} == set(range(5))
    (run,) = pq.ParquetDataset(out / "runs").read().to_pylist()
    assert run["extensions"].startswith("walks:walk (walks.py, sha256 ")


def test_the_settings_are_typed_and_have_defaults() -> None:
    scenario = loads(WALKING)
    assert scenario.mobility.model_settings.speed == 20
    assert loads(GRID + "mobility: {model: 'walks:walk'}").mobility.model_settings.speed == 2
    again = loads(GRID + "mobility: {model: 'walks:walk', settings: {speed: 72 km/h}}\nhosts: 5\nduration: 20 s")
    assert scenario.hash == again.hash != loads(GRID + "hosts: 5\nduration: 20 s").hash
    assert loads(scenario.model_dump_json()).hash == scenario.hash


def test_the_content_of_the_model_is_part_of_the_scenarios_hash(tmp_path: Path) -> None:
    before = loads(WALKING).hash
    with (tmp_path / "site" / "walks.py").open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    with fresh_extensions():
        assert loads(WALKING).hash != before


@pytest.mark.parametrize(
    ("text", "message"),
    (
        (
            GRID + "mobility: {model: 'walks:walk', settings: {pace: 3}}",
            "2: mobility.settings.pace: unknown key (known: speed)",
        ),
        (
            GRID + "mobility: {model: 'walks:walk', settings: {speed: 3 kg}}",
            "2: mobility.settings.speed: '3 kg' is not a speed",
        ),
        (
            GRID + "mobility: {model: 'walks:walk', settings: {speed: 99 m/s}}",
            "2: mobility.settings.speed: hosts do not walk this fast",
        ),
        (
            GRID + "mobility: {model: 'walks:wlk'}",
            "2: mobility.model: walks:wlk: the module has no 'wlk'; did you mean 'walk'?",
        ),
        (
            GRID + "mobility: {model: 'walks:walk', dwell: 3 s}",
            "2: mobility.dwell: does not apply to model 'walks:walk'",
        ),
        (
            GRID + "mobility: {model: waypoint, settings: {speed: 3 m/s}}",
            "2: mobility.settings: is for models of other packages, not for 'waypoint'; write 'waypoint'",
        ),
        (
            GRID + "mobility: {model: 'walks:ring'}",
            "2: mobility.model: walks:ring: it is declared with WorkloadRow, and is not a mobility model",
        ),
        ("mobility: {model: wayponit}", "1: mobility.model: 'wayponit' is not one of cell-jump, static, trips"),
        (
            "workload: {model: nothing}",
            "1: workload.model: 'nothing' is no workload of an installed package; write a path",
        ),
        (
            "workload: {settings: {step: 2}}",
            "1: workload.settings: are the settings of a workload of another package; write 'model' too",
        ),
    ),
)
def test_a_mistake_is_one_line(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(text)
    assert str(caught.value).startswith(f"<text>:{message}")
    assert "\n" not in str(caught.value)


def test_messages_are_sent_as_the_workload_of_another_package_says(tmp_path: Path) -> None:
    file, out = tmp_path / "ring.yaml", tmp_path / "out"
    file.write_text("hosts: 5\nduration: 5 s\nworkload: {model: 'walks:ring', settings: {step: 2}}\n", encoding="utf-8")
    assert main(["run", str(file), "--no-summary", "--out", str(out)]) == 0
    messages = pq.ParquetDataset(out / "messages").read().to_pylist()
    assert len(messages) > 5
    assert {(each["source"] + 2) % 5 for each in messages} == {each["destinations"][0] for each in messages}
    assert all((each["source"] + 2) % 5 == each["destinations"][0] for each in messages)
    assert {each["payload_bytes"] for each in messages} == {10}


def test_a_workload_that_sends_to_other_hosts_than_the_scenario_says_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "many.yaml"
    file.write_text("hosts: 4\nduration: 5 s\nworkload: {model: 'walks:too_many'}\n", encoding="utf-8")
    assert main(["run", str(file), "--no-summary", "--out", str(tmp_path / "out")]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("mobilesim: "))
    assert line.startswith("mobilesim: workload.model: walks:too_many sends a message to (")
    assert "expected 1 to 1 different hosts other than" in line


@pytest.mark.parametrize(
    ("text", "message"),
    (
        (
            "workload: {model: 'walks:mistaken'}",
            "walks:mistaken: AttributeError: 'TrafficSource' object has no attribute 'adress'",
        ),
        (GRID + "mobility: {model: 'walks:stumble'}", "walks:stumble: TypeError: "),
    ),
)
def test_an_exception_in_a_model_is_one_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mistaken.yaml"
    file.write_text(f"hosts: 4\nduration: 20 s\n{text}\n", encoding="utf-8")
    assert main(["run", str(file), "--no-summary", "--out", str(tmp_path / "out")]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("mobilesim: "))
    assert line.startswith(f"mobilesim: {message}")
    assert "(walks.py:" in line
