"""`mobilesim reproduce-figure`: its list, output and files, and the finished points after an interruption."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mobilesim.cli.experiments.reproduce_figure import figure_lines
from mobilesim.cli.main import main
from mobilesim.experiments.paper_figures.figure import (
    FIGURES,
    INCOMPLETE,
    Metric,
    Panel,
    PaperFigure,
    QuickVersion,
    Series,
    Statement,
    XAxis,
)
from mobilesim.experiments.paper_figures.figure_runs import figure_runs
from mobilesim.experiments.paper_figures.statements import Crosses, InRange
from mobilesim.results.layout import MANIFEST
from tests.support.subprocesses import interrupt, start

Output = pytest.CaptureFixture[str]

TINY = PaperFigure(
    name="tiny",
    paper="Nobody 1900, figure 0",
    title="Hosts that <b>talk</b>",
    scenario="papers/av-figure-1",
    x=XAxis("hosts", "n_h", "hosts n_h", (3, 6)),
    metric=Metric("delay", "mean delay", 1e6, "ms"),
    parts=("processing", "inhibition"),
    series=(Series("one", {"protocols": "av1"}), Series("other", {"protocols": "unordered"})),
    panels=(
        Panel("slow", {"workload.interval": "exponential 1 s", "messages": "20"}),
        Panel("fast", {"messages": "30"}),
    ),
    statements=(Statement("the first series is slower", "N 1", Crosses("other", "one")),),
    conclusion="Nothing was concluded.",
    replications=3,
    quick=QuickVersion(1, (3,), 2, {"messages": "10"}),
    symbols={"n_h": "mobile hosts"},
)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(FIGURES, "tiny", TINY)
    monkeypatch.chdir(tmp_path)


def reproduced(capsys: Output, *arguments: str) -> Any:  # noqa: ANN401 - a JSON document
    assert main(["reproduce-figure", "tiny", "--quick", "--workers", "1", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def records(directory: str | Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in Path(directory, MANIFEST).iterdir()}


def test_without_a_name_the_command_lists_the_figures(capsys: Output) -> None:
    assert main(["reproduce-figure"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(FIGURES)
    assert listed[0].endswith("(Alagar & Venkatesan 1994, figure 1)")
    assert main(["reproduce-figure", "--json"]) == 0
    assert [each["figure"] for each in json.loads(capsys.readouterr().out)] == list(FIGURES)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (["av-figure-3"], "av-figure-3: no such figure; did you mean 'av-figure-2'?"),
        (["zzz"], f"zzz: no such figure; there are {', '.join(FIGURES)}, tiny"),
        (["tiny", "--replications", "0"], "--replications 0: expected 1 or more"),
        (["tiny", "--workers", "-1"], "--workers -1: expected 1 or more"),
        (["--quick"], f"--quick: the name of a figure is missing; there are {', '.join(FIGURES)}, tiny"),
        (["--workers", "0"], f"--workers: the name of a figure is missing; there are {', '.join(FIGURES)}, tiny"),
    ),
)
def test_bad_arguments_cause_one_error_line(arguments: list[str], complaint: str, capsys: Output) -> None:
    assert main(["reproduce-figure", *arguments]) == 2
    assert capsys.readouterr().err == f"mobilesim: {complaint}\n"


@pytest.mark.full
def test_the_json_document_has_every_point_with_its_interval(capsys: Output) -> None:
    assert main(["reproduce-figure", "tiny", "--workers", "1", "--replications", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [panel["label"] for panel in document["panels"]] == ["slow", "fast"]
    for panel in document["panels"]:
        assert [point["x"] for series in panel["series"] for point in series["points"]] == [3, 6, 3, 6]
        for point in (point for series in panel["series"] for point in series["points"]):
            assert point["replications"] == 2
            assert point["low"] <= point["mean"] <= point["high"]
            assert 0 <= point["parts"]["processing"]["mean"] < point["mean"]
        gaps = [
            left["mean"] - right["mean"]
            for left, right in zip(*(series["points"] for series in panel["series"]), strict=True)
        ]
        assert [point["mean"] for point in panel["difference"]["points"]] == pytest.approx(gaps)
    assert (document["runs"], document["faults"]) == (16, [])
    assert json.loads(Path("results/tiny/figure.json").read_text()) == document


@pytest.mark.full
def test_earlier_measurements_are_repeated_only_on_request(capsys: Output) -> None:
    first = reproduced(capsys)
    kept = records("results/tiny")
    assert len(kept) == first["runs"] == 4
    assert reproduced(capsys) == first
    assert records("results/tiny") == kept
    more = reproduced(capsys, "--replications", "3")
    assert more["runs"] == 6
    assert records("results/tiny").items() > kept.items()
    assert reproduced(capsys, "--fresh") == first
    assert records("results/tiny").keys() == kept.keys()


def test_the_text_has_a_table_for_each_panel_and_the_papers_statements(capsys: Output) -> None:
    assert main(["reproduce-figure", "tiny", "--quick", "--workers", "1", "--out", "there"]) == 0
    out, err = capsys.readouterr()
    expected = out.splitlines()
    assert expected[0] == "Hosts that <b>talk</b> (Nobody 1900, figure 0)"
    head = expected.index("slow") + 1
    assert expected[head].split() == [
        "n_h",
        *["one", "(processing)", "(inhibition)", "other", "(processing)", "(inhibition)"],
        *["one", "-", "other"],
    ]
    assert expected[head + 1].split()[0] == "3"
    assert "N 1: the first series is slower" in expected
    assert expected[-2:] == [INCOMPLETE, "figure: there/figure.html"]
    assert re.fullmatch(r"tiny: 4 runs, [\d.]+ s\n", err)
    assert {path.name for path in Path("there").iterdir()} == {MANIFEST, "figure.json", "figure.html"}


@pytest.mark.full
@pytest.mark.parametrize(
    "options", (["--quick"], ["--quick", "--replications", "1"], ["--replications", "1"]), ids=" ".join
)
def test_the_page_has_the_command_that_reproduces_it(options: list[str]) -> None:
    assert main(["reproduce-figure", "tiny", "--workers", "1", *options]) == 0
    again = f"<code>mobilesim reproduce-figure tiny {' '.join(options)}</code>"
    assert again in Path("results/tiny/figure.html").read_text()


def test_symbols_are_defined_above_the_tables(capsys: Output) -> None:
    assert main(["reproduce-figure", "tiny", "--quick", "--workers", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "  n_h  mobile hosts"


@pytest.mark.parametrize("figure", [each for name, each in FIGURES.items() if name != "tiny"])
def test_every_symbol_of_a_shipped_figure_is_defined(figure: PaperFigure) -> None:
    labels = [figure.conclusion, *(panel.label for panel in figure.panels)]
    labels += [statement.text for statement in figure.statements]
    used = {symbol for label in labels for symbol in re.findall(r"\b[a-z]_[a-z]\b|\bk\b", label)}
    assert {figure.x.symbol, *used} <= set(figure.symbols)


@pytest.mark.full
def test_only_the_complete_figure_has_a_conclusion(capsys: Output) -> None:
    assert main(["reproduce-figure", "tiny", "--workers", "1", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["conclusion"] in list(figure_lines(whole))
    assert whole["conclusion"] == "Nothing was concluded."
    assert not reproduced(capsys)["conclusion"]
    assert main(["reproduce-figure", "tiny", "--workers", "1", "--replications", "2", "--json"]) == 0
    fewer = json.loads(capsys.readouterr().out)
    assert not fewer["conclusion"]
    assert "Too few replications, 2 of 3: no conclusion." in list(figure_lines(fewer))


@pytest.mark.full
def test_an_incomplete_figure_has_no_contradicting_verdict(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (
        Statement("nothing takes time", "N 2", InRange("one", 0, 0)),
        Statement("it ends", "N 2", InRange("one", -1e12, 1e12)),
    )
    monkeypatch.setitem(FIGURES, "tiny", replace(TINY, statements=wrong))
    for options, output in (
        ([], ["contradicts the paper", "confirms the paper"]),
        (["--quick"], ["inconclusive", "agrees so far"]),
        (["--replications", "2"], ["inconclusive", "agrees so far"]),
    ):
        assert main(["reproduce-figure", "tiny", "--workers", "1", "--json", *options]) == 0
        panel = json.loads(capsys.readouterr().out)["panels"][0]
        assert [statement["verdict"] for statement in panel["statements"]] == output
        assert [statement["holds"] for statement in panel["statements"]] == [None if options else False, True]


def test_a_statement_is_checked_in_the_panels_that_it_names(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    check = TINY.statements[0].check
    statements = (*TINY.statements, Statement("only when fast", "N 3", check, panels=("fast",)))
    monkeypatch.setitem(FIGURES, "tiny", replace(TINY, statements=statements))
    assert main(["reproduce-figure", "tiny", "--workers", "1", "--replications", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [len(panel["statements"]) for panel in document["panels"]] == [1, 2]
    expected = list(figure_lines(document))
    place = expected.index("N 3: only when fast")
    assert expected[place + 1].startswith("  fast")
    assert not expected[place + 2]


def test_a_table_that_is_wider_than_the_terminal_is_folded(capsys: Output) -> None:
    document = reproduced(capsys)
    folded = list(figure_lines(document, 40))
    table = [line for line in folded if line.startswith("  ") and ":" not in line]
    assert max(map(len, table)) <= 40
    assert sum(line.split()[:1] == ["n_h"] for line in table) > sum(
        line.split()[:1] == ["n_h"] for line in figure_lines(document)
    )


def test_a_violated_claim_is_reported_and_exits_with_1(capsys: Output) -> None:
    reproduced(capsys)
    _, runs = zip(*figure_runs(TINY.quick_version()), strict=True)
    record = Path("results/tiny", MANIFEST, f"{runs[0].id}.json")
    record.write_text(record.read_text().replace('"verdict": "ok"', '"verdict": "fault"'))
    assert main(["reproduce-figure", "tiny", "--quick", "--workers", "1"]) == 1
    assert "FAULT: the protocol violated its claims (slow: one at 3, replication 0)" in capsys.readouterr().out


def test_a_saturated_station_is_marked(capsys: Output) -> None:
    document = reproduced(capsys)
    assert not any("*" in line for line in figure_lines(document))
    document["panels"][0]["series"][0]["points"][0]["utilisation"] = 0.95
    marked = [line for line in figure_lines(document) if "*" in line]
    assert len(marked) == 2
    assert marked[1].startswith("  * a station was busy")


def test_a_figure_without_measurements_is_a_page_without_verdicts() -> None:
    from mobilesim.analysis.report.figure_page import page
    from mobilesim.experiments.paper_figures.figure_document import figure_document

    empty = figure_document(TINY, [])
    assert "paper" not in "\n".join(figure_lines(empty))
    assert "<h1>" in page(empty)


@pytest.mark.full
def test_ctrl_c_keeps_and_shows_finished_points(tmp_path: Path) -> None:
    child = start(tmp_path, "reproduce-figure", "av-figure-1", "--out", "r", "--workers", "2")
    manifest = tmp_path / "r" / MANIFEST
    out = interrupt(child, lambda: any(manifest.glob("*.json")))
    kept = records(tmp_path / "r")
    assert json.loads((tmp_path / "r" / "figure.json").read_text())["runs"] == len(kept) > 0
    assert out.splitlines()[-1] == "figure: r/figure.html"


def test_all_figures_are_reproduced_one_after_another(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    second = replace(TINY, name="second", title="Another figure")
    for name in [*FIGURES]:
        monkeypatch.delitem(FIGURES, name)
    for figure in (TINY, second):
        monkeypatch.setitem(FIGURES, figure.name, figure)
    assert main(["reproduce-figure", "--all", "--quick", "--workers", "1", "--out", "figures"]) == 0
    printed = capsys.readouterr().out
    assert printed.index(TINY.title) < printed.index(second.title)
    assert [Path("figures", name, "figure.html").is_file() for name in ("tiny", "second")] == [True, True]
    assert main(["reproduce-figure", "--all", "--quick", "--workers", "1", "--out", "figures", "--json"]) == 0
    assert [document["figure"] for document in json.loads(capsys.readouterr().out)] == ["tiny", "second"]


def test_a_figure_and_all_figures_are_not_both_accepted(capsys: Output) -> None:
    assert main(["reproduce-figure", "tiny", "--all"]) == 2
    assert "tiny: --all has every figure; leave one of the two out" in capsys.readouterr().err
