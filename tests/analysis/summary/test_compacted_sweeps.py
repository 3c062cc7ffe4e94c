"""A sweep has the same summary whether or not its runs share files."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.sweeps.reader import read_sweep
from mobilesim.analysis.verify.verify_results import verify
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.checksums import append_checksums
from mobilesim.results.layout import MANIFEST, SUMMARY
from mobilesim.results.run_table import Rows
from mobilesim.results.schema import TABLES
from mobilesim.results.sweeps import compaction
from mobilesim.results.sweeps.compaction import pack_runs
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.parquet_files import write_table

pytestmark = pytest.mark.usefixtures("spark")

SWEEP = """\
scenario: {messages: 60, hosts: 5, cells: 4, mobility: {dwell: 300 ms}}
protocols: [av1, unordered]
replications: 3
vary: {hosts: [4, 6]}
"""


def packed(directory: Path) -> Path:
    planned = make_plan(loads(SWEEP))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compaction, "FEWEST_TO_PACK", 2)
        patched.setattr(compaction, "RUNS_PER_PACK", 7)
        with open_sweep(directory, planned.resolved_text, planned.all_runs()) as store:
            packs = [pack_runs(job) for job in store.packs_to_build(planned.all_runs())]
    assert [len(found.runs) for found in packs if found is not None] == [7, 5]
    return directory


def outputs(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (*(directory / SUMMARY).iterdir(), directory / "report.html")}


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("single") / "swept"
    planned = make_plan(loads(SWEEP))
    with open_sweep(directory, planned.resolved_text, planned.all_runs()) as store:
        for job in planned.jobs(planned.rule(store)):
            store.add(task.run_job(job))
    return directory


@pytest.fixture(scope="module")
def shared(single: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(shutil.copytree(single, tmp_path_factory.mktemp("packed") / "swept"))


@pytest.fixture
def directory(shared: Path, tmp_path: Path) -> Path:
    return shutil.copytree(shared, tmp_path / "swept")


@pytest.mark.full
def test_the_summary_of_packed_runs_is_the_same_byte_for_byte(single: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(single, tmp_path / "swept")
    summarize_sweep(directory)
    before = outputs(directory)
    summarize_sweep(packed(directory))
    assert outputs(directory) == before
    assert len(before) > 10


def test_a_file_of_several_runs_is_read_once(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    real = Rows.read

    def read(rows: Rows, *columns: str) -> pa.Table:
        opened.append(Path(str(rows.path)))
        return real(rows, *columns)

    monkeypatch.setattr(Rows, "read", read)
    assert len(read_sweep(shared).runs) == 12
    assert sorted(opened) == sorted((shared / "runs").iterdir())


@pytest.mark.full
def test_packed_runs_are_verified(single: Path, shared: Path) -> None:
    before, after = verify(single), verify(shared)
    assert after.checks == before.checks
    assert (after.sound, after.runs, after.left_out) == (True, 12, None)


@pytest.mark.full
def test_every_run_counts_once_after_an_interrupted_packing(single: Path, directory: Path) -> None:
    shutil.copytree(single, directory, dirs_exist_ok=True)
    found = read_sweep(directory)
    assert len(found.runs) == 12
    assert {run.packed is not None for run in found.runs} == {True}
    assert verify(directory).left_out is None


def test_a_changed_row_in_a_shared_file_is_reported(directory: Path) -> None:
    path = min((directory / "deliveries").iterdir())
    file = pq.ParquetFile(path)
    groups = [file.read_row_group(place) for place in range(file.num_row_groups)]
    column = groups[3].schema.get_field_index("delay")
    delays = groups[3]["delay"].to_pylist()
    groups[3] = groups[3].set_column(column, groups[3].schema.field(column), [[delays[0] + 1, *delays[1:]]])
    with pq.ParquetWriter(path, file.schema_arrow) as writer:
        for group in groups:
            writer.write_table(group)
    append_checksums(path)
    examples = [example for check in verify(directory).checks for example in check.examples]
    run = sorted(
        read_sweep(directory).runs, key=lambda run: (run.path("deliveries").name, run.rows("deliveries").groups)
    )[3]
    assert examples
    assert all(run.run_id in example for example in examples)


def cut(directory: Path) -> None:
    path = min((directory / "stations").iterdir())
    path.write_bytes(path.read_bytes()[:-9])


def missing(directory: Path) -> None:
    min((directory / "links").iterdir()).unlink()


def shorter(directory: Path) -> None:
    path = min((directory / "hosts").iterdir())
    write_table(pq.ParquetFile(path).read_row_group(0), path)


def edited(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def changed(directory: Path) -> None:
        path = min((directory / MANIFEST).iterdir())
        found = json.loads(path.read_text(encoding="utf-8"))
        change(found)
        path.write_text(json.dumps(found), encoding="utf-8")

    return changed


FAULTS = (
    (cut, r"stations/pack-\w+.parquet: not a Parquet file, or cut short; delete it"),
    (missing, r"links/pack-\w+.parquet: missing, but manifest/pack-\w+.json says that the run is complete"),
    (shorter, r"hosts/pack-\w+.parquet: has fewer row groups than its manifest says; delete it"),
    (edited(lambda found: found.pop("row_groups")), r"pack-\w+.json: not a manifest of runs that share files"),
    (
        edited(lambda found: found.update(row_groups={})),
        r"pack-\w+.json: not a manifest of runs that share files",
    ),
    (
        edited(lambda found: found.update(row_groups=dict.fromkeys(TABLES, [1.5] * 6))),
        r"pack-\w+.json: not a manifest of runs that share files",
    ),
    (edited(lambda found: found.update(runs=[{}])), r"pack-\w+.json: not a manifest of runs that share files"),
)


@pytest.mark.full
@pytest.mark.parametrize(("breakage", "line"), FAULTS, ids=map(str, range(len(FAULTS))))
def test_a_fault_of_shared_files_is_reported_in_one_line(
    breakage: Callable[[Path], None], line: str, directory: Path
) -> None:
    breakage(directory)
    with pytest.raises(UserError, match=line):
        summarize_sweep(directory, report=False)
    with pytest.raises(UserError):
        verify(directory)


@pytest.mark.full
def test_a_complete_sweep_is_packed_when_it_is_started_again(
    single: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = shutil.copytree(single, tmp_path / "swept")
    (tmp_path / "s.yaml").write_text(SWEEP, encoding="utf-8")
    command = ["sweep", str(tmp_path / "s.yaml"), "--out", str(directory), "--no-report"]
    monkeypatch.setattr(compaction, "FEWEST_TO_PACK", 12)
    assert main(command) == 0
    assert [path.name[:5] for path in (directory / MANIFEST).iterdir()] == ["pack-"]
    capsys.readouterr()
    assert main([*command, "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"12 runs; 12 are complete in {directory}"
    assert not (directory / ".lock").exists()
