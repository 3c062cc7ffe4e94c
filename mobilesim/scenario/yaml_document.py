"""Reads YAML data with the line of every key. Tags, dates and non-decimal numbers are not supported."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

import yaml

from mobilesim.errors import shown

Place = tuple[str | int, ...]

_PLAIN: Final = "tag:yaml.org,2002:"
_MERGE: Final = f"{_PLAIN}merge"
_SCALARS: Final = frozenset(f"{_PLAIN}{kind}" for kind in ("null", "bool", "int", "float", "str"))


def dotted(at: Place) -> str:
    """Return a key path as text, like `backbone.links[0].latency`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in at).removeprefix(".")


class DocumentError(Exception):
    """A text that cannot be read as YAML. `line`: from 1, if known. `at`: the key path in the data, if known."""

    def __init__(self, message: str, line: int | None = None, at: Place = ()) -> None:
        super().__init__(message)
        self.line = line
        self.at = at


@dataclass(slots=True)
class Document:
    """`lines`: by path, the line of each key and item. The empty path stands for the whole document."""

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, at: Place) -> int:
        """Return the line of the key path `at`, or of the nearest section above it that is in the text."""
        while at not in self.lines:
            at = at[:-1]
        return self.lines[at]

    def where(self, source: str, at: Place) -> str:
        """Return the location of a key path for a message, like `file.yaml:3: cells.rows`."""
        return ": ".join(filter(None, (f"{source}:{self.line(at)}", dotted(at))))


class _Loader(yaml.SafeLoader):
    """A loader with its own resolvers: `12:30` and `2001-01-01` are texts, and `1e5` is a number."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - declared by PyYAML


for _kind, _form, _first in (
    ("bool", r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF", "yYnNtTfFoO"),
    ("int", r"[-+]?[0-9][0-9_]*", "-+0123456789"),
    ("float", r"[-+]?(?:[0-9][0-9_]*+\.?[0-9]*+|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)", "-+0123456789."),
    ("float", r"\.(?:nan|NaN|NAN)", "."),
    ("merge", r"<<", "<"),
    ("null", r"~|null|Null|NULL|", "~nN"),
):
    _Loader.add_implicit_resolver(
        f"{_PLAIN}{_kind}", re.compile(f"^(?:{_form})$"), [*_first, *([""] * (_kind == "null"))]
    )


class _Dumper(yaml.SafeDumper):
    """A writer without aliases. It quotes texts that `parse` would read as other values."""

    yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers

    def ignore_aliases(self, _data: object) -> bool:
        return True


def dump(data: object) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def parse(text: str) -> Document:
    """Parse a text with a single document; raise DocumentError if it cannot be read."""
    node = _compose(text)
    document = Document()
    if node is not None:
        document.data = _Reader(document.lines).read(node, (), 0)
    document.lines[()] = 1
    return document


def as_text(value: object) -> str:
    """Return a value on one line: a text as it is, if `parse` reads it as the same text; all other values as JSON."""
    if isinstance(value, str):
        try:
            if parse(value).data == value:
                return value
        except DocumentError:
            pass
    return json.dumps(value, ensure_ascii=False)


def _compose(text: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(f"not valid YAML: {_problem(error)}", None if mark is None else mark.line + 1) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        code = error.character if isinstance(error.character, int) else ord(error.character)
        raise DocumentError(f"not valid YAML: the character U+{code:04X} is not allowed", line) from None
    except RecursionError:
        raise DocumentError("nested too deeply for a scenario") from None
    except (ValueError, OverflowError):
        # PyYAML raises these errors for an escape sequence that is not a character.
        raise DocumentError("not valid YAML: an escape that names no character") from None
    return node


def _problem(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "it cannot be parsed"
    if "'\\t'" in problem:
        return "a tab; indent with spaces"
    if "expected a single document" in (error.context or ""):
        return "a second document; write one scenario per file"
    return " ".join(problem.split())


@dataclass(slots=True)
class _Reader:
    lines: dict[Place, int]
    nodes: int = 0

    def read(self, node: yaml.Node, at: Place, depth: int) -> object:
        self.nodes += 1
        line = node.start_mark.line + 1
        self.lines.setdefault(at, line)
        if depth > 12 or self.nodes > 200_000:
            raise DocumentError("nested too deeply, or too large, for a scenario", self.lines[at[:1]], at[:1])
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_PLAIN}map":
            return self._mapping(node, at, depth)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_PLAIN}seq":
            return [self._item(child, (*at, place), depth) for place, child in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode) and node.tag in _SCALARS:
            return _scalar(node, at)
        raise DocumentError(f"the tag {shown(node.tag)} is not allowed; write plain values", line, at)

    def _item(self, node: yaml.Node, at: Place, depth: int) -> object:
        self.lines[at] = node.start_mark.line + 1
        return self.read(node, at, depth + 1)

    def _mapping(self, node: yaml.MappingNode, at: Place, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        merged: dict[str, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == _MERGE:
                merged |= self._merged(value_node, at, depth)
                continue
            key = self._key(key_node, at)
            if key in found:
                first = self.lines[*at, key]
                raise DocumentError(f"this key occurs twice; the first is on line {first}", line, (*at, key))
            self.lines[*at, key] = line
            found[key] = self.read(value_node, (*at, key), depth + 1)
        return {**merged, **found}

    def _key(self, node: yaml.Node, at: Place) -> str:
        key = _scalar(node, at) if isinstance(node, yaml.ScalarNode) and node.tag in _SCALARS else []
        if isinstance(key, str):
            return key
        raise DocumentError(f"{shown(key)} cannot be a key; keys are words", node.start_mark.line + 1, at)

    def _merged(self, node: yaml.Node, at: Place, depth: int) -> dict[str, object]:
        """Return the keys of `<<: *anchor`. If there are several mappings, the first takes precedence."""
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        found: dict[str, object] = {}
        for part in reversed(list(self._mappings(parts, at))):
            found |= self._mapping(part, at, depth + 1)
        return found

    def _mappings(self, parts: list[yaml.Node], at: Place) -> Iterator[yaml.MappingNode]:
        for part in parts:
            if not isinstance(part, yaml.MappingNode):
                raise DocumentError("'<<' takes a mapping, like '<<: *anchor'", part.start_mark.line + 1, at)
            yield part


def _scalar(node: yaml.ScalarNode, at: Place) -> object:
    try:
        value: object = _CONSTRUCT[node.tag](node)
    except (ValueError, LookupError, OverflowError):
        line = node.start_mark.line + 1
        raise DocumentError(f"{shown(node.value)} is not a value that can be read", line, at) from None
    if isinstance(value, float) and "e" in node.value.lower() and value.is_integer():
        return int(Decimal(node.value.replace("_", "")))  # counts may be written like `1e5`
    return value


_CONSTRUCTOR: Final = yaml.constructor.SafeConstructor()
_CONSTRUCT: Final = {
    f"{_PLAIN}null": _CONSTRUCTOR.construct_yaml_null,
    f"{_PLAIN}bool": _CONSTRUCTOR.construct_yaml_bool,
    f"{_PLAIN}int": lambda node: int(node.value.replace("_", "")),  # `010` is ten
    f"{_PLAIN}float": _CONSTRUCTOR.construct_yaml_float,
    f"{_PLAIN}str": _CONSTRUCTOR.construct_yaml_str,
}
