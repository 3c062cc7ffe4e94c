"""The blocks of a page that a command writes: between `<!-- generated: NAME -->` and `<!-- end -->`."""

import re
from collections.abc import Callable
from typing import Final

_BLOCK: Final = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(?P<end><!-- end -->)", re.DOTALL)


def renewed(text: str, generated: Callable[[str], str]) -> str:
    """Return the page with all blocks generated again. `generated` returns the content of the block with a name."""
    return _BLOCK.sub(lambda block: f"{block[1]}{generated(block['name'])}{block['end']}", text)


def blocks(text: str) -> dict[str, str]:
    """Return the generated blocks of a page, by name."""
    return {block["name"]: block["body"] for block in _BLOCK.finditer(text)}
