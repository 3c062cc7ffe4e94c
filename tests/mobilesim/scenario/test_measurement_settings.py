"""The keys of the measurement window: `measure`, `warm_up` and `deliveries`."""

import json
from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli.main import main
from mobilesim.experiments.sweep.points import build_grid
from mobilesim.scenario.loader import loads
from mobilesim.scenario.sweeps import sweep_file
from tests.support.bad_scenarios import Bad, error_of

S: Final = 1_000_000_000

BAD: Final = (
    Bad(
        "measure: {from: 70 s}\n",
        "x.yaml:1: measure.from: the window begins at 70 s, but hosts stop sending after 60 s; write an earlier time, "
        "or a longer 'duration'",
    ),
    Bad(
        "duration: 20 s\nmeasure: {from: 5 s, to: 21 s}\n",
        "x.yaml:2: measure.to: the window ends at 21 s, but hosts stop sending after 20 s; write an earlier time, a "
        "longer 'duration', or no 'to'",
    ),
    Bad(
        "measure: {from: 50 s, to: 50 s}\n",
        "x.yaml:1: measure.to: the window ends at 50 s, but begins at 50 s; write a time after 'from'",
    ),
    Bad(
        "network: static\nmeasure: {from: 10 s, to: 5 s}\n",
        "x.yaml:2: measure.to: the window ends at 5 s, but begins at 10 s; write a time after 'from'",
    ),
    Bad("measure: {from: 10}\n", "x.yaml:1: measure.from: 10 has no unit; write '10 s' or '10 ms'"),
    Bad("measure: {since: 10 s}\n", "x.yaml:1: measure.since: unknown key (known: from, to)"),
    Bad("measure: 5 s\n", "x.yaml:1: measure: '5 s' is not a mapping; write keys below it (known: from, to)"),
    Bad(
        "warm_up: {deliveries: 5}\nmeasure: {from: 1 s}\n",
        "x.yaml:2: measure: 'warm_up' defines a measurement window, too; leave one of them out",
    ),
    Bad(
        "duration: 9 s\ndeliveries: 5\nmeasure: {from: 1 s}\n",
        "x.yaml:3: measure: 'deliveries' defines a measurement window, too; leave one of them out",
    ),
    Bad(
        "deliveries: 5\n",
        "x.yaml:1: deliveries: hosts that cannot be reached deliver nothing, and the run might never end; write "
        "'duration' or 'messages', too",
    ),
    Bad(
        "messages: 10\nwarm_up: {deliveries: 10}\n",
        "x.yaml:2: warm_up.deliveries: the run has at most 10 deliveries, and the warm-up 10; write fewer",
    ),
)


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: repr(bad.text))
def test_a_window_that_cannot_be_measured_is_one_line(bad: Bad) -> None:
    assert error_of(bad.text) == bad.error


@pytest.mark.parametrize("network", ("cells", "static"))
def test_every_network_has_windows(network: str) -> None:
    scenario = loads(f"network: {network}\nduration: 2 min\nmeasure: {{from: 30 s, to: 110 s}}")
    assert scenario.measure is not None
    assert (scenario.measure.since, scenario.measure.until) == (30 * S, 110 * S)
    counted = loads(f"network: {network}\nduration: 60 s\nwarm_up: {{deliveries: 3}}\ndeliveries: 9")
    assert (counted.warm_up is None, counted.deliveries) == (False, 9)


def test_scenarios_with_different_windows_have_different_hashes() -> None:
    texts = ("", "measure: {}", "measure: {from: 3 s}", "measure: {to: 3 s}", "warm_up: {deliveries: 3}")
    assert len({loads(f"duration: 9 s\n{text}").hash for text in texts}) == len(texts)


@pytest.mark.parametrize(
    ("text", "kept"),
    (
        ("measure: {from: 1 s}", True),
        ("measure: {from: 1 s, to: 5 s}", True),
        ("measure: {from: 6 s}", False),
        ("measure: {from: 1 s, to: 6 s}", False),
        ("quick_duration: 40 s\nmeasure: {from: 10 s}", True),
    ),
)
def test_a_short_form_keeps_a_window_that_fits(text: str, kept: bool) -> None:  # noqa: FBT001 - an expected value
    scenario = loads(text)
    assert (scenario.shortened().measure == scenario.measure) is kept
    assert scenario.not_in_short_form == ([] if kept else ["measure"])


def test_validate_describes_the_window(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.yaml"
    for text, described in (
        ("measure: {from: 10 s, to: 50 s}", "measured from 10 s to 50 s"),
        ("measure: {from: 10 s}", "measured from 10 s to the end of sending"),
        ("warm_up: {deliveries: 5000}", "measured after the first 5,000 deliveries"),
        ("deliveries: 2000\nwarm_up: {deliveries: 5000}", "measured after the first 5,000 deliveries"),
    ):
        file.write_text(f"duration: 60 s\n{text}\n")
        assert main(["validate", str(file)]) == 0
        assert capsys.readouterr().out.strip().endswith(f", {described}")
        assert main(["validate", str(file), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["window"] == described


def test_a_run_names_its_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text("hosts: 4\nduration: 3 s\nmeasure: {from: 1 s, to: 2 s}\n")
    assert main(["run", "small.yaml", "--no-summary"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "  measured from 1 s to 2 s; all deliveries were checked"
    assert " of them measured" in lines[2]
    assert main(["run", "small.yaml", "--no-summary", "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["measured_ns"] == [1 * S, 2 * S]


def test_a_sweep_may_vary_the_window() -> None:
    found = build_grid(sweep_file.loads("scenario: quickstart\nvary: {measure.from: [0 s, 10 s, 20 s]}\n"))
    windows = [point.scenario.measure for point in found.points]
    assert [None if window is None else window.since for window in windows] == [0, 10 * S, 20 * S]
