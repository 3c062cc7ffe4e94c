"""The results of passive clocks in the summary, in the report and on the terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from mobilesim.analysis.figures import clock_figures
from mobilesim.analysis.pipeline.summarize import summarize_run
from mobilesim.analysis.report import narrative
from mobilesim.analysis.report.run_page import page
from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.model import ProtocolSummary, clock_results
from mobilesim.cli.main import main
from tests.support import made_results
from tests.support.made_results import Row
from tests.support.summaries import protocol, summary

pytestmark = pytest.mark.usefixtures("spark")

FM: Final = "FM"
FIFTH: Final = "allocation 5"


def row(clock: str, **facts: Any) -> Row:  # noqa: ANN401 - any columns
    sizes = {"kept_mean": 8.0, "kept_max": 8, "processes": 8, "links": 14, "exact_sets": True, "claims_exact": True}
    counts = {"copies": 100, "integers": 800, "integers_max": 9, "integers_of_vectors": 800, "compared": 1_000}
    return {"clock": clock, **sizes, **counts, **facts}


def small(**facts: Any) -> Row:  # noqa: ANN401 - likewise
    sets = {"kept_mean": 1.5, "kept_max": 3, "obs_set_mean": 2.0, "obs_set_max": 4}
    return row(FIFTH, **sets, integers=150, **facts)


RUNS: Final[Mapping[str, Sequence[Sequence[Row]]]] = {
    "av1": ([row(FM), small()], [row(FM, compared=500), small(compared=500, exact_sets=False)]),
    "fifo": ([row(FM), small(wrong=9, missed=7, spurious=2)], [row(FM), small(wrong=1, reversed=1)]),
    "rst": ([], []),
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("made")
    for name, runs in RUNS.items():
        for replication, clocks in enumerate(runs):
            made_results.run(at, name, replication, clocks=clocks)
    cut = {"status": "interrupted"}
    made_results.run(at, "fifo", 2, clocks=[row(FM, compared=7), small(compared=7, wrong=7, missed=7)], facts=cut)
    summarize_run(at)
    return at


@pytest.fixture(scope="module")
def rows(directory: Path) -> Mapping[tuple[str, str], Row]:
    found: list[Row] = pq.read_table(directory / "summary" / "clocks.parquet").to_pylist()
    return {(each["protocol"], each["clock"]): each for each in found}


@pytest.mark.full
def test_each_clock_has_a_row_for_each_protocol(rows: Mapping[tuple[str, str], Row]) -> None:
    assert list(rows) == [(name, clock) for name in ("av1", "fifo") for clock in (FM, FIFTH)]


def test_answers_are_counted_over_complete_runs(rows: Mapping[tuple[str, str], Row]) -> None:
    counts = {kind: rows["fifo", FIFTH][kind] for kind in ("compared", "missed", "reversed", "spurious")}
    assert counts == {"compared": 2_000, "missed": 7, "reversed": 1, "spurious": 2}
    assert rows["fifo", FIFTH]["wrong_mean"] == pytest.approx(fmean((0.009, 0.001)))
    assert rows["av1", FIFTH]["compared"] == 1_500
    assert rows["av1", FIFTH]["wrong_mean"] == 0


def test_sizes_of_sets_are_means_over_runs_or_null_if_a_clock_has_no_set(rows: Mapping[tuple[str, str], Row]) -> None:
    least = rows["fifo", FIFTH]
    assert [least[f"{name}_mean"] for name in ("kept", "obs_set", "integers", "integers_of_vectors")] == [
        *(1.5, 2.0),
        *(1.5, 8.0),
    ]
    assert (least["kept_max"], least["obs_set_max"]) == (3, 4)
    assert (rows["fifo", FM]["obs_set_mean"], rows["fifo", FM]["obs_set_max"]) == (None, None)


def test_a_clock_is_exact_only_if_its_sets_are_exact_in_all_runs(rows: Mapping[tuple[str, str], Row]) -> None:
    assert [rows[name, FIFTH]["exact_sets"] for name in ("av1", "fifo")] == [False, True]


def test_page_and_terminal_have_the_wrong_answers_of_each_clock(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences = (
        (
            "With 14 links between 8 processes, allocation 5 has the smallest stamps: "
            "1.50 integers; a vector clock has 8."
        ),
        "Under av1, all 1,500 answers of each clock were right.",
        "Under fifo, each clock gave 2,000 answers; wrong ones: 10 of allocation 5 (0.5 %).",
    )
    text = (directory / "report.html").read_text(encoding="utf-8").replace("&nbsp;", " ")
    assert " ".join(sentences) in text
    assert "safe superset" in text
    assert "7 missed, 1 reversed, 2 false orderings" in text
    assert main(["summarize", str(directory), "--no-report"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("clocks: ")] == [f"clocks: {each}" for each in sentences]


def test_a_figure_for_each_protocol_has_the_sizes_and_wrong_answers_of_its_clocks(directory: Path) -> None:
    found = summarize_run(directory).protocols
    figures = {figure.title: figure for figure in clock_figures.wrong_answers(found)}
    assert list(figures) == [f"wrong answers (%) against integers on a message, {name}" for name in ("av1", "fifo")]
    rows = {row.split(",")[0]: row.split(",")[1:3] for row in list(figures.values())[1].csv().splitlines()}
    assert [float(each) for each in rows[FM]] == [8, 0]
    assert [float(each) for each in rows[FIFTH]] == pytest.approx([1.5, 100 * fmean((0.009, 0.001))])


def test_clocks_that_would_hide_others_are_left_out_of_figures() -> None:
    sizes = {FM: 8.0, FIFTH: 4.0, "encoded": 200.0}
    about = {
        f"clocks.{name}.{metric}": Estimate("", 5, mean, run_means=(mean,))
        for name, size in sizes.items()
        for metric, mean in {"integers": size, "integers_of_vectors": 8.0, "wrong": 0.0}.items()
    }
    (figure,) = clock_figures.wrong_answers([protocol("av1", estimates={**protocol().estimates, **about})])
    assert figure.title.endswith(", av1 (without encoded: over 2.5 vector clocks)")
    assert "encoded" not in figure.csv()


def with_clock(name: str, **means: float) -> ProtocolSummary:
    about = {f"clocks.{FM}.{metric}": Estimate("", 5, mean, run_means=(mean,)) for metric, mean in means.items()}
    return protocol(name, estimates={**protocol().estimates, **about})


def test_with_links_between_all_processes_no_clock_has_smaller_stamps() -> None:
    full = with_clock("av1", processes=4, links=12, integers=4, integers_of_vectors=4, wrong=0)
    assert clock_figures.wrong_answers([full]) == ()
    assert narrative.clocks([full]) == [
        "With links between all 4 processes, no clock has smaller stamps than a vector clock.",
        "Under av1, all 5 answers of each clock were right.",
    ]


def test_the_smallest_stamps_are_those_of_clocks_with_exact_answers() -> None:
    sizes = {FM: (8.0, 1.0), FIFTH: (4.0, 1.0), "lamport": (1.0, 0.0)}
    about = {
        f"clocks.{name}.{metric}": Estimate("", 5, mean, run_means=(mean,))
        for name, (size, exact) in sizes.items()
        for metric, mean in {"integers": size, "integers_of_vectors": 8.0, "claims_exact": exact, "wrong": 0.0}.items()
    }
    links = {f"clocks.{FM}.{name}": Estimate("", 1, 6, run_means=(6,)) for name in ("links", "processes")}
    text, _ = narrative.clocks([protocol("av1", estimates={**protocol().estimates, **about, **links})])
    assert text == (
        "With 6 links between 6 processes, allocation 5 has the smallest stamps of the clocks with exact answers: "
        "4 integers; a vector clock has 8."
    )


def test_a_run_without_messages_has_no_answers() -> None:
    silent = with_clock("av1", processes=4, links=6)
    assert narrative.clocks([silent]) == [
        "With 6 links between 4 processes, no message was sent.",
        "Under av1, the clocks had no messages to compare.",
    ]


def test_a_run_without_passive_clocks_has_no_section_on_them() -> None:
    assert clock_results(protocol()) == ()
    assert narrative.clocks([protocol()]) == []
    assert "Passive clocks" not in page(summary(protocol()))
