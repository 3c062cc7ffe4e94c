"""The glossary page, written from the terms that reports show: `python -m tests.house.glossary` writes it."""

from typing import Final

from analysis.report.resources import GLOSSARY
from tests.house.tree import ROOT

PAGE: Final = ROOT / "docs" / "glossary.md"
HEAD: Final = """\
# Glossary

Terms of the field, of the papers and of mobilesim. Reports show the same definitions. This page is written by
`python -m tests.house.glossary`; the terms stand in `analysis/report/texts/glossary.ini`.
"""


def page() -> str:
    themes = (
        f"## {theme}\n\n" + "\n".join(f"- **{term}**: {definition}" for term, definition in terms.items())
        for theme, terms in GLOSSARY.items()
    )
    return "\n\n".join([HEAD.rstrip(), *themes]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
