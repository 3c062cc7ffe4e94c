"""The runs of a sweep, executed in this process: their files, and which of them are executed again."""

import dataclasses
import fcntl
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq
import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.execute import execute
from mobilesim.experiments.run import Run
from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.plan import Plan, make_plan
from mobilesim.results.layout import MANIFEST
from mobilesim.results.run_directory import FILES
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps.sweep_directory import SweepDirectory, open_sweep, preview_sweep, view_sweep
from mobilesim.scenario import bundled
from mobilesim.scenario.sweeps.sweep_file import load, loads
from tests.support.parquet_files import write_table
from tests.support.scenario_purposes import PURPOSES
from tests.support.subprocesses import nothing_unfinished, verified_runs
from tests.support.sweep_runs import run_sweep

pytestmark = pytest.mark.full

TINY = "scenario: {messages: 20, hosts: 4, cells: 4}\nprotocols: [av1, fifo]\nreplications: 2"
VARIED = f"{TINY}\nvary: {{mobility.dwell: [1 s, 5 s]}}"


def open_(planned: Plan, directory: Path, *, fresh: bool = False) -> SweepDirectory:
    with open_sweep(directory, planned.resolved_text, planned.all_runs(), fresh=fresh) as store:
        return store


def test_a_run_leaves_its_tables_and_its_manifest(tmp_path: Path) -> None:
    records = run_sweep(VARIED, tmp_path)
    assert len(records) == verified_runs(tmp_path) == 8
    assert nothing_unfinished(tmp_path)
    for record in records:
        output = json.loads((tmp_path / MANIFEST / f"{record.run}.json").read_text(encoding="utf-8"))
        assert output == dataclasses.asdict(record)
        assert (output["status"], output["verdict"], output["error"]) == ("complete", "ok", None)
        (row,) = pq.ParquetFile(tmp_path / "runs" / f"{record.run}.parquet").read().to_pylist()
        assert json.loads(row["point"]) == output["point"]
        assert (row["protocol"], row["replication"], row["seed"]) == (record.protocol, record.replication, record.seed)
        for table in TABLES:
            rows = pq.read_metadata(tmp_path / table / f"{record.run}.parquet").num_rows
            assert rows == output["rows"][table]


def test_a_run_of_a_sweep_has_the_id_of_the_same_run_of_its_scenario(tmp_path: Path) -> None:
    planned = make_plan(loads(VARIED))
    expected = {
        Run(point.scenario, choice, number).id
        for point in planned.grid.points
        for choice in point.scenario.protocols
        for number in range(2)
    }
    assert {record.run for record in run_sweep(VARIED, tmp_path)} == expected == set(planned.all_runs())


def test_protocols_and_points_share_their_random_numbers(tmp_path: Path) -> None:
    run_sweep(f"{TINY}\nvary: {{wireless.latency: [1 ms, 2 ms]}}", tmp_path)
    sent: dict[int, set[tuple[object, ...]]] = {0: set(), 1: set()}
    for path in (tmp_path / "messages").iterdir():
        rows = pq.ParquetFile(path).read(["replication", "source", "submitted", "destinations"]).to_pylist()
        first = tuple((row["source"], row["submitted"], *row["destinations"]) for row in rows)
        sent[rows[0]["replication"]].add(first)
    assert [len(worlds) for worlds in sent.values()] == [1, 1]
    assert sent[0] != sent[1]


def test_only_unfinished_runs_are_executed(tmp_path: Path) -> None:
    first = {record.run for record in run_sweep(VARIED, tmp_path, first=3)}
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "deliveries").iterdir()}
    second = {record.run for record in run_sweep(VARIED, tmp_path)}
    assert (len(first), len(second), first & second) == (3, 5, set())
    assert {name: (tmp_path / "deliveries" / name).stat().st_mtime_ns for name in times} == times
    assert run_sweep(VARIED, tmp_path) == []
    assert len(run_sweep(VARIED.replace("[1 s, 5 s]", "[1 s, 5 s, 9 s]"), tmp_path)) == 4
    assert verified_runs(tmp_path) == 12


def test_a_run_given_to_two_workers_is_executed_once(tmp_path: Path) -> None:
    planned = make_plan(loads(TINY))
    with open_sweep(tmp_path, planned.resolved_text, planned.all_runs()) as store:
        job = planned.jobs(planned.rule(store))[0]
        once = task.run_job(job)
        assert task.run_job(job) == once
    with pytest.raises(UserError, match=r": the sweep of this worker has ended$"):
        task.run_job(job)


def test_tables_without_a_manifest_and_manifests_without_tables_are_no_finished_runs(tmp_path: Path) -> None:
    one, other = run_sweep(TINY, tmp_path)[:2]
    (tmp_path / MANIFEST / f"{one.run}.json").unlink()
    (tmp_path / "hosts" / f"{other.run}.parquet").unlink()
    (tmp_path / f".{one.run}-00000000.part").mkdir()
    assert {record.run for record in run_sweep(TINY, tmp_path)} == {one.run, other.run}
    assert verified_runs(tmp_path) == 4
    assert nothing_unfinished(tmp_path)


def test_foreign_files_are_not_touched(tmp_path: Path) -> None:
    run_sweep(TINY, tmp_path)
    mine = [tmp_path / "runs" / "mine.parquet", tmp_path / MANIFEST / "notes.txt"]
    for path in mine:
        path.write_text("somebody's own")
    run_sweep(TINY, tmp_path)
    assert all(path.is_file() for path in mine)


def test_a_run_with_a_damaged_manifest_is_executed_again(tmp_path: Path) -> None:
    record = run_sweep(TINY, tmp_path)[0]
    (tmp_path / MANIFEST / f"{record.run}.json").write_text('{"run": ', encoding="utf-8")
    assert [again.run for again in run_sweep(TINY, tmp_path)] == [record.run]


def test_a_run_whose_point_was_renamed_is_executed_again(tmp_path: Path) -> None:
    base = TINY.replace("cells: 4", "cells: 4, mobility: {dwell: 5 s}")
    assert len(run_sweep(base, tmp_path)) == 4
    varied = f"{base}\nvary: {{mobility.dwell: [5 s]}}"
    assert {tuple(record.point.items()) for record in run_sweep(varied, tmp_path)} == {(("mobility.dwell", "5 s"),)}


def test_a_crashed_run_is_recorded_and_retried_and_other_runs_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(run: Run, directory: Path, **worlds: Any) -> object:  # noqa: ANN401 - the parameters of execute
        if run.choice.label == "fifo" and run.replication == 1:
            raise MemoryError
        return execute(run, directory, **worlds)

    monkeypatch.setattr("mobilesim.experiments.sweep.task.execute", crash)
    (failed,) = (record for record in run_sweep(TINY, tmp_path) if not record.complete)
    assert (failed.protocol, failed.replication, failed.seed, failed.status) == ("fifo", 1, 1, "failed")
    assert str(failed.error).startswith("MemoryError (test_sweep_runs.py:")
    assert verified_runs(tmp_path) == 3
    monkeypatch.setattr("mobilesim.experiments.sweep.task.execute", execute)
    assert [record.run for record in run_sweep(TINY, tmp_path)] == [failed.run]
    assert all(record.complete for record in view_sweep(tmp_path, make_plan(loads(TINY)).all_runs()).records.values())


def test_an_impossible_world_is_a_failed_run(tmp_path: Path) -> None:
    graph = tmp_path / "one.graphml"
    head = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    graph.write_text(f'{head}<node id="a"/></graph></graphml>', encoding="utf-8")
    text = TINY.replace("cells: 4", f"cells: 4, backbone: {{topology: graphml, file: '{graph}'}}")
    records = run_sweep(text, tmp_path / "r")
    assert {record.status for record in records} == {"failed"}
    assert len(records) == 4
    assert all("one.graphml" in str(record.error) for record in records)


def test_a_run_completed_before_its_worker_was_lost_has_not_failed(tmp_path: Path) -> None:
    planned = make_plan(loads(TINY))
    with open_sweep(tmp_path, planned.resolved_text, planned.all_runs()) as store:
        over, begun = planned.jobs(planned.rule(store))[:2]
        record = task.run_job(over)
        written = (tmp_path / MANIFEST / f"{over.run}.json").read_bytes()
        assert task.record_lost_run(over, "the worker has gone") == record
        assert task.record_lost_run(begun, "the worker has gone").error == "the worker has gone"
    assert (tmp_path / MANIFEST / f"{over.run}.json").read_bytes() == written
    output = json.loads((tmp_path / MANIFEST / f"{begun.run}.json").read_text(encoding="utf-8"))
    assert (output["status"], output["error"]) == ("failed", "the worker has gone")


def test_after_a_write_error_no_run_is_recorded_as_failed(tmp_path: Path) -> None:
    planned = make_plan(loads(TINY))
    job = planned.jobs(planned.rule(open_(planned, tmp_path)))[0]
    (tmp_path / "deliveries").rmdir()
    (tmp_path / "deliveries").write_text("in the way", encoding="utf-8")
    with pytest.raises((UserError, OSError)):
        task.run_job(job)
    assert not list((tmp_path / MANIFEST).iterdir())


def test_a_worker_refuses_a_run_with_another_id(tmp_path: Path) -> None:
    planned = make_plan(loads(TINY))
    with open_sweep(tmp_path, planned.resolved_text, planned.all_runs()) as store:
        job = planned.jobs(planned.rule(store))[0]
        record = task.run_job(dataclasses.replace(job, run="0" * 16))
    assert record.status == "failed"
    assert str(record.error).startswith("the run of this worker differs")


def test_a_directory_with_runs_of_another_sweep_is_refused_and_kept(tmp_path: Path) -> None:
    run_sweep(TINY, tmp_path)
    with pytest.raises(UserError, match=r": holds 4 runs that are not of this sweep; write --out DIR .* or --fresh"):
        run_sweep(TINY.replace("hosts: 4", "hosts: 5"), tmp_path)
    assert verified_runs(tmp_path) == 4
    other = make_plan(loads(TINY.replace("hosts: 4", "hosts: 5")))
    open_(other, tmp_path, fresh=True)
    assert verified_runs(tmp_path) == 0


def add_key(output: dict[str, object]) -> None:
    output["host"] = "node7"


def remove_key(output: dict[str, object]) -> None:
    del output["verdict"]


def remove_table(output: dict[str, object]) -> None:
    del output["rows"]["clocks"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", (add_key, remove_key, remove_table))
def test_a_directory_with_runs_of_another_version_is_refused_and_kept(
    change: Callable[[dict[str, object]], None], tmp_path: Path
) -> None:
    """The manifests of another version may have more or fewer keys, and its results other tables."""
    for record in run_sweep(TINY, tmp_path):
        path = tmp_path / MANIFEST / f"{record.run}.json"
        output = json.loads(path.read_text(encoding="utf-8")) | {"version": "0.0.1", "run": f"old-{record.run}"}
        change(output)
        path.unlink()
        path.with_name(f"old-{record.run}.json").write_text(json.dumps(output), encoding="utf-8")
        for table in TABLES:
            (tmp_path / table / f"{record.run}.parquet").rename(tmp_path / table / f"old-{record.run}.parquet")
            if table == "clocks" and change is remove_table:
                (tmp_path / table / f"old-{record.run}.parquet").unlink()
    before = sorted(tmp_path.glob("*/*"))
    with pytest.raises(UserError, match=r": holds 4 runs of mobilesim 0\.0\.1; write --out DIR"):
        open_(make_plan(loads(TINY)), tmp_path)
    assert sorted(tmp_path.glob("*/*")) == before


def remove_column(path: Path) -> None:
    """Write a table again, without its column `wake_ups`."""
    write_table(pq.read_table(path).drop_columns(["wake_ups"]), path)


def test_a_directory_with_tables_of_other_columns_is_refused_and_kept(tmp_path: Path) -> None:
    run_sweep(TINY, tmp_path)
    for path in (tmp_path / "hosts").iterdir():
        remove_column(path)
    line = (
        rf"^{tmp_path}/hosts/\w+\.parquet: no column 'wake_ups'; this version of mobilesim writes other tables; "
        r"write --out DIR to keep them, or --fresh to remove all files of the directory$"
    )
    for look in (open_, previewed):
        with pytest.raises(UserError, match=line):
            look(make_plan(loads(TINY)), tmp_path)
    assert verified_runs(tmp_path) == 4
    open_(make_plan(loads(TINY)), tmp_path, fresh=True)


def previewed(planned: Plan, directory: Path, *, fresh: bool = False) -> SweepDirectory:
    return preview_sweep(directory, planned.all_runs(), fresh=fresh)


def test_a_dry_run_is_refused_like_a_sweep_and_changes_nothing(tmp_path: Path) -> None:
    other, mine = make_plan(loads(TINY.replace("hosts: 4", "hosts: 5"))), tmp_path / "mine"
    run_sweep(TINY, mine)
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    for place in (tmp_path, tmp_path / "file", tmp_path / "file" / "below", mine, Path("/proc/r")):
        with pytest.raises(UserError) as looked:
            previewed(other, place)
        with pytest.raises(UserError) as begun:
            open_(other, place)
        assert str(looked.value) == str(begun.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_dry_run_with_fresh_reports_no_finished_runs(tmp_path: Path) -> None:
    run_sweep(TINY, tmp_path / "r")
    planned = make_plan(loads(TINY))
    assert len(previewed(planned, tmp_path / "r").records) == 4
    assert previewed(planned, tmp_path / "r", fresh=True).records == {}
    assert verified_runs(tmp_path / "r") == 4
    assert previewed(planned, tmp_path / "new" / "r").records == {}
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("mine", ("notes.txt", "sweep.yaml", *FILES[:1], "runs"))
def test_a_directory_with_foreign_files_is_refused(mine: str, tmp_path: Path) -> None:
    (tmp_path / mine).write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match=rf": holds {mine}, not a file of a sweep"):
        open_(make_plan(loads(TINY)), tmp_path, fresh=True)
    assert (tmp_path / mine).read_text(encoding="utf-8") == "mine"


def test_two_sweeps_cannot_run_in_one_directory(tmp_path: Path) -> None:
    planned = make_plan(loads(TINY))
    with ExitStack() as stack:
        stack.enter_context(open_sweep(tmp_path, planned.resolved_text, planned.all_runs()))
        with pytest.raises(UserError, match="another command writes here"):
            open_(planned, tmp_path)
    open_(planned, tmp_path)
    assert not (tmp_path / ".lock").exists()


@pytest.mark.parametrize("then", ("gone", "anew"))
def test_a_removed_lock_blocks_no_sweep(then: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The holder of the removed lock must stop, because another sweep may hold a new lock."""
    real, planned = fcntl.flock, make_plan(loads(TINY))

    def removed_before(lock: IO[str], how: int) -> None:
        (tmp_path / ".lock").unlink()
        if then == "anew":
            (tmp_path / ".lock").touch()
        real(lock, how)

    monkeypatch.setattr(fcntl, "flock", removed_before)
    with pytest.raises(UserError, match="another command writes here"):
        open_(planned, tmp_path)
    monkeypatch.undo()
    open_(planned, tmp_path)


@pytest.mark.parametrize("damage", ("cut short", "another table"))
def test_damaged_deliveries_are_reported_if_their_means_decide_the_replications(damage: str, tmp_path: Path) -> None:
    request = TINY.replace("replications: 2", "replications: {at_most: 5, until: {delay: 5 %}}")
    many = len(run_sweep(request, tmp_path))
    path = max((tmp_path / "deliveries").iterdir())
    other = tmp_path / "runs" / path.name
    path.write_bytes(path.read_bytes()[:-9] if damage == "cut short" else other.read_bytes())
    with pytest.raises(UserError, match=rf"deliveries/{path.name}: damaged; delete it and start the sweep again"):
        run_sweep(request, tmp_path)
    path.unlink()
    assert [record.run for record in run_sweep(request, tmp_path)] == [path.stem]
    assert verified_runs(tmp_path) == many


@pytest.mark.parametrize("name", bundled.sweeps())
@pytest.mark.parametrize("point", (0, -1))
def test_the_short_form_of_every_shipped_sweep_shows_its_purpose(name: str, point: int, tmp_path: Path) -> None:
    """Run one replication of the first or last point with all protocols."""
    planned = make_plan(load(bundled.find_sweep(name), quick=True))
    with open_sweep(tmp_path, planned.resolved_text, planned.all_runs()) as store:
        jobs = planned.jobs(planned.rule(store))
        chosen = [job for job in jobs if job.settings == jobs[point].settings and not job.replication]
        assert [job.protocol for job in chosen] == list(planned.protocols)
        assert {(record.status, record.verdict) for record in map(task.run_job, chosen)} == {("complete", "ok")}
    if (name, point) != ("sweeps/disconnection", 0):  # no host disconnects at this point
        assert [shows(tmp_path) for shows in PURPOSES[name]] == [True] * len(PURPOSES[name])
