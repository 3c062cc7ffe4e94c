"""A results directory: its path, the files that mobilesim may remove, and the writing of tables."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mobilesim.errors import UserError
from mobilesim.results.parquet_writer import Constants
from mobilesim.results.run_directory import RunFiles, default_directory, prepare_directory, write_files
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps.sweep_directory import preview_sweep


@pytest.mark.parametrize(
    ("name", "expected"),
    (
        ("quickstart", "quickstart"),
        ("a/b", "a-b"),
        ("../x", "x"),
        ("/etc/passwd", "etc-passwd"),
        ("..", "scenario"),
        (".hidden", "hidden"),
        ("two words", "two-words"),
        ("Größe 2.5", "Größe-2.5"),
        ("a\nb\0c", "a-b-c"),
        ("x" * 300, "x" * 100),
    ),
)
def test_results_are_directly_below_results_for_every_scenario_name(name: str, expected: str) -> None:
    assert default_directory(name) == Path("results") / expected


def tree(directory: Path) -> set[str]:
    return {path.relative_to(directory).as_posix() for path in directory.rglob("*")}


def test_a_fresh_directory_has_a_folder_for_every_table(tmp_path: Path) -> None:
    prepare_directory(tmp_path / "deep" / "er")
    assert tree(tmp_path / "deep" / "er") == set(TABLES)


def test_earlier_results_are_removed_and_hidden_files_are_kept(tmp_path: Path) -> None:
    prepare_directory(tmp_path)
    (tmp_path / "runs" / "old.parquet").touch()
    (tmp_path / "runs" / ".old.parquet.part").touch()
    (tmp_path / "summary").mkdir()
    (tmp_path / "summary" / "protocols.csv").touch()
    for name in ("report.html", "scenario.yaml", "cells.graphml", ".gitignore"):
        (tmp_path / name).touch()
    (tmp_path / ".0123456789abcdef.part").mkdir()
    prepare_directory(tmp_path)
    assert tree(tmp_path) == {*TABLES, ".gitignore"}


@pytest.mark.parametrize("foreign", ("thesis.tex", "data/x.csv", "hosts/names.txt", "runs/sub/y.parquet"))
def test_foreign_files_in_a_results_directory_are_kept(foreign: str, tmp_path: Path) -> None:
    prepare_directory(tmp_path)
    (tmp_path / "deliveries" / "old.parquet").touch()
    path = tmp_path / foreign
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    before = tree(tmp_path)
    with pytest.raises(UserError) as refused:
        prepare_directory(tmp_path)
    named = foreign if foreign.startswith("hosts") else foreign.rpartition("/y")[0] or foreign.partition("/")[0]
    assert str(refused.value) == (
        f"{tmp_path}: holds {named}, which mobilesim did not write; name another directory with --out"
    )
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ("scenario.yaml", "hosts", "summary", "report.html"))
def test_in_a_directory_without_runs_files_with_names_of_results_are_kept(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match=rf"holds {name}, which mobilesim did not write"):
        prepare_directory(tmp_path)
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_the_error_names_the_kind_of_existing_results(tmp_path: Path) -> None:
    (tmp_path / "swept" / "manifest").mkdir(parents=True)
    with pytest.raises(UserError, match=r"swept: holds the results of a sweep or a what-if; name another directory"):
        prepare_directory(tmp_path / "swept")
    prepare_directory(tmp_path / "run")
    with pytest.raises(UserError, match=r"run: holds results of `mobilesim run`; name another directory with --out$"):
        preview_sweep(tmp_path / "run", {}, fresh=False)


def test_a_symbolic_link_is_removed_without_its_target(tmp_path: Path) -> None:
    elsewhere, results = tmp_path / "elsewhere", tmp_path / "results"
    elsewhere.mkdir()
    (elsewhere / "kept.csv").touch()
    prepare_directory(results)
    (results / "summary").symlink_to(elsewhere)
    prepare_directory(results)
    assert (elsewhere / "kept.csv").exists()
    assert not (results / "summary").exists()


def test_a_file_in_the_place_of_a_directory_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for place in (file, file / "below"):
        with pytest.raises(UserError, match=rf"^{place}: not a directory; name another one with --out$"):
            prepare_directory(place)


def test_a_file_beside_the_tables_is_written_atomically(tmp_path: Path) -> None:
    write_files(tmp_path, {"scenario.yaml": b"hosts: 2\n"})
    assert (tmp_path / "scenario.yaml").read_bytes() == b"hosts: 2\n"
    (tmp_path / "report.html").mkdir()
    with pytest.raises(UserError, match=r"cannot be written: Is a directory$"):
        write_files(tmp_path, {"report.html": b"x"})
    assert tree(tmp_path) == {"scenario.yaml", "report.html"}


CONSTANTS: Constants = {"run_id": "r1", "protocol": "av1", "replication": 0}
GONE = {"host": 1, "from_station": 0, "left": 5, "waiting": 0, "dropped": 0}


def test_the_tables_of_a_run_appear_together(tmp_path: Path) -> None:
    prepare_directory(tmp_path)
    files = RunFiles(tmp_path, "r1", CONSTANTS, {})
    messages = files.stream("messages")
    for number in (0, 0, -1, 2, 100, 7, 4, 4, 16):
        messages.rows.put(number)
    for host in (1, 2):
        messages.items.put(host)
    files.write("disconnections", [GONE])
    assert not list(tmp_path.glob("*/*.parquet"))
    files.finish()
    files.publish()
    assert {path.parent.name for path in tmp_path.glob("*/*.parquet")} == {"messages", "disconnections"}
    assert not list(tmp_path.glob(".*"))
    (row,) = pq.ParquetFile(tmp_path / "messages" / "r1.parquet").read().to_pylist()
    assert (row["run_id"], row["destinations"], row["submitted"]) == ("r1", [1, 2], 7)


def test_retracting_a_run_removes_only_its_files(tmp_path: Path) -> None:
    prepare_directory(tmp_path)
    kept = RunFiles(tmp_path, "r0", CONSTANTS, {})
    kept.write("disconnections", [GONE])
    kept.finish()
    kept.publish()
    files = RunFiles(tmp_path, "r1", CONSTANTS, {})
    files.stream("deliveries")
    files.write("disconnections", [GONE])
    files.retract()
    assert tree(tmp_path) == {*TABLES, "disconnections/r0.parquet"}
