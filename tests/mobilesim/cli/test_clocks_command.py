"""`mobilesim clocks`: its list, comparisons of clocks in scenarios, sizes on graphs, JSON output and errors."""

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from mobilesim.cli.main import main
from mobilesim.geometry.named_graphs import BRANCHED, KINDS, graph
from mobilesim.protocols.clocks.catalogue import CLOCKS, Errors
from mobilesim.scenario.loader import loads
from mobilesim.scenario.sections.clocks import clock_choice

Output = pytest.CaptureFixture[str]


def document(capsys: Output, *arguments: str) -> dict[str, Any]:
    assert main(["clocks", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def rows(capsys: Output, *arguments: str) -> list[list[str]]:
    assert main(["clocks", *arguments]) == 0
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_in_a_star_of_20_a_gateway_reduces_clocks_to_a_twentieth(capsys: Output) -> None:
    title, _, head, vectors, *_, fourth, fifth = rows(capsys, "--graph", "star", "--n", "20")
    assert " ".join(title) == "star: 20 processes, 38 links"
    assert head[:2] == ["clocks", "ClockSet"]
    assert vectors == ["FM", "20.0", "20", "-", "-", "400", "100.0%", "20.0", "100.0%", "0", "0", "exact"]
    assert fourth[2:] == fifth[2:] == ["1.0", "1", "1.0", "1", "20", "5.0%", "1.0", "5.0%", "1", "19", "exact"]


def test_printed_sets_abbreviate_consecutive_numbers(capsys: Output) -> None:
    *_, head, top, left, _, _, leaf, _, _ = rows(
        capsys, "--graph", "hierarchical-triangle", "--n", "7", "--branching", "3", "--sets", "5"
    )
    assert head == ["process", "ClockSet", "ObsSet"]
    assert top == ["0", "0-3", "0-3"]
    assert left == ["1", "0-6", "0-6", "gateway"]
    assert leaf == ["4", "1", "4-6", "1", "4-6"]


def test_a_unidirectional_ring_needs_no_clocks(capsys: Output) -> None:
    found = document(capsys, "--graph", "ring", "--n", "6")
    assert [entry["space"] for entry in found["clocks"]] == [36, 0, 0, 0, 0, 0]
    assert [entry["message"] for entry in found["clocks"]] == [6, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "output"),
    (
        (
            "ring",
            (
                "Nothing to keep: of two messages that come to one process over different links, neither can depend "
                "on the other."
            ),
        ),
        ("bidirectional-ring", "Nothing to save: on these links any clock may be needed by any process."),
        ("complete", "Nothing to save: on these links any clock may be needed by any process."),
    ),
)
def test_a_table_without_clocks_or_without_savings_is_explained(name: str, output: str, capsys: Output) -> None:
    assert " ".join(rows(capsys, "--graph", name, "--n", "6")[-1]) == output


@pytest.mark.parametrize("name", ("star", "tree", "hierarchical-triangle"))
def test_a_table_with_savings_has_no_explanation(name: str, capsys: Output) -> None:
    assert rows(capsys, "--graph", name, "--n", "7")[-1][0] == "allocation"


@pytest.mark.parametrize("name", KINDS)
def test_only_branched_graphs_depend_on_the_number_of_branches(name: str) -> None:
    assert (graph(name, 12, 1) != graph(name, 12, 4)) == (name in BRANCHED)


def test_the_json_document_has_every_set(capsys: Output) -> None:
    found = document(capsys, "--graph", "star", "--n", "3")
    assert (found["graph"], found["processes"], found["links"]) == ("star", 3, 4)
    names = [entry["name"] for entry in found["clocks"]]
    assert names == ["FM", "allocation 1", "allocation 2", "allocation 3", "allocation 4", "allocation 5"]
    assert found["clocks"][1]["obs_sets"] is None
    assert found["clocks"][3]["clock_sets"] == [[1, 2], [1, 2], [1, 2]]
    assert found["clocks"][4]["gateways"] == [0]


@pytest.mark.parametrize(
    ("name", "links"),
    (
        ("star", 16),
        ("ring", 9),
        ("bidirectional-ring", 18),
        ("complete", 72),
        ("tree", 16),
        ("hierarchical-triangle", 3 * 12 - 6),
    ),
)
def test_a_named_graph_has_its_links(name: str, links: int) -> None:
    assert graph(name, 9, 3).links == links


@pytest.mark.parametrize("name", KINDS)
def test_every_named_graph_is_connected(name: str) -> None:
    made = graph(name, 23, 2)
    linked = nx.DiGraph([(p, q) for p, row in enumerate(made.adjacency) for q in row])
    assert len(linked) == 23
    assert nx.is_weakly_connected(linked)


def test_a_graph_from_a_file_keeps_the_directions_of_its_links(capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "gateway.graphml"
    nx.write_graphml(nx.DiGraph([("a", "d"), ("b", "d"), ("c", "d"), ("d", "e"), ("e", "d"), ("e", "e")]), file)
    found = document(capsys, "--graph", str(file))
    assert (found["graph"], found["links"]) == ("gateway.graphml", 5)
    assert found["clocks"][5]["clock_sets"] == [[], [1], [], [], [1]]


def test_an_undirected_graph_file_has_links_in_both_directions(capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "star.graphml"
    nx.write_graphml(nx.star_graph(5), file)
    read, named = document(capsys, "--graph", str(file)), document(capsys, "--graph", "star", "--n", "6")
    assert read["clocks"] == named["clocks"]


def test_a_stopped_search_is_reported_as_a_superset(capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "tangled.graphml"
    nx.write_graphml(nx.gnp_random_graph(9, 0.3, seed=3, directed=True), file)
    endings = [row[-1] for row in rows(capsys, "--graph", str(file), "--walks", "0")[3:]]
    assert endings == ["exact", "exact", "superset", "superset", "superset", "superset"]
    assert {row[-1] for row in rows(capsys, "--graph", str(file))[3:]} == {"exact"}


def test_a_file_without_links_needs_no_clocks(capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "alone.graphml"
    nx.write_graphml(nx.empty_graph(2), file)
    *_, fifth, _, output = rows(capsys, "--graph", str(file))
    assert output[:3] == ["Nothing", "to", "keep:"]
    assert fifth[2:] == ["0.0", "0", "0.0", "0", "0", "0.0%", "0.0", "-", "0", "0", "exact"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (("--n", "4"), "--n: it needs --graph"),
        (("--pairs", "1,2"), "--pairs: it needs --graph"),
        (("--graph", "star", "--pairs", "1"), "--pairs 1: write two processes with a comma, and '/' between pairs"),
        (("--graph", "star", "--pairs", "1,2/2,1"), "--pairs 1,2/2,1: names the pair 1,2 twice"),
        (("--graph", "star", "--pairs", "1,1"), "--pairs 1,1: a pair has two different processes, not twice 1"),
        (
            ("--graph", "star", "--pairs", "1,20"),
            "--pairs 1,20: there is no process 20; they are numbered",
        ),
        (("bloom", "--sets", "3"), "--sets: it needs --graph"),
        (("--set", "hosts=3"), "--set: it is for scenarios; name one"),
        (("lamport", "--replication", "1"), "--replication: it is for scenarios; name one"),
        (("--graph", "star", "--replication", "1"), "--replication: it is for scenarios; leave it out, or --graph"),
        (("quickstart", "--graph", "star"), "--graph star: a scenario has its own links; leave one of the two out"),
        (("plausble",), "plausble: there is no such clock or scenario; did you mean 'plausible'?"),
        (("no-such.yaml",), "no-such.yaml: no such file"),
        (("quickstart", "--set", "clocks=null"), "--set clocks=null: there are no clocks to compare; leave it out"),
        (("quickstart", "--replication", "7"), "--replication 7: the scenario has 3 replications; write 0 to 2"),
        (("quickstart", "--set", "clocks=bloon"), "--set clocks: there is no clock 'bloon'; did you mean 'bloom'?"),
        (("quickstart", "--set", "oracle=false"), "clocks: all: the oracle checks the clocks; write 'oracle: true'"),
        (("--graph", "sta"), "--graph sta: there is no such graph or file; did you mean 'star'?"),
        (("--graph", "cube"), "--graph cube: there is no such graph or file; there are star, ring,"),
        (("--graph", "no.graphml"), "--graph: cannot read no.graphml: No such file or directory"),
        (("--graph", "star", "--n", "1"), "--n 1: a network has at least 2 processes"),
        (("--graph", "tree", "--branching", "0"), "--branching 0: expected at least 1"),
        (("--graph", "complete", "--n", "5000"), "--n 5000: expected at most 1,000"),
        (
            ("--graph", "complete", "--n", "300"),
            "--graph complete: 300 processes may have at most 66,666 links, not 89,700",
        ),
        (
            ("--graph", "star", "--branching", "5"),
            "--branching 5: without effect on star; it is for hierarchical-triangle and tree",
        ),
        (
            ("--graph", "star", "--sets", "3", "--json"),
            "--sets 3: --json has the sets of every allocation; leave one of the two out",
        ),
        (("--graph", "star", "--kept", "-1"), "--kept -1: expected 0 or more"),
        (("--graph", "star", "--walks", "-1"), "--walks -1: expected 0 or more"),
    ),
)
def test_bad_input_causes_one_error_line(arguments: tuple[str, ...], complaint: str, capsys: Output) -> None:
    assert main(["clocks", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"mobilesim: {complaint}")
    assert err.count("\n") == 1


def test_the_number_of_processes_is_refused_together_with_a_graph_file(capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "star.graphml"
    nx.write_graphml(nx.star_graph(5), file)
    assert main(["clocks", "--graph", str(file), "--n", "6"]) == 2
    assert capsys.readouterr().err == (
        "mobilesim: --n 6: star.graphml has 6 processes, one for each node; leave --n out\n"
    )


@pytest.mark.full
def test_a_file_with_too_many_nodes_causes_one_error_line(capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "large.graphml"
    nx.write_graphml(nx.empty_graph(1_001), file)
    assert main(["clocks", "--graph", str(file)]) == 2
    assert capsys.readouterr().err.endswith(": expected at most 1,000 processes, not 1,001\n")


def test_a_terminal_shows_progress_and_removes_it(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["clocks", "--graph", "star"]) == 0
    shown = capsys.readouterr().err.split("\r")
    assert shown[-2:] == ["\x1b[Kallocation 5 is done", "\x1b[K"]


@pytest.mark.parametrize("text", ("", "<graphml", "<svg/>"))
def test_a_file_that_is_not_a_graph_causes_one_error_line(text: str, capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "bad.graphml"
    file.write_text(text)
    assert main(["clocks", "--graph", str(file)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_list_has_a_row_for_every_clock(capsys: Output) -> None:
    assert main(["clocks"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["name", "integers"]
    assert [line.split("  ")[0] for line in lines] == list(CLOCKS)
    assert main(["clocks", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in entries] == list(CLOCKS)
    assert entries[-1]["wrong_answers"] == "concurrent messages as ordered"


@pytest.mark.parametrize("name", CLOCKS)
def test_a_clock_is_described_with_the_lines_that_select_it_in_a_scenario(name: str, capsys: Output) -> None:
    assert main(["clocks", name]) == 0
    *_, title, line = capsys.readouterr().out.splitlines()
    assert title == "in a scenario"
    (choice,) = loads(line).clocks.names  # type: ignore[union-attr]
    assert choice == clock_choice(name)
    assert main(["clocks", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == name


SCENARIO = """\
network: static
hosts: 6
messages: 300
protocols: [rst, resident+unordered]
links: {service: independent}
workload: {interval: exponential 1 s}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "six.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    return str(path)


def test_all_clocks_are_compared_on_the_runs_of_a_scenario(scenario: str, capsys: Output) -> None:
    assert main(["clocks", scenario, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [run["protocol"] for run in found["runs"]] == ["rst", "resident+unordered"]
    for run in found["runs"]:
        assert [row["clock"] for row in run["clocks"]] == list(CLOCKS)
        assert len({(row["copies"], row["compared"]) for row in run["clocks"]}) == 1
    assert main(["clocks", scenario]) == 0
    lines = capsys.readouterr().out.splitlines()
    claims = [line.split("  ")[-1] for line in lines if line.split("  ")[0] in CLOCKS]
    assert claims == 2 * [
        "inexact" if row.errors is not Errors.NONE else "exact" if row.arrivals == "any" else f"exact if {row.arrivals}"
        for row in CLOCKS.values()
    ]
    assert lines[4].split() == ["clock", "message", "largest", "of", "FM", *HEAD_OF_ANSWERS]


HEAD_OF_ANSWERS = ["process", "wrong", "missed", "reversed", "spurious", "claim"]


def test_the_compared_clocks_are_those_that_are_named(scenario: str, capsys: Output) -> None:
    clocks = "clocks=[lamport, {clock: plausible, entries: 6}, {clock: differential, answers: carried}]"
    assert main(["clocks", scenario, "--set", clocks, "--set", "protocols=rst", "--set", "replications=2"]) == 0
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()[5:]]
    assert [(row[0], row[-1]) for row in rows] == [
        ("differential answers=carried", "inexact"),
        ("plausible entries=6", "inexact"),
        ("lamport", "inexact"),
    ]


def test_a_comparison_has_the_numbers_of_a_run(scenario: str, capsys: Output, tmp_path: Path) -> None:
    run = ("run", scenario, "--no-summary", "--json", "--out", str(tmp_path / "results"), "--set", "clocks=all")
    assert main([*run]) == 0
    rows = [each["clocks"] for each in json.loads(capsys.readouterr().out)["runs"]]
    assert main(["clocks", scenario, "--json"]) == 0
    assert [each["clocks"] for each in json.loads(capsys.readouterr().out)["runs"]] == rows


def test_clocks_without_messages_have_no_shares(scenario: str, capsys: Output) -> None:
    assert main(["clocks", scenario, "--set", "messages=1", "--set", "clocks=lamport", "--set", "protocols=rst"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[:6] == ["lamport", "1.0", "1", "16.7%", "1.0", "-"]


def test_for_a_pair_of_processes_only_those_between_them_keep_clocks(capsys: Output) -> None:
    found = document(capsys, "--graph", "star", "--n", "6", "--pairs", "1,2/0,3")
    sets = {entry["name"]: entry["clock_sets"] for entry in found["clocks"]}
    assert sets["allocation 3"] == sets["allocation 5"] == [[0, 1, 2, 3], [1, 2], [1, 2], [0, 3], [], []]
    *_, last = rows(capsys, "--graph", "ring", "--n", "3", "--pairs", "0,1")
    assert last[0] == "allocation"


def test_without_a_path_between_a_pair_the_reason_is_printed(capsys: Output, tmp_path: Path) -> None:
    file = tmp_path / "apart.graphml"
    nx.write_graphml(nx.DiGraph([("a", "b"), ("a", "c")]), file)
    assert " ".join(rows(capsys, "--graph", str(file), "--pairs", "1,2")[-1]) == (
        "Nothing to keep: no path leads from one process of a pair to the other one."
    )


def test_events_of_two_hosts_are_compared_in_the_runs_of_a_scenario(scenario: str, capsys: Output) -> None:
    pairs = "clocks={names: [FM, {clock: FM, determination: 2}, allocation 5], pairs: [[0, 5]]}"
    assert main(["clocks", scenario, "--set", pairs, "--set", "protocols=rst"]) == 0
    head, _, *rows = capsys.readouterr().out.splitlines()[2:]
    assert head.endswith("pairs of events of two hosts")
    assert [row.split("  ")[0] for row in rows[1:]] == ["FM", "FM determination=2", "allocation 5"]
    assert {row.split("  ")[-1] for row in rows[1:]} == {"exact"}


@pytest.mark.parametrize(
    ("name", "hint"), (("HLC", "'hybrid'"), ("interval tree", "'interval-tree'"), ("Lamport", "'lamport'"))
)
def test_a_name_from_the_title_of_a_clock_gets_a_hint(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clocks", name]) == 2
    assert f"{name}: there is no such clock or scenario; did you mean {hint}?" in capsys.readouterr().err
