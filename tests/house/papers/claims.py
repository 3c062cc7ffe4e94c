"""The claims of the papers: what a figure, a command or a test says about each of them.

A claim with a figure is a statement of `mobilesim/experiments/paper_figures/figures/`. The others stand in the YAML
files of this folder, one per paper, each with its evidence: a command and the text that it has to print, a test, or the
reason for which it is not tested.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import ConfigDict, Field, TypeAdapter

from tests.house.tree import ROOT

FOLDER: Final = Path(__file__).parent
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """`verdict`: the verdict if the evidence is as expected. `shows`: an expression for what the command prints;
    its group is the measured value. `note`: a remark on the evidence.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    section: Annotated[str, Field(coerce_numbers_to_str=True)]
    text: str
    command: str = ""
    shows: str = ""
    test: str = ""
    untested: str = ""
    verdict: str = "confirmed"
    note: str = ""


@dataclass(frozen=True)
class Paper:
    """`numbered`: the numbered theorems, lemmas, figures and tables with statements, all of which need a claim."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    abbreviation: str
    title: str
    numbered: list[str]
    claims: list[Claim]


@dataclass(frozen=True)
class Row:
    """A line of the table. `evidence`: the command or the test."""

    section: str
    text: str
    verdict: str
    measured: str
    evidence: str


def papers() -> list[Paper]:
    names = ("av", "prs", "ks", "mr", "msv")
    texts = [(FOLDER / f"{name}.yaml").read_text(encoding="utf-8") for name in names]
    return [TypeAdapter(Paper).validate_python(yaml.safe_load(text)) for text in texts]


def rows(paper: Paper, figures: Sequence[Document]) -> list[Row]:
    """Return the claims of a paper in the order of its sections. `figures`: the documents of all figures."""
    found = [*map(_row, paper.claims), *(row for figure in figures for row in _rows_of_figure(paper, figure))]
    return sorted(found, key=lambda row: _number(row.section))


def _number(section: str) -> list[int]:
    return [int(part) for part in section.partition(",")[0].split(".")]


def _rows_of_figure(paper: Paper, figure: Document) -> Iterator[Row]:
    by_statement: dict[tuple[str, str], list[tuple[str, Document]]] = {}
    for panel in figure["panels"]:
        for answer in panel["statements"]:
            by_statement.setdefault((answer["source"], answer["paper"]), []).append((panel["label"], answer))
    for (source, text), answers in by_statement.items():
        abbreviation, _, section = source.partition(" ")
        if abbreviation == paper.abbreviation:
            verdict, measured = _summary(answers)
            yield Row(section, text, verdict, measured, f"[`{figure['figure']}`](papers/{figure['figure']}.md)")


_VERDICTS: Final = {True: "confirmed", False: "contradicted", None: "inconclusive"}


def _summary(answers: Sequence[tuple[str, Document]]) -> tuple[str, str]:
    """Return the verdicts of all panels, and the first answer with each verdict."""
    by_verdict: dict[str, list[tuple[str, Document]]] = {}
    for label, answer in answers:
        by_verdict.setdefault(_VERDICTS[answer["holds"]], []).append((label, answer))
    if len(by_verdict) == 1 and len(answers) == 1:
        return next(iter(by_verdict)), answers[0][1]["text"]
    if len(by_verdict) == 1:
        counts = f"{next(iter(by_verdict))} in all {len(answers)}"
    else:
        counts = ", ".join(f"{verdict} in {len(some)} of {len(answers)}" for verdict, some in by_verdict.items())
    firsts = (some[0] for some in by_verdict.values())
    return counts, "<br>".join(f"{label}: {answer['text']}" for label, answer in firsts)


def _row(claim: Claim) -> Row:
    if claim.untested:
        return Row(claim.section, claim.text, "not tested", claim.untested, "")
    if claim.test:
        path, _, name = claim.test.partition("::")
        measured = claim.note or "no counter-example in the executions of the test"
        return Row(claim.section, claim.text, claim.verdict, measured, f"`pytest {path} -k {name}`")
    shown = re.sub(r" +", " ", output(claim.command))
    if (found := re.search(claim.shows, shown)) is None:
        raise ValueError(f"{claim.command}: the output does not match {claim.shows!r}:\n{shown}")
    measured = f"{found[1]}; {claim.note}" if claim.note else found[1]
    return Row(claim.section, claim.text, claim.verdict, measured, f"`{claim.command}`")


@cache
def output(command: str) -> str:
    """Return what a command prints."""
    arguments = [sys.executable, "-m", *command.split()]
    return subprocess.run(arguments, cwd=ROOT, check=False, capture_output=True, text=True).stdout


def missing_numbers(paper: Paper, sections: Sequence[str]) -> list[str]:
    """Return the numbered statements of a paper that no claim is about."""
    named = {section.partition(", ")[2] for section in sections}
    return [number for number in paper.numbered if number not in named]
