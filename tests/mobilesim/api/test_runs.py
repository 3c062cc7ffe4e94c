"""Runs from Python: their results are those of the command line."""

import doctest
import gc
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mobilesim as ms
from mobilesim.cli.main import main
from mobilesim.results.schema import TABLES
from tests.house.tree import ROOT

MODULES: Final = ("experiments", "exploring", "figures", "results", "scenarios", "table")
HEAVY: Final = (
    *("duckdb", "numpy", "pandas", "plotly", "polars", "pyarrow", "pydantic", "pyspark", "yaml"),
    "mobilesim.extensions.resolution",  # it reads the metadata of installed packages
)
FIGURES: Final = (
    *("delay", "distribution", "tail", "handoff_times", "handoff_stages"),
    *("wired", "wireless", "energy", "unnecessary_delay"),
)
SMALL: Final = {"hosts": 4, "cells": 4, "messages": 40, "protocols": ["av1", "fifo"], "replications": 2}
ANOTHER: Final = "name another directory with `out`"


@pytest.fixture(scope="module")
def results() -> ms.RunResults:
    return ms.run(SMALL)


def test_importing_the_package_loads_no_library() -> None:
    program = f"import sys, mobilesim; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.full
def test_a_run_loads_neither_spark_nor_plotly_nor_a_frame_library() -> None:
    unwanted = ("duckdb", "plotly", "polars", "pyspark")  # pyarrow loads pandas if it is installed
    program = (
        f"import sys, mobilesim as ms; results = ms.run({SMALL}); print(results.verdicts['av1']);"
        f"print([name for name in {unwanted} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "correct\n[]\n"


def test_every_exported_name_exists_and_is_documented() -> None:
    assert set(ms.__all__) <= set(dir(ms))
    for name in set(ms.__all__) - {"__version__"}:
        found = getattr(ms, name)
        if found.__module__.startswith("mobilesim.scenario."):
            assert all(field.description for key, field in found.model_fields.items() if key != "model")
        else:
            assert found.__doc__, name
    with pytest.raises(AttributeError, match="'mobilesim' has no attribute 'rum'"):
        ms.rum  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.full
@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_give_the_shown_output(module: str) -> None:
    found = doctest.testmod(import_module(f"mobilesim.api.{module}"))
    assert found.attempted > 0 or module == "figures"
    assert found.failed == 0


def test_a_run_has_the_tables_of_the_command_line(
    results: ms.RunResults, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--set", "messages=40", "--set", "hosts=4", "--set", "cells=4", "--protocol", "av1", "fifo")
    (tmp_path / "scenario.yaml").write_text("messages: 40")
    command = ("run", str(tmp_path / "scenario.yaml"), *words, "--replications", "2", "--no-summary")
    assert main([*command, "--out", str(tmp_path / "r")]) == 0
    for name in set(TABLES) - {"runs"}:
        files = sorted((tmp_path / "r" / name).iterdir())
        assert (
            getattr(results, name)
            .arrow()
            .equals(pa.concat_tables(pq.read_table(path) for path in files).unify_dictionaries())
        )
    assert "FAULT" not in capsys.readouterr().out


def test_a_summary_has_the_numbers_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "kept"
    again = ms.run(SMALL, quick=True, out=out)
    capsys.readouterr()
    assert main(["run", str(out / "scenario.yaml"), "--quick", "--out", str(tmp_path / "cli"), "--no-report"]) == 0
    printed = capsys.readouterr().out
    assert str(again) in printed
    assert str(ms.open(out)) == str(again)


def test_a_metric_has_an_interval(results: ms.RunResults) -> None:
    delay = results.summary["av1"]["delay"]
    assert delay.mean is not None
    assert delay.low is not None
    assert delay.low < delay.mean
    with pytest.raises(ms.UserError, match=r"^'av2' is not among the protocols; did you mean 'av1'\?$"):
        results.summary["av2"]


def test_every_table_converts_to_every_library(results: ms.RunResults) -> None:
    for name in TABLES:
        table: ms.Table = getattr(results, name)
        rows = len(table)
        assert len(table.pandas()) == table.polars().height == rows
        assert table.duckdb().count("*").fetchall() == [(rows,)]
        assert table.columns == list(table.pandas().columns) == table.polars().columns
    assert results.summary_tables["protocols"].pandas()["protocol"].tolist() == ["av1", "fifo"]


def test_a_missing_library_is_named(results: ms.RunResults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ms.UserError, match=r"^polars is not installed; `pip install polars` installs it$"):
        results.hosts.polars()


def test_a_notebook_shows_results_and_tables(results: ms.RunResults) -> None:
    shown = results._repr_html_()
    assert "<td>av1</td>" in shown
    assert "mean delay" in shown
    assert "10 of 160 rows" in results.deliveries._repr_html_()


@pytest.mark.full
def test_results_without_deliveries_report_that_nothing_was_checked(tmp_path: Path) -> None:
    empty = ms.run({**SMALL, "messages": None, "duration": "1 us"})
    assert empty.verdicts == dict.fromkeys(("av1", "fifo"), "no deliveries, nothing checked")
    why = "no message was sent, so nothing was checked; lengthen `duration`, or shorten"
    assert f"no deliveries: av1, fifo: {why}" in str(empty)
    assert f"<p>av1, fifo: {why}" in empty._repr_html_()
    written = Path(str(empty.report(str(tmp_path / "r.html")))).read_text(encoding="utf-8")
    assert f"No deliveries under av1, fifo: {why}" in written
    assert "No message was delivered, so nothing was checked." in written


def test_figures_are_those_of_the_report(results: ms.RunResults) -> None:
    for name in FIGURES:
        drawn = getattr(results.figures, name)
        assert len(drawn.data) > 0
        assert drawn.layout.title.text


@pytest.mark.full
def test_a_report_is_written_where_it_is_wanted(results: ms.RunResults, tmp_path: Path) -> None:
    assert results.report(str(tmp_path / "page.html")) == tmp_path / "page.html"
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_temporary_tables_disappear_with_the_results() -> None:
    own = ms.run(SMALL)
    directory = Path(str(own.directory))
    assert (directory / "deliveries").is_dir()
    del own
    gc.collect()
    assert not directory.exists()


@pytest.mark.parametrize(
    ("settings", "line"),
    (
        ({"hosts": 0}, "hosts: 0 is too little; write 1 or more"),
        (
            {"wireless": {"bandwidth": "2 mbit/s"}},
            "wireless.bandwidth: '2 mbit/s' is not a bandwidth",
        ),
        ({"protocols": ["av9"]}, "protocols[0]: there is no protocol 'av9'; did you mean 'av"),
        ({"hosts": object()}, "an object: not a value that YAML can have"),
        ({"trace": False}, "trace: results need tables of single deliveries; leave 'trace: false' out"),
    ),
)
def test_wrong_input_is_one_line(settings: dict[str, object], line: str) -> None:
    with pytest.raises(ms.UserError) as raised:
        ms.run("quickstart", **settings)  # type: ignore[arg-type]
    assert str(raised.value).startswith(line)
    assert "\n" not in str(raised.value)


def test_messages_about_calls_from_python_name_its_parameters(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    sweep = {"scenario": SMALL, "vary": {"hosts": [4, 6]}}
    calls: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: ms.run("quickstart", {"hosts.x": 3}), "hosts.x: hosts is 50 here; change hosts as a whole"),
        (
            lambda: ms.run(SMALL, out=tmp_path),
            f"{tmp_path}: holds letter.txt, which mobilesim did not write; {ANOTHER}",
        ),
        (lambda: ms.sweep(sweep, out=tmp_path), f"{tmp_path}: holds letter.txt, not a file of a sweep; {ANOTHER}"),
        (lambda: ms.sweep(sweep, master="nonsense"), "master=nonsense: "),
        (lambda: ms.run(SMALL, workers=0), "workers=0: expected a whole number, 1 or more"),
    )
    for call, line in calls:
        with pytest.raises(ms.UserError) as raised:
            call()
        assert str(raised.value).startswith(line)
    assert main(["run", "quickstart", "--quick", "--out", str(tmp_path)]) == 2, "its messages name options again"


def test_all_mistakes_of_a_typed_scenario_are_reported() -> None:
    with pytest.raises(ms.UserError) as raised:
        ms.Scenario(hosts=0, messages=-1)
    assert raised.value.messages == (
        "messages: -1 is too little; write 1 or more",
        "hosts: 0 is too little; write 1 or more",
    )


def test_a_wrong_section_is_one_line() -> None:
    with pytest.raises(ms.UserError, match=r"^max_speed: 0 is too little; write more than 0"):
        ms.Waypoint(max_speed=0)
    with pytest.raises(ms.UserError, match=r"^min_speed: the minimum speed, 1 m/s, is more than"):
        ms.Scenario(mobility=ms.Waypoint(max_speed=0.5))


def test_a_mobility_model_stands_for_the_whole_section() -> None:
    hashes = {
        ms.load_scenario(ms.Scenario(hosts=5, mobility=ms.Waypoint(max_speed=3.0))).hash,
        ms.load_scenario({"hosts": 5}, mobility=ms.Waypoint(max_speed=3.0)).hash,
        ms.load_scenario({"hosts": 5, "mobility": ms.Waypoint(max_speed=3.0)}).hash,
        ms.load_scenario({"hosts": 5, "mobility": {"model": "waypoint", "waypoint": {"max_speed": "3 m/s"}}}).hash,
    }
    assert len(hashes) == 1


def test_a_typed_scenario_is_the_same_as_its_keys() -> None:
    typed = ms.load_scenario(ms.Scenario(hosts=5, duration=2_000_000_000), {"mobility.dwell": "1 s"})
    assert typed.hash == ms.load_scenario({"hosts": 5, "duration": "2 s"}, mobility={"dwell": "1 s"}).hash


def test_a_table_outlives_the_results_that_it_comes_from() -> None:
    relation = ms.run(SMALL).deliveries.duckdb()
    gc.collect()
    assert relation.count("*").fetchall() == [(160,)]


def test_results_that_another_run_has_replaced_are_one_line(tmp_path: Path) -> None:
    """Not the numbers of the other run."""
    keys = {**SMALL, "replications": 1}
    first, second = (ms.run(keys, out=tmp_path / "out", seed=seed) for seed in (1, 2))
    remedy = "open them again with ms.open, or give each run its own directory"
    line = f"{tmp_path / 'out'}: another run has replaced these results; {remedy}"
    for use in (lambda: first.summary, first.deliveries.arrow, first.runs.arrow, first.report):
        with pytest.raises(ms.UserError, match=f"^{re.escape(line)}$"):
            use()
    assert str(ms.open(tmp_path / "out")) == str(second)


def test_numbers_that_were_read_before_remain(tmp_path: Path) -> None:
    keys = {**SMALL, "replications": 1}
    first = ms.run(keys, out=tmp_path / "out", seed=1)
    numbers, deliveries = str(first), first.deliveries
    rows = len(deliveries)
    ms.run(keys, out=tmp_path / "out", seed=2)
    assert (str(first), len(deliveries)) == (numbers, rows)
    with pytest.raises(ms.UserError, match="another run has replaced these results"):
        first.report()  # the report would be beside the tables of the other run
    first.report(str(tmp_path / "first.html"))


def test_results_whose_directory_was_removed_are_one_line(tmp_path: Path) -> None:
    results = ms.run({**SMALL, "replications": 1}, out=tmp_path / "out")
    rmtree(tmp_path / "out")
    with pytest.raises(ms.UserError, match=f"^{re.escape(str(tmp_path / 'out'))}: these results were removed$"):
        results.deliveries.arrow()


def test_temporary_results_write_a_report_only_to_a_named_file() -> None:
    with pytest.raises(ms.UserError, match=r"^report: these results are temporary; name a file"):
        ms.run(SMALL).report()


def test_a_refused_run_leaves_no_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ms.UserError):
        ms.run(SMALL, mobility={"track": {"file": "missing.csv"}, "model": "track"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", (0, -2, "4"))
def test_a_wrong_number_of_workers_is_one_line(workers: int) -> None:
    with pytest.raises(ms.UserError, match=r"^workers=.*: expected a whole number, 1 or more$"):
        ms.run(SMALL, workers=workers)


def test_an_unknown_metric_is_one_line(results: ms.RunResults) -> None:
    with pytest.raises(ms.UserError, match=r"there is no metric 'dealy'; did you mean 'delay'\?"):
        results.summary["av1"]["dealy"]


@pytest.mark.parametrize(
    ("settings", "line"),
    (
        ({"groups": [[0, 1], []]}, "groups=0,1/: a group is empty; write two hosts or more"),
        ({"groups": []}, "groups=[]: write at least one group, or leave this option out"),
        ({"hosts": "2"}, "hosts='2': expected a whole number"),
        ({"messages": -1}, "messages=-1: expected 0 or more"),
        (
            {"options": {"locations": "lazy"}},
            "locations=lazy: resident+isis has no option 'locations'; did you mean 'l",
        ),
    ),
)
def test_a_wrong_exploration_is_one_line(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(ms.UserError) as raised:
        ms.explore("resident+isis", **settings)
    assert str(raised.value).startswith(line)
