"""`mobilesim verify-results` of runs with failing wired links, on which packets are retransmitted."""

from pathlib import Path

import pyarrow.parquet as pq

from mobilesim.analysis.verify.verify_results import verify
from mobilesim.cli.main import main

FAILING = """\
name: failing
seed: 5
hosts: 8
cells: 6
duration: 8 s
protocols: [av2, unordered]
backbone:
  topology: ring
  bandwidth: 256 kbit/s
  failures: {interval: exponential 500 ms, repair: exponential 100 ms}
mobility: {dwell: exponential 1 s}
workload: {interval: exponential 100 ms}
"""


def test_results_with_failing_links_have_no_faults(tmp_path: Path) -> None:
    (tmp_path / "failing.yaml").write_text(FAILING)
    assert main(["run", str(tmp_path / "failing.yaml"), "--out", str(tmp_path / "out"), "--no-summary"]) == 0
    assert verify(tmp_path / "out").sound
    for path in (tmp_path / "out" / "links").iterdir():
        links = [link for link in pq.read_table(path).to_pylist() if link["kind"] == "wired"]
        assert sum(link["lost_packets"] for link in links) > 5
        assert all(link["lost_bytes"] < link["bytes"] for link in links)
