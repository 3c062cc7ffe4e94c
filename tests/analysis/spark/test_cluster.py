"""A sweep on a real cluster that loses one worker, and then all workers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from mobilesim.results.layout import MANIFEST, SUMMARY
from mobilesim.results.schema import TABLES
from tests.support.spark_cluster import Cluster, cluster, descendants, kill, until
from tests.support.subprocesses import finish, nothing_unfinished, run_command, start

SWEEP: Final = """\
scenario: {hosts: 6, cells: 4, messages: 500}
vary:
  mobility.dwell: [exponential 1 s, exponential 5 s]
protocols: [av1, unordered]
replications: 4
"""
RUNS: Final = 16
LOCAL: Final = "local[2]"
"""The Spark master of the session that all tests share."""

TIMES: Final = ("wall_seconds", "seconds")
"""The columns with values that differ if a sweep is repeated."""

PROGRESS = re.compile(r"s: \d+ of \d+ runs")
"""The pattern of a line of progress. On a slow machine, there are several such lines."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("swept")
    (place / "s.yaml").write_text(SWEEP, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        started.add_workers(2)
        started.await_workers()
        yield started


def finished_runs(results: Path) -> dict[str, tuple[int, str]]:
    """Return the time and the content of the manifest of each run."""
    found = (results / MANIFEST).glob("*.json")
    return {path.stem: (path.stat().st_mtime_ns, path.read_text(encoding="utf-8")) for path in found}


def unfinished_files(results: Path) -> int:
    return len(list(results.glob(".*.part")))


def kill_worker(spark_cluster: Cluster, worker: int) -> None:
    """Kill a worker and its executors."""
    process = spark_cluster.workers[worker]
    executors = descendants(process.pid)
    assert executors
    process.kill()
    kill(*executors)


@pytest.mark.full
@pytest.mark.usefixtures("spark")
def test_a_sweep_on_a_cluster_that_loses_a_worker_has_the_same_bytes(
    home: Path, spark_cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--no-report", "--json", "--out")
    child = start(home, "sweep", "s.yaml", *words, "many", "--master", spark_cluster.url)
    try:
        until(lambda: len(finished_runs(home / "many")) >= 3 and unfinished_files(home / "many") == 2, child)
        before = finished_runs(home / "many")
        kill_worker(spark_cluster, 0)
    finally:
        code, out, err = finish(child)
    assert code == 0
    # On a slow machine, the master notices late that the other worker is free.
    assert set(err.splitlines()) <= {f"mobilesim: waiting for workers of {spark_cluster.url}…"}
    assert 3 <= len(before) < RUNS - 2
    after = finished_runs(home / "many")
    assert {run: after[run] for run in before} == before
    assert len(after) == RUNS
    assert main(["sweep", str(home / "s.yaml"), *words, str(home / "one"), "--master", LOCAL]) == 0
    assert without_times(out) == without_times(capsys.readouterr().out)
    same_bytes(home / "many", home / "one")
    assert nothing_unfinished(home / "many")


def without_times(out: str) -> Any:  # noqa: ANN401 - any JSON
    def remove_times(_key: str, value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, dict):
            return {key: remove_times(key, inner) for key, inner in value.items() if key not in {*TIMES, "results"}}
        return [remove_times("", inner) for inner in value] if isinstance(value, list) else value

    document = remove_times("", json.loads(out))
    assert document["runs"] == {"complete": RUNS, "before": 0, "failed": 0}
    assert document["summary"]["runs"] == RUNS
    return document


def same_bytes(one: Path, other: Path) -> None:
    for table in (*TABLES, SUMMARY):
        names = sorted(path.name for path in (one / table).iterdir())
        assert names == sorted(path.name for path in (other / table).iterdir())
        for name in names:
            if table == "runs":
                assert timeless_row(one / table / name) == timeless_row(other / table / name)
            else:
                assert (one / table / name).read_bytes() == (other / table / name).read_bytes(), f"{table}/{name}"


def timeless_row(path: Path) -> Any:  # noqa: ANN401 - pyarrow has no types
    return pq.read_table(path).drop_columns(["wall_seconds"])


@pytest.mark.full
def test_a_sweep_waits_for_workers_until_the_master_ends_and_keeps_complete_runs(
    home: Path, spark_cluster: Cluster
) -> None:
    url = spark_cluster.url
    with (home / "stderr").open("w+") as err:
        child = start(home, "sweep", "s.yaml", "--out", "lost", "--master", url, stderr=err.fileno())
        try:
            until(lambda: len(finished_runs(home / "lost")) >= 3, child)
            kill_worker(spark_cluster, 1)
            until(lambda: "waiting" in (home / "stderr").read_text(encoding="utf-8"), child)
            spark_cluster.master.kill()
        finally:
            code, out, _ = finish(child)
    assert (code, out) == (2, "")
    gone = f"--master {url}: the master does not answer any more, and has no workers"
    wanted = ["starting Spark…", f"mobilesim: waiting for workers of {url}…", f"mobilesim: {gone}"]
    lines = (home / "stderr").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not PROGRESS.match(line)] == wanted
    kept = len(finished_runs(home / "lost"))
    assert 3 <= kept < RUNS
    assert nothing_unfinished(home / "lost")
    out = run_command(home, "sweep", "s.yaml", "--out", "lost", "--dry-run")[1]
    assert out.splitlines()[-2] == f"{RUNS} runs; {kept} are complete in lost"
