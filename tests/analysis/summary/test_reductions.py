"""A summary from the numbers in manifests is that from the tables, byte for byte."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.summary import reduction
from mobilesim.analysis.summary.reduce_run import reduce_run
from mobilesim.analysis.sweeps.reader import observe_checked, read_sweep
from mobilesim.api.progress import Progress
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.experiments.executors import in_process, never
from mobilesim.experiments.sweep.engine import run_missing
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.layout import MANIFEST, SUMMARY
from mobilesim.results.location import Location, location
from mobilesim.results.sweeps import compaction
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.s3_server import store

pytestmark = pytest.mark.full

SWEEP = """\
scenario:
  hosts: 5
  cells: 4
  messages: 90
  wireless: {loss: 0.05, beacon: 100 ms}
  energy: {battery: uniform 2 J 40 J}
  mobility: {dwell: exponential 1 s, disconnect: {probability: 0.3, duration: exponential 500 ms}}
  clocks: [FM, lamport]
protocols: [av1, av3, unordered]
vary: {hosts: [4, 6]}
replications: 2
"""

PLAN = make_plan(loads(SWEEP))


def run_sweep(directory: Location) -> None:
    with open_sweep(directory, PLAN.resolved_text, PLAN.all_runs()) as opened:
        run_missing(PLAN, opened, in_process, stop=never, display=Progress(quiet=True), reduce=reduce_run)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("reduced") / "r"
    run_sweep(directory)
    return directory


@pytest.fixture
def directory(swept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(swept, tmp_path / "r"))


def summary(directory: Path, *, from_tables: bool = False) -> dict[str, bytes]:
    summarize_sweep(directory, report=True, from_tables=from_tables)
    files = {path.name: path.read_bytes() for path in (directory / SUMMARY).iterdir()}
    return files | {"report": (directory / "report.html").read_bytes()}


def reduced(directory: Path) -> int:
    return sum(run.reduction is not None for run in read_sweep(directory).runs)


@pytest.mark.usefixtures("spark")
def test_a_summary_from_manifests_is_that_from_tables(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = summary(directory, from_tables=True)
    assert reduced(directory) == 12
    assert summary(directory) == whole
    monkeypatch.setattr(compaction, "FEWEST_TO_PACK", 3)
    run_sweep(directory)
    assert [path.name[:5] for path in (directory / MANIFEST).iterdir()] == ["pack-"]
    assert reduced(directory) == 12
    assert summary(directory) == whole == summary(directory, from_tables=True)


@pytest.mark.usefixtures("spark")
def test_runs_with_and_without_their_numbers_are_summarized_together(directory: Path) -> None:
    whole = summary(directory)
    for path in sorted((directory / MANIFEST).iterdir())[::3]:
        edit(path, lambda found: found.pop("reduction"))
    assert 0 < reduced(directory) < 12
    assert summary(directory) == whole


@pytest.mark.usefixtures("spark")
def test_many_times_are_read_from_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduction, "MOST_TIMES", 50)
    run_sweep(tmp_path / "r")
    assert reduced(tmp_path / "r") == 12
    assert not any(run.is_reduced for run in read_sweep(tmp_path / "r").runs)
    assert summary(tmp_path / "r") == summary(tmp_path / "r", from_tables=True)


def edit(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    change(found)
    path.write_text(json.dumps(found), encoding="utf-8")


def test_numbers_of_other_code_and_damaged_numbers_are_not_used(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index, path in enumerate(sorted((directory / MANIFEST).iterdir())[:6]):
        text = json.loads(path.read_text())["reduction"]
        place = 30 + index * (len(text) - 40) // 6
        changed = f"{text[:place]}{'b' if text[place] == 'a' else 'a'}{text[place + 1 :]}"
        edit(path, lambda found, changed=changed: found.update(reduction=changed))  # type: ignore[misc]
    assert reduced(directory) == 6
    monkeypatch.setattr(reduction, "version", lambda: "0123456789abcdef")
    assert reduced(directory) == 0


def test_a_summary_opens_no_tables_but_misses_none(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summarize", str(directory), "--no-report"]) == 0
    shown = capsys.readouterr().out
    path = max((directory / "deliveries").iterdir())
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert main(["summarize", str(directory), "--no-report"]) == 0
    assert capsys.readouterr().out == shown
    assert main(["verify-results", str(directory)]) == 2
    assert f"{path}: damaged: " in capsys.readouterr().err
    path.unlink()
    with pytest.raises(UserError, match=f"deliveries/{path.name}: missing, but manifest/{path.stem}.json says"):
        summarize_sweep(directory)


def test_a_damaged_table_is_found_if_all_tables_are_read_again(directory: Path) -> None:
    path = max((directory / "deliveries").iterdir())
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(UserError, match=f"deliveries/{path.name}: not a Parquet file, or cut short"):
        summarize_sweep(directory, from_tables=True)


def test_a_remote_summary_needs_few_requests() -> None:
    with store() as objects:
        objects.page = 5
        where = location(objects.uri("r"))
        run_sweep(where)
        objects.requests.clear()
        read_sweep(where)
        per_run = (objects.requests.total() - 40) / 12
        assert objects.requests["PUT"] == 0
        assert per_run < 12, "two for a manifest, and pages of lists"
        objects.requests.clear()
        summarize_sweep(where, report=False)
        assert objects.requests["GET"] < 12 * 9, "no table is read"


def test_a_remote_run_is_read_from_its_tables_with_few_requests() -> None:
    with store() as objects:
        where = location(objects.uri("r"))
        run_sweep(where)
        runs = read_sweep(where, from_tables=True).runs
        objects.requests.clear()
        for run in runs:
            assert observe_checked(run)
        assert objects.requests.total() / len(runs) < 25, "at most two or three for a table"


def test_the_row_of_a_reduction_is_that_of_the_table(swept: Path) -> None:
    for run in read_sweep(swept).runs:
        assert run.reduction is not None
        assert pq.read_table(run.path("runs")).to_pylist() == [run.reduction.row]
