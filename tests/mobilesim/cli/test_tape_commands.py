"""`mobilesim replay`, `mobilesim view` and `mobilesim export`."""

from pathlib import Path

import pytest

from mobilesim.cli.main import main
from mobilesim.tape.tape_file import read_tape


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("tapes")
    (home / "s.yaml").write_text("name: a/b\nhosts: 4\nduration: 2 s\nprotocols: [av1, fifo]\n")
    assert main(["run", str(home / "s.yaml"), "--out", str(home / "out"), "--no-summary"]) == 0
    return home / "out"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_part_of_a_run_is_replayed_and_exported(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["replay", str(results), "--protocol", "av1", "--from", "500ms", "--to", "1s"]
    assert main(words) == 0
    assert "tape: a-b-av1-0.tape" in capsys.readouterr().out
    tape = read_tape(Path("a-b-av1-0.tape"))
    assert (tape.header.since, tape.header.until) == (500_000_000, 1_000_000_000)
    assert main(words) == 2
    assert "this file exists; --force replaces it" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert main(["export", "a-b-av1-0.tape", "--to", "csv"]) == 0
    direct = ["export", str(results), "--protocol", "av1", "--from", "500ms", "--until", "1s", "--to", "csv"]
    assert main([*direct, "--out", "direct.csv"]) == 0
    assert Path("direct.csv").read_text() == Path("a-b-av1-0.csv").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    (
        (["replay", "RESULTS"], "--protocol: name one of the protocols av1, fifo"),
        (["replay", "RESULTS", "--protocol", "av1", "--from", "2s", "--to", "1s"], "--until 1s: is before --from 2s"),
        (["replay", "RESULTS", "--protocol", "av1", "--from", "2"], "--from: "),
        (["replay", "nowhere"], "nowhere: neither a results directory nor a tape"),
        (["replay", "RESULTS/scenario.yaml"], "scenario.yaml: a file; name the results directory of a run"),
        (["replay", "s3://bucket/x"], "an address; name a local path"),
        (["view", "nowhere"], "nowhere: neither a results directory nor a tape"),
        (["view", "RESULTS", "--protocol", "av1", "--from", "2"], "--from: "),
        (["export", "nowhere", "--to", "csv"], "nowhere: neither a results directory nor a tape"),
        (["export", "RESULTS/scenario.yaml", "--to", "csv"], "not readable as a tape"),
        (["export", "RESULTS/scenario.yaml", "--to", "csv", "--from", "1s"], "is a tape of one run"),
    ),
)
def test_wrong_arguments_get_one_line(
    words: list[str], message: str, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.replace("RESULTS", str(results)) for word in words]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert message in lines[-1]


def test_the_page_of_a_run_is_written_and_replaced_only_by_force(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["view", str(results), "--protocol", "fifo", "--from", "500ms", "--to", "1s"]
    assert main(words) == 0
    assert capsys.readouterr().out.endswith("page: a-b-fifo-0.html\n")
    assert Path("a-b-fifo-0.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert main(words) == 2
    assert "this file exists; --force replaces it" in capsys.readouterr().err
    assert main([*words, "--force", "--out", "a-b-fifo-0.html"]) == 0


def test_a_run_with_too_many_events_is_refused_with_a_part_that_fits(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mobilesim.viewing.page.MAX_EVENTS", 60)
    words = ["view", str(results), "--protocol", "av1"]
    assert main(words) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "events are too many for a page, which shows at most 60; choose a part of the run that fits" in line
    part = line.partition("such as ")[2].split()
    assert main([*words, *part]) == 0
