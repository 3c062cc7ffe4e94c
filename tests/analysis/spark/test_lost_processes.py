"""A sweep under spark-submit that loses its driver, its executors and a worker, one after another."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

from mobilesim.results.layout import MANIFEST, SUMMARY
from mobilesim.results.schema import TABLES
from tests.support.spark_cluster import Cluster, cluster, descendants, kill, until
from tests.support.submitted_sweeps import APPLICATION, SPARK, environment, run_here
from tests.support.subprocesses import finish, nothing_unfinished

SWEEP: Final = """\
scenario: {hosts: 6, cells: 4, messages: 600}
vary: {hosts: [4, 6, 8]}
protocols: [av1, unordered]
replications: 6
"""
RUNS: Final = 36


def submitted(folder: Path, url: str) -> "subprocess.Popen[str]":
    words = ("--master", url, "application.py", "sweep", "s.yaml", "--out", "many", "--no-report")
    return subprocess.Popen(
        [str(SPARK / "bin" / "spark-submit"), *words],
        cwd=folder,
        env=environment(),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finished(results: Path) -> int:
    return len(list((results / MANIFEST).glob("*.json")))


def executors(spark_cluster: Cluster, worker: int) -> list[int]:
    return descendants(spark_cluster.workers[worker].pid)


@pytest.mark.slow
def test_a_submitted_sweep_that_loses_processes_has_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(SWEEP)
    (tmp_path / "application.py").write_text(APPLICATION)
    results = tmp_path / "many"
    (tmp_path / "cluster").mkdir()
    with cluster(tmp_path / "cluster") as spark_cluster:
        spark_cluster.add_workers(2)
        spark_cluster.await_workers()
        child = submitted(tmp_path, spark_cluster.url)
        until(lambda: finished(results) >= 3, child)
        below = descendants(child.pid)
        child.kill()  # the driver
        kill(*below)
        finish(child)
        kept = finished(results)
        assert 3 <= kept < RUNS
        child = submitted(tmp_path, spark_cluster.url)
        until(lambda: finished(results) >= kept + 3, child)
        kill(*executors(spark_cluster, 0))  # their connections break
        until(lambda: finished(results) >= kept + 8, child)
        below = executors(spark_cluster, 1)
        spark_cluster.workers[1].kill()
        kill(*below)
        code, out, err = finish(child)
    assert code == 0, out + err
    assert f"{RUNS} runs are complete" in out
    assert nothing_unfinished(results)
    run_here(SWEEP, tmp_path / "one")
    for table in {*TABLES, SUMMARY} - {"runs"}:
        names = sorted(path.name for path in (tmp_path / "one" / table).iterdir())
        assert names == sorted(path.name for path in (results / table).iterdir())
        for name in names:
            assert (results / table / name).read_bytes() == (tmp_path / "one" / table / name).read_bytes()
