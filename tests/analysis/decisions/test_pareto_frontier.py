"""The Pareto frontier of protocols, as text, as JSON and in reports."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mobilesim.analysis.decisions.pareto_frontier import (
    COSTS_BY_NAME,
    DEFAULT_COSTS,
    ParetoFrontier,
    costs,
    pareto,
    pareto_frontier,
)
from mobilesim.analysis.report.sweep_page import page
from mobilesim.analysis.report.sweep_panels import Panels
from mobilesim.analysis.summary.metrics import MEANS, Metric
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.ranking import ranks
from mobilesim.api.text_tables import indented
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.results.run_directory import prepare_directory
from tests.support import made_results, summaries
from tests.support.report_pages import plots
from tests.support.summaries import MS, estimate

BOTH = costs(("header", "delay"))


def paying(
    name: str, header: float, *delays: float, correctness: Correctness = Correctness.CORRECT, causal: bool = True
) -> ProtocolSummary:
    several = delays or (50.0, 51.0, 52.0)
    found = summaries.protocol(name, correctness, claims_causal=causal)
    own = {
        "header_bytes": estimate(header, runs=(header,) * len(several)),
        "delay": estimate(sum(several) / len(several), runs=tuple(several)),
    }
    return summaries.protocol(name, correctness, claims_causal=causal, estimates={**found.estimates, **own})


def frontier(costs: tuple[Metric, ...], *protocols: ProtocolSummary) -> ParetoFrontier:
    summary = SweepSummary(Path("r"), (), (((), summaries.summary(*protocols)),), ())
    return pareto_frontier(summary, costs)


def rank_texts(*protocols: ProtocolSummary) -> dict[str, str]:
    return {each.protocol.name: each.text for each in ranks(protocols, BOTH)}


def test_a_protocol_with_one_lower_cost_and_no_higher_one_dominates() -> None:
    assert rank_texts(paying("a", 4), paying("b", 8), paying("c", 8)) == {
        "a": "Pareto-optimal",
        "b": "dominated by a",
        "c": "dominated by a",
    }


def test_a_protocol_with_one_lower_and_one_higher_cost_is_pareto_optimal() -> None:
    found = rank_texts(paying("a", 4, 80, 81, 82), paying("b", 8, 50, 51, 52))
    assert set(found.values()) == {"Pareto-optimal"}


def test_a_difference_within_the_margin_causes_no_domination() -> None:
    found = rank_texts(paying("a", 4, 50, 51, 52), paying("b", 4, 50.2, 51.2, 52.2))
    assert set(found.values()) == {"Pareto-optimal"}


def test_protocols_that_are_not_clearly_different_are_undecided() -> None:
    noisy = paying("a", 4, 50, 55, 60), paying("b", 8, 50, 54, 59.9)
    (first, second) = ranks(noisy, BOTH)
    assert first.text == "Pareto-optimal"  # its header is shorter
    assert (second.on_front, second.possibly_on_front, second.undecided) == (False, True, ("a",))
    assert second.text == "undecided: may be dominated by a (about 28 replications would decide)"
    found = frontier(BOTH, *noisy)
    assert found.document()["points"][0]["pareto_front"] == ["a"]
    assert found.document()["points"][0]["undecided"] == ["b"]
    entry = found.document()["points"][0]["protocols"][1]
    assert (entry["pareto_optimal"], entry["may_be_dominated_by"], entry["replications_to_decide"]) == (None, ["a"], 28)


def test_one_replication_decides_nothing() -> None:
    found = rank_texts(paying("a", 4, 50), paying("b", 8, 70))
    assert found == {
        "a": "undecided: may be dominated by b (one replication decides nothing)",
        "b": "undecided: may be dominated by a (one replication decides nothing)",
    }


def test_the_margins_are_reported() -> None:
    lines = [*frontier(costs(("header", "inhibition")), paying("a", 4), paying("b", 8)).lines(indented)]
    assert "costs, with their margins: control information (1 %), inhibition (1 % of the mean delay)" in lines


def test_only_protocols_that_claim_causal_order_and_keep_it_are_compared() -> None:
    found = rank_texts(paying("a", 8), paying("b", 4, causal=False), paying("c", 2, correctness=Correctness.INCORRECT))
    assert found == {
        "a": "Pareto-optimal",
        "b": "not compared: it claims no causal order",
        "c": "not compared: it is incorrect",
    }


def test_a_cost_that_is_zero_for_all_protocols_is_reported() -> None:
    found = frontier(costs(("header", "delay", "joules")), paying("a", 4), paying("b", 8))
    assert [cost.label for cost in found.zero] == ["energy per delivery"]
    assert "zero for all protocols: energy per delivery" in found.lines(indented)
    assert found.document()["points"][0]["pareto_front"] == ["a"]


def test_every_mean_of_a_summary_is_a_cost() -> None:
    for name in MEANS.keys() - {"life", "first_death"}:
        (one, _) = costs((name, "bytes" if name != "delay" else "air"))
        assert one is COSTS_BY_NAME[name]
    assert len(costs(DEFAULT_COSTS)) == 3


@pytest.mark.parametrize(
    ("words", "line"),
    (
        (("--costs", "joule", "bytes"), "--costs joule: there is no such metric; did you mean 'joules'?"),
        (("--costs", "life", "bytes"), "--costs life: this is not a cost: higher values are better; use joules"),
        (
            ("--costs", "first_death", "bytes"),
            "--costs first_death: this is not a cost: higher values are better",
        ),
        (("--costs", "bytes"), "--costs bytes: one cost has no trade-offs; write two or more"),
        (("--set", "hots=3"), "--set hots: unknown key; did you mean 'hosts'?"),
        (("--replications", "0"), "--replications: 0 is not a number of replications"),
    ),
)
def test_bad_input_is_one_line_of_text(words: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pareto", "quickstart", "--dry-run", *words]) == 2
    assert capsys.readouterr().err.startswith(f"mobilesim: {line}")
    with pytest.raises(UserError):
        costs(("nothing", "bytes"))


def drawn_by(name: str, *protocols: ProtocolSummary) -> dict[str, Any]:
    """Return the trace of a protocol in the figure of two costs."""
    summary = SweepSummary(Path("r"), (), (((), summaries.summary(*protocols)),), ())
    traces = plots(page(summary, BOTH))["trade-off-1"]["data"]
    (found,) = (trace for trace in traces if trace["name"].startswith(name))
    return dict(found)


def test_protocols_that_are_not_compared_have_hollow_markers() -> None:
    several = (paying("av1", 8), paying("fifo", 4, causal=False), paying("bad", 2, correctness=Correctness.INCORRECT))
    assert [drawn_by(name, *several)["marker"]["symbol"] for name in ("av1", "fifo", "bad")] == [
        ["circle"],
        ["square-open"],
        ["diamond-open"],
    ]
    assert [drawn_by(name, *several)["name"] for name in ("av1", "fifo")] == ["av1", "fifo (hollow: not compared)"]


def test_the_front_is_drawn_through_pareto_optimal_protocols_and_points_have_labels() -> None:
    several = (
        *(paying("low", 2, 80 * MS, 81 * MS, 82 * MS), paying("quick", 8, 50 * MS, 51 * MS, 52 * MS)),
        *(paying("bad", 9, 90 * MS, 91 * MS, 92 * MS), paying("none", 1, 1 * MS, causal=False)),
    )
    point = summaries.summary(*several)
    plot = Panels(SweepSummary(Path("r"), (), (((), point),), ())).trade_offs(BOTH).figures[0].plot
    (front,) = (trace for trace in plot.data if trace.name == "Pareto front")
    assert list(front.x)[:-1] == [2, 2, 8]
    assert list(front.y)[1:] == [81, 51, 51]
    assert {each.text for each in plot.layout.annotations} == {"low", "quick", "bad", "none"}
    assert all(trace.cliponaxis is False for trace in plot.data if trace.name != "Pareto front")


def test_points_that_are_close_have_one_label() -> None:
    point = summaries.summary(paying("one", 8), paying("twin", 8.1), paying("far", 2, 90 * MS, 91 * MS, 92 * MS))
    plot = Panels(SweepSummary(Path("r"), (), (((), point),), ())).trade_offs(BOTH).figures[0].plot
    assert [each.text for each in plot.layout.annotations] == ["one, twin", "far"]


def test_the_report_begins_with_the_front_and_what_it_trades() -> None:
    low, quick = paying("low", 200, 80 * MS, 81 * MS, 82 * MS), paying("quick", 300, 40 * MS, 41 * MS, 42 * MS)
    summary = SweepSummary(
        Path("r"), (), (((), summaries.summary(low, quick, paying("bad", 400, 90 * MS, 91 * MS, 92 * MS))),), ()
    )
    results = page(summary, BOTH).partition('<ul class="findings">')[2].partition("</ul>")[0]
    assert [re.sub("<.*?>|&nbsp;", " ", each).strip() for each in results.split("</li>")[:-1]] == [
        "Pareto-optimal in control information and mean delay: low and quick.",
        ("quick has 50 % more control information than low, and low has 98 % more mean delay than quick."),
        "bad is dominated by low: it has 200 B more control information and 12 % more mean delay.",
    ]


def test_a_single_replication_decides_no_rank() -> None:
    summary = SweepSummary(Path("r"), (), (((), summaries.summary(paying("a", 4, 50), paying("b", 8, 60))),), ())
    results = page(summary, BOTH).partition('<ul class="findings">')[2].partition("</ul>")[0]
    assert "b is undecided: may be dominated by a (one replication decides nothing)." in results
    assert "more" not in results


def test_costs_have_whiskers_in_both_directions() -> None:
    found = paying("av1", 8)
    wide = {"header_bytes": estimate(8, 12, (2.0, 14.0)), "delay": estimate(MS, 2 * MS, (0.0, 2.0 * MS))}
    point = summaries.summary(summaries.protocol("av1", estimates={**found.estimates, **wide}))
    drawn = Panels(SweepSummary(Path("r"), (), (((), point),), ())).trade_offs(BOTH)
    front, trace = drawn.figures[0].plot.data
    assert front.name == "Pareto front"
    assert (list(trace.error_x.arrayminus), list(trace.error_x.array)) == ([12], [12])
    assert (list(trace.error_y.arrayminus), list(trace.error_y.array)) == ([2], [2])


def test_a_cost_without_a_value_is_not_drawn() -> None:
    bare = summaries.protocol("rst")
    without = {name: each for name, each in bare.estimates.items() if name != "move.time"}
    point = summaries.summary(summaries.protocol("av1"), replace(bare, estimates=without))
    summary = SweepSummary(Path("r"), (), (((), point),), ())
    traces = plots(page(summary, costs(("delay", "handoff"))))["trade-off-1"]["data"]
    assert {trace["name"]: len(trace["x"]) for trace in traces if trace["name"] != "Pareto front"} == {
        "av1": 1,
        "rst": 0,
    }


@pytest.mark.full
@pytest.mark.usefixtures("spark")
def test_the_frontier_of_existing_results_is_written_beside_their_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("av1", "av2"):
        for replication in range(2):
            made_results.run(tmp_path, name, replication)
    (tmp_path / "report.html").write_text("its own")
    found = pareto(tmp_path, costs=costs(("inhibition", "bytes", "joules")))
    assert (tmp_path / "report.html").read_text() == "its own"
    assert found.summary.report == tmp_path / "pareto.html"
    drawn = plots((tmp_path / "pareto.html").read_text(encoding="utf-8"))
    assert [trace["name"] for trace in drawn["trade-off-1"]["data"]][-2:] == ["av1", "av2"]
    assert len([name for name in drawn if name.startswith("trade-off")]) == 3
    assert {each.protocol.name for each in found.ranks[()]} == {"av1", "av2"}
    assert main(["pareto", str(tmp_path), "--quick"]) == 2
    assert capsys.readouterr().err == f"mobilesim: --quick: {tmp_path} holds results, so nothing runs\n"
    prepare_directory(tmp_path)
    assert not (tmp_path / "pareto.html").exists()


@pytest.mark.full
@pytest.mark.usefixtures("spark")
def test_a_scenario_is_run_and_its_frontier_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "s.yaml", tmp_path / "r"
    file.write_text("{hosts: 4, cells: 3, messages: 40, protocols: [av1, rst, fifo]}")
    words = ("pareto", str(file), "--replications", "2", "--out", str(out))
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["runs"]["complete"] == 6
    (point,) = document["summary"]["points"]
    assert [each["protocol"] for each in point["protocols"]] == ["av1", "rst", "fifo"]
    assert point["protocols"][2]["excluded"] == "it claims no causal order"
    assert set(point["pareto_front"]) <= {"av1", "rst"}
    assert plots((out / "report.html").read_text(encoding="utf-8"))["trade-off-1"]
    (out / "pareto.html").write_text("of these results")
    assert main([*words, "--dry-run"]) == 0
    assert main([*words, "--no-report"]) == 0
