"""Rules for sizes, words and addresses. Each rule takes one file and returns violations as `path:line: what`."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from tests.house.tree import Source

FILE_LINES: Final = 400
FUNCTION_LINES: Final = 50
SHORT_LINES: Final = 25

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

# Brackets split the forbidden words, so that this file follows its own rules.
LOOSE_ENDS: Final = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")
VAGUE: Final = re.compile(r"(Manager|Helper|Util|Utils)$")
ADDRESS: Final = re.compile(r"\b(?:https?|ftp|git|ssh)://(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*)")
REGISTRY: Final = re.compile(
    r"p[y]pi\.org|python[h]osted|index[-_]u[r]l|find[-_]l[i]nks|conda\.anac[o]nda", re.IGNORECASE
)
ELSEWHERE: Final = re.compile(r"(?<![\w.])(/[w]ork|/[t]mp|/[r]oot)(?![\w-])|\.\./[s]hared|/home/\w")

# Identifiers of formats that look like web addresses, but are never fetched.
IDENTIFIERS: Final = frozenset({"graphml.graphdrawing.org", "json-schema.org", "www.topografix.com", "www.w3.org"})
LOCAL: Final = frozenset({"127.0.0.1", "localhost"})
# Reserved host names, for tests of addresses.
RESERVED: Final = frozenset({"example.org", "host"})


def long_files(source: Source) -> list[str]:
    lines = source.text.count("\n")
    return [f"{source.path}: {lines} lines"] if source.is_python and lines > FILE_LINES else []


def functions(source: Source) -> Iterator[tuple[Function, int]]:
    for node in source.nodes:
        if isinstance(node, Function):
            yield node, (node.end_lineno or node.lineno) - node.lineno + 1


def long_functions(source: Source) -> list[str]:
    return [
        f"{source.path}:{node.lineno}: {node.name} has {lines} lines"
        for node, lines in functions(source)
        if lines > FUNCTION_LINES
    ]


def share_of_short_functions(sources: Sequence[Source]) -> float:
    lengths = [lines for source in sources for _, lines in functions(source)]
    return sum(length < SHORT_LINES for length in lengths) / max(len(lengths), 1)


def prints(source: Source) -> list[str]:
    if source.is_below("mobilesim/cli", "benchmarks"):
        return []
    names = [node for node in source.nodes if isinstance(node, ast.Name)]
    return [f"{source.path}:{node.lineno}: prints" for node in names if node.id == "print"]


def vague_names(source: Source) -> list[str]:
    classes = [node for node in source.nodes if isinstance(node, ast.ClassDef)]
    found = [f"{source.path}:{node.lineno}: class {node.name}" for node in classes if VAGUE.search(node.name)]
    return [*found, *([f"{source.path}: a vague name"] if VAGUE.search(source.path.stem.title()) else [])]


def loose_ends(source: Source) -> list[str]:
    return _matching(source, LOOSE_ENDS)


def registries(source: Source) -> list[str]:
    return _matching(source, REGISTRY)


def other_places(source: Source) -> list[str]:
    """Return the lines with a path of a developer's machine."""
    return _matching(source, ELSEWHERE)


def addresses(source: Source) -> list[str]:
    """Return the external web addresses in code, scenarios and settings. Documents may contain them."""
    if source.path.suffix == ".md":
        return []
    return [
        f"{source.path}:{number}: {match[0]}"
        for number, line in enumerate(source.text.splitlines(), 1)
        for match in ADDRESS.finditer(line)
        if match["host"].lower() not in IDENTIFIERS | LOCAL | (RESERVED if source.room == "tests" else frozenset())
    ]


FIGURES: Final = "mobilesim/experiments/paper_figures/figures"
CLAIMS: Final = "tests/house/papers"


def strays(source: Source) -> list[str]:
    """Return YAML files outside scenarios/, and files inside it that are neither scenarios nor input files.

    Definitions of paper figures, claims of papers, scenarios of example packages and the settings of pre-commit may be
    YAML files elsewhere.
    """
    is_yaml = source.path.suffix in {".yaml", ".yml"}
    if str(source.path) == ".pre-commit-config.yaml" or (is_yaml and source.is_below(FIGURES, CLAIMS, "examples")):
        return []
    belongs = source.path.suffix in {".yaml", ".csv", ".graphml"} if source.room == "scenarios" else not is_yaml
    fault = "YAML outside scenarios/" if is_yaml else "neither a scenario nor an input file of one"
    return [] if belongs else [f"{source.path}: {fault}"]


def _matching(source: Source, pattern: re.Pattern[str]) -> list[str]:
    lines = enumerate(source.text.splitlines(), 1)
    return [f"{source.path}:{number}: {line.strip()[:80]}" for number, line in lines if pattern.search(line)]
