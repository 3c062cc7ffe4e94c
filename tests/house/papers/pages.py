"""The generated blocks of `docs/papers.md` and `docs/papers/*.md`.

    mobilesim reproduce-figure --all
    python -m tests.house.papers.pages results

runs all figures, takes their documents from the results, executes the commands of the other claims, and writes the
blocks again. No number of these blocks is written by hand.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from mobilesim.cli.experiments.reproduce_figure import figure_lines
from mobilesim.errors import counted
from mobilesim.experiments.paper_figures.figure import FIGURES
from tests.house.papers.claims import Document, Row, papers, rows
from tests.house.tree import ROOT
from tests.support.generated_blocks import renewed

PAGE: Final = ROOT / "docs" / "papers.md"
FOLDER: Final = ROOT / "docs" / "papers"
WIDTH: Final = 140

_HEAD: Final = "| section | claim | verdict | measured | by |\n|---|---|---|---|---|\n"


def documents(results: Path) -> list[Document]:
    """Return the documents of all figures in a results directory."""
    return [json.loads((results / name / "figure.json").read_text(encoding="utf-8")) for name in FIGURES]


def pages(figures: Sequence[Document]) -> Mapping[Path, str]:
    """Return the pages with their blocks generated again."""
    tables = {paper.abbreviation: rows(paper, figures) for paper in papers()}
    made = {f"claims-{name.lower()}": _table(found) for name, found in tables.items()}
    made["summary"] = _summary([row for found in tables.values() for row in found])
    renewals = {PAGE: made}
    for figure in figures:
        text = "\n".join(figure_lines(figure, WIDTH))
        renewals[FOLDER / f"{figure['figure']}.md"] = {"figure": f"```text\n{text}\n```\n\n{_runs(figure)}"}
    return {path: renewed(path.read_text(encoding="utf-8"), blocks.__getitem__) for path, blocks in renewals.items()}


def _table(found: Sequence[Row]) -> str:
    lines = (
        f"| {row.section} | {_cell(row.text)} | {row.verdict} | {_cell(row.measured)} | {row.evidence} |\n"
        for row in found
    )
    return "\n" + _HEAD + "".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def _summary(found: Sequence[Row]) -> str:
    kinds = Counter(_kind(row) for row in found)
    listed = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"\nOf {len(found)} claims: {listed}.\n\n"


def _kind(row: Row) -> str:
    """Return the kind of a row's verdict."""
    verdict = row.verdict.partition(" in all ")[0]
    if " of " in verdict:
        return "contradicted in some networks" if "contradicted" in verdict else "not conclusive in all networks"
    first, _, rest = verdict.partition(" ")
    if first == "contradicted":
        return first
    return "confirmed with corrections or conditions" if first == "confirmed" and rest else verdict


def _runs(figure: Document) -> str:
    faults = counted(len(figure["faults"]), "fault") if figure["faults"] else "no fault"
    return f"{figure['runs']:,} runs with {figure['messages']:,} messages; the oracle found {faults}.\n\n"


if __name__ == "__main__":
    for path, text in pages(documents(Path(sys.argv[1]))).items():
        path.write_text(text, encoding="utf-8")
