"""`mobilesim check-claims`: its tables, JSON output, exit status and progress."""

import json
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mobilesim.api.protocol_choices import named_row
from mobilesim.cli.experiments.check_claims import report_lines
from mobilesim.cli.main import main
from mobilesim.experiments.claims import check
from mobilesim.experiments.claims.check import PAPER, ClaimReport
from mobilesim.experiments.claims.claim_run import simulate
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue import ROWS
from mobilesim.protocols.catalogue_rows import ProtocolRow
from tests.support.outside_packages import SPARSE, fresh_extensions, package
from tests.support.terminal import Terminal, screen

Output = pytest.CaptureFixture[str]

LINE = re.compile(r"  (?P<claim>\S.*?)  +(?P<rest>\S.*?)(?:  +(?P<verdict>pass|FAIL))?")


def verdicts(text: str) -> dict[str, str | None]:
    """Return the verdict of each claim in a printed table."""
    matches = [LINE.fullmatch(line) for line in text.splitlines()]
    return {match["claim"]: match["verdict"] for match in matches if match}


@pytest.mark.full
def test_a_protocol_gets_a_table_with_a_line_for_each_claim(capsys: Output) -> None:
    assert main(["check-claims", "fifo", "--quick"]) == 0
    out, err = capsys.readouterr()
    heading, sizes, *lines = out.splitlines()
    assert heading == "fifo: proxy x fifo"
    assert sizes == "  where n_h = 4 8 16 32 (n_s = 4, d = 2); n_s = 2 4 8 16 (n_h = 8, d = 2)"
    found = verdicts("\n".join(lines))
    assert found["header by n_h"] == found["hand-off by n_s"] == found["FIFO order"] == found["exactly once"] == "pass"
    assert found["causal order"] is None
    assert PAPER not in out
    assert re.fullmatch(r"\[1/1\] fifo: 32 runs, [\d.]+ s\n", err)


@pytest.mark.parametrize(
    ("name", "heading"),
    (
        ("proxy+sparse:Sparse", "proxy+sparse:Sparse: proxy x sparse:Sparse"),
        ("proxy+rst", "av1: proxy x rst (Alagar & Venkatesan 1994, algorithm 1)"),
        ("proxy+ses", "proxy+ses: proxy x ses (Schiper, Eggli & Sandoz 1989)"),
    ),
)
def test_a_heading_cites_the_paper_on_the_pair_or_on_its_ordering(
    name: str, heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fresh_extensions():
        package(tmp_path, monkeypatch, {"sparse": SPARSE})
        report = ClaimReport(named_row(name), (), runs=0, deliveries=0, handoffs=0, forwarded=0)
        assert report_lines(report)[0] == heading


@pytest.mark.full
def test_the_output_about_algorithms_of_the_paper_ends_with_its_table_1(capsys: Output) -> None:
    assert main(["check-claims", "fifo", "av1", "--quick"]) == 0
    *_, title, head, header, handoff, inhibition = capsys.readouterr().out.splitlines()
    assert title == "Alagar & Venkatesan 1994, table 1"
    assert head.split() == ["algorithm", "what", "printed", "claimed", "measured"]
    assert header.split() == ["av1", "header", "O(n_h^2)", "n_h^2", "n_h^2,", "n_s^0", "pass"]
    assert handoff.split() == ["av1", "hand-off", "O(1)", "2", "n_h^0,", "n_s^0", "pass"]
    assert inhibition.split()[:3] == ["av1", "inhibition", "no"]


@pytest.mark.full
def test_the_command_marks_a_false_claim_and_exits_with_1(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROWS["fifo"]
    false = replace(row, claims=replace(row.claims, handoff="n_s"))
    monkeypatch.setattr(catalogue, "ROWS", {**ROWS, "fifo": false})
    assert main(["check-claims", "fifo", "--quick"]) == 1
    found = verdicts(capsys.readouterr().out)
    failed = [claim for claim, verdict in found.items() if verdict == "FAIL"]
    assert failed == ["hand-off by n_h", "hand-off by n_s", "hand-off, high mobility"]


@pytest.mark.full
def test_the_json_document_has_the_values_behind_each_claim(capsys: Output) -> None:
    assert main(["check-claims", "av1", "--quick", "--json"]) == 0
    out, err = capsys.readouterr()
    document: dict[str, Any] = json.loads(out)
    assert err == ""
    assert document["complete"] is document["holds"] is True
    (row,) = document["rows"]
    claims = {claim["claim"]: claim for claim in row["claims"]}
    header = claims["header by n_h"]
    assert header["counts"] == [[size["n_h"] ** 2] for size in header["sizes"]]
    assert (header["claimed"], header["exponent"]) == ("n_h^2", pytest.approx(2))
    assert claims["inhibition, multicast"]["inhibited"] > claims["inhibition, multicast"]["avoidable_at_stations"] == 0
    assert [entry["printed"] for entry in document["av_table_1"]] == ["O(n_h^2)", "O(1)", "no"]


def test_an_unknown_name_causes_one_error_line(capsys: Output) -> None:
    assert main(["check-claims", "av1", "fifa"]) == 2
    assert capsys.readouterr() == ("", "mobilesim: fifa: no such protocol; did you mean 'fifo'?\n")


@pytest.mark.full
def test_a_list_of_protocols_may_have_commas(capsys: Output) -> None:
    assert main(["check-claims", "fifo,av9", "--quick"]) == 2
    assert capsys.readouterr().err.startswith("mobilesim: av9: no such protocol; ")


def test_a_protocol_named_twice_is_measured_once(capsys: Output) -> None:
    assert main(["check-claims", "fifo", "fifo", "--quick"]) == 0
    assert capsys.readouterr().out.count("fifo: proxy x fifo") == 1


@pytest.fixture
def _heeds_ctrl_c() -> Iterator[None]:
    """Restore SIGINT, which a background shell may have disabled."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.full
@pytest.mark.usefixtures("_heeds_ctrl_c")
@pytest.mark.parametrize("arguments", ((), ("--json",)))
def test_ctrl_c_keeps_finished_measurements(
    arguments: tuple[str, ...], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def simulate_or_interrupt(row: ProtocolRow, *rest: Any) -> object:  # noqa: ANN401 - the parameters of simulate
        if row.name == "unordered":
            signal.raise_signal(signal.SIGINT)
        return simulate(row, *rest)

    monkeypatch.setattr(check, "simulate", simulate_or_interrupt)
    assert main(["check-claims", "fifo", "unordered", "--quick", *arguments]) == 130
    out, err = capsys.readouterr()
    assert err.splitlines()[-1] == "mobilesim: interrupted; checked 1 of 2 protocols"
    if arguments:
        document = json.loads(out)
        assert not document["complete"]
        assert [row["name"] for row in document["rows"]] == ["fifo"]
    else:
        assert "fifo: proxy x fifo" in out
        assert "unordered" not in out


@pytest.mark.full
def test_a_terminal_shows_a_progress_bar_and_removes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, sent = Terminal(tmp_path, monkeypatch, "check-claims", "fifo", "--quick").close()
    assert code == 0
    assert re.search(r"\[1/1\] fifo .*\d+ of 32 runs", sent)
    assert not any(screen(sent))
    assert "\x1b" not in out
    assert out.startswith("fifo: ")


@pytest.mark.full
def test_a_long_measurement_reports_its_progress(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mobilesim.api.progress.SECONDS_BETWEEN_LINES", 0.0)
    assert main(["check-claims", "fifo", "--quick"]) == 0
    *lines, last = capsys.readouterr().err.splitlines()
    assert len(lines) == 31
    assert all(re.fullmatch(r"\[1/1\] fifo: \d+ of 32 runs(, about \d+ s left)?", line) for line in lines)
    assert re.fullmatch(r"\[1/1\] fifo: 32 runs, [\d.]+ s", last)
