"""The frontier of protocols: who is beaten by nobody, on the terminal, as JSON, and in reports."""

import json
from pathlib import Path

import pytest

from analysis.costs import NAMED, USUAL, costs
from analysis.frontier import frontier, of, standings
from analysis.model import Finding, Protocol
from analysis.schemas import MEANS
from analysis.sweep_model import SweepSummary
from mobilesim.cli.columns import aligned
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from tests.analysis import made, summaries
from tests.analysis.pages import plots
from tests.analysis.summaries import estimate

BOTH = costs(("header", "delay"))


def paying(name: str, header: float, *delays: float, finding: Finding = Finding.SOUND, causal: bool = True) -> Protocol:
    several = delays or (50.0, 51.0, 52.0)
    found = summaries.protocol(name, finding, claims_causal=causal)
    own = {
        "header_bytes": estimate(header, runs=(header,) * len(several)),
        "delay": estimate(sum(several) / len(several), runs=tuple(several)),
    }
    return summaries.protocol(name, finding, claims_causal=causal, estimates={**found.estimates, **own})


def told(*protocols: Protocol) -> dict[str, str]:
    return {each.protocol.name: each.told for each in standings(protocols, BOTH)}


def test_who_pays_less_in_one_way_and_no_more_in_the_other_beats() -> None:
    assert told(paying("a", 4), paying("b", 8), paying("c", 8)) == {
        "a": "on the frontier",
        "b": "beaten by a",
        "c": "beaten by a",
    }


def test_who_pays_less_in_one_way_and_more_in_the_other_is_on_the_frontier() -> None:
    found = told(paying("a", 4, 80, 81, 82), paying("b", 8, 50, 51, 52))
    assert set(found.values()) == {"on the frontier"}


def test_a_difference_that_cannot_be_told_from_none_beats_nobody() -> None:
    found = told(paying("a", 4, 50, 55, 60), paying("b", 4, 61, 54, 51))
    assert set(found.values()) == {"on the frontier"}


def test_one_replication_alone_is_said_to_have_no_interval() -> None:
    one, two = (
        of(SweepSummary(Path("r"), (), (((), summaries.summary(paying("a", 4, *delays))),), ()), BOTH)
        for delays in ((50,), (50, 51))
    )
    told_of_chance = "one replication has no interval: who pays less in it may do so by chance"
    assert told_of_chance in one.lines(None, aligned)
    assert told_of_chance not in two.lines(None, aligned)


def test_only_those_that_claim_causal_order_and_keep_it_compete() -> None:
    found = told(paying("a", 8), paying("b", 4, causal=False), paying("c", 2, finding=Finding.BROKEN))
    assert found == {
        "a": "on the frontier",
        "b": "does not compete: it claims no causal order",
        "c": "does not compete: it is broken",
    }


def test_a_cost_that_nobody_has_is_said_to_be_idle() -> None:
    point = summaries.summary(paying("a", 4), paying("b", 8))
    found = of(SweepSummary(Path("r"), (), (((), point),), ()), costs(("header", "delay", "joules")))
    assert [cost.title for cost in found.idle] == ["energy of hosts per delivery"]
    assert "nobody pays with energy of hosts per delivery here" in found.lines(None, aligned)
    assert found.document()["points"][0]["frontier"] == ["a"]


def test_every_mean_of_a_summary_is_a_cost() -> None:
    for name in MEANS.keys() - {"life"}:
        (one, _) = costs((name, "bytes" if name != "delay" else "air"))
        assert name in NAMED or one.metric == MEANS[name]
    assert len(costs(USUAL)) == 3


@pytest.mark.parametrize(
    ("words", "line"),
    (
        (("--by", "joule", "bytes"), "--by joule: there is no such mean; did you mean 'joules'?"),
        (("--by", "life", "bytes"), "--by life: more of it is better, so it is no cost; joules tell what shortens it"),
        (("--by", "bytes"), "--by bytes: one mean alone has no frontier; write two or more"),
        (("--set", "hots=3"), "--set hots: unknown key; did you mean 'hosts'?"),
    ),
)
def test_bad_words_are_one_clear_line(words: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frontier", "quickstart", "--dry-run", *words]) == 2
    assert capsys.readouterr().err.startswith(f"mobilesim: {line}")
    with pytest.raises(UserError):
        costs(("nothing", "bytes"))


@pytest.mark.usefixtures("spark")
def test_results_of_a_run_have_their_frontier_in_their_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("av1", "av2"):
        for replication in range(2):
            made.run(tmp_path, name, replication)
    found = frontier(tmp_path, costs=costs(("inhibition", "bytes", "joules")))
    drawn = plots((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert [trace["name"] for trace in drawn["panel0"]["data"]] == ["av1", "av2"]
    assert len([name for name in drawn if name.startswith("panel")]) == 3
    assert {each.protocol.name for each in found.at(())} == {"av1", "av2"}
    assert main(["frontier", str(tmp_path), "--quick"]) == 2
    assert capsys.readouterr().err == f"mobilesim: --quick: {tmp_path} holds results already, and nothing runs\n"


@pytest.mark.usefixtures("spark")
def test_a_scenario_is_run_and_its_frontier_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "s.yaml", tmp_path / "r"
    file.write_text("{hosts: 4, cells: 3, messages: 40, protocols: [av1, rst, fifo]}")
    assert main(["frontier", str(file), "--replications", "2", "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["runs"]["complete"] == 6
    (point,) = document["summary"]["points"]
    assert [each["protocol"] for each in point["protocols"]] == ["av1", "rst", "fifo"]
    assert point["protocols"][2]["out"] == "it claims no causal order"
    assert set(point["frontier"]) <= {"av1", "rst"}
    assert plots((out / "report.html").read_text(encoding="utf-8"))["panel0"]
