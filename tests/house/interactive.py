"""Runs what somebody typed to Python, with the answers shown below it, in a process of its own.

`python interactive.py` reads it from its input, says what went otherwise, and ends with 1 if anything did.
"""

import doctest
import sys


class Answers(doctest.OutputChecker):
    """`…` stands for any text in a line, and for any lines where it is alone, as below commands."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        from tests.house.snippets import matches

        return matches(want.splitlines(), got.rstrip()) if want else not got


def main() -> int:
    test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "typed", None, None)
    return int(doctest.DocTestRunner(Answers(), verbose=False).run(test).failed > 0)


if __name__ == "__main__":
    sys.exit(main())
