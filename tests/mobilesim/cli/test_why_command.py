"""`mobilesim why`: its text and its JSON document, for runs and sweeps, in local directories and in an object store."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

import mobilesim as ms
from mobilesim.api.progress import Progress
from mobilesim.cli.main import main
from mobilesim.experiments.executors import in_process
from mobilesim.experiments.sweep.engine import run_missing
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.sweeps import compaction
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.s3_server import store

Captured = pytest.CaptureFixture[str]

SMALL: Final = {"hosts": 4, "cells": 4, "messages": 40, "protocols": ["av1", "av2"], "replications": 2}
SWEEP: Final = """\
scenario: {hosts: 5, cells: 4, messages: 40}
vary: {hosts: [4, 6], workload.interval: [1 s, 2 s]}
protocols: [av1, fifo]
replications: 2
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("runs") / "r"
    ms.run(SMALL, out=directory)
    return directory


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a sweep with runs that share files."""
    directory, plan = tmp_path_factory.mktemp("sweep") / "r", make_plan(loads(SWEEP))
    with open_sweep(directory, plan.resolved_text, plan.all_runs()) as opened:
        run_missing(plan, opened, in_process, stop=lambda: False, display=Progress(quiet=True))
    with pytest.MonkeyPatch.context() as patch, open_sweep(directory, plan.resolved_text, plan.all_runs()) as opened:
        patch.setattr(compaction, "FEWEST_TO_PACK", 2)
        for job in opened.packs_to_build(plan.all_runs()):
            assert compaction.pack_runs(job) is not None
    return directory


def error(words: list[str], capsys: Captured) -> str:
    assert main(["why", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.removeprefix("mobilesim: ").removesuffix("\n")


def test_a_message_is_explained_in_indented_lines_that_add_up(results: Path, capsys: Captured) -> None:
    row = ms.open(results).deliveries.arrow().slice(3, 1).to_pylist()[0]
    words = ["--protocol", row["protocol"], "--replication", str(row["replication"])]
    question = ["--message", f"m{row['message']}", "--to", f"h{row['destination']}"]
    assert main(["why", str(results), *words, *question]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    delay = f"{row['delay'] / 1e6:,.1f} ms"
    assert head.startswith(f"m{row['message']} from h{row['source']} to h{row['destination']}: {delay} (median of av")
    outer = [line for line in lines if re.match(r" {2,12}[\d.,]+ ms  ", line)]
    assert outer == lines
    assert main(["why", str(results), *words, *question, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["message"], document["delay"]) == (row["message"], row["delay"])
    assert sum(cause["length"] for cause in document["causes"]) == row["delay"]


def test_the_command_and_the_python_api_give_the_same_answers(results: Path, capsys: Captured) -> None:
    opened = ms.open(results)
    found = opened.latest(3, protocol="av2", replication=1)
    assert main(["why", str(results), "--protocol", "av2", "--replication", "1", "--latest", "3"]) == 0
    assert capsys.readouterr().out == f"{found}\n"
    assert main(["why", str(results), "--protocol", "av2", "--replication", "1", "--latest", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.document()
    first = found[0]
    assert str(opened.why(first.message, first.destination, protocol="av2", replication=1)) == str(first)
    assert found[:2] == found.items[:2]
    assert str(first) in str(found)


def test_a_notebook_shows_explanations_as_text(results: Path) -> None:
    found = ms.open(results).latest(2, protocol="av1")
    assert found._repr_html_().startswith("<pre>the latest 2 of ")
    assert found[0]._repr_html_() == f"<pre>{found[0]}</pre>"


def test_wrong_choices_are_answered_with_what_exists(results: Path, capsys: Captured) -> None:
    where = str(results)
    assert error([where, "--latest", "1"], capsys) == "--protocol: name one of the protocols av1, av2"
    assert error([where, "--protocol", "av3", "--latest", "1"], capsys).startswith("--protocol av3: no such run; did")
    chosen = [where, "--protocol", "av1"]
    wrong = error([*chosen, "--replication", "7", "--latest", "1"], capsys)
    assert wrong == "--replication 7: no such run; there are 0, 1"
    wrong = error([*chosen, "--message", "99", "--to", "1"], capsys)
    assert wrong == "message 99: no such message; there are 0 to 39"
    assert re.fullmatch(
        r"host 99: message 0 was sent to \d, and not to this host",
        error([*chosen, "--message", "0", "--to", "99"], capsys),
    )
    assert error([*chosen, "--message", "x", "--to", "1"], capsys) == "--message x: expected a number, like 16 or m16"
    assert error([*chosen, "--latest", "0"], capsys) == "latest 0: expected 1 or more deliveries"
    assert error(chosen, capsys).startswith("name either a message (--message M --to H) or a number")
    assert error([*chosen, "--message", "1", "--latest", "1"], capsys).startswith("name either a message")
    assert error([*chosen, "--to", "1", "--latest", "1"], capsys).startswith("--to: it belongs to --message")
    wrong = error([*chosen, "--latest", "1", "--point", "hosts=4"], capsys)
    assert wrong == f"--point: {where} has the results of a run; only a sweep has points"


def test_python_calls_are_answered_with_parameters(results: Path) -> None:
    with pytest.raises(ms.UserError, match=r"^`protocol`: name one of the protocols av1, av2$"):
        ms.open(results).latest()
    with pytest.raises(ms.UserError, match=r"^replication=5: no such run; there are 0, 1$"):
        ms.open(results).why(0, protocol="av1", replication=5)


def test_a_message_with_one_destination_needs_no_host(results: Path) -> None:
    opened = ms.open(results)
    row = opened.messages.arrow().slice(0, 1).to_pylist()[0]
    (host,) = row["destinations"]
    assert str(opened.why(0, protocol="av1")) == str(opened.why(0, host, protocol="av1"))


def test_a_message_with_several_destinations_needs_a_host(tmp_path: Path, capsys: Captured) -> None:
    several = {"workload.kind": "multicast", "workload.destinations": 2}
    ms.run({"hosts": 4, "cells": 4, "messages": 5}, several, protocols=["av1"], replications=1, out=tmp_path / "r")
    wrong = error([str(tmp_path / "r"), "--message", "0"], capsys)
    assert re.fullmatch(r"message 0: its destinations are the hosts \d, \d; name one of them", wrong)


def test_runs_without_deliveries_and_missing_directories_get_one_line(tmp_path: Path, capsys: Captured) -> None:
    words = ["--set", "messages=20", "--set", "trace=false", "--no-summary", "--out", str(tmp_path / "r")]
    assert main(["run", "quickstart", "--protocol", "av1", "--replications", "1", *words]) == 0
    capsys.readouterr()
    assert error([str(tmp_path / "r"), "--latest", "1"], capsys).endswith(
        "the scenario was run without its trace or its oracle"
    )
    assert error([str(tmp_path / "none"), "--latest", "1"], capsys) == f"{tmp_path / 'none'}: no such directory"


def test_a_point_of_a_sweep_is_chosen_by_its_keys(swept: Path, capsys: Captured) -> None:
    assert all(path.name.startswith("pack-") for path in (swept / "deliveries").iterdir())
    where = [str(swept), "--protocol", "av1", "--latest", "2"]
    assert error(where, capsys) == (
        f"--point: {swept} is a sweep, so name one of its points hosts=4 workload.interval=1 s, hosts=4 "
        "workload.interval=2 s, hosts=6 workload.interval=1 s, hosts=6 workload.interval=2 s"
    )
    assert "name one of its points hosts=4 workload.interval=1 s, hosts=4" in error(
        [*where, "--point", "hosts=4"], capsys
    )
    assert error([*where, "--point", "hosts=5"], capsys).startswith("--point: no such point; there are hosts=4 ")
    assert error([*where, "--point", "cells=5"], capsys).startswith("--point: 'cells' is not varied; there are hosts")
    point = ["--point", "hosts=6", "--point", "workload.interval=2 s"]
    assert main(["why", *where, *point]) == 0
    found = ms.open(swept).latest(2, protocol="av1", point={"hosts": 6, "workload.interval": "2 s"})
    assert capsys.readouterr().out == f"{found}\n"
    assert found.deliveries == 40


@pytest.mark.full
def test_results_in_an_object_store_are_explained(results: Path, capsys: Captured) -> None:
    words = ["--protocol", "av1", "--latest", "2"]
    assert main(["why", str(results), *words]) == 0
    here = capsys.readouterr().out
    with store() as objects:
        for path in results.rglob("*"):
            if path.is_file():
                objects.kept[f"r/{path.relative_to(results)}"] = path.read_bytes()
        assert main(["why", objects.uri("r"), *words]) == 0
    assert capsys.readouterr().out == here


def test_a_damaged_table_is_reported_in_one_line(tmp_path: Path, capsys: Captured) -> None:
    ms.run(SMALL, out=tmp_path / "r")
    for path in (tmp_path / "r" / "deliveries").iterdir():
        content = path.read_bytes()
        path.write_bytes(content[:4] + bytes(byte ^ 255 for byte in content[4:400]) + content[400:])
    message = error([str(tmp_path / "r"), "--protocol", "av1", "--latest", "1"], capsys)
    assert message.startswith(str(tmp_path / "r" / "deliveries"))
