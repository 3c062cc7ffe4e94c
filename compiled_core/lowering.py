"""Lowering: changes the source of a module so that mypyc compiles it into native classes that behave as in Python.

- A dataclass becomes a plain class with explicit `__init__`, `__eq__` and `__hash__`, which mypyc compiles; it leaves
  the methods that `dataclasses` generates to the interpreter. `native_value.attach` adds the rest.
- All classes accept interpreted subclasses. Objects of value classes, and of classes marked as acyclic, need no garbage
  collection.
- Attributes that a class deletes are listed in `__deletable__`.
- Constants of classes become properties. Compiled code finds a property by its place in a table, and a variable by its
  name; if a variable overrides a property, compiled code would call the property.
- Attributes of the type `Shared[...]` accept every object, because the explorer stores placeholders in them.
- `ABC` is removed from the bases: mypy checks abstract methods, and no class is registered.

Each generated line replaces a blank line nearby, so that tracebacks have the line numbers of the original source.
"""

import ast
import builtins
from pathlib import Path
from typing import Final

from compiled_core.class_sources import (
    ClassSource,
    LoweringError,
    ModuleSource,
    SourceText,
    SourceTree,
    VariableSource,
    declarations,
    source_tree,
)
from compiled_core.dataclass_methods import methods_of
from compiled_core.modules import module_name
from compiled_core.source_lines import SourceLines

_NATIVE: Final = "@mypyc_attr(allow_interpreted_subclasses=True)"
_NATIVE_ACYCLIC: Final = "@mypyc_attr(allow_interpreted_subclasses=True, acyclic=True)"
_SPECIAL_BASES: Final = {"Enum", "StrEnum", "IntEnum", "IntFlag", "NamedTuple", "TypedDict", "Protocol"}


def lower_all(root: Path, paths: list[str]) -> None:
    """Lower these modules in place."""
    tree = source_tree(root, paths)
    lowered = {path: lowered_text(tree, module_name(path)) for path in paths}
    for path, text in lowered.items():
        (root / path).write_text(text, encoding="utf-8")


def lowered_text(tree: SourceTree, name: str) -> str:
    module = tree.module(name)
    assert module is not None, name
    classes = [cls for cls in module.classes.values() if is_class(tree, cls)]
    if not classes:
        return module.text
    lines = SourceLines(module.text)
    for cls in classes:
        _ClassLowering(tree, lines, cls).run()
    _put_imports(tree, module, lines, classes)
    return lines.text()


def is_class(tree: SourceTree, cls: ClassSource) -> bool:
    """Return whether the class is lowered. mypyc makes no extension classes of enumerations, tuples and exceptions."""
    bases = {name for each in tree.ancestors(cls) for name in each.bases}
    return not any(base in _SPECIAL_BASES or _is_exception(base) for base in bases)


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
        self._strip_abc()
        self._open_shared_attributes()
        for variable in self.cls.variables:
            self._lower_variable(variable)
        if self.cls.options is None:
            self._decorate()
        else:
            self._lower_dataclass()
        if deleted := _deleted(self.node):
            self.lines.insert_below(_last_line(self.node), f"    __deletable__ = {deleted!r}")
        if self.tree.is_native(self.cls):
            self.lines.insert_below(_last_line(self.node), _attachment(self.cls))

    def _strip_abc(self) -> None:
        """Remove the base ABC: instances would get a dictionary, and `isinstance` would call the metaclass."""
        for base in self.node.bases:
            if ast.unparse(base) == "ABC":
                self.lines.cut(base.lineno, base.col_offset, len("ABC"))

    def _open_shared_attributes(self) -> None:
        """Let attributes of the type `Shared[...]` accept all objects: compiled code checks types."""
        for part in ast.walk(self.node):
            match part:
                case ast.AnnAssign(annotation=ast.Subscript(value=ast.Name(id="Shared")) as kind):
                    self.lines.substitute(kind.lineno, kind.col_offset, ast.unparse(kind), "Any")

    def _decorate(self) -> None:
        if self.cls.is_marked_acyclic:
            (decorator,) = self.node.decorator_list
            self.lines.replace(decorator.lineno, decorator.lineno)
        elif self.node.decorator_list:
            raise LoweringError(f"{self.cls.module}.{self.cls.name}: a decorator that the build does not know")
        self.lines.insert_above(self.node.lineno, self._decorator())

    def _decorator(self) -> str:
        return _NATIVE_ACYCLIC if self.tree.is_acyclic(self.cls) else _NATIVE

    def _lower_dataclass(self) -> None:
        (decorator,) = self.node.decorator_list
        self.lines.replace(decorator.lineno, _last_line(decorator), self._decorator())
        for statement in declarations(self.node):
            self.lines.replace(statement.lineno, _last_line(statement))
        if self.cls.fields:  # a class without own fields inherits the methods of its base
            first = next(declarations(self.node))
            methods = methods_of(self.cls, self.tree.fields(self.cls))
            lines = ("__dataclass_fields__: ClassVar[Fields]", *methods)
            self.lines.insert_below(first.lineno, *(f"    {line}" for line in lines))

    def _lower_variable(self, variable: VariableSource) -> None:
        """Make a property of a class variable, or a `ClassVar` if its value may be mutable or its type is unknown."""
        name, value, statement = variable.name, variable.value, variable.statement
        declared = self.tree.declared_type(self.cls, name)
        if declared is not None and variable.is_constant:
            body = "raise AttributeError" if value is None else f"return {value}"
            lines = ("    @property", f"    def {name}(self) -> {declared.text}: {body}")
            self.lines.replace(statement.lineno, _last_line(statement), *lines)
        elif self.tree.overrides_property(self.cls, name):
            raise LoweringError(f"{self.cls.module}.{self.cls.name}.{name}: overrides a property without a constant")
        elif isinstance(statement, ast.Assign):
            self.lines.replace(statement.lineno, _last_line(statement), f"    {name}: ClassVar = {value}")


def _last_line(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


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
    statements = ["from mobilesim.protocols.native_value import Fields, attach, mypyc_attr, own_field"]
    statements += [f"from typing import {name}" for name in ("Any", "ClassVar") if name not in module.names]
    for cls in classes:
        used = [*_texts_of_fields(tree, cls), *_texts_of_variables(tree, cls)]
        statements += [statement for text in used for statement in _missing_imports(module, text)]
    line = "; ".join(dict.fromkeys(statements))
    first = module.tree.body[0]
    if isinstance(first, ast.Expr):
        lines.insert_below(_last_line(first) + 1, line)
    else:
        lines.insert_above(first.lineno, line)


def _texts_of_fields(tree: SourceTree, cls: ClassSource) -> list[SourceText]:
    texts = [(part, text) for part in tree.fields(cls) for text in (part.annotation, part.default, part.factory)]
    return [SourceText(text, part.module) for part, text in texts if text is not None]


def _texts_of_variables(tree: SourceTree, cls: ClassSource) -> list[SourceText]:
    types = (tree.declared_type(cls, variable.name) for variable in cls.variables)
    return [declared for declared in types if declared is not None]


def _missing_imports(module: ModuleSource, text: SourceText) -> list[str]:
    """Return imports of the names in `text`, which is from another module, that `module` does not bind."""
    names = {node.id for node in ast.walk(ast.parse(text.text)) if isinstance(node, ast.Name)}
    missing = sorted(name for name in names - module.names if not hasattr(builtins, name))
    return [f"from {text.module} import {name}" for name in missing]
