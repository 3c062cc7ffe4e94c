"""The pictures in `docs/pictures`. Commands in the documents draw these pictures: `mobilesim map ... -o NAME.svg`.
`python -m tests.house.pictures` draws all pictures again.
"""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.house.snippets import blocks, commands, documents, faults
from tests.house.tree import ROOT

PICTURES: Final = ROOT / "docs" / "pictures"

_DRAWS: Final = re.compile(r"mobilesim map .* -o (\S+\.svg)")
_SCREENSHOT: Final = re.compile(r"\((?:docs/)?pictures/([^)]+\.png)\)")
_SHOWS: Final = re.compile(r"\((?:docs/)?pictures/([^)]+\.svg)\)")


def drawn(document: Path) -> list[str]:
    """Return the names of the pictures that the commands of a document draw."""
    found = (block for block in blocks(document.name, document.read_text(encoding="utf-8")) if not block.excuse)
    output = (command for block in found if block.language == "console" for command, _ in commands(block.text))
    return [match[1] for command in output if (match := _DRAWS.match(command))]


def shown(document: Path) -> list[str]:
    return _SHOWS.findall(document.read_text(encoding="utf-8"))


def screenshots(document: Path) -> list[str]:
    """Return the names of the screenshots that a document shows. They depend on fonts, so no test compares them."""
    return _SCREENSHOT.findall(document.read_text(encoding="utf-8"))


def differing(document: Path, folder: Path) -> list[str]:
    """Return the names of the document's pictures that differ between the folder and `docs/pictures`."""
    return [name for name in drawn(document) if _content(PICTURES / name) != _content(folder / name)]


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def draw_all() -> list[str]:
    """Draw all pictures again, and return the faults found in the documents' examples."""
    found: list[str] = []
    PICTURES.mkdir(exist_ok=True)
    for document in filter(drawn, documents()):
        with TemporaryDirectory() as scratch:
            folder = Path(scratch) / "reader"
            folder.mkdir()
            found += faults(document.name, document.read_text(encoding="utf-8"), folder)
            for name in drawn(document):
                if (folder / name).exists():
                    shutil.copyfile(folder / name, PICTURES / name)
    return found


if __name__ == "__main__":
    raise SystemExit("\n".join(draw_all()) or 0)
