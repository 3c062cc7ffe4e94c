"""`mobilesim what-if` runs a study and prints its summary; `summarize` prints the same."""

from pathlib import Path
from typing import Final

import pytest

from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.api.text_tables import indented
from mobilesim.cli.main import main
from tests.support.report_pages import plots
from tests.support.subprocesses import verified_runs

STUDY: Final = """\
scenario: {hosts: 6, cells: 4, messages: 60, protocols: [av1, rst], mobility: {dwell: exponential 2 s}}
variants:
  slow: {wireless.bandwidth: 64 kbit/s}
  two: {protocol: av2}
replications: 3
"""


@pytest.mark.full
@pytest.mark.usefixtures("spark")
def test_a_study_is_run_once_and_each_summary_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.yaml").write_text(STUDY)
    assert main(["what-if", str(tmp_path / "s.yaml"), "--out", str(tmp_path / "r")]) == 0
    assert verified_runs(tmp_path / "r") == 15
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "s: 3 points, 3 protocols, 3 replications"
    titles = [line for line in lines if line.startswith("'")]
    assert titles == [
        "'slow' against 'base', av1",
        "'slow' against 'base', rst",
        "'two, av2' against 'base, av1'",
        "'two, av2' against 'base, rst'",
    ]
    assert len([line for line in lines if line.startswith("  first differing event, in replication 0: in '")]) == 4
    assert len([line for line in lines if line.startswith("  mean delay (")]) == 4
    again = summarize_sweep(tmp_path / "r", report=False)
    assert list(again.lines(indented)) == lines[lines.index("") + 1 : -1]
    divergences = again.document()["divergences"]
    assert [(each["vary.variant"], each["left"], each["right"]) for each in divergences] == [
        ("slow", "av1", "av1"),
        ("slow", "rst", "rst"),
        ("two", "av2", "av1"),
        ("two", "av2", "rst"),
    ]
    assert all(each["at"] == min(each["left_at"], each["right_at"]) for each in divergences)
    assert all([one["replication"] for one in each["replications"]] == [0, 1, 2] for each in divergences)
    assert all(each["replications"][0]["at"] == each["at"] for each in divergences)
    assert len([line for line in lines if line.startswith("  they differ in all 3 replications: first at ")]) == 4
    text = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert plots(text)["delay-1"]["layout"]["xaxis"]["categoryarray"] == ["base", "slow", "two"]
    assert all(each["text"].replace("'", "&#x27;") in text for each in divergences)
