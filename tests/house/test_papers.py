"""The claims of the papers in `docs/papers.md`: complete, each with evidence that exists, and generated."""

import ast
import re
from collections.abc import Iterator, Mapping

import pytest

from mobilesim.cli.main import main
from mobilesim.experiments.paper_figures.figure import FIGURES
from tests.house.papers.claims import Claim, Document, Paper, missing_numbers, papers, rows
from tests.house.papers.pages import FOLDER, PAGE, documents, pages
from tests.house.tree import ROOT
from tests.support.generated_blocks import blocks

PAPERS = {paper.abbreviation: paper for paper in papers()}
CLAIMS = [(paper, claim) for paper in PAPERS.values() for claim in paper.claims]


def statements() -> Iterator[tuple[str, str, str]]:
    """Yield the abbreviation of the paper, the section and the text of the statements of figures on the five papers."""
    for figure in FIGURES.values():
        for statement in figure.statements:
            abbreviation, _, section = statement.source.partition(" ")
            if abbreviation in PAPERS:
                yield abbreviation, section, statement.text


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_numbered_statement_of_a_paper_has_a_claim(paper: Paper) -> None:
    sections = [claim.section for claim in paper.claims]
    sections += [section for abbreviation, section, _ in statements() if abbreviation == paper.abbreviation]
    assert missing_numbers(paper, sections) == []


@pytest.mark.parametrize("claim", [claim for _, claim in CLAIMS])
def test_a_claim_has_one_kind_of_evidence_that_exists(claim: Claim) -> None:
    assert [bool(claim.command), bool(claim.test), bool(claim.untested)].count(True) == 1
    assert bool(claim.command) == bool(claim.shows)
    assert re.compile(claim.shows).groups == bool(claim.command)
    if claim.test:
        path, _, name = claim.test.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_claim_is_on_the_page() -> None:
    tables = blocks(PAGE.read_text(encoding="utf-8"))
    found = [(paper.abbreviation, claim.section, claim.text) for paper, claim in CLAIMS]
    for abbreviation, section, text in (*found, *statements()):
        cell = text.replace("*", "\\*").replace("|", "\\|")
        assert f"| {section} | {cell} | " in tables[f"claims-{abbreviation.lower()}"]


def test_every_figure_has_a_page() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(FIGURES)
    for name in FIGURES:
        assert f"papers/{name}.md" in PAGE.read_text(encoding="utf-8")
        text = blocks((FOLDER / f"{name}.md").read_text(encoding="utf-8"))["figure"]
        assert all(f"{statement.source}: {statement.text}\n" in text for statement in FIGURES[name].statements)


def document(*holds: bool | None) -> Document:
    panels = [
        {"label": f"panel {place}", "statements": [{"source": "AV 5.3", "paper": "s", "holds": each, "text": "t"}]}
        for place, each in enumerate(holds)
    ]
    return {"figure": "f", "panels": panels}


VERDICTS: Mapping[str, tuple[bool | None, ...]] = {
    "contradicted": (False,),
    "confirmed in all 2": (True, True),
    "confirmed in 2 of 4, contradicted in 1 of 4, inconclusive in 1 of 4": (True, False, None, True),
}


@pytest.mark.parametrize(("verdict", "holds"), VERDICTS.items())
def test_a_row_has_the_verdicts_of_all_panels(verdict: str, holds: tuple[bool | None, ...]) -> None:
    (row,) = rows(Paper("AV", "", [], []), [document(*holds)])
    assert (row.section, row.verdict) == ("5.3", verdict)


def test_claims_are_in_the_order_of_the_sections() -> None:
    claims = [Claim(section, "", untested="x") for section in ("10.1", "9, lemma 1", "9.2", "9")]
    assert [row.section for row in rows(Paper("AV", "", [], claims), [])] == ["9, lemma 1", "9", "9.2", "10.1"]


def test_a_command_with_another_output_is_an_error() -> None:
    claim = Claim("1", "", command="mobilesim --version", shows="(no such text)")
    with pytest.raises(ValueError, match="the output does not match"):
        rows(Paper("AV", "", [], [claim]), [])


@pytest.mark.slow
def test_the_pages_follow_from_all_figures(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Reproduce all figures completely: minutes with the compiled core, an hour without."""
    results = tmp_path_factory.mktemp("figures")
    assert main(["reproduce-figure", "--all", "--out", str(results)]) == 0
    figures = documents(results)
    assert {figure["incomplete"] for figure in figures} == {""}
    assert all(figure["conclusion"] and not figure["faults"] for figure in figures)
    for path, text in pages(figures).items():
        assert path.read_text(encoding="utf-8") == text
