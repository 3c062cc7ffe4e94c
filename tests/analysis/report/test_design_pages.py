"""The pages of designs that are no grids, from synthetic summaries."""

import re
from pathlib import Path

import pytest

from mobilesim.analysis.figures.style import PROTOCOLS
from mobilesim.analysis.report.page_template import MAX_FIGURES
from mobilesim.analysis.report.sweep_page import page
from mobilesim.analysis.summary.model import Summary
from mobilesim.analysis.sweeps.designs.indices import metric_indices
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.sweeps.design_record import DesignRecord
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support import summaries
from tests.support.report_pages import plots
from tests.support.summaries import MS, estimate, protocol

pytestmark = pytest.mark.full

FACTORS = (
    "hosts: {from: 4, to: 99}, backbone.topology: [ring, mesh], wireless.latency: {from: 1 ms, to: 900 ms, scale: log}"
)


def at(place: int) -> Summary:
    slower = 1 + place % 7 / 10
    several = [protocol("av1"), protocol("av2", scale=slower)]
    runs = tuple(MS * (50 * slower + replication) for replication in range(3))
    delays = {**several[1].estimates, "delay": estimate(50 * MS * slower, MS, runs)}
    return summaries.summary(several[0], protocol("av2", estimates=delays))


def designed(design: str, factors: str = FACTORS) -> SweepSummary:
    found = make_plan(loads(f"scenario: quickstart\nvary: {{{factors}}}\ndesign: {design}")).design
    assert found is not None
    points = tuple((point, at(place)) for place, point in enumerate(dict.fromkeys(map(tuple, found.rows))))
    keys = tuple(key for factor in found.factors for key in factor)
    return SweepSummary(Path("r"), keys, points, design=found, indices=metric_indices(found, points))


def test_a_sample_has_each_metric_against_each_factor_and_no_curves() -> None:
    text = page(designed("{kind: latin-hypercube, points: 32}"))
    drawn = plots(text)
    assert {name for name in drawn if not name.startswith("scatter-")} == set()
    first = drawn["scatter-1"]
    assert [trace["name"] for trace in first["data"]] == ["av2 - av1"]
    assert first["data"][0]["mode"] == "markers"
    assert len(first["data"][0]["x"]) == 32
    across = {each["layout"]["xaxis"]["title"]["text"]: each["layout"]["xaxis"].get("type") for each in drawn.values()}
    assert across == {"hosts": "log", "backbone topology": "category", "wireless latency (ms)": "log"}
    assert "latin-hypercube, 32 points" in text
    assert "<span>against wireless latency</span>" in text
    (square,) = set(re.findall(r'<svg class="sample".*?</svg>av2 - av1<', text))
    assert "<rect" in square, "the marker of the second protocol"
    assert "Trade-offs" not in text


def test_sobol_indices_have_a_figure_of_protocols_and_one_of_differences() -> None:
    text = page(designed("{kind: sobol-indices, points: 16}"))
    drawn = plots(text)
    assert [name for name in drawn if name.startswith("indices-")] == ["indices-delay-0", "indices-delay-1"]
    alone = drawn["indices-delay-0"]["data"]
    assert [trace["name"] for trace in alone] == ["av2, first-order", "av2, total"], "the delay of av1 does not vary"
    assert {trace["marker"]["color"] for trace in alone} == {PROTOCOLS[1]}
    gaps = drawn["indices-delay-1"]
    assert [trace["name"] for trace in gaps["data"]] == ["av2 - av1, first-order", "av2 - av1, total"]
    assert gaps["layout"]["yaxis"]["ticktext"] == ["wireless.latency", "backbone.topology", "hosts"]
    assert "Sobol indices</h2>" in text
    assert re.search(r"<th scope=\"col\">first-order</th>", text)


def test_one_at_a_time_has_lines_through_the_base_point() -> None:
    factors = "hosts: [5, 10, 20], wireless.latency: {from: 1 ms, to: 4 ms, step: 1 ms}"
    drawn = plots(page(designed("{kind: one-at-a-time, base: {hosts: 10}}", factors)))
    hosts, latency = (drawn[f"scatter-{number}"]["data"][0] for number in (1, 2))
    assert (hosts["mode"], hosts["x"]) == ("lines+markers", [5.0, 10.0, 20.0])
    assert latency["x"] == [1.0, 2.0, 3.0, 4.0]
    base = hosts["y"][1]
    assert latency["y"][0] == base


def test_the_page_of_many_factors_has_a_limited_number_of_figures() -> None:
    names = [f"key{number}" for number in range(36)]
    rows = [[str(10 * row + place) for place in range(len(names))] for row in range(60)]
    design = DesignRecord("random", [[name] for name in names], rows)
    points = tuple((tuple(row), at(place)) for place, row in enumerate(rows))
    text = page(SweepSummary(Path("r"), tuple(names), points, design=design))
    assert len(plots(text)) == MAX_FIGURES
    assert f"A page has at most {MAX_FIGURES} figures" in text
