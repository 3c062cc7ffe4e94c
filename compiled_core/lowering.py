"""Lowering: changes the source of a module so that mypyc compiles it into native classes that behave as in Python.

- A dataclass becomes a plain class with explicit `__init__`, `__eq__` and `__hash__`, which mypyc compiles; it leaves
  the methods that `dataclasses` generates to the interpreter. `native_value.attach` adds the rest.
- All classes accept interpreted subclasses.
- Attributes that a class deletes are listed in `__deletable__`.
- Variables of classes are marked as such; those that override a property become properties, since compiled code calls
  the property of the static type.

Each generated line replaces a blank line nearby, so that tracebacks have the line numbers of the original source.
"""

import ast
import builtins
from pathlib import Path
from typing import Final

from compiled_core.class_fields import (
    ClassSource,
    FieldSource,
    LoweringError,
    ModuleSource,
    SourceTree,
    declarations,
    is_class_variable,
    source_tree,
)
from compiled_core.modules import module_name
from compiled_core.source_lines import SourceLines

_NATIVE: Final = "@mypyc_attr(allow_interpreted_subclasses=True)"
_FOREIGN_BASES: Final = {"Enum", "StrEnum", "IntEnum", "IntFlag", "NamedTuple", "TypedDict", "Protocol"}
_ATOMS: Final = {"int", "str", "bool", "float", "bytes"}
"""Values that equal themselves and are compared at once; of others, the identity is compared first, as in tuples."""


def lower_all(root: Path, paths: list[str]) -> None:
    """Lower these modules in place."""
    tree = source_tree(root, paths)
    lowered = {path: lowered_text(tree, module_name(path)) for path in paths}
    for path, text in lowered.items():
        (root / path).write_text(text, encoding="utf-8")


def lowered_text(tree: SourceTree, name: str) -> str:
    module = tree.module(name)
    assert module is not None, name
    classes = [cls for cls in module.classes.values() if is_native(tree, cls)]
    if not classes:
        return module.text
    lines = SourceLines(module.text)
    for cls in classes:
        _ClassLowering(tree, lines, cls).run()
    _put_imports(tree, module, lines, classes)
    lines.append(*(_attachment(cls) for cls in classes), "")
    return lines.text()


def is_native(tree: SourceTree, cls: ClassSource) -> bool:
    """Return whether mypyc makes a native class of it. Enumerations, tuples and exceptions are left as they are."""
    bases = {ast.unparse(base).partition("[")[0] for each in tree.ancestors(cls) for base in each.node.bases}
    return not any(base in _FOREIGN_BASES or _is_exception(base) for base in bases)


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


class _ClassLowering:
    def __init__(self, tree: SourceTree, lines: SourceLines, cls: ClassSource) -> None:
        self.tree = tree
        self.lines = lines
        self.cls = cls
        self.node = cls.node

    def run(self) -> None:
        self._class_variables()
        if self.cls.options is None:
            self._native_class()
        else:
            self._native_dataclass()
        if deleted := _deleted(self.node):
            self.lines.insert_below(_last_line(self.node), f"    __deletable__ = {deleted!r}")

    def _native_class(self) -> None:
        if self.node.decorator_list:
            raise LoweringError(f"{self.cls.module}.{self.cls.name}: a decorator that the build does not know")
        self.lines.insert_above(self.node.lineno, _NATIVE)

    def _native_dataclass(self) -> None:
        (decorator,) = self.node.decorator_list
        self.lines.replace(decorator.lineno, _last_line(decorator), _NATIVE)
        for statement in declarations(self.node):
            self.lines.replace(statement.lineno, _last_line(statement))
        if self.cls.fields:  # otherwise the methods of the base do
            first = next(declarations(self.node))
            methods = _methods(self.cls, self.tree.fields(self.cls))
            self.lines.insert_below(first.lineno, *(f"    {method}" for method in methods))

    def _class_variables(self) -> None:
        inherited = {name for base in self.tree.ancestors(self.cls)[1:] for name in base.properties}
        for statement in self.node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("__"):
                    self._class_variable(statement, name, None, inherited)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()) if is_class_variable(statement):
                    self._class_variable(statement, name, statement.annotation, inherited)

    def _class_variable(
        self, statement: ast.Assign | ast.AnnAssign, name: str, annotation: ast.expr | None, inherited: set[str]
    ) -> None:
        assert statement.value is not None
        value, last = ast.unparse(statement.value), _last_line(statement)
        if name not in inherited:
            if annotation is None:
                self.lines.replace(statement.lineno, last, f"    {name}: ClassVar = {value}")
        elif isinstance(annotation, ast.Subscript):
            kind = ast.unparse(annotation.slice)
            method = f"    def {name}(self) -> {kind}: return {value}"
            self.lines.replace(statement.lineno, last, "    @property", method)
        else:
            raise LoweringError(
                f"{self.cls.module}.{self.cls.name}.{name}: needs ClassVar[...], it overrides a property"
            )


def _last_line(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


def _methods(cls: ClassSource, fields: list[FieldSource]) -> list[str]:
    """Return the methods of a dataclass, each in one line."""
    assert cls.options is not None
    compared = [part for part in fields if part.compare]
    methods = [_init(cls, fields)]
    if cls.options.eq and "__eq__" not in cls.names:
        methods.append(_eq(cls, compared))
    if cls.options.hashed and "__hash__" not in cls.names:
        values = "".join(f"self.{part.name}, " for part in compared)
        methods.append(f"def __hash__(self) -> int: return hash(({values}))")
    return methods


def _init(cls: ClassSource, fields: list[FieldSource]) -> str:
    own = {part.name for part in cls.fields}
    parameters = "".join(f", {_parameter(part)}" for part in fields if part.init)
    body = [_assignment(part, declared=part.name in own) for part in fields]
    if "__post_init__" in cls.names:
        body.append("self.__post_init__()")
    return f"def __init__(self{parameters}) -> None: {'; '.join(filter(None, body)) or 'pass'}"


def _parameter(part: FieldSource) -> str:
    if part.factory is not None:
        return f"{part.name}: {part.annotation} | None = None"
    return f"{part.name}: {part.annotation}" + (f" = {part.default}" if part.default is not None else "")


def _assignment(part: FieldSource, *, declared: bool) -> str:
    """Return the assignment of a field. Only a field of the class itself is annotated: mypyc would add a second one."""
    target = f"self.{part.name}: {part.annotation}" if declared else f"self.{part.name}"
    if not part.init and part.factory is None:
        return f"{target} = {part.default}" if part.default is not None else ""
    if not part.init:
        return f"{target} = {part.factory}()"
    if part.factory is not None:
        return f"{target} = {part.factory}() if {part.name} is None else {part.name}"
    return f"{target} = {part.name}"


def _eq(cls: ClassSource, compared: list[FieldSource]) -> str:
    same = " and ".join(_comparison(part) for part in compared) or "True"
    kind = f"type(other) is type(self) and isinstance(other, {cls.name})"
    return f"def __eq__(self, other: object) -> bool: return ({same}) if {kind} else NotImplemented"


def _comparison(part: FieldSource) -> str:
    equal = f"self.{part.name} == other.{part.name}"
    return equal if part.annotation in _ATOMS else f"(self.{part.name} is other.{part.name} or {equal})"


def _deleted(node: ast.ClassDef) -> list[str]:
    """Return the attributes that methods delete."""
    targets = (target for part in ast.walk(node) if isinstance(part, ast.Delete) for target in part.targets)
    attributes = (target for target in targets if isinstance(target, ast.Attribute))
    return sorted({part.attr for part in attributes if isinstance(part.value, ast.Name) and part.value.id == "self"})


def _attachment(cls: ClassSource) -> str:
    """Return the statement that attaches slots and fields to a class."""
    if cls.options is None:
        return f"attach({cls.name}, {_slots(cls.node)})"
    names = tuple(part.name for part in cls.fields)
    own = "".join(f"({part.name!r}, {part.annotation!r}, own_field({part.options})), " for part in cls.fields)
    return f"attach({cls.name}, {names!r}, ({own}))"


def _slots(node: ast.ClassDef) -> str:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__slots__")], value=value):
                return ast.unparse(value)
    return "None"


def _put_imports(tree: SourceTree, module: ModuleSource, lines: SourceLines, classes: list[ClassSource]) -> None:
    """Put the imports of generated code into the line below the module's docstring."""
    statements = ["from protocols.native_value import attach, mypyc_attr, own_field"]
    if "ClassVar" not in module.names:
        statements.append("from typing import ClassVar")
    for cls in classes:
        statements += [] if cls.options is None else _inherited_names(tree, module, cls)
    line = "; ".join(dict.fromkeys(statements))
    first = module.tree.body[0]
    if isinstance(first, ast.Expr):
        lines.insert_below(_last_line(first) + 1, line)
    else:
        lines.insert_above(first.lineno, line)


def _inherited_names(tree: SourceTree, module: ModuleSource, cls: ClassSource) -> list[str]:
    """Return imports of the names that inherited fields use and that the module does not bind."""
    found = []
    for part in tree.fields(cls):
        expressions = " , ".join(filter(None, (part.annotation, part.default, part.factory)))
        names = {node.id for node in ast.walk(ast.parse(expressions)) if isinstance(node, ast.Name)}
        missing = {name for name in names - module.names if not hasattr(builtins, name)}
        found += [f"from {part.module} import {name}" for name in sorted(missing)]
    return found
