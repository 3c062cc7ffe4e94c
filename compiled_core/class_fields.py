"""The classes of the source tree, with their bases and the fields of dataclasses, read from syntax trees."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from compiled_core.modules import module_name

_FIELD_OPTIONS: Final = {"default", "default_factory", "init", "repr", "compare"}


class LoweringError(Exception):
    """A class that the build cannot compile as it is written."""


@dataclass(frozen=True)
class FieldSource:
    """A field of a dataclass as source text. `default` and `factory` are expressions."""

    name: str
    annotation: str
    default: str | None = None
    factory: str | None = None
    init: bool = True
    compare: bool = True
    options: str = ""
    """The arguments of `dataclasses.field`."""
    module: str = ""


@dataclass(frozen=True)
class DataclassOptions:
    eq: bool
    hashed: bool


@dataclass(frozen=True)
class ClassSource:
    name: str
    module: str
    node: ast.ClassDef

    @cached_property
    def options(self) -> DataclassOptions | None:
        """The options of `@value` or `@dataclass`; None for another class."""
        for decorator in self.node.decorator_list:
            match decorator:
                case ast.Name(id="value"):
                    return DataclassOptions(eq=True, hashed=True)
                case ast.Call(func=ast.Name(id="dataclass"), keywords=keywords):
                    return _options(self, {word.arg: ast.unparse(word.value) for word in keywords})
                case ast.Name(id="dataclass"):
                    return _options(self, {})
        return None

    @cached_property
    def fields(self) -> tuple[FieldSource, ...]:
        """The fields that this class itself declares."""
        return tuple(_field(self, statement) for statement in declarations(self.node))

    @property
    def properties(self) -> frozenset[str]:
        functions = (part for part in self.node.body if isinstance(part, ast.FunctionDef))
        return frozenset(part.name for part in functions if "property" in map(ast.unparse, part.decorator_list))

    @property
    def names(self) -> frozenset[str]:
        """The names that the class body binds."""
        functions = {part.name for part in self.node.body if isinstance(part, ast.FunctionDef)}
        return frozenset(functions | {name for part in self.node.body for name in _targets(part)})


def declarations(node: ast.ClassDef) -> Iterator[ast.AnnAssign]:
    """Yield the statements that declare fields."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and not is_class_variable(statement):
            yield statement


def is_class_variable(statement: ast.AnnAssign) -> bool:
    return ast.unparse(statement.annotation).partition("[")[0] in {"ClassVar", "Final"}


def _targets(part: ast.stmt) -> Iterator[str]:
    match part:
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _options(cls: ClassSource, words: dict[str | None, str]) -> DataclassOptions:
    unknown = words.keys() - {"slots", "eq", "unsafe_hash"}
    if unknown or words.get("slots") != "True":
        raise LoweringError(f"{cls.module}.{cls.name}: only slots=True, eq and unsafe_hash are supported")
    return DataclassOptions(eq=words.get("eq") != "False", hashed=words.get("unsafe_hash") == "True")


def _field(cls: ClassSource, statement: ast.AnnAssign) -> FieldSource:
    name, annotation = ast.unparse(statement.target), ast.unparse(statement.annotation)
    match statement.value:
        case None:
            return FieldSource(name, annotation, module=cls.module)
        case ast.Call(func=ast.Name(id="field"), keywords=keywords):
            words = {str(word.arg): ast.unparse(word.value) for word in keywords}
            if words.keys() - _FIELD_OPTIONS:
                raise LoweringError(f"{cls.module}.{cls.name}.{name}: unsupported option of field()")
            return FieldSource(
                name,
                annotation,
                words.get("default"),
                words.get("default_factory"),
                words.get("init") != "False",
                words.get("compare") != "False",
                ", ".join(f"{word}={value}" for word, value in words.items()),
                cls.module,
            )
    default = ast.unparse(statement.value)
    return FieldSource(name, annotation, default, options=f"default={default}", module=cls.module)


@dataclass
class SourceTree:
    """The modules below a folder, parsed when they are first needed."""

    root: Path
    compiled: frozenset[str]
    _modules: dict[str, "ModuleSource | None"] = field(default_factory=dict)

    def module(self, name: str) -> "ModuleSource | None":
        """Return a module of the tree; None for one from elsewhere."""
        if name not in self._modules:
            path = self.root / f"{name.replace('.', '/')}.py"
            known = path.exists()
            self._modules[name] = ModuleSource(name, path.read_text(encoding="utf-8")) if known else None
        return self._modules[name]

    def find(self, module: "ModuleSource", name: str) -> ClassSource | None:
        """Return the class that has this name in a module, None if the tree does not define it."""
        if name in module.classes:
            return module.classes[name]
        origin, original = module.imported.get(name, ("", ""))
        source = self.module(origin)
        return None if source is None else self.find(source, original)

    def ancestors(self, cls: ClassSource) -> list[ClassSource]:
        """Return the class and the bases that the tree defines, the class first."""
        found = [cls]
        module = self.module(cls.module)
        assert module is not None
        for base in cls.node.bases:
            known = self.find(module, ast.unparse(base).partition("[")[0])
            found += [] if known is None else [other for other in self.ancestors(known) if other not in found]
        return found

    def fields(self, cls: ClassSource) -> list[FieldSource]:
        """Return the fields of a dataclass with the inherited ones, in the order of the parameters of `__init__`."""
        found: dict[str, FieldSource] = {}
        for base in reversed(self.ancestors(cls)):
            if base.options is not None and base.module not in self.compiled:
                raise LoweringError(f"{cls.module}.{cls.name}: its base {base.name} is not compiled")
            found |= {part.name: part for part in base.fields} if base.options is not None else {}
        return list(found.values())


@dataclass
class ModuleSource:
    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def classes(self) -> dict[str, ClassSource]:
        nodes = (node for node in self.tree.body if isinstance(node, ast.ClassDef))
        return {node.name: ClassSource(node.name, self.name, node) for node in nodes}

    @cached_property
    def imported(self) -> dict[str, tuple[str, str]]:
        """By name, the module and the original name of what `from ... import` binds."""
        imports = (node for node in self.tree.body if isinstance(node, ast.ImportFrom))
        return {alias.asname or alias.name: (str(node.module), alias.name) for node in imports for alias in node.names}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the module binds."""
        bound = {name for node in self.tree.body for name in _targets(node)}
        return frozenset(bound | self.classes.keys() | self.imported.keys())


def source_tree(root: Path, paths: list[str]) -> SourceTree:
    return SourceTree(root, frozenset(map(module_name, paths)))
