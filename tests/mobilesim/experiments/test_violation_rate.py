"""Protocols that promise a rate of causal violations: verdicts, exit codes and checks follow the promise."""

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from tests.support.altered_results import Rows, alter
from tests.support.outside_packages import fresh_extensions

TOO_FEW = """\
    from dataclasses import replace

    from probabilistic_causal.ordering import ROW, HashedVector

    from mobilesim.contract.orderings import declares


    @declares(replace(ROW, name="too-few", options=(), header="5", violation_rate=0.001))
    class TooFew(HashedVector):
        def __init__(self, size: int) -> None:
            super().__init__(size, 4, 2)
"""
KEPT, BROKEN = "proxy+probabilistic_causal.ordering:HashedVector", "proxy+too_few:TooFew"
BROADCASTS = ("--set", "workload={kind: multicast, destinations: all}", "--set", "hosts=15", "--set", "duration=5 s")


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    with fresh_extensions():
        yield


@pytest.fixture
def plugin(tmp_path: Path) -> tuple[str, str]:
    file = tmp_path / "too_few.py"
    file.write_text(dedent(TOO_FEW), encoding="utf-8")
    return "--plugin", str(file)


def run(protocol: str, out: Path, *options: str) -> int:
    own = ("--replications", "2", "--protocol", protocol, "--out", str(out))
    return main(["run", "quickstart", *BROADCASTS, *own, *options])


def rows(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.ParquetDataset(out / "runs").read().to_pylist()
    return found


def test_a_kept_promise_is_no_fault_and_the_text_has_the_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(KEPT, tmp_path, "--no-summary") == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "deliveries of" in line]
    assert all(line.endswith("), at most 2.000% promised") for line in lines)
    assert all("causal violations of " in line or "1 causal violation of" in line for line in lines)
    assert {(row["verdict"], row["claims_causal"], row["claims_violation_rate"]) for row in rows(tmp_path)} == {
        ("ok", False, 0.02)
    }


def test_a_broken_promise_is_a_fault(
    tmp_path: Path, plugin: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(BROKEN, out, "--no-summary", *plugin) == 1
    assert capsys.readouterr().out.count("at most 0.100% promised") == 2
    assert "fault" in {row["verdict"] for row in rows(out)}


def test_a_rate_is_promised_for_default_options_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"{KEPT} entries=2 hashes=1", tmp_path, "--no-summary") == 0
    assert "before a causal predecessor (claims no causal order)" in capsys.readouterr().out
    assert {row["claims_violation_rate"] for row in rows(tmp_path)} == {None}


def test_the_explorer_names_the_promise(capsys: pytest.CaptureFixture[str]) -> None:
    few = ("--hosts", "3", "--messages", "3", "--moves", "0", "--set", "entries=2", "--set", "hashes=1")
    assert main(["explore", KEPT, *few]) == 1
    assert f"({KEPT} claims causal order for all but 2.000% of deliveries)" in capsys.readouterr().out
    assert main(["explore", KEPT, *few[:3], "2", *few[4:], "--judge-claims-only"]) == 0


@pytest.mark.full
def test_the_claims_are_checked(plugin: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-claims", "--quick", "--json", BROKEN, *plugin]) == 1
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    (claim,) = (claim for claim in row["claims"] if claim["claim"] == "causal violations")
    assert (claim["claimed"], claim["holds"]) == ("at most 0.100%", False)
    assert claim["low"] > 0.001


@pytest.mark.full
def test_the_summary_and_the_second_check_follow_the_promise(
    tmp_path: Path, plugin: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    kept, broken = tmp_path / "kept", tmp_path / "broken"
    assert run(KEPT, kept) == 0
    assert run(BROKEN, broken, *plugin) == 1
    text = capsys.readouterr().out
    assert "correct, causal violations within the promised rate" in text
    assert "incorrect" in text
    assert "at most 2.000% promised" in (kept / "report.html").read_text(encoding="utf-8")
    assert main(["verify-results", str(kept)]) == 0
    assert main(["verify-results", str(broken)]) == 0
    assert "at most 0.100% promised" in capsys.readouterr().out


@pytest.mark.full
def test_the_second_check_finds_a_verdict_that_ignores_the_promise(
    tmp_path: Path, plugin: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(BROKEN, out, "--no-summary", *plugin) == 1
    for path in (out / "runs").glob("*.parquet"):
        alter(path, say_ok)
    assert main(["verify-results", str(out)]) == 1
    assert "verdict 'ok' with causal_violations" in capsys.readouterr().out


def say_ok(rows: Rows) -> None:
    rows[0]["verdict"] = "ok"
