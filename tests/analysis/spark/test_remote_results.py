"""A sweep with results in an object store is run, continued, summarized and verified."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import mobilesim as ms
from mobilesim.cli.main import main
from mobilesim.results.layout import SUMMARY
from mobilesim.results.location import Remote
from mobilesim.results.sweeps import compaction
from tests.support.s3_server import Objects, store

pytestmark = pytest.mark.usefixtures("spark")

SWEEP = """\
scenario: {messages: 60, hosts: 5, cells: 4}
protocols: [av1, unordered]
replications: 1
vary: {hosts: [4, 6]}
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def objects() -> Iterator[Objects]:
    with store() as found:
        yield found


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("sweep") / "s.yaml"
    path.write_text(SWEEP, encoding="utf-8")
    return str(path)


def summary(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / SUMMARY).iterdir()}


def summary_of(objects: Objects, prefix: str) -> dict[str, bytes]:
    under = f"{prefix}/{SUMMARY}/"
    found = {key.removeprefix(under): content for key, content in objects.kept.items() if key.startswith(under)}
    return {name: content for name, content in found.items() if name}


@pytest.fixture(scope="module")
def swept(sweep: str, objects: Objects) -> Objects:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compaction, "FEWEST_TO_PACK", 4)
        assert main(["sweep", sweep, "--out", objects.uri("r")]) == 0
    return objects


@pytest.fixture
def copied(swept: Objects, tmp_path: Path) -> str:
    """The prefix of a copy of all results, which one test may change."""
    name = tmp_path.name
    kept = {key.replace("r", name, 1): content for key, content in swept.kept.items() if key.startswith("r/")}
    swept.kept |= kept
    return name


@pytest.mark.full
def test_a_sweep_has_the_same_results_on_a_remote_file_system(sweep: str, swept: Objects, tmp_path: Path) -> None:
    assert main(["sweep", sweep, "--out", str(tmp_path / "r")]) == 0
    assert summary_of(swept, "r") == summary(tmp_path / "r")
    assert "r/report.html" in swept.kept
    tables = [key for key in swept.kept if key.startswith("r/deliveries/") and key.endswith(".parquet")]
    assert len(tables) == 1
    assert len(list((tmp_path / "r" / "deliveries").iterdir())) == 4


@pytest.mark.full
def test_a_remote_sweep_is_continued_and_verified(sweep: str, swept: Objects, copied: str, capsys: Captured) -> None:
    uri, before = swept.uri(copied), dict(swept.kept)
    assert main(["sweep", sweep, "--out", uri, "--dry-run", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["runs"], document["done"], document["results"]) == (4, 4, f"s3://bucket/{copied}")
    assert main(["sweep", sweep, "--out", uri, "--set", "replications=2", "--no-report"]) == 0
    shown = capsys.readouterr().out
    assert "  8 runs are complete, 4 of them from earlier commands" in shown
    assert "secret" not in shown
    tables = {key: content for key, content in before.items() if key.endswith(".parquet") and SUMMARY not in key}
    assert tables.items() <= swept.kept.items()
    assert main(["verify-results", uri, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 8


@pytest.mark.full
def test_a_run_has_the_same_results_on_a_remote_file_system(
    objects: Objects, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "quickstart", "--quick", "--replications", "2", "--protocol", "av1", "fifo"]
    assert main([*words, "--out", "here"]) == 0
    assert main([*words, "--out", objects.uri("run")]) == 0
    shown = capsys.readouterr()
    assert "secret" not in shown.out + shown.err
    assert "tables: s3://bucket/run\n" in shown.out
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    here = {str(path.relative_to("here")) for path in Path("here").rglob("*") if path.is_file()}
    there = {key.removeprefix("run/") for key in objects.kept if key.startswith("run/") and not key.endswith("/")}
    assert there == here
    assert summary_of(objects, "run") == summary(tmp_path / "here")
    assert main(["verify-results", objects.uri("run")]) == 0
    objects.kept["run/deliveries/old.parquet"] = b"of a run before"
    results = ms.run("quickstart", quick=True, replications=1, protocols=["av1"], out=objects.uri("run"))
    assert "run/deliveries/old.parquet" not in objects.kept
    assert results.verdicts == {"av1": "correct"}
    assert len(results.deliveries) == sum(results.runs.arrow()["deliveries"].to_pylist())
    objects.kept["run/notes.txt"] = b"of a user"
    assert main([*words, "--out", objects.uri("run")]) == 2
    line = "s3://bucket/run: holds notes.txt, which mobilesim did not write; name another directory with --out"
    assert capsys.readouterr().err.splitlines()[-1] == f"mobilesim: {line}"


@pytest.mark.full
def test_a_partly_written_remote_summary_is_reported(
    swept: Objects, copied: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, sent = Remote.upload, 0

    def receive(to: Remote, source: Path) -> None:
        nonlocal sent
        sent += SUMMARY in str(to)
        if sent > 3:
            raise OSError(28, "No space left on device")
        real(to, source)

    monkeypatch.setattr(Remote, "upload", receive)
    before = summary_of(swept, copied)
    swept.kept[min(key for key in swept.kept if key.startswith(f"{copied}/{SUMMARY}/"))] = b"old"
    capsys.readouterr()
    assert main(["summarize", swept.uri(copied), "--no-report"]) == 2
    line = "its files may be partly new and partly old: summarize again"
    shown = capsys.readouterr().err.splitlines()[-1]
    assert shown == f"mobilesim: s3://bucket/{copied}/{SUMMARY}: cannot be written (No space left on device); {line}"
    assert summary_of(swept, copied) == before


@pytest.mark.full
def test_a_remote_sweep_is_summarized_and_damaged_files_are_reported(
    swept: Objects, copied: str, capsys: Captured
) -> None:
    uri, points = swept.uri(copied), f"{copied}/{SUMMARY}/points.parquet"
    swept.kept[f"{copied}/{SUMMARY}/old.csv"] = b"of a summary before"
    del swept.kept[points]
    assert main(["summarize", uri, "--no-report"]) == 0
    assert summary_of(swept, copied) == summary_of(swept, "r")
    victim = min(key for key in swept.kept if key.startswith(f"{copied}/links/") and key.endswith(".parquet"))
    swept.kept[victim] = swept.kept[victim][:-9]
    capsys.readouterr()
    assert main(["summarize", uri]) == 2
    shown = capsys.readouterr().err.splitlines()[-1]
    assert shown.startswith(f"mobilesim: s3://bucket/{victim}: not a Parquet file, or cut short; delete it")
    del swept.kept[victim]
    assert main(["summarize", uri]) == 2
    assert f"s3://bucket/{victim}: missing" in capsys.readouterr().err
