"""Results on a remote file system have the same files as local results. Each file is complete or absent."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import (
    Remote,
    address,
    checked_location,
    file_sizes,
    location,
    move_into_place,
    remove_tree,
    write_file,
)
from mobilesim.results.run_table import Rows
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps import compaction
from mobilesim.results.sweeps.sweep_directory import open_sweep, view_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.parquet_files import write_table
from tests.support.s3_server import Objects, store

SWEEP = """\
scenario: {messages: 20, hosts: 4, cells: 4}
protocols: [av1, fifo]
replications: 2
"""


@pytest.fixture(scope="module")
def objects() -> Iterator[Objects]:
    with store() as found:
        yield found


@pytest.fixture(params=("file", "s3"))
def remote(request: pytest.FixtureRequest, objects: Objects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    """Return a folder on a file system with renaming (file) or without (S3). Workers also use this file system."""
    for module in (task, compaction):
        monkeypatch.setattr(module, "location", lambda text: Remote(text) if "://" in text else Path(text))
    uri = tmp_path.as_uri() if request.param == "file" else objects.uri(tmp_path.name)
    found = Remote(uri)
    found.mkdir()
    return found


def test_a_remote_folder_contains_the_written_files(remote: Remote) -> None:
    folder = remote / "a"
    assert not folder.exists()
    folder.mkdir()
    write_file(folder / "x.json", b"one")
    write_file(folder / "x.json", b"two")
    write_file(folder / "y.json", b"three")
    assert file_sizes(folder) == {"x.json": 3, "y.json": 5}
    assert (folder / "x.json").read_text("utf-8") == "two"
    assert (folder.is_dir(), (folder / "x.json").is_file(), (folder / "z.json").exists()) == (True, True, False)
    (folder / "x.json").unlink()
    (folder / "x.json").unlink(missing_ok=True)
    with pytest.raises(OSError, match=r"x\.json"):
        (folder / "x.json").unlink()
    assert [path.name for path in folder.iterdir()] == ["y.json"]
    remove_tree(folder)
    assert not (folder / "y.json").exists()


def test_a_large_file_is_uploaded_completely(remote: Remote, tmp_path_factory: pytest.TempPathFactory) -> None:
    source = tmp_path_factory.mktemp("here") / "large"
    content = bytes(range(256)) * (48 << 10)
    source.write_bytes(content)
    move_into_place(source, remote / "large")
    assert (remote / "large").read_bytes() == content
    assert not source.exists()


def test_a_replaced_file_is_read_again(remote: Remote, tmp_path_factory: pytest.TempPathFactory) -> None:
    source = tmp_path_factory.mktemp("here") / "t"
    for rows in (1, 2000):
        write_table(pa.table({"a": list(range(rows))}), source)
        move_into_place(source, remote / "t")
        assert len(Rows(remote / "t").read()) == len(Rows(remote / "t")) == rows


def test_a_printed_address_contains_no_secret() -> None:
    uri = "s3://user:secret@bucket/some/where?region=eu-north-1"
    found = location(uri)
    assert str(found / "runs") == "s3://bucket/some/where/runs"
    assert (found.name, (found / "runs" / "1.parquet").stem, address(found)) == ("where", "1", uri)
    assert location(address(found / "runs")) == Remote(uri.replace("where", "where/runs"))
    assert location("file:///some/where%20else") == Path("/some/where else")
    assert location("some/where") == Path("some/where")


@pytest.mark.parametrize(
    ("uri", "line"),
    (
        ("s4://bucket/x", "s4://bucket/x: cannot be reached: Unrecognized filesystem type"),
        ("s3://user:secret@bucket/x?endpoint=1", "s3://bucket/x: cannot be reached: .*endpoint"),
        ("s4://user:secret@bucket/x", "s4://bucket/x: cannot be reached: Unrecognized filesystem type"),
        ("s3://user:sec ret@bucket/x", "s3://bucket/x: cannot be reached: Cannot parse"),
        ("s3://", "s3://: incomplete; write an address such as s3://BUCKET/PREFIX"),
        ("gs://?x=1", "gs://: incomplete"),
        ("s3://[", "s3://: not an address"),
        ("s3a://bucket/x", "s3a://: supported by Spark only; write s3://"),
        ("file://some/where", "file://some: a path on another machine; .* three slashes, as file:///some/where"),
    ),
)
def test_an_unreachable_address_causes_one_error_line(uri: str, line: str) -> None:
    with pytest.raises(UserError, match=f"^{line}") as output:
        checked_location(uri)
    assert "sec" not in str(output.value)


def half(values: Sequence[float]) -> float:
    return max(values) - min(values)


def run_sweep(directory: Path | Remote) -> int:
    planned = make_plan(loads(SWEEP))
    with open_sweep(directory, planned.resolved_text, planned.all_runs()) as found:
        jobs = planned.jobs(planned.rule(found))
        for job in jobs:
            found.add(task.run_job(job))
        for waiting in found.packs_to_build(planned.all_runs()):
            assert compaction.pack_runs(waiting)
    return len(jobs)


def content(directory: Path | Remote) -> dict[str, bytes]:
    """Return the bytes of every table except `runs`, which contains durations."""
    tables = {name: directory / name for name in (*TABLES, MANIFEST) if name not in {"runs", MANIFEST}}
    return {
        f"{name}/{path.name}": path.read_bytes()
        for name, folder in tables.items()
        for path in folder.iterdir()
        if path.name.endswith(".parquet")
    }


@pytest.mark.full
@pytest.mark.parametrize("few", (50, 2))
def test_a_sweep_with_remote_results_has_the_same_files_and_is_not_repeated(
    few: int, remote: Remote, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "FEWEST_TO_PACK", few)
    here = tmp_path_factory.mktemp("here")
    swept = remote / "swept"
    assert (run_sweep(here), run_sweep(swept)) == (4, 4)
    assert content(swept) == content(here)
    assert len(content(here)) == (8 if few == 2 else 32)
    assert run_sweep(swept) == 0
    planned = make_plan(loads(SWEEP))
    found, own = (view_sweep(each, planned.all_runs()) for each in (swept, here))
    assert len(found.records) == 4
    rule, others = planned.rule(found), planned.rule(own)
    assert [rule.value(run, "delay") for run in found.records] == [others.value(run, "delay") for run in found.records]


@pytest.mark.full
def test_incomplete_remote_runs_are_replaced_and_fresh_removes_all(remote: Remote) -> None:
    run_sweep(remote)
    planned = make_plan(loads(SWEEP))
    (min((remote / MANIFEST).iterdir(), key=lambda path: path.name)).unlink()
    assert run_sweep(remote) == 1
    with open_sweep(remote, planned.resolved_text, planned.all_runs(), fresh=True) as found:
        assert found.records == {}
    assert content(remote) == {}


@pytest.mark.full
def test_foreign_remote_files_are_not_touched(remote: Remote) -> None:
    write_file(remote / "notes.txt", b"mine")
    with pytest.raises(UserError, match=r"holds notes\.txt, not a file of a sweep"):
        run_sweep(remote)
    assert (remote / "notes.txt").read_bytes() == b"mine"
