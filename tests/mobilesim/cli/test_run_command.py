"""`mobilesim run`: its output, files and exit status; `tests/mobilesim/simulation` has the shipped scenarios."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import OrderingRow
from mobilesim.protocols.placements.proxy import ProxyStation
from mobilesim.results.schema import TABLES
from mobilesim.scenario.loader import load
from tests.support.subprocesses import run_command, verified_runs

Command = Callable[..., tuple[int, str, str]]

SMALL: Final = """\
hosts: 6
cells: 4
duration: 2 s
protocols: [av1, fifo]
backbone: {jitter: exponential 40 ms}
workload: {interval: exponential 20 ms}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run without a summary in a folder with `small.yaml`; return exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")

    def run(*arguments: str, scenario: str = "small.yaml") -> tuple[int, str, str]:
        code = main(["run", scenario, "--no-summary", *arguments])
        run_command = capsys.readouterr()
        return code, run_command.out, run_command.err

    return run


def ids(results: Path) -> list[str]:
    return sorted(path.stem for path in (results / "runs").iterdir())


@pytest.mark.full
@pytest.mark.parametrize("name", ("stress/ping-pong", "stress/long-disconnection"))
def test_some_disconnected_hosts_return_to_their_cells(name: str, run: Command, tmp_path: Path) -> None:
    assert run("--set", "duration=20 s", "--protocol", "av1", "--out", "r", scenario=name)[0] == 0
    (path,) = (tmp_path / "r" / "disconnections").iterdir()
    rows = pq.ParquetFile(path).read().to_pylist()
    stayed = [row for row in rows if row["from_station"] == row["to_station"]]
    assert 0 < len(stayed) < len(rows)


def test_a_run_reports_the_oracles_verdict_and_the_place_of_the_tables(run: Command, tmp_path: Path) -> None:
    code, out, err = run()
    assert code == 0
    head, av1, fifo, tables = out.splitlines()
    assert head == "small: 6 hosts, seed 1"
    assert av1.startswith("  av1 ")
    assert av1.endswith(": no fault")
    assert fifo.startswith("  fifo ")
    assert fifo.endswith(" before a causal predecessor (claims no causal order)")
    assert tables == "tables: results/small"
    assert [line.partition(":")[0] for line in err.splitlines()] == ["[1/2] av1", "[2/2] fifo"]
    assert verified_runs(tmp_path / "results" / "small") == 2


@pytest.mark.parametrize("written", (("av3,k=3,fifo",), ("av3 k=3, fifo",), ("av3", "k=3", ",", "fifo")))
def test_a_list_of_protocols_may_have_commas(written: tuple[str, ...], run: Command, tmp_path: Path) -> None:
    run("--protocol", "av3", "k=3", "fifo")
    before = ids(tmp_path / "results" / "small")
    assert run("--protocol", *written)[0] == 0
    assert len(before) == 2
    assert ids(tmp_path / "results" / "small") == before


@pytest.mark.full
def test_a_short_form_reports_what_it_omits(run: Command) -> None:
    short = "  --quick: at most 5 s and 1,000 messages"
    assert run("--quick", "--protocol", "fifo")[1].splitlines()[1] == short
    assert short not in run("--protocol", "fifo")[1]
    window = ("--set", "warm_up.deliveries=10", "--set", "deliveries=20")
    _, out, _ = run("--quick", "--protocol", "rst", *window, scenario="static/overtaking")
    assert out.splitlines()[1] == "  --quick: at most 1,000 messages, without the scenario's warm_up and deliveries"


def test_a_short_form_does_not_replace_full_results(run: Command, tmp_path: Path) -> None:
    run("--protocol", "fifo")
    before = ids(tmp_path / "results" / "small")
    _, out, err = run("--protocol", "av1", "--quick")
    assert out.endswith("tables: results/small-quick\n")
    assert "is called" not in err
    assert ids(tmp_path / "results" / "small") == before
    assert verified_runs(tmp_path / "results" / "small-quick") == 1


def test_a_run_that_ends_in_its_warm_up_reports_that_nothing_was_measured(run: Command) -> None:
    never = ("--set", "warm_up.deliveries=100", "--set", "duration=1 s", "--set", "messages=null", "--no-summary")
    status, out, _ = run("--protocol", "rst", *never, scenario="static/overtaking")
    assert status == 0
    assert "none in the measurement window: no fault" in out


def test_a_run_without_messages_reports_that_nothing_was_checked(run: Command) -> None:
    status, out, _ = run("--set", "duration=1 us")
    assert status == 0
    why = "no message was sent, so nothing was checked; lengthen `duration`"
    assert out.splitlines()[1].startswith(f"  av1   0 deliveries of 0 messages: {why}")
    assert "no fault" not in out


def test_too_many_links_for_clocks_are_refused_and_earlier_results_kept(run: Command, tmp_path: Path) -> None:
    assert run("--quick", "--protocol", "fifo", "--out", "r")[0] == 0
    crowd = ("--set", "hosts=300", "--set", "clocks=all")
    many = ("--set", "groups={rule: random, number: 1, size: 300}")
    assert run("--quick", "--protocol", "rst", *crowd, *many, "--out", "r", scenario="static/overlapping-groups") == (
        2,
        "",
        "mobilesim: clocks: 300 processes may have at most 66,666 links, not 89,700\n",
    )
    assert verified_runs(tmp_path / "r") == 1


def test_the_row_of_a_run_has_its_protocol_index_and_judged_deliveries(run: Command, tmp_path: Path) -> None:
    small = ("--set", "hosts=7", "--set", "warm_up.deliveries=10", "--set", "deliveries=20", "--set", "replications=1")
    assert run("--protocol", "rst", "resident+fifo", *small, "--out", "r", scenario="static/causal-barriers")[0] == 0
    rows = [pq.ParquetFile(path).read().to_pylist()[0] for path in (tmp_path / "r" / "runs").iterdir()]
    assert {row["protocol"]: row["protocol_index"] for row in rows} == {"rst": 0, "resident+fifo": 1}
    assert all(row["deliveries"] == 20 and row["judged"] >= 30 for row in rows)


@pytest.mark.full
def test_results_contain_the_scenario_with_all_overrides(run: Command, tmp_path: Path) -> None:
    arguments = (
        "--set",
        "hosts=7",
        "--seed",
        "9",
        "--replications",
        "2",
        "--protocol",
        "rst",
        "resident+fifo",
        "--quick",
    )
    assert run(*arguments, "--out", "once")[0] == 0
    assert run("--out", "again", scenario="once/scenario.yaml")[0] == 0
    assert ids(tmp_path / "again") == ids(tmp_path / "once")
    for name in ids(tmp_path / "once"):
        first, second = (tmp_path / out / "deliveries" / f"{name}.parquet" for out in ("once", "again"))
        assert first.read_bytes() == second.read_bytes()
    scenario = load(tmp_path / "once" / "scenario.yaml")
    assert (scenario.name, scenario.hosts, scenario.seed, scenario.messages) == ("small", 7, 9, 1000)


def test_the_stored_scenario_can_run_again_into_its_results_directory(run: Command, tmp_path: Path) -> None:
    run()
    before = ids(tmp_path / "results" / "small")
    assert run(scenario="results/small/scenario.yaml")[0] == 0
    assert ids(tmp_path / "results" / "small") == before


@pytest.mark.full
def test_results_contain_the_graph_file_of_the_scenario(run: Command, tmp_path: Path) -> None:
    import networkx as nx

    nx.write_graphml(nx.cycle_graph(4), tmp_path / "town.graphml")
    graph = ("--set", "cells={shape: graph, file: town.graphml}", "--set", "backbone.topology=graphml")
    assert run(*graph, "--set", "backbone.file=town.graphml")[0] == 0
    (tmp_path / "town.graphml").unlink()
    before = ids(tmp_path / "results" / "small")
    assert run(scenario="results/small/scenario.yaml")[0] == 0
    assert ids(tmp_path / "results" / "small") == before


@pytest.mark.full
def test_the_same_scenario_under_another_seed_is_another_run(run: Command, tmp_path: Path) -> None:
    run("--out", "one")
    run("--out", "other", "--seed", "2")
    assert set(ids(tmp_path / "one")).isdisjoint(ids(tmp_path / "other"))


def test_results_named_differently_from_their_file_are_reported(run: Command) -> None:
    _, out, err = run("--protocol", "fifo", "--set", "name=large")
    assert err.splitlines()[0] == "small.yaml has the name 'large': its results are in results/large"
    assert out.endswith("tables: results/large\n")
    assert "has the name" not in run("--protocol", "fifo", "--set", "name=large", "--out", "r")[2]


@pytest.mark.full
@pytest.mark.parametrize("arguments", (("av3 k=3", "av1"), ("av3", "k=3", "av1")))
def test_the_label_of_a_protocol_is_accepted_as_an_entry(arguments: tuple[str, ...], run: Command) -> None:
    code, out, _ = run("--protocol", *arguments)
    assert code == 0
    assert [line.split("  ")[1] for line in out.splitlines()[1:3]] == ["av3 k=3", "av1"]


def test_a_scenario_name_cannot_lead_outside_the_results(run: Command, tmp_path: Path) -> None:
    code, out, _ = run("--set", "name=../../elsewhere/x", "--protocol", "fifo")
    assert code == 0
    assert out.endswith("tables: results/elsewhere-x\n")
    assert {path.name for path in tmp_path.iterdir()} == {"small.yaml", "results"}


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (("--seed", "x"), "--seed: 'x' is not a whole number"),
        (("--seed", "-1"), "--seed: -1 is too little; write 0 or more"),
        (("--seed", "1.5"), "--seed: 1.5 is not a whole number"),
        (("--replications", "0"), "--replications: 0 is too little; write 1 or more"),
        (("--replications", "many"), "--replications: 'many' is not a whole number"),
        (("--set", "nonsense"), "--set nonsense: write KEY=VALUE, like --set hosts=100"),
        (("--set", "=5"), "--set =5: write KEY=VALUE, like --set hosts=100"),
        (("--set", "hosts=5", "--set", " hosts=6"), "--set hosts: this key occurs twice; leave one of the two out"),
        (("--set", "host=5"), "--set host: unknown key; did you mean 'hosts'? "),
        (("--set", "hosts=-5"), "--set hosts: -5 is too little; write 1 or more"),
        (("--set", "seed=x"), "--set seed: 'x' is not a whole number"),
        (("--protocol", "nosuch"), "--protocol: there is no protocol 'nosuch' "),
        (("--protocol", "av1,nosuch"), "--protocol: there is no protocol 'nosuch' "),
        (
            ("--set", "protocols=av1,fifo"),
            "--set protocols[0]: 'av1,fifo' is several protocols; write a list, [av1, fifo]",
        ),
        (("--protocol", "av1", "ava1"), "--protocol: there is no protocol 'ava1'; did you mean 'av1'? "),
        (("--protocol", "av1", "av1"), "--protocol: 'av1' occurs twice"),
        (("--protocol", "proxy+nosuch"), "--protocol: proxy+nosuch: there is no ordering 'nosuch'; there are "),
        (("--protocol", "flod+rst"), "--protocol: flod+rst: there is no placement 'flod'; did you mean 'flood'?"),
        (("--protocol", "ab+rst"), "--protocol: ab+rst: 'ab' is flood+unordered; did you mean 'flood+rst'?"),
        (("--protocol", "k=3"), "--protocol: there is no protocol 'k=3' "),
        (("--protocol", "av3 k=99"), "--protocol: k: 99 is not a whole number in 1..64"),
        (("--protocol", "av3", "k=3", "av3 k=3"), "--protocol: 'av3 k=3' occurs twice"),
        (("--protocol", "]"), "--protocol: not valid YAML: "),
        (("--seed", "3", "--set", "seed=4"), "--seed: --set seed is written, too; leave one of the two out"),
        (("--no-report",), "--no-report: --no-summary writes neither summary nor report; leave one"),
        (("--master", "local[2]"), "--master: --no-summary writes neither summary nor report; leave one"),
        (("--out", "."), ".: holds small.yaml, which mobilesim did not write; name another directory with --out"),
        (("--out", "small.yaml"), "small.yaml: not a directory; name another one with --out"),
    ),
)
def test_an_unrunnable_scenario_causes_one_error_line(
    arguments: tuple[str, ...], complaint: str, run: Command, tmp_path: Path
) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"mobilesim: {complaint}")
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["small.yaml"]


def test_a_missing_scenario_causes_one_error_line(run: Command) -> None:
    code, out, err = run(scenario="quickstrat")
    assert (code, out) == (2, "")
    assert err.startswith("mobilesim: quickstrat: no such file, ")
    assert err.count("\n") == 1


@pytest.mark.full
def test_an_impossible_world_keeps_earlier_results(run: Command, tmp_path: Path) -> None:
    run()
    before = ids(tmp_path / "results" / "small")
    (tmp_path / "bad.graphml").write_text("<graphml>", encoding="utf-8")
    code, _, err = run("--set", "cells={shape: graph, file: bad.graphml}")
    assert code == 2
    assert err.startswith("mobilesim: cells.file: bad.graphml is not GraphML: ")
    assert ids(tmp_path / "results" / "small") == before


def test_a_scenario_in_the_results_directory_is_not_removed(run: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    own = tmp_path / "mine" / "scenario.yaml"
    own.write_text(SMALL, encoding="utf-8")
    code, _, err = run("--out", "mine", scenario="mine/scenario.yaml")
    assert code == 2
    assert err == (
        "mobilesim: mine: holds scenario.yaml, which mobilesim did not write; name another directory with --out\n"
    )
    assert own.read_text(encoding="utf-8") == SMALL


def add_ordering(monkeypatch: pytest.MonkeyPatch, name: str, module: str, symbol: str) -> None:
    row = OrderingRow(name, "-", "-", "0", module=module, symbol=symbol)
    monkeypatch.setattr(catalogue, "ORDERINGS", {**catalogue.ORDERINGS, name: row})


def test_a_violated_claim_exits_with_1(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    add_ordering(monkeypatch, "overclaiming", "mobilesim.protocols.orderings.unordered", "Unordered")
    code, out, _ = run("--protocol", "proxy+overclaiming")
    assert code == 1
    assert "  proxy+overclaiming  FAULT: " in out
    assert " before a causal predecessor, " in out


@pytest.mark.full
def test_a_failing_protocol_causes_one_error_line_and_the_other_protocols_run(
    run: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add_ordering(monkeypatch, "broken", "tests.support.broken_ordering", "Broken")
    code, out, err = run("--protocol", "proxy+broken", "fifo")
    assert code == 1
    assert "  proxy+broken  FAULT: the third delivery cannot happen; 2 deliveries of " in out
    assert err.splitlines()[0].startswith("[1/2] proxy+broken: failed, ")
    assert verified_runs(tmp_path / "results" / "small") == 2
    rows = [pq.ParquetFile(path).read().to_pylist()[0] for path in (tmp_path / "results" / "small" / "runs").iterdir()]
    assert {(row["protocol"], row["status"], row["verdict"]) for row in rows} == {
        ("proxy+broken", "failed", "fault"),
        ("fifo", "complete", "ok"),
    }


@pytest.mark.interpreted
def test_an_exception_of_a_station_causes_one_error_line_and_exits_with_1(
    run: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(self: object, *_: object) -> None:
        raise ValueError(f"{type(self).__name__}:\nno such host")

    monkeypatch.setattr(ProxyStation, "receive", fail)
    code, out, err = run("--protocol", "av1")
    assert code == 1
    assert out.splitlines()[1].startswith("  av1  FAULT: ValueError: ProxyStation: no such host (")
    assert ", in fail); " in out.splitlines()[1]
    assert (len(out.splitlines()), len(err.splitlines())) == (3, 1)
    assert verified_runs(tmp_path / "results" / "small") == 1


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("switch", ("trace", "oracle"))
def test_without_trace_or_oracle_there_is_no_summary(switch: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "small.yaml", "--set", f"{switch}=false"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("no summary: it needs the trace and the oracle, and the scenario turns one of them off\n")
    assert ("not judged" in out) == (switch == "oracle")


@pytest.mark.full
def test_measured_processing_is_reported_as_irreproducible(run: Command) -> None:
    _, out, _ = run("--set", "processing.model=measured", "--protocol", "fifo")
    assert "the same seed gives other tables" in out
    document = json.loads(run("--set", "processing.model=measured", "--protocol", "fifo", "--json")[1])
    assert document["reproducible"] is False


def test_json_output_is_exactly_one_document(run: Command, tmp_path: Path) -> None:
    code, out, err = run("--json")
    assert (code, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    assert {key: document[key] for key in ("scenario", "seed", "reproducible", "results", "summary")} == {
        "scenario": "small",
        "seed": 1,
        "reproducible": True,
        "results": "results/small",
        "summary": None,
    }
    assert sorted(run["run_id"] for run in document["runs"]) == ids(tmp_path / "results" / "small")
    av1, fifo = document["runs"]
    assert (av1["protocol"], av1["status"], av1["verdict"], av1["causal_violations"]) == ("av1", "complete", "ok", 0)
    assert fifo["causal_violations"] > 0
    assert document["hash"] == load(tmp_path / "results" / "small" / "scenario.yaml").hash


@pytest.mark.full
@pytest.mark.usefixtures("run")
def test_a_wrong_master_is_refused_before_the_runs(tmp_path: Path) -> None:
    code, out, err = run_command(tmp_path, "run", "small.yaml", "--json", "--master", "nowhere")
    assert (code, out) == (2, "")
    assert err.startswith("mobilesim: --master nowhere: not a Spark master; ")
    assert not (tmp_path / "results").exists()


@pytest.mark.full
def test_several_processes_write_the_same_tables_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mobilesim.experiments.executors.SECONDS_ALONE", 0.0)
    words = ("run", "quickstart", "--quick", "--replications", "2", "--no-summary", "--out")
    for workers in ("1", "3"):
        assert main([*words, str(tmp_path / workers), "--workers", workers]) == 0
    one, three = (
        {path.relative_to(tmp_path / workers): path for path in (tmp_path / workers).rglob("*.parquet")}
        for workers in ("1", "3")
    )
    assert one.keys() == three.keys()
    assert len(one) == 8 * len(TABLES)
    differing = {name.parts[0] for name in one if one[name].read_bytes() != three[name].read_bytes()}
    assert differing == {"runs"}  # this table has wall-clock times
