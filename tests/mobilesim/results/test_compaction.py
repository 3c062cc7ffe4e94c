"""The files of many small runs are packed into a few. An interruption at any step neither loses nor repeats a run."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.layout import MANIFEST
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps import compaction
from mobilesim.results.sweeps.locks import admit_workers
from mobilesim.results.sweeps.sweep_directory import SweepDirectory, open_sweep, plan_cleanup, scan, view_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.subprocesses import nothing_unfinished

SWEEP = """\
scenario: {messages: 20, hosts: 4, cells: 4}
protocols: [av1, fifo]
replications: 2
vary: {mobility.dwell: [1 s, 5 s]}
"""
LONGER = SWEEP.replace("replications: 2", "replications: 3")


@pytest.fixture(autouse=True)
def _packs_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "FEWEST_TO_PACK", 2)
    monkeypatch.setattr(compaction, "RUNS_PER_PACK", 5)


def run_sweep(text: str, directory: Path) -> int:
    planned = make_plan(loads(text))
    with open_sweep(directory, planned.resolved_text, planned.all_runs()) as store:
        jobs = planned.jobs(planned.rule(store))
        for job in jobs:
            store.add(task.run_job(job))
    return len(jobs)


def pack_sizes(text: str, directory: Path) -> list[int]:
    """Return the number of runs in each new pack."""
    planned = make_plan(loads(text))
    with open_sweep(directory, planned.resolved_text, planned.all_runs()) as store:
        found = [compaction.pack_runs(job) for job in store.packs_to_build(planned.all_runs())]
    return [len(pack.runs) for pack in found if pack is not None]


def content(text: str, directory: Path) -> dict[tuple[str, str], pa.Table]:
    """Return the rows of every finished run, from its own files or from a pack."""
    store = seen(text, directory)
    runs = [run for run in store.records if store.done(run)]
    return {(run, table): store.rows(run, table).read().combine_chunks() for run in runs for table in TABLES}


def seen(text: str, directory: Path) -> SweepDirectory:
    return view_sweep(directory, make_plan(loads(text)).all_runs())


def mean(directory: Path, run: str) -> float | None:
    planned = make_plan(loads(SWEEP))
    return planned.rule(view_sweep(directory, planned.all_runs())).value(run, "delay")


def names(directory: Path) -> set[str]:
    return {f"{path.parent.name}/{path.name}" for path in directory.glob("*/*")}


def digest(directory: Path) -> dict[str, str]:
    return {
        f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.glob("*/*")
    }


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("single")
    assert run_sweep(SWEEP, directory) == 8
    return directory


@pytest.fixture
def directory(single: Path, tmp_path: Path) -> Path:
    return shutil.copytree(single, tmp_path / "swept")


@pytest.mark.full
def test_packed_runs_keep_their_rows(directory: Path) -> None:
    before = content(SWEEP, directory)
    assert pack_sizes(SWEEP, directory) == [5, 3]
    assert content(SWEEP, directory) == before
    assert {len(list((directory / name).iterdir())) for name in (*TABLES, MANIFEST)} == {2}
    assert nothing_unfinished(directory)


@pytest.mark.full
def test_a_pack_is_an_ordinary_table_with_the_common_metadata_of_its_runs(directory: Path) -> None:
    pack_sizes(SWEEP, directory)
    for table, schema in TABLES.items():
        for path in (directory / table).iterdir():
            found = pq.read_schema(path)
            assert found.equals(schema)
            assert set(found.metadata) == {b"seed", b"version"} or b"scenario_hash" in found.metadata
        assert len(pq.read_table(directory / table)) == sum(
            record.rows[table] for record in seen(SWEEP, directory).records.values()
        )


@pytest.mark.full
def test_packing_the_same_runs_writes_the_same_bytes(directory: Path, tmp_path: Path) -> None:
    other = shutil.copytree(directory, tmp_path / "other")
    pack_sizes(SWEEP, directory)
    pack_sizes(SWEEP, other)
    assert digest(directory) == digest(other)


@pytest.mark.full
def test_packed_runs_are_finished_and_only_new_runs_are_executed_and_packed(directory: Path) -> None:
    pack_sizes(SWEEP, directory)
    before = digest(directory)
    assert run_sweep(SWEEP, directory) == 0
    assert pack_sizes(SWEEP, directory) == []
    assert run_sweep(LONGER, directory) == 4
    assert pack_sizes(LONGER, directory) == [4]
    assert before.items() <= digest(directory).items()
    assert len(content(LONGER, directory)) == 12 * len(TABLES)


@pytest.mark.full
def test_packing_does_not_change_means(directory: Path) -> None:
    runs = list(seen(SWEEP, directory).records)
    before = [mean(directory, run) for run in runs]
    pack_sizes(SWEEP, directory)
    assert [mean(directory, run) for run in runs] == before
    assert len(set(before)) > 1


class Killed(BaseException):
    pass


def stopped_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `steps` changes of files, raise an exception at the next change. Like SIGKILL, this causes no cleanup."""
    left = iter(range(steps))

    def counted(name: str) -> None:
        real = getattr(Path, name)

        def change(self: Path, *args: object, **options: object) -> object:
            if next(left, None) is None:
                raise Killed
            return real(self, *args, **options)

        monkeypatch.setattr(Path, name, change)

    for name in ("replace", "unlink", "write_bytes", "mkdir", "rmdir"):
        counted(name)
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)


def _stopped(directory: Path, steps: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    planned = make_plan(loads(SWEEP))
    jobs = view_sweep(directory, planned.all_runs()).packs_to_build(planned.all_runs())
    with admit_workers(directory), monkeypatch.context() as patched:
        stopped_after(steps, patched)
        try:
            for job in jobs:
                compaction.pack_runs(job)
        except Killed:
            return True
    return False


@pytest.mark.full
@pytest.mark.parametrize("steps", (0, 5, 15, 20, 21, 22, 23, 24, 40, 100))
def test_an_interrupted_packing_loses_no_run_and_counts_none_twice(
    steps: int, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(SWEEP, directory)
    assert _stopped(directory, steps, monkeypatch)
    assert content(SWEEP, directory) == before
    assert run_sweep(SWEEP, directory) == 0
    left = {path.split("/")[1].split(".")[0] for path in names(directory)}
    store = seen(SWEEP, directory)
    packs = {pack.pack for pack, _ in plan_cleanup(scan(directory), make_plan(loads(SWEEP)).all_runs()).packs}
    assert left == {*packs, *(run for run in store.records if store.single(run))}
    pack_sizes(SWEEP, directory)
    assert content(SWEEP, directory) == before
    assert len(names(directory)) < 8 * 10
    assert nothing_unfinished(directory)


@pytest.mark.full
def test_a_repeated_run_is_removed_from_its_pack(directory: Path) -> None:
    pack_sizes(SWEEP, directory)
    path = next(
        path for path in sorted((directory / MANIFEST).iterdir()) if len(json.loads(path.read_text())["runs"]) > 3
    )
    output = json.loads(path.read_text())
    output["runs"][2]["point"] = {"mobility.dwell": "another name"}
    path.write_text(json.dumps(output))
    again = output["runs"][2]["run"]
    before = {key: rows for key, rows in content(SWEEP, directory).items() if key[0] != again}
    planned = make_plan(loads(SWEEP))
    with open_sweep(directory, planned.resolved_text, planned.all_runs()) as store:
        assert [job.run for job in planned.jobs(planned.rule(store))] == [again]
    assert content(SWEEP, directory) == before
    assert run_sweep(SWEEP, directory) == 1
    assert len(pq.read_table(directory / "runs")) == 8


def test_damaged_runs_are_not_packed(directory: Path) -> None:
    victim = min((directory / "hosts").iterdir())
    victim.write_bytes(victim.read_bytes()[:-9])
    before = digest(directory)
    sizes = pack_sizes(SWEEP, directory)
    assert sizes in ([3], [5])
    left = {name: mark for name, mark in digest(directory).items() if "pack-" not in name}
    assert left.items() <= before.items()
    assert f"hosts/{victim.name}" in left


@pytest.mark.full
def test_runs_of_an_incomplete_pack_are_executed_again(directory: Path) -> None:
    pack_sizes(SWEEP, directory)
    next((directory / "links").iterdir()).unlink()
    assert run_sweep(SWEEP, directory) in {3, 5}
    assert len(content(SWEEP, directory)) == 8 * len(TABLES)
    assert len(pq.read_table(directory / "runs")) == 8


def test_few_or_large_runs_keep_their_own_files(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, order = seen(SWEEP, directory), make_plan(loads(SWEEP)).all_runs()
    monkeypatch.setattr(compaction, "LARGE_RUN", 1000)
    assert store.packs_to_build(order) == []
    monkeypatch.setattr(compaction, "LARGE_RUN", 1 << 24)
    monkeypatch.setattr(compaction, "FEWEST_TO_PACK", 9)
    assert store.packs_to_build(order) == []
    monkeypatch.setattr(compaction, "FEWEST_TO_PACK", 8)
    monkeypatch.setattr(
        compaction, "PACK_SIZE", 5 * sum(path.stat().st_size for path in directory.glob("*/*.parquet")) // 16
    )
    runs = [job.runs for job in store.packs_to_build(order)]
    assert len(runs) > 2
    assert [run for several in runs for run in several] == list(order)


def test_a_failed_packing_changes_no_file(directory: Path) -> None:
    before = digest(directory)
    planned = make_plan(loads(SWEEP))
    job = view_sweep(directory, planned.all_runs()).packs_to_build(planned.all_runs())[0]
    in_the_way = directory / "clocks" / f"{compaction.pack_name(job.runs)}.parquet"
    in_the_way.mkdir()
    with admit_workers(directory), pytest.raises(UserError, match="cannot be written"):
        compaction.pack_runs(job)
    in_the_way.rmdir()
    assert before.items() <= digest(directory).items()
    assert run_sweep(SWEEP, directory) == 0
    assert digest(directory) == before


def test_files_of_runs_are_removed_only_after_their_pack_is_synchronized(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest(directory)
    planned = make_plan(loads(SWEEP))
    (job, _) = view_sweep(directory, planned.all_runs()).packs_to_build(planned.all_runs())
    settled = 0
    real = os.fsync

    def failing(descriptor: int) -> None:
        nonlocal settled
        settled += 1
        if settled > len(TABLES):
            raise OSError(5, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    with admit_workers(directory), pytest.raises(UserError, match="cannot be written: Input/output error"):
        compaction.pack_runs(job)
    assert settled > len(TABLES)
    assert before.items() <= digest(directory).items()
