"""Tables and texts of the generated pages."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_LIST: Final = re.compile(r"(?<=\n)(?=- )")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!])")
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def code(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.strip()}\n```\n"


def prose(text: str) -> str:
    """Return plain text as Markdown: an empty line above a list, and no HTML."""
    paragraphs = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(_TAG.sub("&lt;", _with_space_above_list(each)) for each in paragraphs) + "\n"


def page(*parts: str) -> str:
    return _BLANK_LINES.sub("\n\n", "\n\n".join(part.rstrip() for part in parts if part)) + "\n"


def _with_space_above_list(paragraph: str) -> str:
    return paragraph if paragraph.startswith("- ") else _LIST.sub("\n", paragraph, count=1)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
