"""The summary of a design that is no grid: Sobol indices, ranges and sentences."""

import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import METRICS
from mobilesim.analysis.summary.model import Summary
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.designs.indices import indices_table, metric_indices
from mobilesim.analysis.sweeps.metrics import Points
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.api.text_tables import indented
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.sweeps.design_record import DesignRecord, read_design
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support import summaries
from tests.support.summaries import MS, estimate, protocol
from tests.support.sweep_runs import run_sweep

DESIGN: Final = """
scenario: quickstart
vary:
  hosts: {from: 10, to: 1000}
  mobility.dwell: {from: exponential 1 s, to: exponential 16 s, scale: log}
design: {kind: %s, points: %d}
"""
Model = Callable[[float, float, int], float]
"""From hosts, the logarithm of the dwell time and the replication to a delay in ms."""


def designed(kind: str = "sobol-indices", count: int = 64) -> DesignRecord:
    found = make_plan(loads(DESIGN % (kind, count))).design
    assert found is not None
    return found


def base(hosts: float, _dwell: float, replication: int) -> float:
    return 50 + hosts / 100 + 10 * replication


def slower_with_dwell(hosts: float, dwell: float, replication: int) -> float:
    return base(hosts, dwell, replication) + 4 * dwell - 5 + math.sin(1e3 * hosts * (replication + 1)) / 100


def points_of(design: DesignRecord, **models: Model) -> Points:
    return [(point, _summary(point, models)) for point in dict.fromkeys(map(tuple, design.rows))]


def _summary(point: Settings, models: dict[str, Model]) -> Summary:
    hosts, dwell = float(point[0]), math.log(float(point[1].split()[1]))
    several = []
    for name, model in models.items():
        runs = tuple(MS * model(hosts, dwell, replication) for replication in range(3))
        several.append(protocol(name, estimates={"delay": estimate(sum(runs) / 3, MS, runs)}))
    return summaries.summary(*several)


def summary_of(design: DesignRecord, points: Points) -> SweepSummary:
    keys = ("hosts", "mobility.dwell")
    found = metric_indices(design, points)
    return SweepSummary(Path("results/here"), keys, tuple(points), design=design, indices=found)


def test_the_indices_of_a_protocol_and_of_a_difference_name_the_factor_that_decides() -> None:
    design = designed()
    found = metric_indices(design, points_of(design, av1=base, av2=slower_with_dwell))
    assert [(each.metric.name, each.name) for each in found] == [
        ("delay", "av1"),
        ("delay", "av2"),
        ("delay", "av2 - av1"),
    ]
    one, _, gap = found
    assert one.factors == ("hosts", "mobility.dwell")
    assert one.indices.first[0].value == pytest.approx(1, abs=0.1)
    assert one.indices.total[1].value == pytest.approx(0, abs=0.01)
    assert gap.indices.first[1].value == pytest.approx(1, abs=0.1)
    assert gap.indices.total[0].value == pytest.approx(0, abs=0.01)
    assert (gap.indices.rows, gap.indices.replications) == (64, 3)


def test_base_points_with_a_missing_run_are_left_out_and_few_of_them_have_no_indices() -> None:
    design = designed(count=12)
    points = points_of(design, av1=base)
    assert metric_indices(design, points)[0].indices.rows == 12
    assert metric_indices(design, points[1:])[0].indices.rows == 11
    assert metric_indices(design, points[20:]) == ()
    assert summary_of(design, points[20:]).results == [
        "No Sobol indices: Sobol indices need 8 or more base points with complete runs."
    ]


def test_only_common_replications_are_used() -> None:
    design = designed(count=12)
    (point, at_point), *others = points_of(design, av1=base)
    runs = at_point.protocols[0]["delay"].run_means[1:]
    fewer = Estimate("", 100, sum(runs) / 2, replications=(1, 2), run_means=runs)
    points = [(point, summaries.summary(protocol("av1", estimates={"delay": fewer}))), *others]
    assert metric_indices(design, points)[0].indices.replications == 2


def test_the_results_say_where_a_protocol_is_faster_and_which_factor_decides() -> None:
    design = designed()
    found = summary_of(design, points_of(design, av1=base, av2=slower_with_dwell))
    count, factors = found.results
    dwells = [float(dwell.split()[1]) for _, dwell in dict.fromkeys(map(tuple, design.rows))]
    slower = sum(4 * math.log(dwell) > 5 for dwell in dwells)
    assert f"at {slower} of 256 points" in count.replace("av2 is slower than av1 ", "")
    assert factors.startswith(
        "Of the variance of the difference in mean delay between av2 and av1, mobility.dwell expl"
    )
    assert "hosts" in factors


def test_the_text_has_ranges_and_indices_instead_of_a_row_for_each_point() -> None:
    design = designed()
    found = summary_of(design, points_of(design, av1=base, av2=slower_with_dwell))
    lines = list(found.lines(partial(indented, width=None)))
    assert len(lines) < 40
    assert sum(line.split()[:2] == ["mean", "delay"] for line in lines) == 3 + 6
    (own,) = (line for line in lines if "av2 - av1" in line and "hosts" not in line and "dwell" not in line)
    lowest, _, highest = map(float, own.split()[-3:])
    assert (lowest, highest) == pytest.approx((-5, 4 * math.log(16) - 5), abs=0.2)


def test_the_axes_of_a_design_are_its_factors() -> None:
    design = designed("latin-hypercube", 16)
    found = summary_of(design, points_of(design, av1=base))
    assert [axis.keys for axis in found.axes] == [("hosts",), ("mobility.dwell",)]
    assert found.indices == ()
    assert "indices" not in found.document()
    assert found.document()["design"] == "latin-hypercube"


def test_the_table_of_indices_has_a_row_for_each_metric_protocol_factor_and_order() -> None:
    design = designed()
    table = indices_table(metric_indices(design, points_of(design, av1=base, av2=slower_with_dwell)))
    rows = table.to_pylist()
    assert len(rows) == 3 * 2 * 2
    assert [row["right"] for row in rows[:4]] == [None] * 4
    assert all(row["index_low"] <= row["index_high"] for row in rows)
    (decisive,) = (r for r in rows if (r["right"], r["factor"], r["order"]) == ("av1", "mobility.dwell", "total"))
    assert decisive["index"] == pytest.approx(1, abs=0.1)
    assert METRICS[decisive["metric"]].label == "mean delay"


RUN: Final = """
scenario: {cells: 4, messages: 40, duration: null}
vary: {hosts: {from: 4, to: 30}, wireless.latency: {from: 1 ms, to: 20 ms}}
protocols: [av1, av2]
replications: 2
design: {kind: sobol-indices, points: %d}
"""


@pytest.mark.full
def test_indices_of_runs_are_on_the_page_in_json_and_in_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_sweep(RUN % 8, tmp_path)
    assert main(["summarize", str(tmp_path), "--json"]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Of the variance of the difference in mean delay between av2 and av1, " in page
    document = json.loads(capsys.readouterr().out)
    assert document["indices"] == pq.read_table(tmp_path / "summary" / "indices.parquet").to_pylist()
    latency = {
        row["index"]
        for row in document["indices"]
        if (row["metric"], row["left"], row["right"]) == ("delay", "av1", None)
        and (row["factor"], row["order"]) == ("wireless.latency", "total")
    }
    assert len(latency) == 1
    assert latency.pop() > 0.5


def test_a_damaged_design_is_one_error_line(tmp_path: Path) -> None:
    (tmp_path / "design.json").write_text("[]", encoding="utf-8")
    with pytest.raises(UserError, match=r"design.json: not the design of a sweep; delete it and start"):
        read_design(tmp_path)


@pytest.mark.full
def test_the_design_of_a_directory_is_replaced_with_its_sweep(tmp_path: Path) -> None:
    run_sweep(RUN % 2, tmp_path, first=1)
    first = read_design(tmp_path)
    assert first is not None
    assert len(first.rows) == 8
    run_sweep(RUN % 3, tmp_path, first=1)
    second = read_design(tmp_path)
    assert second is not None
    assert [*second.rows][:8] == [*first.rows]
