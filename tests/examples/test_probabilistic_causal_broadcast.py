"""The example package: built as a wheel, installed, and used by all commands that take protocols or models."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from tests.house.tree import ROOT
from tests.support.spark_cluster import cluster
from tests.support.wheels import build_wheel, install_wheel

pytestmark = pytest.mark.full

EXAMPLE: Final = ROOT / "examples" / "probabilistic-causal-broadcast"
SHORT: Final = ("--set", "duration=2 s", "--set", "hosts=8")
ORIGIN: Final = "(probabilistic-causal-broadcast 0.1.0)"

FORGETFUL: Final = """\
    from mobilesim.contract.orderings import NO_KEYS, declares
    from probabilistic_causal.ordering import ROW, HashedVector, HashedVectorProcess, entries_of


    @declares(ROW, contract=1)
    class Forgetful(HashedVector):
        def process(self, index):
            return ForgetfulProcess(index, self.size, self.entries, entries_of(index, self.entries, self.hashes))


    class ForgetfulProcess(HashedVectorProcess):
        __slots__ = ()

        def sent_keys(self):
            return NO_KEYS


    @declares(ROW, contract=1)
    class Loose(HashedVector):
        def process(self, index):
            return LooseProcess(index, self.size, self.entries, entries_of(index, self.entries, self.hashes))


    class LooseProcess(HashedVectorProcess):
        pass


    @declares(ROW, contract=9)
    class FromTheFuture(HashedVector):
        pass
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("source") / "project"
    shutil.copytree(EXAMPLE, copy)  # a build writes files beside the project
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"), copy)
    return install_wheel(wheel, tmp_path_factory.mktemp("site"))


def called(site: Path | None, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with the installed example package or without it."""
    path = os.pathsep.join([*([] if site is None else [str(site)]), str(ROOT)])
    command = (sys.executable, "-m", "mobilesim", *words)
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def table(directory: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.ParquetDataset(directory / name).read().to_pylist()
    return rows


def test_the_scenario_of_the_package_runs_and_its_results_are_checked_without_it(site: Path, tmp_path: Path) -> None:
    done = called(site, tmp_path, "run", str(EXAMPLE / "scenario.yaml"), *SHORT, "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "correct, causal violations within the promised rate" in done.stdout
    models = f"random-direction {ORIGIN}; waves {ORIGIN}"
    used = [run["extensions"] for run in table(tmp_path / "out", "runs")]
    assert sorted(used) == sorted(
        [
            models,
            f"hashed-vector {ORIGIN}; {models}",
            f"announcing-proxy {ORIGIN}; hashed-vector {ORIGIN}; {models}",
        ]
    )
    assert called(None, tmp_path, "verify-results", "out").returncode == 0
    assert called(None, tmp_path, "summarize", "out", "--no-report").returncode == 0
    again = called(None, tmp_path, "run", "out/scenario.yaml")
    assert (again.returncode, again.stdout) == (2, "")
    lines = again.stderr.splitlines()
    assert lines[0].startswith("mobilesim: out/scenario.yaml:")
    assert "there is no ordering 'hashed-vector'" in lines[0]
    assert len(lines) == 4  # two protocols, the mobility model and the workload


def test_the_sweep_of_the_package_runs_here_and_on_a_cluster(site: Path, tmp_path: Path) -> None:
    words = ("sweep", str(EXAMPLE / "sweep.yaml"), "--quick", "--no-report", "--json")
    here = called(site, tmp_path, *words, "--out", "here")
    assert here.returncode == 0, here.stderr
    (tmp_path / "cluster").mkdir()
    with cluster(tmp_path / "cluster") as workers:
        workers.add_workers(2)
        workers.await_workers()
        there = called(site, tmp_path, *words, "--out", "there", "--master", workers.url)
        assert there.returncode == 0, there.stderr
    runs = [sorted(path.name for path in (tmp_path / name / "manifest").iterdir()) for name in ("here", "there")]
    assert runs[0] == runs[1] != []


def test_a_cluster_without_the_package_gives_one_line(site: Path, tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir()
    # Workers find what PYTHONPATH names, so here only this process has the package.
    start = "import sys; sys.path.append(sys.argv.pop(1)); from mobilesim.cli.main import main; sys.exit(main())"
    with cluster(tmp_path / "cluster") as workers:
        workers.add_workers(1)
        workers.await_workers()
        words = (
            "sweep",
            str(EXAMPLE / "sweep.yaml"),
            "--quick",
            "--no-report",
            "--out",
            "out",
            "--master",
            workers.url,
        )
        command = (sys.executable, "-c", start, str(site), *words)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if line.startswith("mobilesim: ")]
    # On a busy machine, a line before it says that the worker is awaited.
    (line,) = (line for line in lines if not line.startswith("mobilesim: waiting for workers of "))
    assert line.startswith("mobilesim: a worker cannot import an extension: ")
    assert f"the sweep uses hashed-vector {ORIGIN}" in line


def test_the_protocols_of_the_package_are_explored_and_described(site: Path, tmp_path: Path) -> None:
    small = ("--hosts", "3", "--messages", "2", "--moves", "0")
    hashed = called(site, tmp_path, "explore", "proxy+hashed-vector", *small, "--judge-claims-only")
    assert (hashed.returncode, hashed.stderr) == (0, "")
    announced = called(site, tmp_path, "explore", "announcing-proxy+rst", "--messages", "2", "--moves", "1")
    assert (announced.returncode, announced.stderr) == (0, "")
    assert "no fault" in announced.stdout
    described = called(site, tmp_path, "protocols", "announcing-proxy+hashed-vector")
    assert "at most 2.000% causal violations" in described.stdout


def test_the_claims_of_the_package_hold(site: Path, tmp_path: Path) -> None:
    names = ("proxy+hashed-vector", "announcing-proxy+rst")
    done = called(site, tmp_path, "check-claims", "--quick", "--json", *names)
    assert done.returncode == 0, done.stdout
    assert [row["holds"] for row in json.loads(done.stdout)["rows"]] == [True, True]


@pytest.mark.parametrize("name", ("hashed-vector", "announcing-proxy"))
def test_the_parts_of_the_package_are_checked_by_their_names(name: str, site: Path, tmp_path: Path) -> None:
    done = called(site, tmp_path, "check", name, "--quick")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert all(line.startswith("pass  ") for line in lines[:-1])
    assert lines[-1] == f"{name}: no fault in {len(lines) - 1} checks"
    without = called(None, tmp_path, "check", name, "--quick")
    assert (without.returncode, without.stdout) == (2, "")
    assert without.stderr.startswith(f"mobilesim: {name}: there is no such ordering or placement")
    assert without.stderr.count("\n") == 1


def test_a_broken_variant_is_refused_with_a_shortest_counter_example(site: Path, tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text(dedent(FORGETFUL), encoding="utf-8")
    words = ("explore", "proxy+forgetful:Forgetful", "--plugin", "forgetful.py", "--messages", "3", "--moves", "0")
    done = called(site, tmp_path, *words, "--set", "entries=1", "--judge-claims-only")
    assert (done.returncode, done.stderr) == (1, "")
    assert "fault: " in done.stdout
    assert "m1 was not delivered to host 1" in done.stdout


def test_a_variant_with_state_outside_of_its_slots_is_refused_in_one_line(site: Path, tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text(dedent(FORGETFUL), encoding="utf-8")
    done = called(site, tmp_path, "explore", "proxy+forgetful:Loose", "--plugin", "forgetful.py")
    expected = "the state of a machine is not plain data: LooseProcess has state outside of its slots"
    assert done.returncode == 2
    assert done.stderr == f"mobilesim: {expected}; list its attributes in __slots__\n"


def test_a_variant_for_another_contract_is_refused_in_one_line(site: Path, tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text(dedent(FORGETFUL), encoding="utf-8")
    done = called(site, tmp_path, "explore", "proxy+forgetful:FromTheFuture", "--plugin", "forgetful.py")
    expected = "it was written for version 9 of mobilesim.contract, and this is version 1"
    assert done.returncode == 2
    assert done.stderr.startswith(f"mobilesim: forgetful:FromTheFuture: {expected}")
    assert done.stderr.count("\n") == 1
