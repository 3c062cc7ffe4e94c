"""Lines of a source file, with insertions that change the numbers of few other lines."""

import ast


class SourceLines:
    """Lines are numbered from 1, as in syntax trees; their numbers stay those of the original text."""

    def __init__(self, text: str) -> None:
        self._lines = [[line] for line in text.split("\n")]
        self._literal = _lines_of_literals(text)

    def text(self) -> str:
        """Return the text. For each inserted line, the next blank line is omitted."""
        found: list[str] = []
        surplus = 0
        for number, lines in enumerate(self._lines, 1):
            if surplus and lines == [""] and number not in self._literal:
                surplus -= 1
            else:
                found += lines
                surplus += len(lines) - 1
        return "\n".join(found)

    def replace(self, first: int, last: int, *lines: str) -> None:
        self._lines[first - 1 : last] = [[""] for _ in range(first, last + 1)]
        self._lines[first - 1] = [*lines] or [""]

    def insert_below(self, number: int, *lines: str) -> None:
        """Insert lines below this one, or instead of it if it is blank."""
        there = self._lines[number - 1]
        self._lines[number - 1] = [*(there if there != [""] else []), *lines] or [""]

    def insert_above(self, number: int, line: str) -> None:
        """Insert a line above this one, in a blank line if one is there."""
        if number > 1 and self._lines[number - 2] == [""]:
            self._lines[number - 2] = [line]
        else:
            self._lines[number - 1].insert(0, line)

    def substitute(self, number: int, column: int, old: str, new: str) -> None:
        """Replace a text at this place of a line."""
        (line,) = self._lines[number - 1]
        assert line[column:].startswith(old), (line, old)
        self._lines[number - 1] = [line[:column] + new + line[column + len(old) :]]

    def cut(self, number: int, column: int, length: int) -> None:
        """Remove an item of a list in parentheses, with the comma at one of its sides."""
        (line,) = self._lines[number - 1]
        before, after = line[:column], line[column + length :]
        before, after = (before, after[2:]) if after.startswith(", ") else (before.removesuffix(", "), after)
        self._lines[number - 1] = [before + after]


def _lines_of_literals(text: str) -> set[int]:
    """Return the numbers of the lines in literals of several lines: their blank lines are part of the value."""
    literals = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant | ast.JoinedStr))
    return {number for node in literals for number in range(node.lineno, (node.end_lineno or 0) + 1)}
