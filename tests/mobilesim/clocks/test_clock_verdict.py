"""The output of `mobilesim run` about passive clocks."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.cli.main import main
from mobilesim.experiments import clock_comparison

Output = pytest.CaptureFixture[str]

STAR: Final = """\
network: static
hosts: 7
messages: 400
protocols: [rst, resident+unordered]
links: {service: independent}
groups: {rule: star}
workload: {interval: exponential 1 s}
"""


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "star.yaml"
    path.write_text(STAR, encoding="utf-8")
    return path


def output_lines(capsys: Output, scenario: Path, *arguments: str) -> list[str]:
    assert main(["run", str(scenario), "--no-summary", *arguments]) == 0
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


def document(capsys: Output, scenario: Path, *arguments: str) -> list[dict[str, Any]]:
    assert main(["run", str(scenario), "--no-summary", "--json", *arguments]) == 0
    runs: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["runs"]
    return runs


EXACT: Final = ("FM", "allocation 1", "allocation 2", "allocation 3")
GATEWAYS: Final = ("allocation 4", "allocation 5")


@pytest.mark.full
def test_each_run_reports_correct_clocks_and_the_errors_of_others(capsys: Output, scenario: Path) -> None:
    chosen = f"clocks=[{', '.join([*EXACT, *GATEWAYS])}]"
    ordered, unordered = document(capsys, scenario, "--set", chosen)
    assert [row["clock"] for row in ordered["clocks"]] == [*EXACT, *GATEWAYS]
    compared, wrong = ordered["clocks"][0]["compared"], [row["wrong"] for row in unordered["clocks"]]
    assert 0 == max(wrong[:4]) < min(wrong[4:])
    lines = [line for line in output_lines(capsys, scenario, "--set", chosen) if line.startswith("clocks: ")]
    assert lines[0] == f"clocks: right in all {compared:,} comparisons: {', '.join([*EXACT, *GATEWAYS])}"
    head, output = lines[1].split(": allocation 4 ")
    assert head == f"clocks: wrong answers, of {unordered['clocks'][0]['compared']:,} comparisons by each clock"
    assert output == f"({wrong[4]:,}), allocation 5 ({wrong[5]:,}); none by the other clocks"


def test_the_report_omits_correct_clocks_if_there_are_none(capsys: Output, scenario: Path) -> None:
    *_, wrong = (
        line for line in output_lines(capsys, scenario, "--set", "clocks=allocation 5") if line.startswith("clocks: ")
    )
    assert wrong.endswith(")")


def test_a_superset_is_reported(capsys: Output, scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_comparison, "_BUDGET", 0)
    one_way = ("groups={rule: random, number: 8, size: 3}", "workload.senders=5", "clocks=[FM, allocation 5]")
    lines = output_lines(
        capsys, scenario, *(word for setting in one_way for word in ("--set", setting)), "--protocol", "rst"
    )
    reason = "the search for the exact sets reached its limit"
    assert f"clocks: sets larger than necessary (this causes no wrong answers), as {reason}: allocation 5" in lines


def test_without_clocks_the_report_has_no_clocks(capsys: Output, scenario: Path) -> None:
    assert not [line for line in output_lines(capsys, scenario) if "clocks" in line]
    assert [run["clocks"] for run in document(capsys, scenario)] == [[], []]
