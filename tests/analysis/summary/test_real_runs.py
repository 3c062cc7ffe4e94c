"""The summary of real runs, compared with a simple reference summary."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from tests.support import summary_twin
from tests.support.summary_twin import agrees

pytestmark = pytest.mark.usefixtures("spark")

COLUMNS = ("delay", "inhibition", "header_bytes", "handoff", "handoff_messages", "wired_bytes", "wireless_bytes")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with hand-offs and disconnections, of a causal protocol and of a baseline without order."""
    home = tmp_path_factory.mktemp("real")
    (home / "small.yaml").write_text(
        "hosts: 8\nreplications: 2\nduration: 20 s\nprotocols: [av1, unordered]\n"
        "backbone: {jitter: exponential 30 ms}\n"
        "mobility: {dwell: exponential 2 s, disconnect: {probability: 0.1, duration: exponential 1 s}}\n"
        "workload: {interval: exponential 100 ms, kind: multicast, destinations: 3}\n"
    )
    assert main(["run", str(home / "small.yaml"), "--out", str(home / "results")]) == 0
    return home / "results"


@pytest.mark.full
def test_the_summary_of_a_run_equals_the_reference(directory: Path) -> None:
    rows = {row["protocol"]: row for row in pq.read_table(directory / "summary" / "protocols.parquet").to_pylist()}
    runs = summary_twin.protocols(directory)
    assert rows.keys() == runs.keys() == {"av1", "unordered"}
    for protocol, row in rows.items():
        wanted = summary_twin.means(runs[protocol])
        metrics = {"handoff": "move.time", "handoff_messages": "move.control_messages"}
        metrics |= {"wired_bytes": "wired.total", "wireless_bytes": "wireless.total"}
        assert all(agrees(row, column, wanted[metrics.get(column, column)]) for column in COLUMNS)


def test_delays_of_real_runs_add_up_and_unordered_is_not_causal(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summarize", str(directory)]) == 0
    out = capsys.readouterr().out
    assert "check: the parts of the delay add up in all" in out
    assert "correct, not causal" in out
    assert (directory / "report.html").is_file()
