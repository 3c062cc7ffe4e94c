"""The bundled sweeps with a refinement and with Sobol indices give the conclusions of their pages, with two seeds."""

import json
from pathlib import Path
from typing import Any

import pytest

from mobilesim.cli.main import main
from mobilesim.scenario import bundled

pytestmark = pytest.mark.slow


def summary_of(path: Path, out: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["sweep", str(path), "--out", str(out), "--set", f"seed={seed}", "--json", "--no-report"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["summary"]
    return found


@pytest.mark.parametrize("seed", (7, 11))
def test_av2_is_faster_than_av1_from_a_dwell_time_between_a_third_and_half_a_second_on(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (crossing,) = summary_of(bundled.find_sweep("crossing"), tmp_path, seed, capsys)["crossings"]
    assert crossing["difference_at_low"] > 0 > crossing["difference_at_high"]
    assert 0.33 < crossing["low"] < 0.37 < crossing["high"] < 0.45
    assert 0.36 < crossing["at"] < 0.39


@pytest.mark.parametrize(("seed", "design"), ((7, 0), (11, 1)))
def test_the_dwell_time_decides_whether_av1_or_av2_is_faster(
    seed: int, design: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = bundled.find_sweep("what-decides").read_text(encoding="utf-8")
    path = tmp_path / "s.yaml"
    path.write_text(text.replace("points: 32}", f"points: 32, seed: {design}}}"), encoding="utf-8")
    rows = summary_of(path, tmp_path / "r", seed, capsys)["indices"]
    gap = {(row["factor"], row["order"]): row for row in rows if (row["metric"], row["right"]) == ("delay", "av1")}
    totals = {factor: row for (factor, order), row in gap.items() if order == "total"}
    largest = max(totals, key=lambda factor: totals[factor]["index"])
    assert largest == "mobility.dwell"
    others = [row["index_high"] for factor, row in totals.items() if factor != largest]
    assert totals[largest]["index_low"] > max(others)
