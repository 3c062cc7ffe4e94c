"""Extensions in sweeps: a plug-in file is sent to the workers, and a package must be installed on them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from tests.support.outside_packages import SPARSE, WALK, fresh_extensions, package

pytestmark = pytest.mark.full

SWEEP = """\
scenario: {{hosts: 4, duration: 2 s, cells: {{shape: grid, rows: 2, columns: 2, spacing: 100 m}}, {more}}}
vary: {{hosts: [4, 5]}}
protocols: [av1, {{placement: proxy, ordering: "{ordering}"}}]
replications: 1
"""


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    with fresh_extensions():
        yield


def sweep(folder: Path, ordering: str, more: str = "name: mine") -> Path:
    file = folder / "sweep.yaml"
    file.write_text(SWEEP.format(ordering=ordering, more=more), encoding="utf-8")
    return file


def test_plugin_files_are_sent_to_the_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    orders, walks, out = tmp_path / "sent_orders.py", tmp_path / "sent_walks.py", tmp_path / "out"
    orders.write_text(SPARSE, encoding="utf-8")
    walks.write_text(WALK, encoding="utf-8")
    moving = "mobility: {model: 'sent_walks:walk'}, workload: {model: 'sent_walks:ring'}"
    file = sweep(tmp_path, "sent_orders:Sparse", moving)
    plugins = ("--plugin", str(orders), "--plugin", str(walks))
    assert main(["sweep", str(file), "--out", str(out), "--no-report", "--json", *plugins]) == 0
    assert json.loads(capsys.readouterr().out)["runs"]
    runs = pq.ParquetDataset(out / "runs").read().to_pylist()
    assert len(runs) == 4
    assert {run["verdict"] for run in runs} == {"ok"}
    used = {run["ordering"]: run["extensions"] for run in runs}
    assert used["sent_orders:Sparse"].startswith("sent_orders:Sparse (sent_orders.py, sha256 ")
    assert "; sent_walks:walk (sent_walks.py, sha256 " in used["sent_orders:Sparse"]
    with fresh_extensions():
        # The results alone are enough: neither command imports an extension.
        assert main(["summarize", str(out), "--no-report"]) == 0
        assert main(["verify-results", str(out)]) == 0


def test_a_package_that_workers_do_not_have_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package(tmp_path / "site", monkeypatch, {"driver_orders": SPARSE})
    file = sweep(tmp_path, "driver_orders:Sparse")
    assert main(["sweep", str(file), "--out", str(tmp_path / "out"), "--no-report"]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("mobilesim: "))
    assert "a worker cannot import an extension: " in line
    assert "there is no module 'driver_orders'" in line
    assert "the sweep uses driver_orders:Sparse (driver_orders.py, sha256 " in line
