"""What the shipped studies say stands in `docs/what-if`, a page for each: between two marks, as the command prints it.

`python -m tests.house.studies` runs them all, and writes it there anew.
"""

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mobilesim import shipped
from mobilesim.cli.main import main
from tests.house.tree import ROOT

PAGES: Final = ROOT / "docs" / "what-if"

_BEGIN: Final = "<!-- what the study says, by `python -m tests.house.studies` -->\n\n```text\n"
_END: Final = "```\n\n<!-- so far -->\n"


def page(name: str) -> Path:
    return PAGES / f"{Path(name).name}.md"


def kept(name: str) -> str:
    """What its page has."""
    return page(name).read_text(encoding="utf-8").partition(_BEGIN)[2].partition(_END)[0]


def said(name: str) -> str:
    """What it says now: its differences, and where histories part."""
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()) as out:
        if main(["what-if", name, "--out", f"{folder}/r", "--no-report"]):
            raise AssertionError(name)
    lines = out.getvalue().splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("'"))
    last = next(place for place, line in enumerate(lines) if line.startswith("verdict: "))
    return "\n".join(lines[first:last]).strip() + "\n"


def write(name: str) -> None:
    before, begin, rest = page(name).read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    page(name).write_text(f"{before}{begin}{said(name)}{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    for study in shipped.studies():
        write(study)
