"""The page on the Python API, made from the source of the names of `mobilesim`: signatures and docstrings."""

import ast
import doctest
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any, Final

import mobilesim
from tests.house.reference.markdown import code, page, prose

HEAD: Final = """\
# Python API

```python
import mobilesim as ms
```

These names are stable; no other module of mobilesim is, except `mobilesim.contract` for [parts of your
own](../adding-a-protocol.md).
"""
_EXAMPLES: Final = doctest.DocTestParser()
_PROMPTS: Final = (">>>", *["..."] * 20)


def pages() -> dict[str, str]:
    names = [name for name in mobilesim.__all__ if not name.startswith("__")]
    parts = [part for name in sorted(names, key=_order) for part in _entry(name, getattr(mobilesim, name))]
    return {"docs/reference/python-api.md": page(HEAD, *parts)}


def _order(name: str) -> tuple[bool, str]:
    return name[0].isupper(), name


def _entry(name: str, thing: Any) -> Iterator[str]:  # noqa: ANN401 - a function or a class
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    yield f"## {name}"
    if isinstance(node, ast.FunctionDef):
        yield code(_signature(f"ms.{name}", node), "text")
    yield from _documented(inspect.getdoc(thing) or "")
    if isinstance(node, ast.ClassDef):
        yield from _members(thing)


def _members(kind: type) -> Iterator[str]:
    """Yield the public properties and methods of a class, those of its bases in this project first."""
    own = [base for base in reversed(kind.__mro__) if base.__module__.startswith("mobilesim.")]
    found = {name: member for base in own for name, member in vars(base).items() if not name.startswith("_")}
    for name, member in found.items():
        function = getattr(member, "fget", None) or getattr(member, "func", None) or member
        text = inspect.getdoc(function)
        if not inspect.isfunction(function) or not text or isinstance(member, classmethod | staticmethod):
            continue
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        assert isinstance(node, ast.FunctionDef)
        yield f"### {kind.__name__}.{name}"
        yield code(_signature(name, node) if function is member else _attribute(name, node))
        yield from _documented(text)


def _attribute(name: str, node: ast.FunctionDef) -> str:
    return f"{name}: {_type(node.returns)}"


def _signature(name: str, node: ast.FunctionDef) -> str:
    """Return the signature with one parameter in a line, if it is long."""
    arguments = node.args
    arguments.args = [each for each in arguments.args if each.arg != "self"]
    for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        each.annotation = None if each.annotation is None else ast.Name(_type(each.annotation))
    whole = f"{name}({ast.unparse(arguments)}) -> {_type(node.returns)}"
    return "\n".join(textwrap.wrap(whole, 110, subsequent_indent=" " * (len(name) + 1), break_on_hyphens=False))


def _type(annotation: ast.expr | None) -> str:
    if annotation is None:
        return "None"
    return str(annotation.value) if isinstance(annotation, ast.Constant) else ast.unparse(annotation)


def _documented(text: str) -> Iterator[str]:
    """Yield the text of a docstring, and its examples, which other tests run."""
    examples = ""
    for part in _EXAMPLES.parse(text):
        if isinstance(part, doctest.Example):
            lines = zip(_PROMPTS, part.source.splitlines(), strict=False)
            examples += "".join(f"{prompt} {line}\n" for prompt, line in lines) + part.want
        elif part.strip():
            yield prose(part)
    if examples:
        yield code(examples)
