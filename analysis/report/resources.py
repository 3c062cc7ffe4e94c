"""The files in `texts/` (glossary, explanations of sections, style and script of pages) and in `vendor/`."""

import gzip
from configparser import ConfigParser
from pathlib import Path
from typing import Final

from mobilesim.analysis.figures.style import INK

_FOLDER: Final = Path(__file__).with_name("texts")


class _Entries(ConfigParser):
    def optionxform(self, optionstr: str) -> str:
        """Keep capital letters."""
        return optionstr


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _entries(name: str) -> dict[str, dict[str, str]]:
    """Return the texts of a file by heading and name. Continuation lines are indented."""
    parser = _Entries(delimiters=(":",), interpolation=None)
    parser.read_string(_read(name), name)
    return {each: {key: text.replace("\n", " ") for key, text in parser.items(each)} for each in parser.sections()}


GLOSSARY: Final = _entries("glossary.ini")
"""The definitions by theme and term. `docs/glossary.md` is generated from them."""
EXPLANATIONS: Final = _entries("run_sections.ini")["sections of the report on a run"]

STYLE: Final = _read("page.css")
SCRIPT: Final = _read("page.js").replace("INK", INK)
"""The script that draws the figures in the colours of the page."""

PLOTLY: Final = gzip.decompress((_FOLDER.with_name("vendor") / "plotly-basic.min.js.gz").read_bytes()).decode("utf-8")
"""The smallest bundle of plotly.js that has bars and scatter plots, a quarter of the complete one."""

# This policy forbids all requests, even if markup in the data contains the address of a file.
POLICY: Final = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
