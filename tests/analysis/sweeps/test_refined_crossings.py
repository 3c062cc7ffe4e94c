"""The crossings of a refined sweep in sentences and in a table, from synthetic summaries."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.analysis.sweeps.axes import axes
from mobilesim.analysis.sweeps.designs.refined_crossings import (
    crossing_sentences,
    crossings_table,
    refined_crossings,
)
from mobilesim.analysis.sweeps.metrics import Points
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.tables import tables
from mobilesim.cli.main import main
from tests.support import summaries
from tests.support.summaries import MS, estimate, protocol

REFINE: Final = {"axis": "hosts", "protocols": ["av2", "av1"], "until": 1}
CLEAR: Final = (0.0, 0.1, -0.1)
NOISY: Final = (3.0, -3.1, 0.1)


def points_of(gaps: Mapping[str, tuple[float, tuple[float, ...]]]) -> Points:
    """Return points with the mean differences of av2 and av1, and their noise, in ms."""
    points = []
    for hosts, (gap, noise) in gaps.items():
        base = [50.0 * MS, 51.0 * MS, 52.0 * MS]
        runs = [at + MS * (gap + each) for at, each in zip(base, noise, strict=True)]
        several = [
            protocol(name, estimates={"delay": estimate(sum(each) / 3, MS, tuple(each))})
            for name, each in (("av1", base), ("av2", runs))
        ]
        points.append(((hosts,), summaries.summary(*several)))
    return points


def sentences(refine: Mapping[str, Any], points: Points) -> list[str]:
    axis = axes(("hosts",), [point for point, _ in points])[0]
    return crossing_sentences(refine, axis, refined_crossings(refine, axis, points))


def test_a_crossing_has_its_place_its_interval_and_the_differences_at_its_ends() -> None:
    points = points_of({"10": (-8, CLEAR), "20": (-2, CLEAR), "24": (2, CLEAR), "40": (9, CLEAR)})
    assert sentences(REFINE, points) == [
        (
            "The mean delay of av2 rises above that of av1 at hosts 22, between 20 and 24: the paired difference is "
            "-2 [-2.25, -1.75] ms at 20 and +2 [1.75, 2.25] ms at 24."
        )
    ]
    (found,) = refined_crossings(REFINE, axes(("hosts",), [point for point, _ in points])[0], points)
    (row,) = crossings_table([found]).to_pylist()
    assert (row["left"], row["right"], row["metric"]) == ("av2", "av1", "delay")
    assert (row["at"], row["low"], row["high"]) == pytest.approx((22, 20, 24))
    assert row["difference_at_low"] == pytest.approx(-2 * MS)


def test_points_without_a_significant_difference_are_named() -> None:
    points = points_of({"10": (8, CLEAR), "20": (1, NOISY), "22": (-0.5, NOISY), "40": (-9, CLEAR)})
    (found,) = sentences(REFINE, points)
    assert found.startswith("The mean delay of av2 falls below that of av1 at hosts 21.33, between 10 and 40: ")
    assert found.endswith("; it is not significant at 20 and 22, and more replications would narrow this.")


def test_protocols_without_a_crossing_are_said_not_to_cross() -> None:
    points = points_of({"10": (8, CLEAR), "20": (1, NOISY)})
    assert sentences(REFINE, points) == [
        "The mean delay of av2 and of av1 do not cross significantly from hosts 10 to 20."
    ]


def test_two_crossings_are_two_sentences() -> None:
    points = points_of({"10": (8, CLEAR), "20": (-8, CLEAR), "40": (8, CLEAR)})
    first, second = sentences(REFINE, points)
    assert "falls below that of av1 at hosts 15" in first
    assert "rises above that of av1 at hosts 30" in second


def test_a_refined_sweep_begins_with_its_crossing_and_has_a_table_of_crossings() -> None:
    points = points_of({"10": (-8, CLEAR), "20": (-2, CLEAR), "24": (2, CLEAR)})
    summary = SweepSummary(Path("r"), ("hosts",), tuple(points), refine=REFINE)
    assert summary.results[0].startswith("The mean delay of av2 rises above that of av1 at hosts 22, between 20 and 24")
    assert summary.results[1].startswith("av2 is faster than av1 up to hosts 20")
    assert summary.document()["crossings"] == tables(summary)["crossings"].to_pylist()
    assert "crossings" not in tables(SweepSummary(Path("r"), ("hosts",), tuple(points)))


RUN: Final = """
scenario: {hosts: 8, cells: 4, messages: 60, duration: null, backbone: {jitter: exponential 30 ms}}
vary: {mobility.dwell: [exponential 0.1 s, exponential 2 s]}
refine: {axis: mobility.dwell, protocols: [av2, av1], until: 0.2 s}
protocols: [av1, av2]
replications: 4
"""


@pytest.mark.full
def test_the_command_refines_counts_all_runs_and_reports_the_crossing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text(RUN, encoding="utf-8")
    assert main(["sweep", "s.yaml", "--out", "r", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["points"]) > 3
    assert document["runs"] == {"complete": 8 * len(document["points"]), "before": 0, "failed": 0}
    (crossing,) = document["summary"]["crossings"]
    assert 0.1 <= crossing["low"] < crossing["at"] < crossing["high"] <= 2
    assert "The mean delay of av2 falls below that of av1 at mobility dwell" in Path("r/report.html").read_text("utf-8")
    assert main(["sweep", "s.yaml", "--out", "r", "--dry-run", "--json"]) == 0
    preview = json.loads(capsys.readouterr().out)
    assert [each["point"] for each in preview["points"]] == document["points"]
    assert preview["cost"] is None
    assert preview["refine"]["axis"] == "mobility.dwell"
