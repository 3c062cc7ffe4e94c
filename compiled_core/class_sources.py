"""The classes of the source tree, with their bases and the fields of dataclasses, read from syntax trees."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, TypeGuard

from compiled_core.modules import module_name

_NEUTRAL_BASES: Final = {"ABC", "Generic"}
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
class SourceText:
    """An expression, and the module in which its names are looked up."""

    text: str
    module: str


@dataclass(frozen=True)
class VariableSource:
    """A variable of a class: an assignment, or a declaration as `ClassVar`."""

    name: str
    statement: ast.Assign | ast.AnnAssign

    @property
    def value(self) -> str | None:
        return None if self.statement.value is None else ast.unparse(self.statement.value)

    @property
    def type(self) -> str | None:
        match self.statement:
            case ast.AnnAssign(annotation=ast.Subscript(slice=kind)):
                return ast.unparse(kind)
        return None

    @property
    def is_constant(self) -> bool:
        """Return whether the value can be computed again at each use."""
        return self.statement.value is None or _is_constant(self.statement.value)


def _is_constant(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.Name() | ast.Attribute(value=ast.Name()):
            return True
        case ast.UnaryOp(operand=operand):
            return _is_constant(operand)
        case ast.Tuple(elts=items):
            return all(_is_constant(item) for item in items)
    return False


ACYCLIC: Final = "mypyc_attr(acyclic=True)"
"""The decorator that excludes a class from garbage collection: no object of it is part of a reference cycle."""


@dataclass(frozen=True)
class DataclassOptions:
    """`frozen`: whether objects are values, which do not change."""

    eq: bool
    hashed: bool
    frozen: bool = False


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
                    return DataclassOptions(eq=True, hashed=True, frozen=True)
                case ast.Call(func=ast.Name(id="dataclass"), keywords=keywords):
                    return _options(self, {word.arg: ast.unparse(word.value) for word in keywords})
                case ast.Name(id="dataclass"):
                    return _options(self, {})
        return None

    @property
    def is_marked_acyclic(self) -> bool:
        return [ast.unparse(decorator) for decorator in self.node.decorator_list] == [ACYCLIC]

    @cached_property
    def fields(self) -> tuple[FieldSource, ...]:
        """The fields that this class itself declares."""
        return tuple(_field(self, statement) for statement in declarations(self.node))

    @property
    def bases(self) -> list[str]:
        return [ast.unparse(base).partition("[")[0] for base in self.node.bases]

    @cached_property
    def variables(self) -> tuple[VariableSource, ...]:
        found = ((part, name) for part in self.node.body for name in _targets(part) if not name.startswith("__"))
        return tuple(VariableSource(name, part) for part, name in found if _is_variable(part))

    @cached_property
    def properties(self) -> dict[str, str]:
        """The return types of the properties, by name."""
        functions = (part for part in self.node.body if isinstance(part, ast.FunctionDef))
        own = (part for part in functions if "property" in map(ast.unparse, part.decorator_list))
        return {part.name: ast.unparse(part.returns) for part in own if part.returns is not None}

    @property
    def names(self) -> frozenset[str]:
        """The names that the class body binds."""
        functions = {part.name for part in self.node.body if isinstance(part, ast.FunctionDef)}
        return frozenset(functions | {name for part in self.node.body for name in _targets(part)})


def _is_acyclic(cls: ClassSource) -> bool:
    if cls.options is not None:
        return cls.options.frozen
    return cls.is_marked_acyclic or any(ast.unparse(part) == "__slots__ = ()" for part in cls.node.body)


def declarations(node: ast.ClassDef) -> Iterator[ast.AnnAssign]:
    """Yield the statements that declare fields."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and not _annotated_as(statement, "ClassVar", "Final"):
            yield statement


def _annotated_as(statement: ast.AnnAssign, *kinds: str) -> bool:
    return ast.unparse(statement.annotation).partition("[")[0] in kinds


def _is_variable(part: ast.stmt) -> TypeGuard[ast.Assign | ast.AnnAssign]:
    return isinstance(part, ast.Assign) or (isinstance(part, ast.AnnAssign) and _annotated_as(part, "ClassVar"))


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
        """Return a module of the tree; None for a module that is not in the tree."""
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
        for base in cls.bases:
            known = self.find(module, base)
            found += [] if known is None else [other for other in self.ancestors(known) if other not in found]
        return found

    def is_acyclic(self, cls: ClassSource) -> bool:
        """Return whether no object of the class is part of a reference cycle, so that it needs no garbage collection.

        The class and each base must be a value class, have no attributes, or be marked as acyclic.
        """
        whole = all(_is_acyclic(base) for base in self.ancestors(cls))
        return whole and self.is_native(cls) and not any("Generic" in base.bases for base in self.ancestors(cls))

    def is_native(self, cls: ClassSource) -> bool:
        """Return whether the class and all of its bases are compiled."""
        module = self.module(cls.module)
        assert module is not None
        known = {base: self.find(module, base) for base in cls.bases if base not in _NEUTRAL_BASES}
        return cls.module in self.compiled and all(base and self.is_native(base) for base in known.values())

    def declared_type(self, cls: ClassSource, name: str) -> SourceText | None:
        """Return the type of a class variable, by its own declaration or by that of a base."""
        for base in self.ancestors(cls):
            types = {part.name: part.type for part in base.variables if part.type} | base.properties
            if name in types:
                return SourceText(types[name], base.module)
        return None

    def overrides_property(self, cls: ClassSource, name: str) -> bool:
        return any(name in base.properties for base in self.ancestors(cls)[1:])

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
