"""The command `verify-results`: results without faults, results that cannot be read, and runs that are left out."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from mobilesim.analysis.verify.verify_results import verify
from mobilesim.cli.main import main
from mobilesim.results.schema import TABLES
from tests.support.altered_results import Rows, alter, faults, table_file, verify_altered
from tests.support.subprocesses import TIMEOUT

pytestmark = pytest.mark.usefixtures("spark")

Captured = pytest.CaptureFixture[str]


@pytest.mark.full
def test_results_have_no_faults_and_every_check_has_checked_rows(originals: Path, capsys: Captured) -> None:
    assert main(["verify-results", str(originals / "moving")]) == 0
    captured = capsys.readouterr()
    assert "no faults; 2 runs, " in captured.out
    assert re.search(
        r"\nnote: causal order: unordered does not claim it; violated by \d+ deliver\w+ in 1 run\n", captured.out
    )
    assert captured.err == "verifying 2 runs…\n", "a line every ten seconds"
    found = verify(originals / "moving")
    assert all(check.checked for check in found.checks)
    assert sum(pq.read_table(path)["dropped"][0].as_py() for path in (originals / "moving" / "runs").iterdir()) > 0


def test_spark_finds_the_same_as_this_process(originals: Path, spark: SparkSession) -> None:
    here = verify(originals / "moving")
    assert verify(originals / "moving", spark.sparkContext.master) == here


@pytest.mark.full
def test_small_results_need_no_spark(originals: Path) -> None:
    code = (
        "import sys; from mobilesim.cli.main import main; status = main(sys.argv[1:]); "
        "sys.exit(status or 'pyspark' in sys.modules)"
    )
    command = [sys.executable, "-c", code, "verify-results", str(originals / "moving")]
    assert subprocess.run(command, check=False, timeout=TIMEOUT).returncode == 0


def test_unchecked_parts_of_a_window_are_reported(originals: Path) -> None:
    found = verify(originals / "window")
    assert found.sound
    (once,) = (check for check in found.checks if check.name == "exactly once")
    assert "only a window of the run was measured" in once.notes[0]


def test_json_is_one_document(originals: Path, capsys: Captured) -> None:
    assert main(["verify-results", str(originals / "whole"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["sound"], document["runs"], document["deliveries"]) == (True, 1, 400)
    assert [check["faults"] for check in document["checks"]] == [0] * len(document["checks"])
    assert "retransmissions" in document["unchecked"]["deliveries"]


def test_several_versions_are_reported_in_one_line(copied: Callable[[str], Path], capsys: Captured) -> None:
    path = copied("moving")
    alter(table_file(path, "runs", "av1"), lambda rows: rows[0].update(version="0.0.1"))
    assert refused(path, capsys).startswith(f"mobilesim: {path}: runs of different versions of mobilesim (0.0.1 and ")


def test_a_file_of_another_version_is_reported_in_one_line(copied: Callable[[str], Path], capsys: Captured) -> None:
    path = copied("whole")
    alter(table_file(path, "runs", "rst"), lambda rows: rows[0].update(version="0.0.1"))
    assert "written by mobilesim " in refused(path, capsys)


def test_a_truncated_file_is_reported_in_one_line(copied: Callable[[str], Path], capsys: Captured) -> None:
    path = copied("whole")
    file = table_file(path, "links", "rst")
    file.write_bytes(file.read_bytes()[:-100])
    assert "links/" in (error := refused(path, capsys))
    assert "cut short" in error


def test_a_damaged_file_is_reported_in_one_line(copied: Callable[[str], Path], capsys: Captured) -> None:
    path = copied("whole")
    file = table_file(path, "deliveries", "rst")
    content = bytearray(file.read_bytes())
    half = len(content) // 2
    content[64:half] = Random(1).randbytes(half - 64)
    file.write_bytes(content)
    assert (
        refused(path, capsys)
        == f"mobilesim: {file}: damaged: a checksum is wrong; delete it and run the scenario again"
    )


def test_a_wrong_table_is_reported_in_one_line(copied: Callable[[str], Path], capsys: Captured) -> None:
    path = copied("whole")
    shutil.copy(table_file(path, "hosts", "rst"), table_file(path, "links", "rst"))
    assert "no column 'kind'" in refused(path, capsys)


@pytest.mark.parametrize(
    ("words", "error"),
    (
        (["--driver-memory", "lots"], "--driver-memory lots: not a size; write 512m or 2g"),
        (["--master", "nonsense"], "--master nonsense: this process has a Spark session"),
    ),
)
def test_a_wrong_option_is_reported_in_one_line(
    originals: Path, capsys: Captured, words: list[str], error: str
) -> None:
    assert error in refused(originals / "whole", capsys, *words)


def test_a_directory_without_results_is_reported_in_one_line(tmp_path: Path, capsys: Captured) -> None:
    assert "not a results directory" in refused(tmp_path, capsys)
    assert "no such directory" in refused(tmp_path / "nowhere", capsys)


def refused(path: Path, capsys: Captured, *words: str) -> str:
    """Return the error line, without the lines of progress before it."""
    assert main(["verify-results", str(path), *words]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    (line,) = (line for line in captured.err.splitlines() if not line.startswith(("starting", "verifying")))
    return line


def test_copies_in_transit_at_an_interruption_are_no_fault(copied: Callable[[str], Path]) -> None:
    """The last deliveries are missing, and the counters are consistent."""
    path = copied("whole")
    hosts: list[int] = []

    def cut(rows: Rows) -> None:
        hosts.extend(row["destination"] for row in rows[-3:])
        del rows[-3:]

    def fewer(rows: Rows) -> None:
        for host in hosts:
            rows[host]["delivered"] -= 1

    alter(table_file(path, "deliveries", "rst"), cut)
    alter(table_file(path, "hosts", "rst"), fewer)
    content = {"status": "interrupted", "deliveries": 397, "judged": 397}
    found = verify_altered(path, "runs", lambda rows: rows[0].update(content), "rst")
    assert faults(found) == {}
    (once,) = (check for check in found.checks if check.name == "exactly once")
    assert once.notes[0].endswith(": the run is interrupted; still in transit: 3 copies")


def swept(path: Path, protocols: list[str]) -> None:
    """Make the directory a sweep: add manifests in which these runs are complete."""
    (path / "manifest").mkdir()
    for protocol in protocols:
        file = table_file(path, "runs", protocol)
        (row,) = pq.read_table(file).to_pylist()
        alter(file, lambda rows: rows[0].update(point='{"hosts": "8"}'))
        rows = {table: pq.read_metadata(path / table / file.name).num_rows for table in TABLES}
        manifest = {"run": row["run_id"], "point": {"hosts": "8"}, "status": "complete", "error": None, "rows": rows}
        manifest |= {key: row[key] for key in ("protocol", "replication", "seed", "verdict", "version")}
        (path / "manifest" / f"{row['run_id']}.json").write_text(json.dumps({**manifest, "seconds": 1.0}))


def test_only_complete_runs_of_a_sweep_are_verified(copied: Callable[[str], Path], capsys: Captured) -> None:
    path = copied("moving")
    swept(path, ["av1"])
    table_file(path, "links", "unordered").write_bytes(b"half")
    assert main(["verify-results", str(path)]) == 0
    out = capsys.readouterr().out
    assert "no faults; 1 run, " in out
    assert f"left out: 1 without a complete manifest, according to {path / 'manifest'}" in out


def test_a_manifest_with_a_wrong_number_of_rows_is_reported(copied: Callable[[str], Path]) -> None:
    path = copied("moving")
    swept(path, ["av1", "unordered"])
    (manifest, *_) = (path / "manifest").iterdir()
    content = json.loads(manifest.read_text())
    content["rows"]["deliveries"] += 1
    manifest.write_text(json.dumps({**content, "verdict": "fault"}))
    assert faults(verify(path)) == {"counters": 2}
