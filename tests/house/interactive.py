"""Runs an interactive Python session, and compares the answers with those shown below each input."""

import doctest


class Answers(doctest.OutputChecker):
    """`…` matches any text in a line; alone in a line, it matches any lines."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        from tests.house.snippets import matches

        return matches(want.splitlines(), got.rstrip()) if want else not got


def differences(typed: str) -> str:
    """Return the answers that differ from those shown, as text; the input sees no name of earlier inputs."""
    test = doctest.DocTestParser().get_doctest(typed, {}, "typed", None, None)
    found: list[str] = []
    doctest.DocTestRunner(Answers(), verbose=False).run(test, out=found.append)
    return "".join(found)
