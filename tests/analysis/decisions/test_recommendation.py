"""A recommendation follows from the costs in their order. It has its reasons and the protocols that were not tried."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobilesim.analysis.decisions.pareto_frontier import costs, pareto_frontier
from mobilesim.analysis.decisions.recommendation import Requirements, recommend
from mobilesim.analysis.decisions.recommendation_text import RecommendationReport
from mobilesim.analysis.summary.metrics import METRICS
from mobilesim.analysis.summary.model import Correctness, ProtocolSummary
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.api.text_tables import indented
from mobilesim.cli.main import main
from tests.support import summaries
from tests.support.summaries import MS, estimate


def paying(name: str, header: float, *delays: float, correctness: Correctness = Correctness.CORRECT) -> ProtocolSummary:
    found = summaries.protocol(name, correctness)
    own = {
        "header_bytes": estimate(header, runs=(header,) * len(delays)),
        "delay": estimate(sum(delays) / len(delays) * MS, runs=tuple(delay * MS for delay in delays)),
    }
    return summaries.protocol(name, correctness, estimates={**found.estimates, **own})


def report_on(
    *protocols: ProtocolSummary, by: tuple[str, ...] = ("delay", "header"), most: float | None = None
) -> RecommendationReport:
    summary = SweepSummary(Path("r"), (), (((), summaries.summary(*protocols)),), ())
    found = recommend(protocols, costs(by), Requirements(max_header=most))
    return RecommendationReport(summary, found, {"fifo": "claims no causal order"})


def chosen(found: RecommendationReport) -> str | None:
    one = found.recommendation.chosen
    return None if one is None else one.name


def gaps(found: RecommendationReport) -> list[tuple[str, str]]:
    return [(gap.protocol.name, gap.metric.label) for gap in found.recommendation.dearer_in]


HEADER, LIFETIME = METRICS["header_bytes"].label, METRICS["host.life"].label

QUICK = paying("quick", 800, 50, 51, 52)
ALIKE = paying("alike", 400, 53, 50, 52)
SLOW = paying("slow", 100, 80, 81, 82)


def test_the_first_cost_decides_unless_the_protocols_tie_in_this_cost() -> None:
    assert chosen(report_on(SLOW, QUICK, ALIKE)) == "alike"
    assert chosen(report_on(SLOW, QUICK)) == "quick"
    assert chosen(report_on(SLOW, QUICK, ALIKE, by=("header", "delay"))) == "slow"


def test_a_difference_within_one_percent_is_a_tie() -> None:
    near = paying("near", 400, 50.1, 51.1, 52.1)
    assert chosen(report_on(QUICK, near)) == "near"


def test_of_tied_protocols_the_one_with_the_lowest_first_cost_is_chosen() -> None:
    found = report_on(paying("b", 4, 50, 52), paying("a", 4, 51, 50), paying("c", 4, 50, 52))
    assert chosen(found) == "a"
    assert "  tied in all costs: a, b, c; a has the lowest mean delay" in found.lines(indented)
    assert found.document()["ties"] == ["a", "b", "c"]
    assert chosen(report_on(paying("b", 4, 50, 51), paying("a", 4, 50, 51))) == "b"


def test_a_dominated_protocol_is_not_recommended_although_it_ties_with_the_cheapest() -> None:
    """The lowest mean header is not clearly lower: this protocol is tied with the others."""
    delays = (50.0, 51.0, 52.0)
    ses, ks = paying("ses", 484, *delays), paying("ks", 461, *delays)
    wide = estimate(400, runs=(100.0, 700.0, 400.0))
    vague = paying("vague", 400, *delays)
    vague = replace(vague, estimates={**vague.estimates, "header_bytes": wide})
    found = report_on(ses, ks, vague)
    assert chosen(found) == "ks"
    assert found.document()["dominated_by"] == {"ses": ("ks",)}
    assert "  Pareto-optimal: none for certain" in found.lines(indented)
    assert found.document()["undecided"] == {"ks": ("vague",), "vague": ("ses", "ks")}
    assert any(line.endswith("dominated by ks") for line in found.lines(indented))


RUNS = st.lists(st.integers(0, 6), min_size=4, max_size=4)
BY = ("delay", "header", "inhibition")


@given(st.lists(st.tuples(RUNS, RUNS, RUNS), min_size=1, max_size=7))
def test_the_recommended_protocol_is_possibly_pareto_optimal_in_the_same_costs(
    figures: list[tuple[list[int], ...]],
) -> None:
    several = []
    for number, means in enumerate(figures):
        own = {
            metric: estimate(sum(runs) / 4, runs=tuple(map(float, runs)))
            for metric, runs in zip(("delay", "header_bytes", "inhibition"), means, strict=True)
        }
        plain = summaries.protocol(str(number))
        several.append(replace(plain, estimates={**plain.estimates, **own}))
    found = report_on(*several, by=BY)
    ranks = pareto_frontier(found.summary, costs(BY)).ranks[()]
    assert chosen(found) in [each.protocol.name for each in ranks if each.possibly_on_front]
    assert [each.name for each in found.recommendation.front] == [each.protocol.name for each in ranks if each.on_front]
    assert not [step for step in found.recommendation.eliminations if not step.kept]


@pytest.mark.parametrize(
    ("count", "head", "rests"),
    (
        (
            1,
            "recommended (low confidence: 1 replication): quick, of ",
            "based on 1 replication of 25 messages: without intervals, ",
        ),
        (
            2,
            "recommended (low confidence: 2 replications): quick, of ",
            "based on 2 replications of 25 messages: intervals are ± 12.7 standard errors (± 2.8 with 5 replications)",
        ),
        (5, "recommended: quick, of the protocols that claim causal order", "based on 5 replications"),
    ),
)
def test_a_recommendation_has_its_number_of_replications(count: int, head: str, rests: str) -> None:
    found = report_on(paying("quick", 800, *range(50, 50 + count)), paying("slow", 900, *range(80, 80 + count)))
    first, second, *_ = found.lines(indented)
    assert first.startswith(head)
    assert second.startswith(f"  {rests}")
    assert found.document()["replications"] == count


def test_the_report_has_the_recommendation_and_its_reasons() -> None:
    text = report_on(SLOW, QUICK, ALIKE).section().html("recommendation")
    assert "Recommended (low confidence: 3 replications): alike, of the protocols that claim causal order.</p>" in text
    assert "<li>based on 3 replications of 25 messages: " in text
    assert re.search(r"\[[-+][\d.]+, [-+][\d.]+\]<br><small>not significant</small>", text)
    assert text.index('"row">alike<') < text.index('"row">slow<') < text.index("significantly better than alike")
    assert "<li>not tried: fifo: claims no causal order</li>" in text


def test_without_deliveries_nothing_is_recommended() -> None:
    nothing = report_on(replace(QUICK, estimates={}), replace(SLOW, estimates={}))
    lines = list(nothing.lines(indented))
    assert lines[:2] == [
        "recommended: none of the protocols that claim causal order",
        "  not measured in any run: mean delay",
    ]
    assert nothing.document()["recommended"] is None


def test_a_cost_without_values_is_reported_and_the_other_costs_decide() -> None:
    found = report_on(QUICK, SLOW, by=("disconnection_dropped", "delay"))
    assert chosen(found) == "quick"
    assert found.recommendation.replications == 3
    assert "  not measured in any run: messages dropped per disconnection" in found.lines(indented)


def test_a_protocol_without_a_cost_does_not_change_the_number_of_replications() -> None:
    none = {"disconnection.dropped": estimate(0.0, runs=(0.0, 0.0, 0.0))}
    found = report_on(
        replace(QUICK, estimates={**QUICK.estimates, **none}), SLOW, by=("disconnection_dropped", "delay")
    )
    assert (chosen(found), found.recommendation.replications) == ("quick", 3)
    assert "  zero for all protocols: messages dropped per disconnection" in found.lines(indented)


def test_with_a_single_pair_of_runs_nothing_is_dropped_and_the_lowest_first_cost_is_chosen() -> None:
    found = report_on(paying("dear", 900, 80), paying("cheap", 800, 50), paying("short", 700, 90))
    assert [rank.protocol.name for rank in found.recommendation.undecided] == ["dear", "cheap", "short"]
    assert chosen(found) == "cheap"
    assert [step.dropped for step in found.recommendation.eliminations] == [(), ()]


def test_a_longer_lifetime_is_better() -> None:
    def lasting(one: ProtocolSummary, seconds: float) -> ProtocolSummary:
        life = estimate(seconds * 1e9, runs=(seconds * 1e9, (seconds + 1) * 1e9, seconds * 1e9))
        return replace(one, estimates={**one.estimates, "host.life": life})

    assert LIFETIME not in [title for _, title in gaps(report_on(lasting(QUICK, 9), lasting(SLOW, 5)))]
    assert ("slow", LIFETIME) in gaps(report_on(lasting(QUICK, 5), lasting(SLOW, 9)))


def test_incorrect_protocols_and_too_long_headers_are_excluded() -> None:
    found = report_on(QUICK, SLOW, paying("bad", 1, 1, 1, 1, correctness=Correctness.INCORRECT), most=500)
    assert chosen(found) == "slow"
    assert found.recommendation.excluded["bad"] == "it violated its claims"
    assert found.document()["excluded"] == {
        "quick": "its mean header is 800 B, more than 500 B",
        "bad": "it violated its claims",
    }
    assert chosen(report_on(QUICK, most=500)) is None
    assert (
        next(report_on(QUICK, most=500).lines(indented)) == "recommended: none of the protocols that claim causal order"
    )


def test_metrics_in_which_another_protocol_is_better_are_reported() -> None:
    found = report_on(QUICK, SLOW)
    assert gaps(found) == [("slow", HEADER)]
    lines = list(found.lines(indented))
    at = lines.index("metrics in which another candidate is significantly better than quick")
    assert lines[at + 1] == f"  {METRICS['header_bytes'].label}: +700 [+700, +700] B compared with slow"
    assert "not tried: fifo: claims no causal order" in lines
    assert found.document()["recommended"] == "quick"
    assert found.document()["dearer_in"][0]["protocol"] == "slow"


@pytest.mark.parametrize(
    ("words", "line"),
    (
        (("--max-header", "500"), "--max-header: "),
        (("--costs", "joules,dely"), "--costs dely: there is no such metric; did you mean 'delay'?"),
        (("--set", "protocols=[av9]"), "--set protocols[0]: there is no protocol 'av9'"),
        (("--set", "protocols=[av1]", "--protocol", "av2"), "--protocol: --set protocols is written, too; leave one"),
        (("--set", "hots=3"), "--set hots: unknown key; did you mean 'hosts'?"),
        (
            ("--protocol", "fifo", "unordered"),
            "--protocol: none of fifo, unordered claims causal order; add one that does, or write --fifo-only",
        ),
        (("--protocol", "unordered", "--fifo-only"), "--protocol: none of unordered claims FIFO order; add one"),
        (("--replications", "x"), "--replications: 'x' is not a number of replications"),
    ),
)
def test_bad_input_is_one_line_of_text(words: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "quickstart", "--dry-run", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"mobilesim: {line}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "tried", "not_tried"),
    (
        ("{hosts: 4, workload: {destinations: 2, kind: multicast}}", {"av1", "proxy+ks"}, {"fifo", "proxy+bss"}),
        ("{hosts: 4, workload: {kind: unicast}}", {"av1", "proxy+transport"}, {"unordered", "proxy+bss"}),
        ("{hosts: 4, workload: {kind: multicast, destinations: all}}", {"av2", "proxy+bss"}, {"proxy+transport"}),
    ),
)
def test_protocols_that_support_the_scenario_and_claim_causal_order_are_tried(
    text: str, tried: set[str], not_tried: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.yaml").write_text(text)
    assert main(["recommend", str(tmp_path / "s.yaml"), "--dry-run", "--json"]) == 0
    protocols = json.loads(capsys.readouterr().out)["protocols"]
    assert tried <= set(protocols)
    assert not not_tried & set(protocols)


@pytest.mark.full
@pytest.mark.usefixtures("spark")
def test_a_study_of_a_scenario_recommends_a_protocol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.yaml").write_text("{hosts: 4, cells: 3, messages: 40}")
    words = ("--protocol", "av1", "rst", "--replications", "3", "--json")
    assert main(["recommend", str(tmp_path / "s.yaml"), "--out", str(tmp_path / "r"), *words]) == 0
    report = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    results = report.partition('<ul class="findings">')[2].partition("</ul>")[0]
    assert re.fullmatch(r"<li>Recommended.*</li>", results)
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert summary["recommended"] in {"av1", "rst"}
    assert not summary["excluded"]
    assert [each["protocol"] for each in summary["costs_more"]] == list({"av1", "rst"} - {summary["recommended"]})
    assert summary["recommended"] in summary["pareto_front"]
    assert summary["dominated_by"].keys() == {"av1", "rst"} - set(summary["pareto_front"])


@pytest.mark.full
@pytest.mark.usefixtures("spark")
def test_a_protocol_without_the_required_claim_is_compared_but_not_recommended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.yaml").write_text("{hosts: 4, cells: 3, messages: 40}")
    words = ("--protocol", "unordered", "fifo", "rst", "--replications", "2", "--no-report", "--json")
    assert main(["recommend", str(tmp_path / "s.yaml"), "--out", str(tmp_path / "r"), *words]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert summary["recommended"] == "rst"
    assert summary["excluded"] == {"unordered": "it claims no causal order", "fifo": "it claims no causal order"}
    assert {each["protocol"] for each in summary["costs_more"]} == {"unordered", "fifo"}
    assert main(["recommend", str(tmp_path / "s.yaml"), "--out", str(tmp_path / "r"), "--fifo-only", *words]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert summary["excluded"] == {"unordered": "it claims no FIFO order"}
    assert summary["recommended"] in {"fifo", "rst"}


TWENTY = """\
name: twenty
hosts: 20
cells: {rows: 2, columns: 5}
messages: 200
mobility: {dwell: uniform 900 ms 1100 ms}
workload: {interval: exponential 500 ms}
"""


@pytest.mark.full
@pytest.mark.usefixtures("spark")
def test_a_recommendation_says_which_assumption_turns_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With free locations, two packets for a hand-off are as quick as a notification of all stations, and cheaper."""
    (tmp_path / "twenty.yaml").write_text(TWENTY, encoding="utf-8")
    study = ["recommend", str(tmp_path / "twenty.yaml"), "--protocol", "av2", "proxy+ks", "--replications", "3"]
    assert main([*study, "--no-report", "--out", str(tmp_path / "out")]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert any(line.startswith("recommended") and ": av2, of the protocols" in line for line in lines)
    (holds,) = (line for line in lines if line.startswith("it holds under other assumptions: "))
    assert "location lazy" in holds
    (turns,) = (line for line in lines if line.startswith("it turns with "))
    assert turns.startswith("it turns with location free: proxy+ks location=free instead")
    assert "free for proxy+ks location=free: stations know the cell of every host (location: free)" in lines
