"""The glossary page. `python -m tests.house.glossary` writes it from the terms of the reports."""

from typing import Final

from mobilesim.analysis.report.resources import GLOSSARY
from tests.house.tree import ROOT

PAGE: Final = ROOT / "docs" / "glossary.md"
HEAD: Final = """\
# Glossary

This page defines terms of the field, of the implemented papers, and of mobilesim. Reports have the same definitions.
The page is written by `python -m tests.house.glossary`; the terms are in `analysis/report/texts/glossary.ini`.
"""


def page() -> str:
    themes = (
        f"## {theme}\n\n" + "\n".join(f"- **{term}**: {definition}" for term, definition in terms.items())
        for theme, terms in GLOSSARY.items()
    )
    return "\n\n".join([HEAD.rstrip(), *themes]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
